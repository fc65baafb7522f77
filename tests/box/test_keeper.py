"""Nothing outlives the muster that started it: the keeper and the processes it owns."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from harness.box.link import KeeperLink
from harness.box.process import Command, Process
from harness.core.errors import HarnessError, ProcessError

SLEEP = ("/bin/sleep", "600")


def gone(pid: int, seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def link(tmp_path: Path):
    directory = tmp_path / "box"
    directory.mkdir()
    keeper = KeeperLink(directory)
    yield keeper
    keeper.stop()


def start(link: KeeperLink, *argv: str) -> Process:
    process = Process(link, Command("it", argv), link.directory / "it.log", None)
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
    process = Process(link, Command("it", SLEEP), link.directory / "it.log", lambda: False)
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
    deadline = time.monotonic() + 5
    while not process.log.exists() or not process.log.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)

    assert process.log.read_text() == "<>\n"


MUSTER = """
import sys, time
from pathlib import Path
from harness.box.link import KeeperLink
from harness.box.process import Command, Process
directory = Path(sys.argv[1])
link = KeeperLink(directory)
process = Process(link, Command("it", ("/bin/sleep", "600")), directory / "it.log", None)
process.start()
if sys.argv[2] == "keep":
    link.keep()
print(link.pid, process.pid, flush=True)
time.sleep(600)
"""


def muster(directory: Path, how: str) -> tuple[subprocess.Popen[str], int, int]:
    directory.mkdir()
    parent = subprocess.Popen(
        [sys.executable, "-c", MUSTER, str(directory), how], stdout=subprocess.PIPE, text=True
    )  # fmt: skip
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
