"""`muster soak` from the command line: what it leaves, how it ends, and what it refuses."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from harness.core.history import store
from tests.cli.test_bad_input import muster
from tests.cli.test_endings import nothing_left, start

CASE = "gang-of-one-is-bound"


def soak(output: Path, *arguments: str) -> tuple[str, ...]:
    return ("soak", "--integration", "workload", "--case", CASE, "--output", str(output), *arguments)


def summary(output: Path) -> dict[str, object]:
    (folder,) = output.iterdir()
    data: dict[str, object] = json.loads((folder / "soak.json").read_text())
    return data


def test_a_soak_counts_every_run_and_leaves_nothing(tmp_path: Path) -> None:
    output = tmp_path / "runs"
    arguments = soak(output, "--runs", "4", "--load", "1", "--seed", "7")
    process = start(*arguments, state=tmp_path / "state", stdout=subprocess.PIPE)
    printed, errors = process.communicate(timeout=300)

    assert process.returncode == 0, printed + errors
    assert "in random order (--seed 7), beside 1 busy process, pauses, a busy disk" in printed
    data = summary(output)
    assert (data["runs"], data["outcomes"], data["differing"]) == (4, {"pass": 4}, [])
    assert (data["seed"], data["disagreements"], data["interrupted"]) == (7, [], False)
    histories = sorted(output.glob("*/round-*/history/**/*.jsonl.zst"))
    assert [store.read(path).case for path in histories] == [CASE] * 2, "two of each outcome are kept"
    assert list(output.glob("*/busy-disk")) == []
    assert nothing_left(tmp_path / "state")


@pytest.mark.thorough
def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    output = tmp_path / "runs"
    process = start(*soak(output, "--runs", "5000", "--load", "1"), state=tmp_path / "state", stdout=subprocess.PIPE)
    assert process.stdout is not None
    while "case runs in" not in (line := process.stdout.readline()):
        assert line or process.poll() is None

    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=120)

    assert process.returncode == 130, errors
    assert "interrupted after" in printed
    data = summary(output)
    assert data["interrupted"] is True
    assert isinstance(data["runs"], int)
    assert data["runs"] >= 1
    assert nothing_left(tmp_path / "state")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--runs", "0"], "0 is not in the range"),
        (["--load", "-1"], "-1 is not in the range"),
        (["--seed", "x"], "--seed: expected a whole number from 0 to 999999999, given 'x'"),
        (["--case", "no-such-case"], "there is no case 'no-such-case'"),
        (["--integration", "workload,volcano"], "one at a time, given workload, volcano"),
        (["--profile", "JOBSET-GANG"], "no case that is selected asks for anything that workload claims"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = muster("soak", "--output", str(tmp_path / "runs"), *arguments)
    assert done.returncode == 4
    assert message in done.stderr
    assert not (tmp_path / "runs").exists()
