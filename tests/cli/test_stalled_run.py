"""muster itself is stopped in the middle of a case: the history says so, and no scheduler is blamed for it."""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from harness.core.history import store
from harness.core.verdict import Outcome
from harness.report.load import load_run
from tests.cli.test_endings import nothing_left, start

CASE = "twenty-gangs-compete-and-none-is-split"
STOPPED = 6.0  # seconds; three windows of a gang


def child_of(parent: int) -> psutil.Process:
    """The pytest that runs the cases."""
    children = [child for child in psutil.Process(parent).children() if "pytest" in child.cmdline()]
    assert len(children) == 1
    return children[0]


@pytest.mark.thorough
@pytest.mark.parametrize("delay", [0.0, 0.1, 0.2, 0.3, 0.4])
def test_a_muster_that_was_stopped_blames_nobody(delay: float, tmp_path: Path) -> None:
    output = tmp_path / "runs"
    with (tmp_path / "printed").open("w") as printed:
        process = start("run", "--case", CASE, "--output", str(output), state=tmp_path / "state", stdout=printed)
        deadline = time.monotonic() + 120
        while not any('"begin"' in path.read_text() for path in output.glob("*/events.jsonl")):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(delay)
        child = child_of(process.pid)
        os.kill(child.pid, signal.SIGSTOP)
        time.sleep(STOPPED)
        os.kill(child.pid, signal.SIGCONT)
        process.communicate(timeout=300)

    (folder,) = [path for path in output.iterdir() if path.is_dir() and not path.is_symlink()]
    (case,) = load_run(folder).cases
    history = store.read(folder / case.history)
    stalls = [record.state for record in history.records if record.verb == "stalled" and record.name == "muster"]
    assert max((state["to"] - state["from"] for state in stalls), default=0.0) > STOPPED - 1
    assert case.outcome is Outcome.PASS, [verdict.reason for verdict in case.verdicts if verdict.outcome.is_bad]
    assert process.returncode == 0
    assert nothing_left(tmp_path / "state")
