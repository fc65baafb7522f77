"""The kill matrix: proof that each case can fail.

`RunResult.kills` is `{"controls": [names], "cases": {case: {control: outcome}}}`. A control is a scheduler that breaks
a law on purpose; a case is proven when at least one control made it red, or made a case that only observes report what
it does not report of the honest scheduler (`observed`). What was not tried is left out of the mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.core.verdict import Outcome

CAUGHT = frozenset({str(Outcome.VIOLATED), "observed"})


@dataclass(frozen=True, slots=True)
class Kills:
    """The matrix, ready to be a table."""

    controls: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...], bool], ...]  # case, an outcome ("" = not tried) per control, proven

    @property
    def proven(self) -> int:
        return sum(row[2] for row in self.rows)


def kill_matrix(kills: Mapping[str, Any] | None) -> Kills | None:
    """The table, or None where `muster prove` did not run."""
    if not kills:
        return None
    cases: Mapping[str, Mapping[str, Any]] = kills.get("cases") or {}
    named = [str(name) for name in kills.get("controls") or ()]
    controls = named + sorted({str(c) for tried in cases.values() for c in tried} - set(named))
    rows = []
    for case in sorted(cases):
        outcomes = tuple(str(cases[case].get(control) or "") for control in controls)
        rows.append((str(case), outcomes, not CAUGHT.isdisjoint(outcomes)))
    return Kills(tuple(controls), tuple(rows))
