"""The live lines of a run: a line per phase and per case, as the events come in."""

from __future__ import annotations

import signal
import time
from collections import Counter
from typing import Any

from rich.status import Status

from harness.cli import signals
from harness.cli.terminal import PhaseLines, console
from harness.core.text import counted
from harness.core.verdict import EXPECTED, Outcome


class LiveLines:
    """Prints the events of a run as lines."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._phases = PhaseLines(quiet=quiet)
        self._out = console()
        self._status: Status | None = self._out.status("starting ...") if self._out.is_terminal and not quiet else None
        self._busy: dict[str, tuple[str, float]] = {}
        self._not_asked: Counter[tuple[str, str]] = Counter()  # by integration and folder
        if self._status is not None:
            self._status.start()

    @property
    def is_quiet(self) -> bool:
        return self._quiet

    def __call__(self, event: dict[str, Any]) -> None:
        try:
            self._print(event)
        except BrokenPipeError:  # the pipe is closed; the report is still written
            signals.mute(1, 2)
            signals.interrupt(signal.SIGPIPE)

    def _print(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "phase-begin" and event["worker"] in ("main", "gw0"):
            self._phases.begin(event["phase"])
        elif kind == "phase-end" and event["worker"] in ("main", "gw0"):
            self._phases.end(event["phase"], event["seconds"], failed=event["failed"])
        elif kind == "kept":
            self._out.print(f" the box of the last case is running: export KUBECONFIG={event['kubeconfig']}")
            self._out.print(f" stop it with: muster down {event['box']}")
        elif kind == "build":
            self._phases.build_line(event["text"], event["stage"])
        elif kind == "begin":
            self._busy[event["worker"]] = (event["case"], time.monotonic())
            self._live()
        elif kind == "case":
            self._busy.pop(event["worker"], None)
            self._case(event["result"])
            self._live()

    def close(self) -> None:
        """Stop the live line, and say what was not asked for: a line for each folder, not for each case."""
        if self._status is not None:
            self._status.stop()
        for (integration, folder), count in sorted(self._not_asked.items()):
            look = Outcome.NOT_SUPPORTED.look
            text = f" {look.glyph} {folder}: {counted(count, 'case')} not asked of {integration}"
            self._out.print(text, markup=False, style=look.style)
        self._not_asked.clear()

    def _live(self) -> None:
        if self._status is not None:
            self._status.update("  ".join(f"{case} ..." for case, _ in self._busy.values()))
            (self._status.start if self._busy else self._status.stop)()

    def _case(self, result: dict[str, Any]) -> None:
        outcome = Outcome(result["outcome"])
        expected = result["expected"]
        if self._quiet and (expected or not outcome.is_bad):
            return
        if outcome is Outcome.NOT_SUPPORTED and not self._verbose:
            self._not_asked[result["integration"], result["folder"]] += 1
            return
        look = EXPECTED if expected else outcome.look
        took = f"{result['seconds']:.1f} s" if outcome is not Outcome.NOT_SUPPORTED else look.label
        self._out.print(
            f" [{look.style}]{look.glyph}[/{look.style}] {result['folder']}/{result['case']} "
            f"[dim]({result['integration']}) {took}[/dim]"
        )
        if expected:
            self._out.print(f"     expected: {expected}", markup=False, style="dim")
        for verdict in result["verdicts"]:
            if verdict["outcome"] == outcome and outcome.is_bad and not expected:
                self._out.print(f"     {verdict['check']}: {verdict['reason']}", markup=False, style=look.style)
        if result["error"]:
            self._out.print(f"     {result['error']}", markup=False, style="yellow")
        if outcome.is_bad:
            self._out.print(f"     again: {result['rerun']}", markup=False, style="dim")
        if self._verbose:
            for gang, figures in result["figures"].items():
                values = ", ".join(f"{name} {value}" for name, value in figures.items())
                self._out.print(f"     {gang}: {values}", markup=False, style="dim")
