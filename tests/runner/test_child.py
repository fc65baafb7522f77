"""The child of a run waits for its order, and is gone when it gets none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from harness.cli import muster
from harness.core.errors import HarnessError
from harness.runner import child, session
from harness.runner.config import RunConfig
from tests.waiting import soon


def test_a_wrong_option_leaves_no_child_behind(tmp_path: Path) -> None:
    before = set(psutil.Process().children())

    done = CliRunner().invoke(muster, ["run", "--case", "no-such-case", "--output", str(tmp_path)])

    assert "no-such-case" in str(done.exception)
    assert set(psutil.Process().children()) == before


def test_a_child_without_an_order_ends_with_its_pipe() -> None:
    waiting = child.Child.start()
    assert waiting.process.stdin is not None

    waiting.process.stdin.close()

    assert waiting.process.wait(60) == 0


def test_a_child_ends_with_its_parent() -> None:
    code = (
        "from harness.runner import child; child.prepare(); print(child._waiting[0].process.pid, flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        waiting = psutil.Process(int(parent.stdout.readline()))
        parent.kill()

    assert soon(lambda: not waiting.is_running() or waiting.status() == psutil.STATUS_ZOMBIE, 10)


def test_a_child_that_died_is_told_with_the_way_to_find_out_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child.sys, "executable", "/bin/false")
    child.prepare()
    child._waiting[0].process.wait(60)
    (tmp_path / "logs").mkdir()

    with pytest.raises(HarnessError) as raised:
        session._start(RunConfig(integrations=("reference",)), "reference", tmp_path, tmp_path / "logs" / "log")

    assert "exit code 1 before it began" in raised.value.message
    assert "harness.runner.child" in raised.value.hint


def test_the_output_goes_to_the_log_from_the_order_on(tmp_path: Path) -> None:
    code = f"""
import os, sys
from pathlib import Path
from harness.runner.child import _redirect
_redirect(Path({str(tmp_path / "log")!r}))
os.system("echo of a program")
assert sys.stdin.read() == ""
"""
    done = subprocess.run([sys.executable, "-c", code], input=b"more", capture_output=True, check=True)

    assert (done.stdout, done.stderr) == (b"", b"")
    assert (tmp_path / "log").read_text() == f"of a program{os.linesep}"
