"""Boxes come and go and leave nothing: no process, no port, no file."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from harness.box import registry
from harness.box.embedded.box import EmbeddedBox
from harness.box.nodes import Pool
from tests.waiting import soon


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of the test's own, so that whatever is found in it is its own leftover."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "muster" / "boxes"


def processes_of(state: Path) -> list[psutil.Process]:
    """Processes that work in a folder below the state, or name it."""
    processes = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        places = [process.info["cwd"] or "", *(process.info["cmdline"] or [])]
        if any(str(state) in word for word in places) and process.pid != os.getpid():
            processes.append(process)
    return processes


def soon_gone(state: Path) -> bool:
    """Whether nothing runs any more, five seconds from now at the latest."""
    return soon(lambda: not processes_of(state), 5)


@pytest.mark.parametrize("cycles", [5, pytest.param(20, marks=pytest.mark.thorough)])
def test_cycles_leave_nothing(state: Path, cycles: int):
    ports = set()
    for _ in range(cycles):
        with EmbeddedBox(nodes=[Pool(2)]) as box:
            ports.add(box.port)
            assert len(processes_of(state)) >= 5
        assert list(state.iterdir()) == []

    assert processes_of(state) == []
    assert [c for c in psutil.net_connections("tcp") if c.status == psutil.CONN_LISTEN and c.laddr.port in ports] == []


def test_four_boxes_at_once_are_apart_and_leave_nothing(state: Path):
    boxes = [EmbeddedBox(nodes=[Pool(i + 1)]) for i in range(4)]
    with ThreadPoolExecutor(4) as starters:
        list(starters.map(EmbeddedBox.start, boxes))
    try:
        assert [len(box.api.request("GET", "/api/v1/nodes")["items"]) for box in boxes] == [1, 2, 3, 4]
        assert len({box.port for box in boxes}) == 4
        assert len(registry.running()) == 4
    finally:
        for box in boxes:
            box.stop()

    assert list(state.iterdir()) == []
    assert processes_of(state) == []


def test_a_killed_muster_takes_its_box_along(state: Path):
    imports = "import time; from harness.box.embedded.box import EmbeddedBox"
    program = f"{imports}; EmbeddedBox().start(); print('up', flush=True); time.sleep(600)"
    muster = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert muster.stdout is not None
    assert muster.stdout.readline() == "up\n"
    assert len(processes_of(state)) >= 5

    muster.kill()
    muster.wait()

    assert soon_gone(state)
    assert registry.running() == []
    assert list(state.iterdir()) == []


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_run_takes_its_suite_and_its_boxes_along(state: Path, tmp_path: Path, workers: str):
    output = tmp_path / "runs"
    arguments = ["run", "--profile", "core", "-n", workers, "--output", str(output)]
    command = [sys.executable, "-c", "from harness.cli import main; main()", *arguments]
    muster = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert muster.stdout is not None
    while "Installing" not in (line := muster.stdout.readline()):  # cases are running by then
        assert line or muster.poll() is None

    muster.kill()
    muster.wait()

    assert soon_gone(tmp_path), [process.cmdline() for process in processes_of(tmp_path)]
    assert registry.running() == []


def test_the_folder_of_a_dead_box_is_removed_by_the_next_look(state: Path):
    with EmbeddedBox() as box:
        entry = registry.read(box.directory)
        assert entry is not None
    left = state / "dead"
    left.mkdir()
    registry.write(entry, left)

    assert registry.running() == []
    assert not left.exists()


def test_interrupting_the_start_leaves_nothing(state: Path):
    program = "from harness.box.embedded.box import EmbeddedBox; EmbeddedBox().start()"
    muster = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    assert soon(lambda: len(processes_of(state)) >= 2)
    muster.send_signal(signal.SIGINT)
    muster.wait()

    assert soon_gone(state)
    assert list(state.iterdir()) == []
