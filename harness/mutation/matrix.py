"""The kill matrix: which mutant turned which case red, and the record of it.

A case that only observes is never violated; it is proven when a mutant makes it report something that it does not
report of the reference. The record (ci/proof.yaml) is written by `muster prove` alone, so that it holds what was seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.core.errors import UsageError
from harness.core.files import put
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome
from harness.mutation.mutants import Mutant, Subject, unkilled

OBSERVED = "observed"
RED = (str(Outcome.VIOLATED), OBSERVED)
OTHER_FILE = "Give a file that `muster prove --record` has written, or one that does not exist yet."
HEAD = """\
# The mutants that kill each case, as seen by `muster prove --record {path}`; not to be edited.
# `source` is a digest of the code of the case at that time: a case that has changed since is proven again.
"""


@dataclass(slots=True)
class KillMatrix:
    """The outcome of each case with each reference and mutant."""

    cases: list[str]  # those that are to be proven
    outcomes: dict[str, dict[str, str]] = field(default_factory=dict)  # case -> name -> outcome
    recorded: dict[str, list[str]] = field(default_factory=dict)  # case -> mutants, from earlier proofs
    tried: dict[str, tuple[str, ...]] = field(default_factory=dict)  # mutant -> cases that must kill it
    references: list[str] = field(default_factory=list)
    _reported: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)  # reference and case -> checks

    def add(self, subject: Subject, cases: Collection[str], result: RunResult) -> None:
        """Take in the result of a run of these cases with a reference or a mutant."""
        mutant = subject if isinstance(subject, Mutant) else None
        if mutant:
            self.tried[mutant.name] = tuple(case for case in mutant.killed_by if case in cases)
        else:
            self.references.append(subject.name)
        for case in result.cases:
            if case.outcome is Outcome.NOT_SUPPORTED:
                continue
            outcome = str(case.outcome)
            if mutant is None:
                self._reported[subject.name, case.case] = _reports(case)
            elif _reports(case) - self._reported.get((mutant.reference, case.case), frozenset()):
                outcome = OBSERVED
            self.outcomes.setdefault(case.case, {})[subject.name] = outcome

    @property
    def killed(self) -> dict[str, list[str]]:
        """Case -> mutants that turned it red, those of earlier proofs first; no case that is red without a mutant."""
        killed: dict[str, list[str]] = {}
        for case in sorted({*self.cases, *self.outcomes, *self.recorded} - set(unkilled())):
            outcomes = self.outcomes.get(case, {})
            now = [name for name, outcome in outcomes.items() if outcome in RED and name not in self.references]
            earlier = [name for name in self.recorded.get(case, ()) if name not in outcomes]
            if now or earlier:
                killed[case] = earlier + now
        return killed

    def as_data(self) -> dict[str, Any]:
        """What `muster prove --json` prints."""
        killed, red = self.killed, {name for names in self.killed.values() for name in names}
        return {
            "cases": sorted({*self.cases, *self.outcomes}),
            "mutants": list(self.tried),
            "killed": killed,
            "unkilled_cases": [case for case in sorted(self.cases) if case not in killed],
            "survivors": [name for name in self.tried if name not in red],
            "missed_kills": [
                {"mutant": name, "case": case}
                for name, cases in self.tried.items()
                for case in cases
                if self.outcomes.get(case, {}).get(name) not in RED
            ],
            "false_positives": [
                {"reference": name, "case": case}
                for case, outcomes in sorted(self.outcomes.items())
                for name, outcome in outcomes.items()
                if name in self.references and outcome != str(Outcome.PASS)
            ],
        }

    def as_kills(self) -> dict[str, Any]:
        """The form that the report draws."""
        return {"references": self.references, "mutants": list(self.tried), "cases": self.outcomes}


def _reports(case: CaseResult) -> frozenset[str]:
    """The checks that have something to report in a case that only observes."""
    return frozenset(verdict.check for verdict in case.verdicts if verdict.figures.get(OBSERVED))


def read_record(path: Path, sources: Mapping[str, str] | None = None) -> dict[str, list[str]]:
    """The mutants that killed each case in earlier proofs; nothing without the file.

    With `sources`, the digests of the cases as they are now, only of cases that have not changed since.
    """
    if not path.is_file():
        return {}
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint=OTHER_FILE) from error
    if not isinstance(data, dict) or not all(_is_entry(entry) for entry in data.values()):
        form = "for every case `by`, the mutants that turn it red, and `source`, a digest of its code"
        raise UsageError(f"{path} is no record of a proof: {form}", hint=OTHER_FILE)
    same = {case: entry for case, entry in data.items() if sources is None or sources.get(case) == entry["source"]}
    return {case: [str(name) for name in entry["by"]] for case, entry in same.items()}


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and set(entry) == {"by", "source"} and isinstance(entry["by"], list)


def write_record(path: Path, killed: Mapping[str, Iterable[str]], sources: Mapping[str, str]) -> None:
    """Write down the mutants that kill each case; a proof that is cut off leaves the last record whole."""
    data = {case: {"by": list(names), "source": sources[case]} for case, names in sorted(killed.items())}
    put(path, HEAD.format(path=path) + yaml.safe_dump(data, width=110))
