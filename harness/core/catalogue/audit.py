"""The audit of the register: whether every clause is judged as strongly as it speaks, on a scheduler, and by a proof.

A clause that only weaker cases name cannot fail as it says. One whose cases no recorded integration is asked for has
never been judged on a real scheduler. One that no mutant of its own breaks is named by cases that may not notice it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.core.catalogue.cases import STRENGTHS, Case
from harness.core.catalogue.clauses import ClauseCoverage

EXPLAINED, WEAKER, UNRECORDED, UNPROVEN = "explained", "weaker", "unrecorded", "unproven"
PROBLEMS: Mapping[str, str] = {
    EXPLAINED: "no case is about it, and the register says why",
    WEAKER: "its cases are weaker than it is",
    UNRECORDED: "no integration with expected verdicts is asked for its cases",
    UNPROVEN: "no mutant of its own was killed by its cases",
}


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A clause with all that speaks for it, and what is missing."""

    covered: ClauseCoverage
    strength: str  # of its strongest case; empty if it has none
    judged_on: tuple[str, ...]  # integrations with expected verdicts that are asked for a case of it
    proven_by: tuple[str, ...]  # mutants

    @property
    def problems(self) -> tuple[str, ...]:
        """Names of PROBLEMS."""
        level = self.covered.clause.level
        if not self.strength:
            return (EXPLAINED,)
        missing = {
            WEAKER: STRENGTHS.index(self.strength) > STRENGTHS.index(level),
            UNRECORDED: not self.judged_on,
            UNPROVEN: level == "MUST" and not self.proven_by,
        }
        return tuple(problem for problem, is_missing in missing.items() if is_missing)

    def as_data(self) -> dict[str, Any]:
        return {
            **self.covered.as_data(),
            "strength": self.strength,
            "judged_on": list(self.judged_on),
            "proven_by": list(self.proven_by),
            "problems": list(self.problems),
        }


def audit(
    coverages: Sequence[ClauseCoverage],
    cases: Sequence[Case],
    asked: Mapping[str, frozenset[str]],
    proofs: Mapping[str, Sequence[str]],
) -> list[AuditRow]:
    """A row for each clause: `asked` has the cases of each recorded integration, `proofs` the mutants of a clause."""
    strengths = {case.id: case.strength for case in cases}
    rows = []
    for covered in coverages:
        strongest = min((strengths[case] for case in covered.cases), key=STRENGTHS.index, default="")
        judged_on = [name for name, own_cases in asked.items() if not own_cases.isdisjoint(covered.cases)]
        rows.append(AuditRow(covered, strongest, tuple(judged_on), tuple(proofs.get(covered.clause.id, ()))))
    return rows
