"""Check a report: its schema, everything that is computed from its cases, and the histories beside it.

A published report may have been edited by hand. The schema finds malformed data. Everything above the rows of cases
(results, counts, lists, summaries, what is complete) is computed again from the rows and compared field by field. The
selection and the catalogue say which cases must be there. Where the histories lie beside the report, every row is
compared with the verdict that its history gives; without them a report is consistent, but not verified.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from harness.core.catalogue.cases import Case
from harness.core.catalogue.selection import ALL, catalogue_size
from harness.core.errors import UsageError
from harness.core.oracle.figures import gang_figures
from harness.core.oracle.judge import needs_stalls
from harness.core.results import RunResult
from harness.core.text import counted
from harness.core.untrusted import read_yaml
from harness.core.verdict import Outcome
from harness.core.version import __version__
from harness.report.conformance import API_VERSION, KIND, case_row, report
from harness.report.evidence import JudgedHistory, Problem, declared_by, has_histories, judge_again
from harness.report.model import missing
from harness.report.restore import restored, seconds

MOST = 100  # problems that are listed
ROUNDING = 0.0025  # by which two roundings of one measured number may differ


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of report.yaml."""
    source = resources.files("harness.report").joinpath("schema/report.schema.json").read_text(encoding="utf-8")
    return dict(json.loads(source))


def load_report(path: Path) -> dict[str, Any]:
    """The report in the file; UsageError if it is not a report that this muster can read."""
    path = path / "report.yaml" if path.is_dir() else path
    try:
        data = read_yaml(path)
    except OSError as error:
        what = f"cannot read {path}: {error.strerror or error}"
        raise UsageError(what, hint="give a report.yaml or its folder") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not YAML: {error}") from error
    if not isinstance(data, dict) or data.get("kind") != KIND:
        kind = data.get("kind") if isinstance(data, dict) else type(data).__name__
        raise UsageError(f"{path} is not a {KIND} (kind is {kind!r})", hint="muster writes it as report.yaml")
    if data.get("apiVersion") != API_VERSION:
        raise UsageError(
            f"{path} has apiVersion {data.get('apiVersion')!r}; this muster supports {API_VERSION}",
            hint="use the muster version that wrote it, named in the file as musterVersion",
        )
    return data


@dataclass(frozen=True, slots=True)
class ReportCheck:
    """What a check of a report found."""

    problems: tuple[str, ...]  # `path: what`
    judged: int = 0  # histories that were judged again
    same_catalogue: bool = False  # the cases were compared with the catalogue of this muster

    @property
    def verified(self) -> bool:
        """Every row follows from its history."""
        return not self.problems and self.judged > 0

    def __str__(self) -> str:
        """What was verified, in words."""
        histories = f"{counted(self.judged, 'history')} judged again"
        evidence = histories if self.judged else "not verified (no histories)"
        other = "" if self.same_catalogue else ", made with another catalogue of cases than that of this muster"
        return f"{evidence}{other}"


def check(path: Path, catalogue: Sequence[Case] = ()) -> ReportCheck:
    """Load and check a report file, with the histories that lie beside it."""
    return checked(load_report(path), path if path.is_dir() else path.parent, catalogue)


def checked(data: Mapping[str, Any], folder: Path | None = None, catalogue: Sequence[Case] = ()) -> ReportCheck:
    """Check a report; `catalogue` is compared if it is the one of the report."""
    listed = list(_malformed(data)) or list(_moments(data))
    if listed:
        return _limited(listed)
    run = restored(data)
    same = bool(catalogue) and catalogue_size(catalogue) == run.catalogue
    listed += [*_repeated(data), *_selected(run)]
    listed += _unlike_catalogue(run, catalogue) if same else ()
    listed += [] if listed else differences(data, _derived(data, run))
    judged = 0
    if folder is not None and has_histories(folder):
        for entry in judge_again(run.cases, folder, declared_by(catalogue, run.timeout_factor) if same else None):
            judged += isinstance(entry, JudgedHistory)
            listed += disagreements(entry, run.muster)
    return _limited(listed, judged, same)


def problems(data: Mapping[str, Any], folder: Path | None = None, catalogue: Sequence[Case] = ()) -> list[str]:
    """Every fault of the report as `path: what`; empty if there is none."""
    return list(checked(data, folder, catalogue).problems)


def unlike_results(data: Mapping[str, Any], run: RunResult) -> Iterator[str]:
    """Where a report differs from the one that the results of the same run give."""
    yield from differences(data, report(run), names=("report", "results"))


def differences(data: Any, derived: Any, path: str = "", names: tuple[str, str] = ("report", "cases")) -> Iterator[str]:
    """Where two trees of plain data differ, by path; `names` are those of the two in a sentence."""
    if isinstance(data, Mapping) and isinstance(derived, Mapping):
        for key in [*derived, *(key for key in data if key not in derived)]:
            yield from differences(data.get(key), derived.get(key), f"{path}.{key}", names)
    elif isinstance(data, list) and isinstance(derived, list) and len(data) == len(derived) and _nested(derived):
        for index, (item, other) in enumerate(zip(data, derived, strict=True)):
            yield from differences(item, other, f"{path}[{_label(index, item, other)}]", names)
    elif not _equal(data, derived):
        first, second = (f"the {name} {'say' if name.endswith('s') else 'says'}" for name in names)
        yield f"{path.lstrip('.')}: {first} {_shown(data)}, {second} {_shown(derived)}"


def _equal(value: Any, other: Any) -> bool:
    if isinstance(value, float) or isinstance(other, float):
        numbers = all(isinstance(number, int | float) and not isinstance(number, bool) for number in (value, other))
        return numbers and abs(value - other) < ROUNDING
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _label(index: int, item: Any, other: Any) -> str:
    """What stands for an entry of a list: its case or integration if both sides name the same, else its number."""
    for key in ("case", "integration"):
        if isinstance(item, Mapping) and isinstance(other, Mapping) and item.get(key) == other.get(key) is not None:
            return str(item[key])
    return str(index)


def _derived(data: Mapping[str, Any], run: RunResult) -> dict[str, Any]:
    """The report that its rows give; the length of the run is not computed from them."""
    derived = report(run)
    derived["run"]["seconds"] = data["run"]["seconds"]
    return derived


def _malformed(data: Mapping[str, Any]) -> Iterator[str]:
    validator = jsonschema.Draft202012Validator(schema())
    for error in sorted(validator.iter_errors(data), key=lambda e: ([str(p) for p in e.absolute_path], e.message)):
        yield f"{_where(error.absolute_path)}: {_short(error.message)}"


def _repeated(data: Mapping[str, Any]) -> Iterator[str]:
    """Entries that stand more than once: computing again would merge them."""
    for name in _twice(entry["integration"] for entry in data["implementations"]):
        yield f"implementations: {name!r} is there more than once"
    for index, entry in enumerate(data["implementations"]):
        for name in _twice(row["case"] for row in entry["cases"]):
            yield f"implementations[{index}].cases: {name!r} is there more than once"


def _moments(data: Mapping[str, Any]) -> Iterator[str]:
    run = data["run"]
    try:
        length = seconds(data["date"]) - seconds(run["started"])
    except ValueError as error:
        yield f"date: is no time: {error}"
        return
    if abs(length - run["seconds"]) > 1.001:  # times are cut to whole seconds
        yield f"run.seconds: says {run['seconds']}, from started to date it is {length:g}"


def _selected(run: RunResult) -> Iterator[str]:
    """What selection and counts alone say about which cases must be there."""
    asked = Counter(name.partition("@")[0] for name in run.selection.integrations)
    present = Counter(entry.integration.partition("@")[0] for entry in run.implementations)
    for name in sorted((asked - present) | (present - asked)):
        yield f"run.selection.integrations: {name!r} was asked for {asked[name]} times, the report has {present[name]}"
    number = _number(run)
    if number is not None and run.planned != number * len(run.implementations):
        yield f"run.planned: says {run.planned}, the selection asks for {number * len(run.implementations)} cases"
    for index, entry in enumerate(run.implementations):
        place = f"implementations[{index}].cases"
        ids = {case.case for case in run.cases if case.integration == entry.integration}
        if run.selection.cases:
            yield from _unlike(place, ids, set(run.selection.named), whole=not missing(run))
        elif number is not None and len(ids) > number:
            yield f"{place}: has {len(ids)} cases, the catalogue has {number}"


def _number(run: RunResult) -> int | None:
    """How many cases the selection asks of each integration; None if only the catalogue itself knows."""
    if run.selection.cases:
        return len(set(run.selection.named))
    if run.selection.profile == ALL and not run.selection.shard:
        return sum(sum(levels.values()) for levels in run.catalogue.cases.values())
    return None


def _unlike_catalogue(run: RunResult, catalogue: Sequence[Case]) -> Iterator[str]:
    """Rows that the selection does not give, and rows that say something else than the declaration of their case."""
    declared = {case.id: case for case in catalogue}
    expected = {case.id for case in catalogue if run.selection.selects(case)}
    for index, entry in enumerate(run.implementations):
        place = f"implementations[{index}].cases"
        rows = [case for case in run.cases if case.integration == entry.integration]
        yield from _unlike(place, {case.case for case in rows}, expected, whole=not missing(run))
        for row in rows:
            case = declared.get(row.case)
            if case is None:
                continue
            for key in ("profile", "level", "strength", "clauses"):
                if getattr(row, key) != getattr(case, key):
                    yield f"{place}: {row.case} has {key} {getattr(row, key)!r}, its declaration {getattr(case, key)!r}"
            unmet = case.unmet(entry.project, frozenset(entry.supported), entry.kubernetes)
            if row.outcome is Outcome.NOT_SUPPORTED and not unmet and not row.history:
                yield f"{place}: {row.case} is not-supported, but every feature that it needs is claimed"
    planned = len(expected) * len(run.implementations)
    if run.planned != planned:
        yield f"run.planned: says {run.planned}, the selection asks for {planned} cases"


def _unlike(place: str, ids: set[str], expected: set[str], *, whole: bool) -> Iterator[str]:
    for name in sorted(ids - expected):
        yield f"{place}: {name} is there, but was not selected"
    for name in sorted(expected - ids) if whole else ():
        yield f"{place}: {name} was selected, but is missing"


def disagreements(entry: JudgedHistory | Problem, muster: str) -> list[str]:
    """What a result says that its history does not give.

    Reasons, revisions and figures are compared too if this muster is the one that wrote them, for another one may
    measure and say it differently.
    """
    if isinstance(entry, Problem):
        return [str(entry)]
    result = entry.result
    if result is None:
        return []
    if entry.differs:
        return [f"{result.history}: the report says {result.outcome}, the history gives {entry.outcome}"]
    if muster != __version__:
        return []
    again = replace(
        result,
        verdicts=entry.verdicts,
        figures=gang_figures(entry.history),
        needs_stalls=needs_stalls(entry.history, entry.verdicts, result.strength),
    )
    names = ("report", "history")
    return [f"{result.history}: {text}" for text in differences(case_row(result), case_row(again), names=names)]


def _limited(listed: Sequence[str], judged: int = 0, same: bool = False) -> ReportCheck:
    more = [f"and {len(listed) - MOST} more problems"] if len(listed) > MOST else []
    return ReportCheck((*listed[:MOST], *more), judged, same)


def _twice(names: Iterable[str]) -> list[str]:
    return sorted(name for name, number in Counter(names).items() if number > 1)


def _nested(items: Sequence[Any]) -> bool:
    return any(isinstance(item, Mapping | list) for item in items)


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    return _short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _where(path: Any) -> str:
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return place.lstrip(".") or "report"


def _short(message: str) -> str:
    return message if len(message) <= 300 else message[:297] + "..."
