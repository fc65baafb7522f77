"""muster is killed or interrupted at any moment, or etcd stands still: nothing is left, and nobody is blamed.

The moments are drawn from a fixed seed over the first seconds of `up` and `run`, in which boxes start, integrations are
installed and cases run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from random import Random

import psutil
import pytest

from harness.core.verdict import Outcome
from harness.report.load import load_run
from tests.cli.test_endings import REPORTS, nothing_left, reports, runs_in, start
from tests.waiting import soon

CASE = "gang-that-fits-is-bound-whole"
COMMANDS = (("up",), ("run", "--case", CASE, "--repeat", "20"))
LONGEST = 9.0  # seconds: by then cases run on a slow machine too
random = Random(21)
MOMENTS = [(command, round(random.uniform(0.05, LONGEST), 2)) for command in COMMANDS for _ in range(9)]
pytestmark = pytest.mark.thorough  # each takes up to half a minute


def listening(state: Path) -> list[int]:
    """Ports of processes that name the state folder."""
    ports = []
    for process in psutil.process_iter(["cmdline"]):
        try:
            if str(state) in " ".join(process.info["cmdline"] or []):
                ports += [c.laddr.port for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN]
        except psutil.Error:
            continue
    return ports


def ended(command: tuple[str, ...], moment: float, numbers: list[int], tmp_path: Path) -> subprocess.Popen[str]:
    """The command, which gets these signals from that moment on, a quarter of a second apart."""
    output = ["--output", str(tmp_path / "runs")] if command[0] == "run" else []
    process = start(*command, *output, state=tmp_path / "state", stdout=subprocess.DEVNULL)
    time.sleep(moment)
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.25)
    process.communicate(timeout=120)
    return process


@pytest.mark.parametrize(("command", "moment"), MOMENTS)
def test_a_kill_at_any_moment_leaves_nothing(command: tuple[str, ...], moment: float, tmp_path: Path) -> None:
    process = ended(command, moment, [signal.SIGKILL], tmp_path)
    assert process.returncode == -signal.SIGKILL
    assert nothing_left(tmp_path / "state")
    assert listening(tmp_path / "state") == []


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("command", "moment"), MOMENTS)
def test_ctrl_c_at_any_moment_leaves_nothing_but_a_report(
    command: tuple[str, ...], moment: float, times: int, tmp_path: Path
) -> None:
    process = ended(command, moment, [signal.SIGINT] * times, tmp_path)
    assert process.returncode in (0, 128 + signal.SIGINT, -signal.SIGINT)  # before muster listens Python itself ends so
    assert nothing_left(tmp_path / "state")
    assert listening(tmp_path / "state") == []
    if times == 1 and (tmp_path / "runs").is_dir():
        assert all(reports(folder) == REPORTS for folder in runs_in(tmp_path / "runs"))


@pytest.mark.parametrize("moment", [0.2, 0.7, 1.3, 1.9, 2.6, 3.4])
def test_an_etcd_that_stands_still_gives_no_wrong_verdict(moment: float, tmp_path: Path) -> None:
    output = tmp_path / "runs"
    arguments = ("run", "--case", CASE, "--case", "gang-without-room-binds-nothing", "--repeat", "10")
    process = start(*arguments, "--output", str(output), state=tmp_path / "state", stdout=subprocess.DEVNULL)
    assert soon(lambda: any('"begin"' in path.read_text() for path in output.glob("*/events.jsonl")), 120)
    time.sleep(moment)
    (etcd,) = [child for child in psutil.Process(process.pid).children(recursive=True) if child.name() == "etcd"]
    os.kill(etcd.pid, signal.SIGSTOP)
    time.sleep(10)
    os.kill(etcd.pid, signal.SIGCONT)
    process.communicate(timeout=300)
    (folder,) = runs_in(output)
    outcomes = [case.outcome for case in load_run(folder).cases]
    assert len(outcomes) == 20 and Outcome.VIOLATED not in outcomes
    assert nothing_left(tmp_path / "state")
