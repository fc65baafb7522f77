"""What muster looks like in a terminal: one line per phase with its time, colours only on a terminal.

A phase that takes long keeps a spinner and, while something is built, its progress. Piped output has the same lines,
plain, and a line of progress every few seconds.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.status import Status

from harness.cli.streams import PIPED_WIDTH, color
from harness.core.text import printable

if TYPE_CHECKING:
    from harness.box.artifacts.progress import Event

LINE_EVERY = 5.0  # seconds between two lines of a build in a log

_to_stderr = False


def leave_stdout() -> None:
    """From now on print lines on stderr: stdout is for a program to read."""
    global _to_stderr
    _to_stderr = True


def console(*, stderr: bool = False) -> Console:
    """A console that colours only what a person sees."""
    forced = {"always": True, "never": False}.get(color())
    terminal = _Console(
        stderr=stderr or _to_stderr,
        highlight=False,
        soft_wrap=True,
        force_terminal=forced,
        no_color=forced is False or None,
    )
    if not terminal.file.isatty():
        terminal.width = PIPED_WIDTH
    return terminal


class _Console(Console):
    """A console that shows control characters as text: what is printed may come from a scheduler or another's file."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*(printable(text) if isinstance(text, str) else text for text in objects), **options)

    def on_broken_pipe(self) -> None:
        """Let the error that is being handled through; rich would end with 1, which says that a case was violated."""
        raise


class PhaseLines:
    """A box listener that prints phases as they pass, on stderr."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = console(stderr=True)
        self._quiet = quiet
        self._status: Status | None = None
        self._last = 0.0

    def begin(self, phase: str) -> None:
        if self._quiet:
            return
        if self._console.is_terminal:
            self._status = self._console.status(f"{phase} ...")
            self._status.start()

    def end(self, phase: str, seconds: float, *, failed: bool = False) -> None:
        self._stop()
        if not self._quiet:
            mark = "[red]✗[/red]" if failed else "[green]✓[/green]"
            self._console.print(f" {mark} {phase}  [dim]{seconds:.1f} s[/dim]")

    def build(self, event: Event, /) -> None:
        self.build_line(str(event), event.stage)

    def build_line(self, text: str, stage: str) -> None:
        """What a build says, which may have come from another process."""
        done = stage == "done"
        if self._quiet and not done:
            return
        if not self._console.is_terminal:
            if stage in ("toolchain", "fallback", "done") or time.monotonic() - self._last >= LINE_EVERY:
                self._last = time.monotonic()
                print(text, file=sys.stderr, flush=True)
            return
        if self._status is None:
            self._status = self._console.status("")
            self._status.start()
        self._status.update(text)
        if done:
            self._stop()
            self._console.print(f" [green]✓[/green] {text}", markup=True)

    def _stop(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None
