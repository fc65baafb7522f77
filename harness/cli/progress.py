"""Draw the progress of builds: one live line on a terminal, a plain line every few seconds in a log.

Everything goes to stderr, so that the output of a command can be piped while a person still sees that it works.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bars

from harness.box.artifacts.progress import Event, Progress, clock

_EVERY = 5.0  # seconds between two lines of a log about the same stage
_ONCE = {"toolchain", "fallback", "done"}  # events that are always worth a line


@contextmanager
def build_progress() -> Iterator[Progress]:
    """A progress callback that draws for as long as the context lasts."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.fields[rest]}"))
    with Bars(*columns, console=console, transient=True) as bars:
        yield _Live(bars)


class _Live:
    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, event: Event, /) -> None:
        name = f"{event.component} {event.version}"
        if event.stage == "done":
            if name in self._tasks:
                self._bars.remove_task(self._tasks.pop(name))
            self._bars.console.print(str(event), highlight=False)
            return
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=None, rest="")
        count = f"{event.done}/{event.total} " if event.total else ""
        rest = f"{count}{event.text}, {clock(event.elapsed)}"
        self._bars.update(self._tasks[name], total=event.total or None, completed=event.done, rest=rest)


class _Lines:
    def __init__(self) -> None:
        self._last: dict[tuple[str, str], float] = {}

    def __call__(self, event: Event, /) -> None:
        now, about = time.monotonic(), (event.component, event.stage)
        if event.stage in _ONCE or now - self._last.get(about, -_EVERY) >= _EVERY:
            self._last[about] = now
            print(event, file=sys.stderr, flush=True)
