"""Every MUST clause that a case judges is broken by a mutant of its own, and most by one that breaks nothing else."""

from __future__ import annotations

import pytest

from harness.box.data import data_root
from harness.core.catalogue.cases import Case
from harness.core.catalogue.clauses import Clause, coverage, wider_laws
from harness.core.errors import HarnessError
from harness.mutation.clauses import isolated_by, proven_by
from harness.mutation.matrix import read_record
from harness.mutation.mutants import Mutant, mutants
from harness.runner.collect import collect_cases, fingerprint, load_clauses

CASES = collect_cases()
RECORD = read_record(data_root() / "ci" / "proof.yaml", {case.id: fingerprint(case) for case in CASES})
PROVEN = proven_by(CASES, mutants(), RECORD)
ISOLATED = isolated_by(load_clauses(), CASES, mutants(), RECORD)
JUDGED = [entry.clause.id for entry in coverage(load_clauses(), CASES) if entry.cases and entry.clause.level == "MUST"]

# The clauses whose law no mutant breaks alone yet, each with the reason. The list may only shrink.
MOST = 3
SHARED = {
    "WL-28": "needs Kubernetes 1.35, with a policy that looks the group up in the Workload and overlooks nothing else",
    "WL-48": "kube-scheduler tries a group whole or has no gangs, and what is told wrongly of it is GANG-28 or WL-52",
    "WL-71": "a victim that counts twice falls too early, which is GANG-20 or WL-77, and one that counts not GANG-21",
}


def test_every_clause_that_must_hold_has_a_mutant() -> None:
    assert [clause for clause in JUDGED if clause not in PROVEN] == [], "write a mutant that breaks these clauses"


def test_every_clause_that_must_hold_has_a_mutant_that_breaks_just_that() -> None:
    shared = [clause for clause in JUDGED if clause not in ISOLATED]

    assert sorted(set(shared) - set(SHARED)) == [], "write mutants that break just the law of these clauses"
    assert sorted(set(SHARED) - set(shared)) == [], "these have such a mutant, so they need no reason"
    assert len(SHARED) <= MOST, "the list may only shrink"


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


def test_a_law_is_isolated_by_a_mutant_that_breaks_just_that() -> None:
    clauses = [
        Clause("A-1", "It holds.", "us"),
        Clause("A-2", "It holds there.", "us", part_of=("A-1",)),
        Clause("B-1", "It holds as well.", "them", same_as="A-2"),
        Clause("B-2", "Another thing holds.", "them"),
        Clause("B-3", "It is told.", "them", level="OBSERVE"),
    ]
    case = Case("held", "It MUST hold.", "placement", clauses=("A-1", "A-2", "B-2"))

    def isolated(*breaks: str) -> list[str]:
        mutant = Mutant(name="wrong", about="", integration="reference", killed_by=("held",), breaks=breaks)
        return list(isolated_by(clauses, [case], [mutant], {"held": ["wrong"]}))

    assert isolated("A-2", "B-1", "B-3") == ["A-1", "A-2", "B-1"], "a law, whoever states it, and what contains it"
    assert isolated("A-1") == ["A-1"], "to break a law is not to break each part of it"
    assert isolated("A-1", "A-2") == ["A-1", "A-2", "B-1"]
    assert isolated("A-2", "B-2") == []


@pytest.mark.parametrize(
    ("clauses", "complaint"),
    [
        ([Clause("A-1", "It holds.", "us", same_as="A-9")], "does not have"),
        ([Clause("A-1", "It holds.", "us", part_of=("A-9",))], "does not have"),
        ([Clause("A-1", "It holds.", "us", part_of=("A-1",))], "part of itself"),
        (
            [
                Clause("A-1", "It holds.", "us"),
                Clause("A-2", "It holds.", "us", same_as="A-1"),
                Clause("A-3", "It holds.", "us", same_as="A-2"),
            ],
            "same as another",
        ),
    ],
)
def test_relations_that_do_not_fit_together_are_refused(clauses: list[Clause], complaint: str) -> None:
    with pytest.raises(HarnessError, match=complaint):
        wider_laws(clauses)
