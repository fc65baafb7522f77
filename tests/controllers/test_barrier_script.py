"""The script of the waiting container, run by real shells, with a folder in the place of its mount."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from harness.controllers.jobset_barrier.injection import SCRIPT
from harness.controllers.jobset_barrier.spec import MOUNT, STARTED

SHELLS = [command for command in (["sh"], ["dash"], ["bash", "--posix"], ["busybox", "sh"]) if shutil.which(command[0])]
ATTEMPT = {"JOBSET_UID": "u", "RESTART_ATTEMPT": "1", "RESUMES": "0", "PATH": "/usr/bin:/bin"}


@pytest.fixture(params=SHELLS, ids=" ".join)
def shell(request: pytest.FixtureRequest) -> list[str]:
    return list(request.param)


def begin(shell: list[str], mount: Path, **more: str) -> subprocess.Popen[str]:
    text = SCRIPT.replace(MOUNT, str(mount))
    return subprocess.Popen([*shell, "-c", text], env={**ATTEMPT, **more}, stderr=subprocess.PIPE, text=True)


def test_it_ends_well_when_the_signal_is_there(shell: list[str], tmp_path: Path) -> None:
    (tmp_path / STARTED).write_text("u/1/0")
    assert begin(shell, tmp_path).wait(timeout=10) == 0


def test_it_waits_for_a_signal_that_comes_as_a_kubelet_brings_it(shell: list[str], tmp_path: Path) -> None:
    waiting = begin(shell, tmp_path, TIMEOUT_AFTER_SECONDS="60")
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(timeout=0.5)
    (tmp_path / "..data").mkdir()
    (tmp_path / "..data" / STARTED).write_text("u/1/0")
    (tmp_path / STARTED).symlink_to(Path("..data") / STARTED)
    assert waiting.wait(timeout=10) == 0


def test_the_signal_of_another_attempt_opens_nothing(shell: list[str], tmp_path: Path) -> None:
    (tmp_path / STARTED).write_text("u/0/0")
    began = time.monotonic()
    late = begin(shell, tmp_path, TIMEOUT_AFTER_SECONDS="2")
    assert late.wait(timeout=10) == 1
    assert time.monotonic() - began >= 1.0
    assert late.stderr is not None and "within 2 s" in late.stderr.read()


def test_without_a_folder_it_waits_and_ends_at_once_when_told(shell: list[str], tmp_path: Path) -> None:
    waiting = begin(shell, tmp_path / "nothing")
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(timeout=0.5)
    waiting.terminate()
    assert waiting.wait(timeout=5) != 0


def test_kubernetes_leaves_the_script_as_it_is() -> None:
    """In commands `$(NAME)` stands for a variable of the container and `$$` for a dollar sign."""
    variables = {*ATTEMPT, "TIMEOUT_AFTER_SECONDS"}
    assert "$$" not in SCRIPT
    assert not any(f"$({name})" in SCRIPT for name in variables)
