"""What a proof found: which control turned which case red, and where that is written down.

A case that only observes is never violated; it is proven when a control makes it report something that the honest
scheduler does not. The record (ci/proof.yaml) is written by `muster prove` alone, so that what it says was seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.controls import HONEST, Control
from harness.core.errors import UsageError
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome
from harness.report.files import put

OBSERVED = "observed"
RED = (str(Outcome.VIOLATED), OBSERVED)
ANEW = "Give a file that `muster prove --record` has written, or one that is not there yet."
HEAD = """\
# Who turns each case red, as seen by `muster prove --record {path}`; not to be edited.
# `source` stands for the code of the case then: a case that has changed since is proven again.
"""


@dataclass(slots=True)
class Matrix:
    """Outcome of each case with each control."""

    cases: list[str]  # those that are to be proven
    outcomes: dict[str, dict[str, str]] = field(default_factory=dict)  # case -> control -> outcome
    recorded: dict[str, list[str]] = field(default_factory=dict)  # case -> controls, from earlier proofs
    tried: dict[str, tuple[str, ...]] = field(default_factory=dict)  # control -> cases that it must turn red
    _plain: dict[str, frozenset[str]] = field(default_factory=dict)  # case -> what it reports of the honest scheduler

    def add(self, control: Control, wanted: Collection[str], result: RunResult) -> None:
        """Take in what a run of the wanted cases with this control found."""
        if control.name != HONEST:
            self.tried[control.name] = tuple(case for case in control.caught_by if case in wanted)
        for case in result.cases:
            if case.outcome is Outcome.NOT_SUPPORTED:
                continue
            if control.name == HONEST:
                self._plain[case.case] = _reports(case)
            told = _reports(case) - self._plain.get(case.case, frozenset())
            outcome = OBSERVED if told and control.name != HONEST else str(case.outcome)
            self.outcomes.setdefault(case.case, {})[control.name] = outcome

    @property
    def killed(self) -> dict[str, list[str]]:
        """Case -> controls it turned red for, those of earlier proofs first."""
        found: dict[str, list[str]] = {}
        for case in sorted({*self.cases, *self.outcomes, *self.recorded}):
            now = [name for name, outcome in self.outcomes.get(case, {}).items() if outcome in RED and name != HONEST]
            again = [name for name in self.recorded.get(case, ()) if name not in self.outcomes.get(case, {})]
            if now or again:
                found[case] = again + now
        return found

    def as_data(self) -> dict[str, Any]:
        """What `muster prove --json` prints."""
        killed, red = self.killed, {name for names in self.killed.values() for name in names}
        return {
            "cases": sorted({*self.cases, *self.outcomes}),
            "sins": list(self.tried),
            "killed": killed,
            "unproven": [case for case in sorted(self.cases) if case not in killed],
            "holes": [name for name in self.tried if name not in red],
            "missed": [
                {"sin": name, "case": case}
                for name, cases in self.tried.items()
                for case in cases
                if self.outcomes.get(case, {}).get(name) not in RED
            ],
            "innocent_blamed": sorted(
                case for case, tried in self.outcomes.items() if tried.get(HONEST, "pass") != str(Outcome.PASS)
            ),
        }

    def as_kills(self) -> dict[str, Any]:
        """The form the report draws."""
        return {"controls": [HONEST, *self.tried], "cases": self.outcomes}


def _reports(case: CaseResult) -> frozenset[str]:
    """The checks that found something to report in a case that only observes."""
    return frozenset(verdict.check for verdict in case.verdicts if verdict.figures.get(OBSERVED))


def read_record(path: Path, sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Who turned each case red in earlier proofs, as far as the case is still the same; nothing without such a file."""
    if not path.is_file():
        return {}
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint=ANEW) from error
    if not isinstance(data, dict) or not all(_is_entry(entry) for entry in data.values()):
        wanted = "for every case the controls that turn it red and what it was then, `by` and `source`"
        raise UsageError(f"{path} is no record of a proof: {wanted}", hint=ANEW)
    same = {case: entry for case, entry in data.items() if sources.get(case) == entry["source"]}
    return {case: [str(name) for name in entry["by"]] for case, entry in same.items()}


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and set(entry) == {"by", "source"} and isinstance(entry["by"], list)


def write_record(path: Path, killed: Mapping[str, Iterable[str]], sources: Mapping[str, str]) -> None:
    """Write down who turns each case red; a proof that is cut off leaves the last record whole."""
    data = {case: {"by": list(names), "source": sources[case]} for case, names in sorted(killed.items())}
    put(path, HEAD.format(path=path) + yaml.safe_dump(data, width=110))
