"""A run: the suite on one integration after another, each in a pytest of its own, and one result at the end.

A child process per integration keeps them apart: one that crashes or hangs costs its own cases only. What the children
do arrives as events (see `events.py`); the result is assembled from those, so an interrupted run still has a report
that says what is missing.
"""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.box.parent import hold_signals, release_signals
from harness.core.catalogue.selection import catalogue_size
from harness.core.errors import HarnessError
from harness.core.results import FORMAT, Implementation, RunResult, run_from_data
from harness.core.version import __version__
from harness.runner import child, events
from harness.runner.collect import case_file, collect_cases, suites_root
from harness.runner.config import FILE, RunConfig

POLL = 0.1  # seconds between two looks at the events
GRACE = 20.0  # seconds a child gets to take its box down after Ctrl-C

Watcher = Callable[[dict[str, Any]], None]


class EnoughSeenError(Exception):
    """No more cases are to be run: so many have failed that the rest would tell nothing new."""


@dataclass(slots=True)
class HarnessFaults:
    """What the harness itself could not do: its errors, and the last output of a pytest that did not end well."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it, for a report."""
        messages = ["\n".join(part for part in (fault["message"], fault["hint"]) if part) for fault in self.messages]
        return (*messages, *(f"the suite did not run to its end:\n{output}" for output in self.outputs))


def run(
    config: RunConfig,
    folder: Path,
    watch: Watcher,
    stop: threading.Event | None = None,
    is_enough: Watcher = lambda event: None,
) -> tuple[RunResult, HarnessFaults]:
    """Do what the configuration asks for; the results so far if it is cut off.

    Ctrl-C and `stop` interrupt it; signals that the caller held are released. When `is_enough` raises `EnoughSeenError`
    for an event, the rest is left out.
    """
    started = time.time()
    faults = HarnessFaults()
    tail = events.Tail(folder)
    interrupted = False
    try:
        release_signals()
        config.write(folder)
        for integration in config.integrations if any(map(config.selects, collect_cases())) else ():
            _child(config, integration, folder, tail, both(watch, is_enough), faults, stop or threading.Event())
    except EnoughSeenError:
        pass
    except KeyboardInterrupt:
        interrupted = True
    return replace(assemble(folder, config, started, interrupted), faults=faults.sentences), faults


def both(first: Watcher, second: Watcher) -> Watcher:
    """A watcher that tells both."""

    def watch(event: dict[str, Any]) -> None:
        first(event)
        second(event)

    return watch


def assemble(folder: Path, config: RunConfig, started: float, interrupted: bool) -> RunResult:
    """The result of a run's folder, from its events."""
    cases: list[dict[str, Any]] = []
    implementations: dict[str, dict[str, Any]] = {}
    catalogue = collect_cases()
    selected = sum(config.selects(case) for case in catalogue)
    for event in events.read(folder):
        if event["event"] == "case":
            cases.append(event["result"])
        elif event["event"] == "testbed":
            implementations[event["implementation"]["integration"]] = event["implementation"]
        elif event["event"] == "cluster":
            implementations[event["integration"]]["cluster"] = event["facts"]
    for integration in config.integrations:
        if not any(name.partition("@")[0] == integration.partition("@")[0] for name in implementations):
            implementations[integration] = {"integration": integration}
    cases.sort(key=lambda case: (case["folder"], case["case"], case["integration"]))
    data = {
        "format": FORMAT,
        "name": folder.name,
        "started": started,
        "finished": time.time(),
        "muster": __version__,
        "box": config.box.kind,
        "cases": cases,
        "planned": selected * config.repeat * len(config.integrations),
        "interrupted": interrupted,
        "environment": environment(),
        "timeout_factor": config.timeout_factor,
        "selection": asdict(config.selection),
        "catalogue": asdict(catalogue_size(catalogue)),
        "implementations": [_filled(data) for data in implementations.values()],
    }
    return run_from_data(data)


def environment() -> dict[str, Any]:
    """What the run stood on, without anything that names the machine or its user."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "muster": __version__,
        "ci": bool(os.environ.get("CI")),
    }


def _filled(data: dict[str, Any]) -> dict[str, Any]:
    return {**asdict(Implementation(data["integration"])), **data}


def _child(
    config: RunConfig,
    integration: str,
    folder: Path,
    tail: events.Tail,
    watch: Watcher,
    faults: HarnessFaults,
    stop: threading.Event,
) -> None:
    log = folder / "logs" / f"pytest-{integration.replace('@', '-')}.log"
    log.parent.mkdir(exist_ok=True)
    process = _start(config, integration, folder, log)
    try:
        release_signals()
        while process.poll() is None:
            _pass_on(tail, watch, faults)
            if stop.wait(POLL):
                raise KeyboardInterrupt
    except BaseException:  # of any kind: nothing else would end the child
        _end(process)
        raise
    finally:
        _pass_on(tail, watch, faults)
    if process.returncode not in (0, 1, 5) and not faults.messages:
        faults.outputs.append(log.read_text(errors="replace")[-2000:])


def _start(config: RunConfig, integration: str, folder: Path, log: Path) -> subprocess.Popen[bytes]:
    """Have a child run the suite; signals are held until the caller is ready to end it."""
    hold_signals()
    try:
        arguments = _arguments(config, integration, folder)
        runner = child.take()
        if not runner.begin(folder / FILE, integration, arguments, log, opens=config.workers == 1):
            raise HarnessError(
                f"the process that runs the suite ended with exit code {runner.process.wait()} before it began",
                hint=f"To see its error message, run: {sys.executable} -m harness.runner.child",
            )
        return runner.process
    except BaseException:
        release_signals()
        raise


def _arguments(config: RunConfig, integration: str, folder: Path) -> list[str]:
    """The words for the pytest that runs the suite; what it has to do is in the folder's run.json.

    It is given the files of the selected cases: to import all the others would take seconds, in silence.
    """
    suites, workers = suites_root(), config.workers
    cases = sorted(collect_cases(), key=lambda case: case.id not in config.first)
    files = [str(case_file(case)) for case in cases if config.selects(case)]
    settings = [
        "-q",
        "--tb=short",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        "--import-mode=importlib",
        "-c",
        os.devnull,
    ]
    side_by_side = ["-n", str(workers), "--dist", "worksteal"] if workers > 1 else []
    options = [f"--muster-config={folder / FILE}", f"--muster-integration={integration}"]
    return [*files, f"--rootdir={suites}", *settings, *options, *side_by_side]


def _pass_on(tail: events.Tail, watch: Watcher, faults: HarnessFaults) -> None:
    for event in tail.new():
        if event["event"] == "fault":
            faults.messages.append(event)
        watch(event)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let the child take its boxes down; if it does not, its keepers will."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(number)
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                continue
