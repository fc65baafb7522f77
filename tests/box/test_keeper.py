"""Nothing outlives the muster that started it: the keeper and the processes it owns."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from harness.box.base import Command
from harness.box.link import KeeperLink
from harness.box.process import HostProcess
from harness.core.errors import HarnessError, ProcessError
from tests.waiting import soon

SLEEP = ("/bin/sleep", "600")


def gone(pid: int, seconds: float = 5.0) -> bool:
    """Whether the process has ended, within these seconds."""

    def ended() -> bool:
        try:
            return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    return soon(ended, seconds)


@pytest.fixture
def link(tmp_path: Path):
    directory = tmp_path / "box"
    directory.mkdir()
    keeper = KeeperLink(directory)
    yield keeper
    keeper.stop()


def start(link: KeeperLink, *argv: str) -> HostProcess:
    process = HostProcess(link, Command("it", argv), link.directory / "it.log", None)
    process.start()
    return process


def test_stop_ends_every_process_and_removes_the_folder(link: KeeperLink):
    processes = [start(link, *SLEEP) for _ in range(5)]

    link.stop()

    assert all(gone(process.pid) for process in processes)
    assert gone(link.pid)
    assert not link.directory.exists()


def test_kill_pause_and_restart(link: KeeperLink):
    process = start(link, *SLEEP)
    process.pause()
    assert psutil.Process(process.pid).status() == psutil.STATUS_STOPPED
    process.resume()
    assert psutil.Process(process.pid).status() != psutil.STATUS_STOPPED

    first = process.pid
    process.kill()
    assert not process.alive
    assert process.exit_code == -signal.SIGKILL
    process.restart()
    assert process.alive
    assert process.pid != first


def test_a_process_that_dies_says_its_last_words(link: KeeperLink):
    process = start(link, "/bin/sh", "-c", "echo the disk is on fire; exit 7")

    with pytest.raises(ProcessError, match=r"exit code 7\)[\s\S]*the disk is on fire"):
        while True:
            process.is_ready()
            time.sleep(0.01)


def test_a_process_that_is_never_ready_fails_by_its_deadline(link: KeeperLink):
    process = HostProcess(link, Command("it", SLEEP), link.directory / "it.log", lambda: False)
    process.start()

    with pytest.raises(ProcessError, match="not ready within 0 s"):
        process.wait_ready(0.1)


def test_what_cannot_be_started_is_named(link: KeeperLink):
    with pytest.raises(ProcessError, match="no-such-program"):
        start(link, "/no-such-program")


def test_a_dead_process_cannot_be_signalled(link: KeeperLink):
    process = start(link, *SLEEP)
    process.kill()

    with pytest.raises(HarnessError, match="is not running"):
        process.pause()


def test_children_do_not_inherit_another_clusters_kubeconfig(link: KeeperLink, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KUBECONFIG", "/somewhere/else")
    process = start(link, "/bin/sh", "-c", 'echo "<$KUBECONFIG>"; sleep 600')

    assert soon(lambda: process.log.exists() and process.log.read_text())
    assert process.log.read_text() == "<>\n"


WRAPPER = """#!/bin/sh
setsid sleep 600 &
(setsid sh -c 'sleep 600; true' &)
(sh -c 'sleep 600; true' &)
sleep 600
"""


def descendants(pid: int) -> set[int]:
    return {process.pid for process in psutil.Process(pid).children(recursive=True)}


def name_of(process: psutil.Process) -> str:
    """Its name; none once it is gone, as the shells are that start the sessions."""
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""


def sleepers(link: KeeperLink, count: int = 4) -> set[int]:
    """The pids of everything below the keeper once so many sleep and nothing comes or goes any more."""
    pids: set[int] = set()

    def settled() -> bool:
        before = set(pids)
        processes = psutil.Process(link.pid).children(recursive=True)
        pids.clear()
        pids.update(process.pid for process in processes)
        return sum(name_of(process) == "sleep" for process in processes) == count and pids == before

    assert soon(settled, 10), "the wrapper did not start its children"
    return pids


@pytest.fixture
def wrapper(link: KeeperLink) -> HostProcess:
    """A script that does not exec, and that starts sessions of their own."""
    script = link.directory / "wrapper"
    script.write_text(WRAPPER)
    script.chmod(0o755)
    return start(link, str(script))


def test_what_a_program_started_is_gone_when_it_is_killed(link: KeeperLink, wrapper: HostProcess):
    held = sleepers(link)

    wrapper.kill()

    assert not [pid for pid in held if psutil.pid_exists(pid)]
    assert wrapper.exit_code == -signal.SIGKILL
    assert descendants(link.pid) == set()


def test_what_a_program_started_is_gone_when_it_is_asked_to_end(link: KeeperLink, wrapper: HostProcess):
    held = sleepers(link)

    wrapper.end()

    assert not [pid for pid in held if psutil.pid_exists(pid)]
    assert wrapper.exit_code == -signal.SIGTERM


def test_what_a_program_started_is_gone_when_it_ends_by_itself(link: KeeperLink):
    process = start(link, "/bin/sh", "-c", "setsid sleep 600 & exit 7")

    link.wait_exit(process.name, process.pid)

    assert process.exit_code == 7
    assert descendants(link.pid) == set()


def test_a_restart_leaves_nothing_of_the_one_before(link: KeeperLink, wrapper: HostProcess):
    before = sleepers(link)

    wrapper.restart()

    assert not [pid for pid in before if psutil.pid_exists(pid)]
    assert len(sleepers(link)) == len(before)


def test_another_program_keeps_what_it_started(link: KeeperLink, wrapper: HostProcess):
    held = sleepers(link)
    other = start(link, *SLEEP)

    other.kill()

    assert descendants(link.pid) == held


def test_pause_stops_sessions_of_their_own_too(link: KeeperLink, wrapper: HostProcess):
    sleepers(link)
    sleeping = [process for process in psutil.Process(link.pid).children(recursive=True) if name_of(process) == "sleep"]

    wrapper.pause()
    assert {process.status() for process in sleeping} == {psutil.STATUS_STOPPED}
    wrapper.resume()
    assert psutil.STATUS_STOPPED not in {process.status() for process in sleeping}


@pytest.mark.parametrize("victim", ["keeper", "warden", "box"])
def test_what_a_program_started_is_gone_whoever_is_killed(link: KeeperLink, wrapper: HostProcess, victim: str):
    held = sleepers(link)
    if victim == "box":
        link.stop()
    elif victim == "keeper":
        os.kill(link.pid, signal.SIGKILL)
    else:
        warden = psutil.Process(wrapper.pid).parent()
        assert warden is not None
        warden.kill()

    assert all(gone(pid) for pid in held)


MUSTER = """
import sys, time
from pathlib import Path
from harness.box.link import KeeperLink
from harness.box.base import Command
from harness.box.process import HostProcess
directory = Path(sys.argv[1])
link = KeeperLink(directory)
process = HostProcess(link, Command("it", ("/bin/sleep", "600")), directory / "it.log", None)
process.start()
if sys.argv[2] == "keep":
    link.keep()
print(link.pid, process.pid, flush=True)
time.sleep(600)
"""


def muster(directory: Path, how: str) -> tuple[subprocess.Popen[str], int, int]:
    directory.mkdir()
    parent = subprocess.Popen([sys.executable, "-c", MUSTER, str(directory), how], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    keeper, child = map(int, parent.stdout.readline().split())
    return parent, keeper, child


def test_killing_muster_ends_everything_within_five_seconds(tmp_path: Path):
    parent, keeper, child = muster(tmp_path / "box", "stay")

    parent.kill()
    parent.wait()

    assert gone(child)
    assert gone(keeper)
    assert not (tmp_path / "box").exists()


def test_killing_the_keeper_ends_its_processes(tmp_path: Path):
    parent, keeper, child = muster(tmp_path / "box", "stay")

    os.kill(keeper, signal.SIGKILL)

    assert gone(child)
    parent.kill()
    parent.wait()


def test_a_kept_box_outlives_muster_and_ends_by_sigterm(tmp_path: Path):
    parent, keeper, child = muster(tmp_path / "box", "keep")
    parent.kill()
    parent.wait()
    assert not gone(child, 0.5)

    os.kill(keeper, signal.SIGTERM)

    assert gone(child)
    assert gone(keeper)
    assert not (tmp_path / "box").exists()
