"""A soak counts what came out, keeps what tells something, and ends with a code that says it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.soak import code
from harness.core.errors import ExitCode
from harness.core.results import CaseResult
from harness.core.verdict import Outcome, Verdict
from harness.runner.config import RunConfig
from harness.runner.soak import KEPT, SecondLook, SoakPlan, Tally

PLAN = SoakPlan(RunConfig(order="random", seed=5), cases=100, runs=950, disturbances={})


def result(case: str, outcome: Outcome, folder: Path, number: int) -> CaseResult:
    history = f"{case}.{number}.jsonl.zst"
    (folder / history).write_bytes(b"")
    return CaseResult(
        case=case,
        sentence="",
        folder="",
        profile="",
        level="core",
        strength="MUST",
        clauses=(),
        integration="x",
        kubernetes="1",
        outcome=outcome,
        rerun="",
        verdicts=(Verdict("atomic", outcome, "why"),),
        history=history,
    )


def tally(folder: Path, *outcomes: tuple[str, Outcome], judge: list[str] | None = None) -> Tally:
    counted = Tally()
    for number, (case, outcome) in enumerate(outcomes):
        counted.add(result(case, outcome, folder, number), folder, lambda result, path: SecondLook(judge or []))
    return counted


def test_every_case_runs_as_often_and_no_round_has_the_order_of_another() -> None:
    rounds = list(PLAN.rounds())
    assert PLAN.passes == 10
    assert [config.repeat for config in rounds] == [4, 4, 2]
    assert [config.seed for config in rounds] == [5, 6, 7]
    few = SoakPlan(RunConfig(order="random", seed=5), cases=2000, runs=2001, disturbances={})
    assert [config.repeat for config in few.rounds()] == [1, 1]


def test_a_case_with_two_outcomes_differs_and_its_histories_are_kept(tmp_path: Path) -> None:
    runs = [("a", Outcome.PASS)] * 5 + [("b", Outcome.PASS)] * 3 + [("b", Outcome.UNKNOWN)]
    counted = tally(tmp_path, *runs)
    assert counted.differing == ["b"]
    assert (counted.runs, counted.total(Outcome.UNKNOWN)) == (9, 1)
    assert len(counted.histories["a", Outcome.PASS]) == KEPT
    assert len(list(tmp_path.glob("a.*"))) == KEPT
    (path,) = counted.histories["b", Outcome.UNKNOWN]
    assert path.exists()
    data = counted.as_data(PLAN)
    assert data["cases"]["b"]["unknown"] == {"runs": 1, "histories": [str(path)], "reasons": [("atomic: why", 1)]}
    assert data["outcomes"] == {"pass": 8, "unknown": 1}


def test_a_violation_that_the_baseline_knows_fails_no_soak(tmp_path: Path) -> None:
    counted = Tally()
    case_result = replace(result("a", Outcome.VIOLATED, tmp_path, 1), expected="It does that every time.")
    counted.add(case_result, tmp_path, lambda result, path: SecondLook(needs_stalls=True))
    assert code(counted) is ExitCode.CONFORMANT
    data = counted.as_data(PLAN)
    assert (data["unexplained"], data["excused_by_stalls"]) == ({}, {"a": 1})


@pytest.mark.parametrize(
    ("outcomes", "judge", "expected"),
    [
        ([Outcome.PASS, Outcome.PASS], [], ExitCode.CONFORMANT),
        ([Outcome.VIOLATED, Outcome.VIOLATED], [], ExitCode.VIOLATED),
        ([Outcome.PASS, Outcome.UNKNOWN], [], ExitCode.UNKNOWN),
        ([Outcome.PASS, Outcome.VIOLATED], [], ExitCode.VIOLATED),
        ([Outcome.UNKNOWN, Outcome.VIOLATED], [], ExitCode.VIOLATED),
        ([Outcome.PASS, Outcome.PASS], ["atomic: pass, not violated"], ExitCode.VIOLATED),
    ],
)
def test_the_exit_code(tmp_path: Path, outcomes: list[Outcome], judge: list[str], expected: ExitCode) -> None:
    assert code(tally(tmp_path, *(("a", outcome) for outcome in outcomes), judge=judge)) is expected
