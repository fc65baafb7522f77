"""The live lines of a run: a line per phase and per case, as the events come in."""

from __future__ import annotations

import time
from typing import Any

from rich.status import Status

from harness.cli.terminal import STYLES, PhaseLines, console
from harness.core.verdict import Outcome


class Draw:
    """Turns events into lines."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._phases = PhaseLines(quiet=quiet)
        self._out = console()
        self._status: Status | None = self._out.status("starting ...") if self._out.is_terminal and not quiet else None
        self._busy: dict[str, tuple[str, float]] = {}

    def __call__(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "phase-begin" and event["worker"] in ("main", "gw0"):
            self._phases.begin(event["phase"])
        elif kind == "phase-end" and event["worker"] in ("main", "gw0"):
            self._phases.end(event["phase"], event["seconds"], failed=event["failed"])
        elif kind == "build":
            self._phases.said(event["text"], event["stage"])
        elif kind == "begin":
            self._busy[event["worker"]] = (event["case"], time.monotonic())
            self._live()
        elif kind == "case":
            self._busy.pop(event["worker"], None)
            self._case(event["result"])
            self._live()

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()

    def _live(self) -> None:
        if self._status is not None:
            self._status.update("  ".join(f"{case} ..." for case, _ in self._busy.values()))
            (self._status.start if self._busy else self._status.stop)()

    def _case(self, result: dict[str, Any]) -> None:
        outcome = Outcome(result["outcome"])
        if self._quiet and outcome in (Outcome.PASS, Outcome.NOT_SUPPORTED):
            return
        mark, style = STYLES[outcome]
        took = f"{result['seconds']:.1f} s" if outcome is not Outcome.NOT_SUPPORTED else "not supported"
        self._out.print(
            f" [{style}]{mark}[/{style}] {result['folder']}/{result['case']} "
            f"[dim]({result['integration']}) {took}[/dim]"
        )
        for verdict in result["verdicts"]:
            if verdict["outcome"] == outcome and outcome in (Outcome.VIOLATED, Outcome.UNKNOWN):
                self._out.print(f"     {verdict['check']}: {verdict['reason']}", markup=False, style=style)
        if result["error"]:
            self._out.print(f"     {result['error']}", markup=False, style="yellow")
        if outcome in (Outcome.VIOLATED, Outcome.UNKNOWN):
            self._out.print(f"     again: {result['rerun']}", markup=False, style="dim")
        if self._verbose:
            for gang, figures in result["figures"].items():
                self._out.print(f"     {gang}: {figures}", markup=False, style="dim")
