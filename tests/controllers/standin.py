"""Cases of the suite in a real box whose controller is replaced: by one with a sin, or by one that dies.

Deadlines are short, since controllers of ours answer within a second, and nobody restarts who is dead.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.adapters import adapter
from harness.adapters.base import Settings
from harness.box.embedded import EmbeddedBox
from harness.case import MARK
from harness.collect import suites_root
from harness.core import deadlines
from harness.core.results import CaseResult
from harness.lab import Lab, open_lab
from harness.trial import Trial

UNHURRIED = ("reset", "ready", "reconnected", "recounted", "window")  # deadlines that stay what they are
GONE = 12.0  # seconds in which what a controller owns is removed: one look of the garbage collector, on a busy machine


def entry(name: str) -> Path:
    """The program of tests/mutants/controllers that stands in."""
    return Path(__file__).parents[1] / "mutants" / "controllers" / f"{name}.py"


def sins(program: Path) -> list[dict[str, Any]]:
    """The sins that it knows, each with the cases that must catch it."""
    listed = subprocess.run([sys.executable, program, "--list"], capture_output=True, check=True)
    found: list[dict[str, Any]] = json.loads(listed.stdout)
    return found


def cases(folder: str) -> dict[str, Path]:
    """The cases of a folder of suites/, by id."""
    return {
        path.stem.removeprefix("test_").replace("_", "-"): path for path in suites_root().glob(f"{folder}/test_*.py")
    }


@contextmanager
def impatient_lab(integration: str, patience: float) -> Iterator[Lab]:
    """A lab with this part of the usual deadlines."""
    opened = open_lab(adapter(integration), EmbeddedBox, Settings())
    assert opened.supervisor is not None
    opened.supervisor.stop()
    opened.supervisor = None
    usual = deadlines.scaled()
    opened.deadlines = {**deadlines.scaled(patience), **{name: usual[name] for name in UNHURRIED}, "gone": GONE}
    yield opened
    opened.close()


def stand_in(lab: Lab, name: str, program: Path, *how: str) -> None:
    """Let another program run in the place of a controller, with the same flags; nothing given: the honest one.

    Whoever sins may do anything: a sin must be caught by a case, not by a missing right.
    """
    process, sinner = lab.box.processes[name], f"--kubeconfig={lab.box.identity('sinner')}"
    flags = [flag for flag in process.command.argv if flag.startswith("--") and "=" in flag and flag != sinner]
    flags += [sinner] if how else []
    process.command = replace(process.command, argv=(sys.executable, str(program), *flags, *how))
    process.restart()


def tried(lab: Lab, path: Path, folder: Path) -> CaseResult:
    """The result of the case in this file."""
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    function = getattr(module, path.stem)
    (case,) = [mark.args[0] for mark in function.pytestmark if mark.name == MARK]
    trial, error = Trial(lab, case, folder), None
    try:
        function(trial.world)
    except (AssertionError, Exception) as raised:
        error = raised
    result = trial.finish(error)
    lab.reset()
    return result
