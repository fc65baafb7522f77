"""`muster up --keep`, `ps`, `kubectl`, `logs`, `down`: a box by hand, from the outside."""

import json
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

from harness.box.connect import connect
from harness.core.kinds import CRD
from tests.cli.test_bad_input import MUSTER, muster


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(tmp_path)}


def own_boxes(state: dict[str, str]) -> list[dict[str, Any]]:
    """What `muster ps` lists, without what other musters left in a Docker of this machine."""
    return [row for row in json.loads(muster("ps", "--json", **state).stdout) if not row.get("left")]


def test_a_kept_box_is_listed_used_and_stopped(state: dict[str, str]):
    up = muster("up", "--keep", "--name", "testbed", "--nodes", "3x2", **state)
    assert up.returncode == 0, up.stderr
    assert "KUBECONFIG" in up.stdout
    try:
        [row] = own_boxes(state)
        assert (row["name"], row["nodes"], row["persistent"]) == ("testbed", 3, True)
        if shutil.which("kubectl"):
            listed = muster("kubectl", "--", "get", "nodes", "-o", "name", **state)
            assert listed.stdout.split() == ["node/node-0", "node/node-1", "node/node-2"]
        wrong = muster("logs", "kube-sheduler", **state)
        assert wrong.returncode == 4
        assert "kube-scheduler" in wrong.stderr
        again = muster("up", "--name", "testbed", **state)
        assert again.returncode == 4
        assert "muster down testbed" in again.stderr
    finally:
        down = muster("down", "testbed", **state)
    assert down.returncode == 0
    assert own_boxes(state) == []


def test_an_integration_is_installed_with_its_options_and_definitions(state: dict[str, str]):
    options = ("--integration", "volcano", "--set", "schedule-period=2s")
    up = muster("up", "--keep", "--name", "volcano", "--nodes", "1x1", *options, **state)
    assert up.returncode == 0, up.stderr
    try:
        [row] = own_boxes(state)
        processes = children(row["keeper"])
        [manager] = [process for process in processes if process.cmdline()[0].endswith("kube-controller-manager")]
        definition = connect(Path(row["kubeconfig"])).get(CRD, "", "podgroups.scheduling.volcano.sh")
        flags = [flag for process in processes for flag in process.cmdline()]
        started = datetime.fromtimestamp(manager.create_time(), UTC)
    finally:
        muster("down", "volcano", **state)
    assert "--schedule-period=2s" in flags
    created = datetime.fromisoformat(definition["metadata"]["creationTimestamp"])
    assert created < started, "a controller manager that is older than a definition learns of it half a minute late"


def children(keeper: int) -> list[psutil.Process]:
    return psutil.Process(keeper).children(recursive=True)


def test_ctrl_c_takes_the_box_down(state: dict[str, str], tmp_path: Path):
    import os

    up = subprocess.Popen([*MUSTER, "up"], stdout=subprocess.PIPE, text=True, env={**os.environ, **state})
    assert up.stdout is not None
    while "Ctrl-C" not in (line := up.stdout.readline()):
        assert line or up.poll() is None

    up.send_signal(signal.SIGINT)
    try:
        assert up.wait(60) == 0
    finally:
        up.kill()
    assert list((tmp_path / "muster" / "boxes").iterdir()) == []


def test_doctor_and_lists_speak_json():
    for command in (["doctor"], ["list", "versions"], ["list", "integrations"], ["list", "cases"], ["get", "--list"]):
        done = subprocess.run([*MUSTER, *command, "--json"], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout), command


def test_the_command_starts_without_loading_what_it_does_not_use():
    heavy = "[m for m in ('kubernetes', 'pytest', 'cryptography') if m in sys.modules]"
    program = f"import sys; import harness.cli; print({heavy})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.strip() == "[]"
