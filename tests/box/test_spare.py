"""A box changes hands: what one process has started another one goes on with, and nothing is left."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from harness.box import registry
from harness.box.embedded import handover
from harness.box.embedded.box import EmbeddedBox
from harness.core.errors import UsageError
from harness.core.kinds import NAMESPACE
from harness.core.waiting import until
from harness.runner import options
from harness.runner.config import RunConfig

LIFETIME = 90.0


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a run whose box is to have a spare, in a state of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    registry.private_folder(registry.boxes_root())
    (tmp_path / "run").mkdir()
    RunConfig().write(tmp_path / "run")
    yield tmp_path / "run"
    handover.dismiss()
    for entry in registry.running():
        registry.stop(entry)


def holder(run: Path, lifetime: float = LIFETIME) -> subprocess.Popen[bytes]:
    call = f"hold(Path({str(run)!r}), 'workload', {lifetime})"
    code = f"from pathlib import Path; from harness.runner.spare import hold; {call}"
    return subprocess.Popen([sys.executable, "-c", code])


def test_the_next_box_is_the_spare_one_and_works_like_any_other(run: Path) -> None:
    process = holder(run)
    until(handover.is_there, LIFETIME, "a spare box waits", poll=0.1)
    (entry,) = registry.running()
    other = EmbeddedBox(scheduler=False, spare=True)
    other._resolve()
    assert handover.take(other.key) is None, "it has a scheduler, and that is not what was asked for"
    began = time.monotonic()
    with EmbeddedBox(spare=True) as box:
        assert time.monotonic() - began < 5
        assert box.name == entry.name
        assert process.wait(10) == 0, "who held it has gone"
        assert all(program.alive for program in box.processes.values())
        box.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine"}})
        assert box.api.find(NAMESPACE, "", "mine") is not None
        box.processes["kube-scheduler"].kill()
        assert not box.processes["kube-scheduler"].alive
        box.processes["kube-scheduler"].restart()
        assert box.identity("somebody").is_file()
        pids = [program.pid for program in box.processes.values()]
        assert handover.take(box.key) is None, "there is only one"
    assert registry.running() == []
    assert not [pid for pid in pids if psutil.pid_exists(pid)]
    assert not box.directory.exists()


def test_a_spare_box_ends_by_itself(run: Path) -> None:
    process = holder(run, lifetime=1.0)
    assert process.wait(LIFETIME) == 0
    assert registry.running() == []
    assert not handover.is_there()
    assert handover.take("anything") is None


def test_only_an_embedded_box_has_a_spare() -> None:
    with pytest.raises(UsageError, match="--spare is for --box embedded only"):
        options.parse({"spare": ["true"], "box": ["kind"]})
