"""The kill matrix: proof that each case can fail.

`RunResult.kills` is `{"references": [names], "mutants": [names], "cases": {case: {name: outcome}}}`. A mutant breaks a
rule on purpose; a case is proven when at least one mutant made it red, or made a case that only observes report what it
does not report of the reference (`observed`). What was not tried is left out of the mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.core.verdict import Outcome

RED = frozenset({str(Outcome.VIOLATED), "observed"})


@dataclass(frozen=True, slots=True)
class Kills:
    """The matrix, ready to be a table."""

    subjects: tuple[str, ...]  # the references, then the mutants
    rows: tuple[tuple[str, tuple[str, ...], bool], ...]  # case, an outcome ("" = not tried) per subject, proven

    @property
    def proven(self) -> int:
        return sum(row[2] for row in self.rows)


def kill_matrix(kills: Mapping[str, Any] | None) -> Kills | None:
    """The table, or None where `muster prove` did not run."""
    if not kills:
        return None
    cases: Mapping[str, Mapping[str, Any]] = kills.get("cases") or {}
    references = [str(name) for name in kills.get("references") or ()]
    mutants = [str(name) for name in kills.get("mutants") or ()]
    tried = {str(name) for outcomes in cases.values() for name in outcomes}
    mutants += sorted(tried - {*references, *mutants})
    rows = []
    for case in sorted(cases):
        outcomes = {name: str(cases[case].get(name) or "") for name in (*references, *mutants)}
        proven = any(outcomes[name] in RED for name in mutants)
        rows.append((str(case), tuple(outcomes.values()), proven))
    return Kills((*references, *mutants), tuple(rows))
