"""`muster run --watch`: the same cases again whenever one of their files changes.

Looking at a few files twice a second costs nothing, and works on every file system; that needs no library.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from harness.cli.terminal import console
from harness.core.errors import ExitCode, MusterError
from harness.core.results import RunResult
from harness.runner.collect import case_file, collect_cases
from harness.runner.config import RunConfig

PERIOD = 0.5  # seconds between two looks


def repeat_on_change(config: RunConfig, run: Callable[[], RunResult]) -> int:
    """Run now and after every change; the exit code of an interrupted run when Ctrl-C ends it."""
    while True:
        before = _state(config)
        try:
            if run().interrupted:
                return ExitCode.INTERRUPTED
        except MusterError as error:
            console(stderr=True).print(f"error: {error.message}", markup=False, style="red")
        console(stderr=True).print("waiting for a change of a case; Ctrl-C ends it", style="dim")
        while _state(config) == before:
            time.sleep(PERIOD)
        collect_cases.cache_clear()


def _state(config: RunConfig) -> dict[str, int]:
    """When the file of each selected case was changed; 0 while an editor is replacing it."""
    files = {case.id: case_file(case) for case in collect_cases() if config.selects(case)}
    return {case: path.stat().st_mtime_ns if path.exists() else 0 for case, path in files.items()}
