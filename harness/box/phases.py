"""What a box reports while it comes up, for those who wait for it.

Silence of more than two seconds looks like a hang. The box only announces phases and build events; how they are drawn
(a live line, plain lines in a log, nothing) is the front end's choice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from harness.box.artifacts.progress import Event


class Listener(Protocol):
    """Receives the reports. Must be quick and must not raise."""

    def begin(self, phase: str) -> None: ...

    def end(self, phase: str, seconds: float, *, failed: bool = False) -> None: ...

    def build(self, event: Event, /) -> None: ...


class NullListener:
    """A listener that ignores everything."""

    def begin(self, phase: str) -> None:
        pass

    def end(self, phase: str, seconds: float, *, failed: bool = False) -> None:
        pass

    def build(self, event: Event, /) -> None:
        pass


@contextmanager
def phase(listener: Listener, text: str) -> Iterator[None]:
    """Announce a phase, and how it ended."""
    began = time.monotonic()
    listener.begin(text)
    try:
        yield
    except BaseException:
        listener.end(text, time.monotonic() - began, failed=True)
        raise
    listener.end(text, time.monotonic() - began)
