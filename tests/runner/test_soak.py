"""A soak counts what came out, keeps what tells something, and ends with a code that says it."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import yaml

from harness.box.artifacts import load as locks
from harness.cli.soak import code, second_judge
from harness.core.errors import ExitCode
from harness.core.oracle.checks.atomic import LEFT_IN_PART
from harness.core.results import CaseResult
from harness.core.verdict import Outcome, Verdict
from harness.runner.baseline import kubernetes_for
from harness.runner.config import RunConfig
from harness.runner.disturb import Disturbances
from harness.runner.soak import HISTORIES, SecondLook, SoakPlan, Tally
from tests.waiting import soon

VERSION = locks().lock("volcano", None).version
WINNER = "one-of-two-gangs-wins-whole"
PLAN = SoakPlan(RunConfig(order="random", seed=5), cases=100, runs=2450, disturbances={})


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
    assert PLAN.passes == 25
    assert [config.repeat for config in rounds] == [10, 10, 5]
    assert [config.seed for config in rounds] == [5, 6, 7]
    few = SoakPlan(RunConfig(order="random", seed=5), cases=2000, runs=2001, disturbances={})
    assert [config.repeat for config in few.rounds()] == [1, 1]


def test_a_case_with_two_outcomes_differs_and_its_histories_are_kept(tmp_path: Path) -> None:
    runs = [("a", Outcome.PASS)] * 5 + [("b", Outcome.PASS)] * 3 + [("b", Outcome.UNKNOWN)]
    counted = tally(tmp_path, *runs)
    assert counted.differing == ["b"]
    assert (counted.runs, counted.total(Outcome.UNKNOWN)) == (9, 1)
    assert len(counted.histories["a", Outcome.PASS]) == HISTORIES
    assert len(list(tmp_path.glob("a.*"))) == HISTORIES
    (path,) = counted.histories["b", Outcome.UNKNOWN]
    assert path.exists()
    data = counted.as_data(PLAN)
    assert data["cases"]["b"]["unknown"] == {"runs": 1, "histories": [str(path)], "reasons": [("atomic: why", 1)]}
    assert data["outcomes"] == {"pass": 8, "unknown": 1}


def test_a_case_run_that_only_stalls_excuse_is_counted(tmp_path: Path) -> None:
    counted = Tally()
    counted.add(result("a", Outcome.PASS, tmp_path, 1), tmp_path, lambda result, path: SecondLook(needs_stalls=True))

    assert counted.as_data(PLAN)["excused_by_stalls"] == {"a": 1}


def baseline(folder: Path, **entries: object) -> Path:
    (folder / f"volcano@{VERSION}.yaml").write_text(yaml.safe_dump(entries))
    return folder


def soaked(folder: Path, violated: int, passed: int, check: str = "liveness") -> Tally:
    tally = Tally()
    for number in range(violated + passed):
        outcome = Outcome.VIOLATED if number < violated else Outcome.PASS
        plain = result(WINNER, outcome, folder, number)
        verdicts = (Verdict(check, outcome, "why", figures={LEFT_IN_PART: 0}),)
        of_volcano = replace(
            plain, integration=f"volcano@{VERSION}", kubernetes=kubernetes_for("volcano"), verdicts=verdicts
        )
        tally.add(of_volcano, folder, lambda result, path: SecondLook())
    return tally


def test_a_violation_that_the_baseline_knows_fails_no_soak(tmp_path: Path) -> None:
    folder = baseline(tmp_path, violated={WINNER: "It does that every time."})
    tally = soaked(tmp_path, 3, 0)

    assert code(tally, tally.unexplained(folder)) is ExitCode.CONFORMANT
    assert tally.unexplained(None) == [f"{WINNER}: violated in 3 runs"]


def test_a_race_fails_a_soak_only_beyond_its_rate(tmp_path: Path) -> None:
    folder = baseline(tmp_path, unsteady={WINNER: {"violated": 1, "runs": 10, "reason": "Two threads race."}})

    assert soaked(tmp_path, 1, 9).unexplained(folder) == []
    (text,) = soaked(tmp_path, 9, 1).unexplained(folder)
    assert "violated in 9 of 10 runs, recorded: 1 of 10" in text


def test_to_be_late_under_load_is_explained_by_nothing(tmp_path: Path) -> None:
    tally = soaked(tmp_path, 1, 9, check="atomic")

    assert len(tally.unexplained(baseline(tmp_path))) == 1


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
    counted = tally(tmp_path, *(("a", outcome) for outcome in outcomes), judge=judge)

    assert code(counted, counted.unexplained(None)) is expected


def test_what_records_is_paused_and_goes_on(tmp_path: Path) -> None:
    """A worker of pytest-xdist is no child of the soak: the events of the run say who records."""
    recorder = subprocess.Popen(["sleep", "60"])
    try:
        with Disturbances(tmp_path, load=0, disk=False, pauses=True, seed=1) as disturbances:
            disturbances.watch({"event": "testbed", "pid": recorder.pid})
            disturbances.watch({"event": "case"})
            process = psutil.Process(recorder.pid)
            assert soon(lambda: process.status() == psutil.STATUS_STOPPED, 15)
        assert process.status() == psutil.STATUS_SLEEPING
    finally:
        recorder.kill()
        recorder.wait()


def test_a_history_that_cannot_be_judged_again_ends_no_soak(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl.zst"
    path.write_bytes(b"this is no history")
    look = second_judge(result(WINNER, Outcome.PASS, tmp_path, 1), path)
    assert len(look.differences) == 1 and "cannot be judged again" in look.differences[0]


def test_the_summary_says_of_what_the_second_judge_has_no_opinion(tmp_path: Path) -> None:
    counted = Tally()
    for number in range(2):
        look = SecondLook(silent=("atomic", "order")[: number + 1])
        counted.add(result(WINNER, Outcome.PASS, tmp_path, number), tmp_path, lambda result, path, look=look: look)
    assert counted.as_data(PLAN)["no_opinion"] == {"atomic": 2, "order": 1}


def test_a_case_run_counts_once(tmp_path: Path) -> None:
    """It is counted when it ends, and those that Ctrl-C kept from it are counted when all has ended."""
    counted = Tally()
    for _ in range(2):
        counted.add(result(WINNER, Outcome.PASS, tmp_path, 1), tmp_path, lambda result, path: SecondLook())
    assert counted.runs == 1
