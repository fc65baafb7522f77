"""The audit of the register: whether every clause is judged as strongly as it speaks, on a scheduler, and by a proof.

A clause that only weaker cases name cannot fail as it says. One whose cases no recorded integration is asked for has
never been judged on a real scheduler. One that no mutant of its own breaks is named by cases that may not notice it.
One that no mutant breaks without breaking other laws may be told apart from them by no case; that is a note, no fault.
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
SHARED = "no mutant breaks just its law"


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A clause with all that speaks for it, and what is missing."""

    covered: ClauseCoverage
    strength: str  # of its strongest case; empty if it has none
    judged_on: tuple[str, ...]  # integrations with expected verdicts that are asked for a case of it
    proven_by: tuple[str, ...]  # mutants
    isolated_by: tuple[str, ...] = ()  # mutants that break just its law

    @property
    def is_shared(self) -> bool:
        """Whether it must hold and is judged, and every mutant that breaks it breaks other laws as well."""
        return bool(self.covered.cases) and self.covered.clause.level == "MUST" and not self.isolated_by

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
            "isolated_by": list(self.isolated_by),
            "problems": list(self.problems),
        }


def audit(
    coverages: Sequence[ClauseCoverage],
    cases: Sequence[Case],
    asked: Mapping[str, frozenset[str]],
    proofs: Mapping[str, Sequence[str]],
    isolations: Mapping[str, Sequence[str]] | None = None,
) -> list[AuditRow]:
    """A row for each clause: `asked` has the cases of each recorded integration, `proofs` the mutants of a clause, and
    `isolations` those of them that break just its law."""
    strengths = {case.id: case.strength for case in cases}
    rows = []
    for covered in coverages:
        strongest = min((strengths[case] for case in covered.cases), key=STRENGTHS.index, default="")
        judged_on = [name for name, own_cases in asked.items() if not own_cases.isdisjoint(covered.cases)]
        proven, alone = (tuple(mutants.get(covered.clause.id, ())) for mutants in (proofs, isolations or {}))
        rows.append(AuditRow(covered, strongest, tuple(judged_on), proven, alone))
    return rows
