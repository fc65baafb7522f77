"""Proof per clause: which mutants show that the suite notices when a clause is broken.

A case names several clauses, and a mutant that turns it red may break only one of them. So a clause is proven by a
mutant that says it breaks this clause and that killed a case which names it.

A law, which several clauses may state, is isolated by a mutant that breaks just that law. What it breaks may also
contain the law, for that cannot be avoided, or be a part of it. Clauses of which is only reported are no laws.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.core.catalogue.cases import Case
from harness.core.catalogue.clauses import Clause, wider_laws
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


def isolated_by(
    clauses: Sequence[Clause], cases: Sequence[Case], mutants: Iterable[Mutant], killed: Mapping[str, Iterable[str]]
) -> dict[str, list[str]]:
    """Clause -> the mutants that break just its law and killed a case that names the law."""
    law_of = {clause.id: clause.law for clause in clauses}
    reported = {clause.id for clause in clauses if clause.level == "OBSERVE"}
    wider = wider_laws(clauses)
    kills = {(law_of[clause], name) for case in cases for clause in case.clauses for name in killed.get(case.id, ())}
    isolated: dict[str, list[str]] = {}
    for mutant in mutants:
        broken = {law_of[clause] for clause in mutant.breaks if clause not in reported}
        for clause in clauses:
            if (clause.law, mutant.name) in kills and _breaks_just(clause.law, broken, wider):
                isolated.setdefault(clause.id, []).append(mutant.name)
    return isolated


def _breaks_just(law: str, broken: Iterable[str], wider: Mapping[str, frozenset[str]]) -> bool:
    """Whether what is broken is the law or a part of it, and nothing beside it but what contains it."""
    inside = [other for other in broken if other == law or law in wider[other]]
    return bool(inside) and all(other in inside or other in wider[law] for other in broken)
