"""Compare results with the histories beside them: is each there, is it the one that was judged, does the result follow?

`muster recheck`, `muster report check` and `muster site` use this. Results name every history by its digest. A history
that is missing, that no result names, or that is another one is a problem; so is a result that its history does not
give.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.core.catalogue.cases import Case
from harness.core.catalogue.script import departures
from harness.core.deadlines import scaled
from harness.core.errors import UsageError
from harness.core.history import store
from harness.core.history.records import History
from harness.core.history.validate import impossible
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.results import CaseResult, promises
from harness.core.verdict import Outcome, Verdict

FOLDER = "history"  # where a run keeps its histories
PATTERN = "*.jsonl.zst"


@dataclass(frozen=True, slots=True)
class JudgedHistory:
    """One stored history that was judged again."""

    path: Path
    history: History
    verdicts: tuple[Verdict, ...]
    outcome: Outcome
    result: CaseResult | None  # which names it

    @property
    def differs(self) -> bool:
        """The result does not follow from the history."""
        return self.result is not None and not follows(self.result, self.outcome)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a history that does not fit the results."""

    path: str  # relative to the folder of the run
    what: str
    result: CaseResult | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


@dataclass(frozen=True, slots=True)
class Declared:
    """What the catalogue says about the histories of its cases; empty where the catalogue is not known."""

    deadlines: Mapping[str, float] = field(default_factory=dict)  # none may be longer
    cases: Mapping[str, Case] = field(default_factory=dict)  # by id


def declared_by(catalogue: Iterable[Case], factor: float) -> Declared:
    """What a run with this factor of deadlines has to keep to."""
    return Declared(scaled(factor), {case.id: case for case in catalogue})


def has_histories(folder: Path) -> bool:
    """Whether the folder of a run still has its histories."""
    return any((folder / FOLDER).rglob(PATTERN))


def judge_again(
    cases: Iterable[CaseResult], folder: Path, declared: Declared | None = None
) -> Iterator[JudgedHistory | Problem]:
    """Every history that the results name, judged again, and every problem with one."""
    named: set[Path] = set()
    for case in cases:
        for path, result in _paths(case):
            if path in named:
                yield Problem(str(path), f"more than one result names it, {case.case} too", case)
                continue
            named.add(path)
            yield from _read_history(folder, path, case, result, declared or Declared())
    for place in sorted((folder / FOLDER).rglob(PATTERN)):
        if place.relative_to(folder) not in named:
            yield Problem(str(place.relative_to(folder)), "no result names this history")


def follows(result: CaseResult, outcome: Outcome) -> bool:
    """Whether the history's outcome gives the result: a fault of the harness makes `unknown` of all but a violation."""
    if result.error and outcome is not Outcome.VIOLATED:
        return result.outcome is Outcome.UNKNOWN
    return result.outcome is outcome


def _paths(case: CaseResult) -> list[tuple[Path, CaseResult | None]]:
    """The histories of a result: its own, and in a report those of the repeats that it is the worst of."""
    if not case.history:
        return []
    path = Path(case.history)
    if case.repeats == 1:
        return [(path, case)]
    stem = re.sub(r"(\.\d+)?\.jsonl\.zst$", "", path.name)
    names = [f"{stem}.jsonl.zst", *(f"{stem}.{number}.jsonl.zst" for number in range(2, case.repeats + 1))]
    return [(path.with_name(name), case if name == path.name else None) for name in names]


def _read_history(
    folder: Path, path: Path, case: CaseResult, result: CaseResult | None, declared: Declared
) -> Iterator[JudgedHistory | Problem]:
    root = folder.resolve()
    place = (root / path).resolve()
    if not place.is_relative_to(root):
        yield Problem(str(path), "this path leads out of the folder", case)
    elif not place.is_file():
        yield Problem(str(path), "is missing", case)
    else:
        try:
            history = store.read(place)
        except UsageError as error:
            yield Problem(str(path), error.message.removeprefix(f"{place} "), case)
            return
        faults = [*_faults(history, case, result), *_exceeding(history, declared.deadlines)]
        yield from (Problem(str(path), fault, case) for fault in faults)
        if not faults:
            yield from _rejudged(folder / path, path, history, case, result, declared)


def _rejudged(
    place: Path, path: Path, history: History, case: CaseResult, result: CaseResult | None, declared: Declared
) -> Iterator[JudgedHistory | Problem]:
    verdicts = judge_case(history, case.strength)
    outcome = case_outcome(verdicts)
    if outcome is Outcome.PASS and not case.error and case.case in declared.cases:
        yield from (Problem(str(path), text, case) for text in _unlike_code(history, declared.cases[case.case]))
    yield JudgedHistory(place, history, verdicts, outcome, result)
    if result is None and outcome.badness > case.outcome.badness:
        yield Problem(str(path), f"this repeat is {outcome}, and the result of the case is {case.outcome}", case)


def _unlike_code(history: History, case: Case) -> Iterator[str]:
    """What a passing history has or lacks against the code of its case."""
    lacking = sorted(set(case.promises) - set(promises(history)))
    if lacking:
        yield f"passes, but not the promises that its case makes: {_listed(lacking)}"
    yield from departures(history, case.script)


def _faults(history: History, case: CaseResult, result: CaseResult | None) -> Iterator[str]:
    """Why this is not the history that the result was made from."""
    if result is not None and history.digest != result.digest:
        yield f"is another history than the one that was judged: it has {history.digest}, the result {case.digest}"
    for key, value in (("case", case.case), ("integration", case.integration)):
        if history.header.get(key) != value:
            yield f"is of the {key} {history.header.get(key)!r}, the result is of {value!r}"
    if result is not None and result.deadlines and history.header.get("deadlines") != dict(result.deadlines):
        yield f"has other deadlines than the run: {_different(history, result)}"
    if result is not None and result.deadlines and promises(history) != result.promises:
        yield f"holds the scheduler to {_listed(promises(history))}, the run to {_listed(result.promises)}"


def _exceeding(history: History, longest: Mapping[str, float]) -> Iterator[str]:
    if impossible(history) is not None:
        return  # its deadlines may be anything, and it is not judged
    deadlines = history.header.get("deadlines") or {}
    for name in sorted(set(longest).intersection(deadlines)):
        if deadlines[name] > longest[name] * 1.000001:
            yield f"has the deadline {name} of {deadlines[name]:g} s, the run allows {longest[name]:g} s"


def _different(history: History, result: CaseResult) -> str:
    header = history.header.get("deadlines")
    deadlines = header if isinstance(header, dict) else {}
    names = sorted(
        name for name in {*deadlines, *result.deadlines} if deadlines.get(name) != result.deadlines.get(name)
    )
    return ", ".join(
        f"{name} is {deadlines.get(name, 'absent')}, was {result.deadlines.get(name, 'absent')}" for name in names
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
