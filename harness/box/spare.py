"""A warm box in reserve, so that whoever needs the next one waits for nothing.

Resetting a box takes a fraction of a second, but some cases spoil one for good (a control plane with other gates, an
etcd that was torn down). While one box is in use the next is started in the background; taking it costs only what is
left of its start.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from harness.box.embedded import EmbeddedBox


class Spare:
    """Keeps one started box ahead of its user.

    with Spare(lambda: EmbeddedBox(nodes=[Pool(8)])) as spare:
        box = spare.take()   # waits for the first
        ...
        box.stop()
        box = spare.take()   # already there
    """

    def __init__(self, make: Callable[[], EmbeddedBox]) -> None:
        self._make = make
        self._next: _Starting | None = None

    def __enter__(self) -> Self:
        self._next = _Starting(self._make())
        return self

    def take(self) -> EmbeddedBox:
        """The box in reserve, started; the next one begins to start. Stopping it is the taker's business."""
        assert self._next is not None, "use Spare as a context manager"
        box = self._next.wait()
        self._next = _Starting(self._make())
        return box

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._next is not None:
            self._next.discard()
            self._next = None


class _Starting:
    """A box that is being started in the background."""

    def __init__(self, box: EmbeddedBox) -> None:
        self._box = box
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="spare box", daemon=True)
        self._thread.start()

    def wait(self) -> EmbeddedBox:
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
