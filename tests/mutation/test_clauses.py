"""Every MUST clause that a case judges is broken by a mutant of its own."""

from __future__ import annotations

import pytest

from harness.box.data import data_root
from harness.core.catalogue.cases import Case
from harness.core.catalogue.clauses import coverage
from harness.mutation.clauses import proven_by
from harness.mutation.matrix import read_record
from harness.mutation.mutants import Mutant, mutants
from harness.runner.collect import collect_cases, fingerprint, load_clauses

CASES = collect_cases()
RECORD = read_record(data_root() / "ci" / "proof.yaml", {case.id: fingerprint(case) for case in CASES})
PROVEN = proven_by(CASES, mutants(), RECORD)


def test_every_clause_that_must_hold_has_a_mutant() -> None:
    judged = [
        entry.clause.id for entry in coverage(load_clauses(), CASES) if entry.cases and entry.clause.level == "MUST"
    ]

    assert [clause for clause in judged if clause not in PROVEN] == [], "write a mutant that breaks these clauses"


@pytest.mark.parametrize("mutant", [mutant for mutant in mutants() if mutant.killed_by], ids=lambda mutant: mutant.name)
def test_mutant_was_killed_by_a_case_of_each_clause_it_breaks(mutant: Mutant) -> None:
    assert mutant.breaks, "a mutant names the clauses that it breaks"
    assert [clause for clause in mutant.breaks if mutant.name not in PROVEN.get(clause, ())] == []


def test_survivors_name_clauses_that_exist() -> None:
    register = {clause.id for clause in load_clauses()}

    assert [clause for mutant in mutants() for clause in mutant.breaks if clause not in register] == []


def test_a_clause_is_proven_only_by_a_mutant_that_names_it() -> None:
    case = Case("held", "It MUST hold.", "placement", clauses=("A-1", "A-2"))
    mutant = Mutant(name="wrong", about="is wrong", integration="reference", killed_by=("held",), breaks=("A-1", "A-3"))

    assert proven_by([case], [mutant], {"held": ["wrong"]}) == {"A-1": ["wrong"]}
    assert proven_by([case], [mutant], {"held": ["another"]}) == {}
