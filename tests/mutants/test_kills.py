"""The kill matrix counts what was seen, and the proof tries no more than it must."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.cli import prove as command
from harness.controls import Control, honest
from harness.core.catalogue import Case
from harness.core.errors import ExitCode, UsageError
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome, Verdict
from harness.kills import Matrix, read_record
from harness.prove import Aim, wanted

SINNER = Control("sinner", "sins", caught_by=("held",), tried_on=("*",))


def case(name: str, **more: Any) -> Case:
    return Case(name, f"{name} MUST hold.", "placement", **more)


def result(name: str, outcome: Outcome = Outcome.PASS, *observed: str) -> CaseResult:
    verdicts = tuple(Verdict(check, Outcome.PASS, "seen", figures={"observed": "so"}) for check in observed)
    return CaseResult(name, "", "placement", "GANG-CORE", "core", "MUST", (), "control@1", "1.37.1", outcome, verdicts)


def run(*cases: CaseResult) -> RunResult:
    return RunResult("run", 0.0, 1.0, "0", "embedded", (), cases)


def test_a_violation_is_a_kill_and_anything_else_is_not() -> None:
    matrix = Matrix(["held", "blind"])
    matrix.add(SINNER, ["held", "blind"], run(result("held", Outcome.VIOLATED), result("blind", Outcome.UNKNOWN)))

    found = matrix.as_data()

    assert found["killed"] == {"held": ["sinner"]}
    assert found["unproven"] == ["blind"]
    assert found["holes"] == []
    assert found["missed"] == []


def test_an_observing_case_kills_only_by_what_it_does_not_report_of_the_honest() -> None:
    matrix = Matrix(["same", "more"])
    matrix.add(honest(), ["same", "more"], run(result("same", Outcome.PASS, "live"), result("more")))
    matrix.add(
        SINNER, ["same", "more"], run(result("same", Outcome.PASS, "live"), result("more", Outcome.PASS, "atomic"))
    )

    assert matrix.killed == {"more": ["sinner"]}
    assert matrix.as_data()["innocent_blamed"] == []


def test_a_sin_that_goes_unnoticed_is_a_hole_and_a_miss() -> None:
    matrix = Matrix(["held"])
    matrix.add(SINNER, ["held"], run(result("held")))

    assert matrix.as_data()["holes"] == ["sinner"]
    assert matrix.as_data()["missed"] == [{"sin": "sinner", "case": "held"}]


def test_the_honest_scheduler_is_blamed_for_everything_but_a_pass() -> None:
    matrix = Matrix(["held", "blind", "other"])
    matrix.add(honest(), matrix.cases, run(result("held", Outcome.VIOLATED), result("blind", Outcome.UNKNOWN)))

    assert matrix.as_data()["innocent_blamed"] == ["blind", "held"]
    assert matrix.killed == {}


def test_what_was_killed_is_not_tried_again_but_by_whom_it_must_catch() -> None:
    cases = (case("held"), case("fresh"), case("known"), case("impossible", needs=("workload-object",)))
    matrix = Matrix([one.id for one in cases], recorded={"known": ["another"], "held": ["another"]})
    aim = Aim(cases, (SINNER,), recorded=matrix.recorded)

    assert wanted(aim, matrix, SINNER) == ["fresh", "held"]
    assert wanted(aim, matrix, honest()) == ["fresh", "held"]
    assert wanted(Aim(cases, (SINNER,), frozenset({"fresh"})), matrix, SINNER) == ["held"]
    assert wanted(Aim(cases, (SINNER,), quick=True), matrix, SINNER) == ["held"]
    assert wanted(Aim(cases, (SINNER,), full=True), matrix, SINNER) == ["fresh", "held", "known"]


def test_what_is_recorded_stays_unless_it_was_seen_otherwise() -> None:
    matrix = Matrix(["held"], recorded={"held": ["sinner", "another"]})
    matrix.add(SINNER, ["held"], run(result("held")))

    assert matrix.killed == {"held": ["another"]}


def test_a_sin_that_is_tried_alone_is_not_blamed_for_the_cases_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def proven(aim: Aim, folder: Path, *how: Any) -> tuple[Matrix, None]:
        matrix = Matrix([one.id for one in aim.cases])
        matrix.add(SINNER, ["held"], run(result("held", Outcome.VIOLATED)))
        return matrix, None

    monkeypatch.setattr(command, "controls", lambda: [SINNER])
    monkeypatch.setattr(command, "collect_cases", lambda: [case("held"), case("other")])
    monkeypatch.setattr(command.proving, "prove", proven)

    def prove(*arguments: str) -> tuple[int, Any]:
        outcome = CliRunner().invoke(
            command.prove, [*arguments, "--json", "--output", str(tmp_path)], standalone_mode=False
        )
        return outcome.return_value, json.loads(outcome.stdout)["unproven"]

    assert prove() == (ExitCode.VIOLATED, ["other"])
    assert prove("--sin", "sinner") == (ExitCode.CONFORMANT, [])
    assert prove("--sin", "sinner", "--case", "other") == (ExitCode.VIOLATED, ["other"])


def test_a_record_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "proof.yaml").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UsageError, match=r"proof\.yaml cannot be read"):
        read_record(tmp_path / "proof.yaml", {})
