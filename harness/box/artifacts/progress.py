"""Progress of a build.

A cold build of a control plane takes minutes, and without any output it looks like a hang. The build only emits
events; the front ends (terminal, piped log, pytest) decide how to show them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Event:
    """One step of the work. `total` is 0 while it is unknown; `elapsed` is the seconds since the work began."""

    component: str
    version: str
    stage: str  # toolchain, wait, modules, build, link, install, done
    text: str
    done: int = 0
    total: int = 0
    elapsed: float = 0.0

    def __str__(self) -> str:
        count = f" {self.done}/{self.total}" if self.total else ""
        return f"{self.component} {self.version}: {self.text}{count}, {clock(self.elapsed)}"


class Progress(Protocol):
    """Anything that can be called with an event; must be quick and must not raise."""

    def __call__(self, event: Event, /) -> None: ...


def silent(event: Event, /) -> None:
    """A `Progress` that ignores every event."""


def clock(seconds: float) -> str:
    """Seconds for a reader: 42s, 3m05s."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"
