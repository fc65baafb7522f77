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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from harness import events
from harness.box.parent import die_with_parent
from harness.collect import suites_root
from harness.core.errors import UsageError
from harness.core.results import FORMAT, Implementation, RunResult, run_from_data

POLL = 0.1  # seconds between two looks at the events
GRACE = 20.0  # seconds a child gets to take its box down after Ctrl-C

Watcher = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run."""

    integrations: tuple[str, ...]
    options: tuple[str, ...] = ()  # flags of the plugin, the same for every integration
    workers: int = 1
    box: str = "embedded"
    suites: Path = field(default_factory=suites_root)


@dataclass(slots=True)
class Faults:
    """What the harness itself could not do."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


def run(
    plan: Plan, folder: Path, watch: Watcher, stop: threading.Event | None = None
) -> tuple[RunResult, Faults]:  # fmt: skip
    """Run the plan; everything found out, also when it is cut off, by Ctrl-C or, beside others, by `stop`."""
    started = time.time()
    faults = Faults()
    tail = events.Tail(folder)
    interrupted = False
    for integration in plan.integrations:
        try:
            _child(plan, integration, folder, tail, watch, faults, stop or threading.Event())
        except KeyboardInterrupt:
            interrupted = True
            break
    return assemble(folder, plan, started, interrupted), faults


def assemble(folder: Path, plan: Plan, started: float, interrupted: bool) -> RunResult:
    """The result of a run's folder, from its events."""
    cases: list[dict[str, Any]] = []
    implementations: dict[str, dict[str, Any]] = {}
    planned = 0
    for event in events.read(folder):
        if event["event"] == "case":
            cases.append(event["result"])
        elif event["event"] == "lab":
            implementations[event["implementation"]["integration"]] = event["implementation"]
        elif event["event"] == "planned" and event["worker"] in ("main", "gw0"):
            planned += event["count"]
    for wanted in plan.integrations:
        if not any(name.partition("@")[0] == wanted.partition("@")[0] for name in implementations):
            implementations[wanted] = {"integration": wanted}
    cases.sort(key=lambda case: (case["folder"], case["case"], case["integration"]))
    data = {
        "format": FORMAT, "name": folder.name, "started": started, "finished": time.time(), "muster": version("muster"),
        "box": plan.box, "cases": cases, "planned": planned, "interrupted": interrupted, "environment": environment(),
        "timeout_factor": timeout_factor(plan.options),
        "implementations": [_filled(one) for one in implementations.values()],
    }  # fmt: skip
    return run_from_data(data)


def timeout_factor(options: Sequence[str]) -> float:
    """By what the flags of the plugin multiply every deadline."""
    flag = "--muster-timeout-factor="
    return next((float(one.removeprefix(flag)) for one in options if one.startswith(flag)), 1.0)


def environment() -> dict[str, Any]:
    """What the run stood on, without anything that names the machine or its user."""
    return {
        "python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(), "muster": version("muster"), "ci": bool(os.environ.get("CI")),
    }  # fmt: skip


def _filled(given: dict[str, Any]) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(Implementation(given["integration"])), **given}


def _child(
    plan: Plan, integration: str, folder: Path, tail: events.Tail, watch: Watcher, faults: Faults, stop: threading.Event
) -> None:  # fmt: skip
    log = folder / "logs" / f"pytest-{integration.replace('@', '-')}.log"
    log.parent.mkdir(exist_ok=True)
    command = [
        sys.executable, "-m", "pytest", str(plan.suites), "-q", "--tb=short", "-p", "no:cacheprovider",
        "-o", "addopts=",
        "--import-mode=importlib", f"--rootdir={plan.suites}", "-c", os.devnull,
        f"--muster-integration={integration}", f"--muster-output={folder}", *plan.options,
        *(["-n", str(plan.workers), "--dist", "worksteal"] if plan.workers > 1 else []),
    ]  # fmt: skip
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent
        )
        try:
            while process.poll() is None:
                _pass_on(tail, watch, faults)
                if stop.wait(POLL):
                    raise KeyboardInterrupt
        except BaseException:  # whatever it is: nobody would look after the child any more
            _end(process)
            raise
        finally:
            _pass_on(tail, watch, faults)
    if process.returncode not in (0, 1, 5) and not faults.messages:
        faults.outputs.append(log.read_text(errors="replace")[-2000:])


def _pass_on(tail: events.Tail, watch: Watcher, faults: Faults) -> None:
    for event in tail.new():
        if event["event"] == "fault":
            faults.messages.append(event)
        watch(event)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let the child take its boxes down; if it does not, its keepers will."""
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(number)
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                continue


def case_options(cases: Sequence[str], known: Sequence[str]) -> list[str]:
    """The plugin's flag for these cases; UsageError that offers the nearest id for an unknown one."""
    from harness.box.artifacts.register import nearest

    for case in cases:
        if case not in known:
            raise UsageError(f"there is no case {case!r}", hint=f"{nearest(case, known)}See: muster list cases")
    return [f"--muster-case={','.join(cases)}"] if cases else []
