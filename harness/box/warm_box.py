"""A box that is started ahead, so that the next one is there at once.

Resetting a box takes a fraction of a second, but some cases spoil one for good (a control plane with other gates, an
etcd that was torn down). While one box is in use the next is started in the background; taking it costs only what is
left of its start.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from harness.box.base import Box


class WarmBox:
    """Keeps one started box ahead of its user.

    with WarmBox(lambda: EmbeddedBox(nodes=[Pool(8)])) as warm:
        box = warm.take()   # waits for the first
        ...
        box.stop()
        box = warm.take()   # already there
    """

    def __init__(self, make: Callable[[], Box]) -> None:
        self._make = make
        self._next: _BackgroundStart | None = None

    def __enter__(self) -> Self:
        self._next = _BackgroundStart(self._make())
        return self

    def take(self) -> Box:
        """The box that was started ahead; the next one begins to start. The caller stops the box."""
        assert self._next is not None, "use WarmBox as a context manager"
        box = self._next.wait()
        self._next = _BackgroundStart(self._make())
        return box

    def wait(self) -> None:
        """Return once a box can be taken at once."""
        assert self._next is not None, "use WarmBox as a context manager"
        self._next.wait()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._next is not None:
            self._next.discard()
            self._next = None


class _BackgroundStart:
    """The start of one box, in a thread of its own."""

    def __init__(self, box: Box) -> None:
        self._box = box
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="warm box", daemon=True)
        self._thread.start()

    def wait(self) -> Box:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._box

    def discard(self) -> None:
        self._thread.join()
        if self._error is None:
            self._box.stop()

    def _run(self) -> None:
        try:
            self._box.start()
        except BaseException as error:
            self._error = error
