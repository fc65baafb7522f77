"""A real box whose reference controller can be replaced by one that crashes after so many writes.

Deadlines are short, since controllers of ours answer within a second. What has crashed is not started again by a
supervisor: that is up to the test.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from harness.adapters import adapter
from harness.adapters.common.base import Settings
from harness.box.spec import BoxSpec
from harness.cases.declare import MARK
from harness.core import deadlines
from harness.core.results import CaseResult
from harness.runner.case_run import CaseRun
from harness.runner.collect import suites_root
from harness.testbed.testbed import Testbed, open_testbed

UNHURRIED = ("reset", "ready", "reconnected", "recounted", "window")  # deadlines that stay what they are
SERVED = ("--kubeconfig=", "--health-port=", "--webhook-port=", "--tls-cert=", "--tls-key=", "--init-image=")
GONE = 12.0  # seconds in which what a controller owns is removed: one round of the garbage collector


@contextmanager
def short_deadlines(integration: str, factor: float) -> Iterator[Testbed]:
    """A testbed with this part of the usual deadlines."""
    testbed = open_testbed(adapter(integration), BoxSpec(), Settings())
    assert testbed.supervisor is not None
    testbed.supervisor.stop()
    testbed.supervisor = None
    usual = deadlines.scaled()
    testbed.deadlines = {**deadlines.scaled(factor), **{name: usual[name] for name in UNHURRIED}, "gone": GONE}
    yield testbed
    testbed.close()


def substitute(testbed: Testbed, name: str, module: str, crash_after: int | None = None) -> None:
    """Let the controller of this module of harness.mutation run in the place of another, with the same flags."""
    crash = [f"--crash-after={crash_after}"] if crash_after else []
    run_instead(testbed, name, "-m", f"harness.mutation.controllers.{module}", *crash)


def run_instead(testbed: Testbed, name: str, *program: str) -> None:
    """Let a Python program run in the place of a controller, with its flags."""
    process = testbed.box.processes[name]
    flags = [flag for flag in process.command.argv if flag.startswith(SERVED)]
    process.command = replace(process.command, argv=(sys.executable, *program, *flags))
    process.restart()


def run_case(testbed: Testbed, folder: str, name: str, output: Path) -> CaseResult:
    """The result of a case of the suite."""
    path = suites_root() / folder / f"test_{name.replace('-', '_')}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, path.stem)
    (case,) = [mark.args[0] for mark in function.pytestmark if mark.name == MARK]
    case_run, error = CaseRun(testbed, case, output), None
    try:
        function(case_run.world)
    except (AssertionError, Exception) as raised:
        error = raised
    result = case_run.finish(error)
    testbed.reset()
    return result
