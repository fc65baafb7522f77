"""The kill matrix counts what was seen, and the proof tries no more than it must."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.cli import prove as command
from harness.core.catalogue.cases import Case
from harness.core.errors import ExitCode, UsageError
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome, Verdict
from harness.mutation.matrix import KillMatrix, read_record
from harness.mutation.mutants import Mutant, references
from harness.mutation.prove import ProofPlan, cases_for

MUTANT = Mutant(name="mutant", about="is wrong", integration="reference", killed_by=("held",), tried_on=("*",))
REFERENCE = references()[0]


def case(name: str, **more: Any) -> Case:
    return Case(name, f"{name} MUST hold.", "placement", **more)


def result(name: str, outcome: Outcome = Outcome.PASS, *observed: str) -> CaseResult:
    verdicts = tuple(Verdict(check, Outcome.PASS, "seen", figures={"observed": "so"}) for check in observed)
    return CaseResult(
        name, "", "placement", "GANG-CORE", "core", "MUST", (), "reference@1", "1.37.1", outcome, verdicts
    )


def run(*cases: CaseResult) -> RunResult:
    return RunResult("run", 0.0, 1.0, "0", "embedded", (), cases)


def test_a_violation_is_a_kill_and_anything_else_is_not() -> None:
    matrix = KillMatrix(["held", "blind"])
    matrix.add(MUTANT, ["held", "blind"], run(result("held", Outcome.VIOLATED), result("blind", Outcome.UNKNOWN)))

    data = matrix.as_data()

    assert data["killed"] == {"held": ["mutant"]}
    assert data["unkilled_cases"] == ["blind"]
    assert data["survivors"] == []
    assert data["missed_kills"] == []


def test_an_observing_case_kills_only_by_what_it_does_not_report_of_the_reference() -> None:
    matrix = KillMatrix(["same", "more"])
    matrix.add(REFERENCE, ["same", "more"], run(result("same", Outcome.PASS, "liveness"), result("more")))
    matrix.add(
        MUTANT, ["same", "more"], run(result("same", Outcome.PASS, "liveness"), result("more", Outcome.PASS, "atomic"))
    )

    assert matrix.killed == {"more": ["mutant"]}
    assert matrix.as_data()["false_positives"] == []


def test_a_mutant_is_compared_with_its_own_reference() -> None:
    other = replace(MUTANT, name="controlled", integration="jobset-gang", target="controller")
    matrix = KillMatrix(["same"])
    matrix.add(REFERENCE, ["same"], run(result("same", Outcome.PASS, "liveness")))
    matrix.add(other, ["same"], run(result("same", Outcome.PASS, "liveness")))

    assert matrix.killed == {"same": ["controlled"]}


def test_a_mutant_that_is_not_killed_is_a_survivor_and_a_missed_kill() -> None:
    matrix = KillMatrix(["held"])
    matrix.add(MUTANT, ["held"], run(result("held")))

    assert matrix.as_data()["survivors"] == ["mutant"]
    assert matrix.as_data()["missed_kills"] == [{"mutant": "mutant", "case": "held"}]


def test_everything_but_a_pass_of_the_reference_is_a_false_positive() -> None:
    matrix = KillMatrix(["held", "blind", "other"])
    matrix.add(REFERENCE, matrix.cases, run(result("held", Outcome.VIOLATED), result("blind", Outcome.UNKNOWN)))

    positives = [{"reference": "reference", "case": name} for name in ("blind", "held")]
    assert matrix.as_data()["false_positives"] == positives
    assert matrix.killed == {}


def test_what_was_killed_is_tried_again_only_by_mutants_that_it_must_kill() -> None:
    cases = (case("held"), case("fresh"), case("known"), case("impossible", needs=("workload-object",)))
    matrix = KillMatrix([each.id for each in cases], recorded={"known": ["another"], "held": ["another"]})
    plan = ProofPlan(cases, (MUTANT,), recorded=matrix.recorded)

    assert cases_for(plan, matrix, MUTANT) == ["fresh", "held"]
    assert cases_for(plan, matrix, REFERENCE) == ["fresh", "held"]
    assert cases_for(ProofPlan(cases, (MUTANT,), frozenset({"fresh"})), matrix, MUTANT) == ["held"]
    assert cases_for(ProofPlan(cases, (MUTANT,), quick=True), matrix, MUTANT) == ["held"]
    assert cases_for(ProofPlan(cases, (MUTANT,), full=True), matrix, MUTANT) == ["fresh", "held", "known"]


def test_a_reference_runs_the_cases_of_its_own_mutants() -> None:
    other = next(reference for reference in references() if reference.name == "jobset-gang/reference")

    assert cases_for(ProofPlan((case("held"),), (MUTANT,)), KillMatrix(["held"]), other) == []


def test_what_is_recorded_stays_unless_it_was_seen_otherwise() -> None:
    matrix = KillMatrix(["held"], recorded={"held": ["mutant", "another"]})
    matrix.add(MUTANT, ["held"], run(result("held")))

    assert matrix.killed == {"held": ["another"]}


@pytest.fixture
def prove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The command with two cases, of which the mutant kills one, and a mutant that is known to survive."""
    survivor = replace(MUTANT, name="survivor", killed_by=(), survives="its case is not written yet")

    def proven(plan: ProofPlan, folder: Path, *how: Any) -> tuple[KillMatrix, None]:
        matrix = KillMatrix([each.id for each in plan.cases])
        matrix.add(MUTANT, ["held"], run(result("held", Outcome.VIOLATED)))
        matrix.add(survivor, ["held"], run(result("held")))
        return matrix, None

    monkeypatch.setattr(command, "mutants", lambda: (MUTANT, survivor))
    monkeypatch.setattr(command, "collect_cases", lambda: [case("held"), case("other")])
    monkeypatch.setattr(command.proof, "prove", proven)

    def invoke(*arguments: str) -> tuple[int, Any]:
        outcome = CliRunner().invoke(
            command.prove, [*arguments, "--json", "--output", str(tmp_path)], standalone_mode=False
        )
        return outcome.return_value, json.loads(outcome.stdout)["unkilled_cases"]

    return invoke


def test_a_mutant_that_is_tried_alone_is_not_blamed_for_the_cases_of_others(prove: Any) -> None:
    assert prove() == (ExitCode.VIOLATED, ["other"])
    assert prove("--mutant", "mutant") == (ExitCode.CONFORMANT, [])
    assert prove("--mutant", "mutant", "--case", "other") == (ExitCode.VIOLATED, ["other"])


def test_a_case_that_no_mutant_can_kill_is_not_missed(prove: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "unkilled", lambda: {"other": "nothing can break it"})

    assert prove() == (ExitCode.CONFORMANT, [])


def test_a_record_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "proof.yaml").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UsageError, match=r"proof\.yaml cannot be read"):
        read_record(tmp_path / "proof.yaml", {})
