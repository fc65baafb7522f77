"""Proof per clause: which mutants show that the suite notices when a clause is broken.

A case names several clauses, and a mutant that turns it red may break only one of them. So a clause is proven by a
mutant that says it breaks this clause and that killed a case which names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from harness.core.catalogue.cases import Case
from harness.mutation.mutants import Mutant


def proven_by(
    cases: Iterable[Case], mutants: Iterable[Mutant], killed: Mapping[str, Iterable[str]]
) -> dict[str, list[str]]:
    """Clause -> the mutants that prove it; `killed` says for each case which mutants turned it red."""
    kills = {(clause, name) for case in cases for clause in case.clauses for name in killed.get(case.id, ())}
    proven: dict[str, list[str]] = {}
    for mutant in mutants:
        for clause in mutant.breaks:
            if (clause, mutant.name) in kills:
                proven.setdefault(clause, []).append(mutant.name)
    return proven
