"""The audit log of an API server, read from where a case began.

It says who bound, evicted or deleted which pod, and when. What it holds may be newer than what the watches have
delivered, so reading has two ends: up to where the watches have surely caught up, and beyond. A box for measurements
also logs every request of the integration, a hundred thousand lines and more: they are read one by one and not kept.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from harness.box.api import Object
from harness.core.errors import HarnessError

_TAIL = 1 << 20  # bytes at the end of the file in which its last whole line ends, longer than any line
_ABOUT_PODS = b'"resource":"pods"'  # what a history keeps of the log is about these


class AuditLog:
    """The file that the API server appends to; without one there are no events."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._begin = 0
        self._settled = 0
        self._file = 0  # its inode when the case began

    @property
    def is_there(self) -> bool:
        """Whether there is a file to be read."""
        return self._path is not None

    def begin(self) -> None:
        """What is there now belongs to no case."""
        self._begin = self._end()
        self._file = self._inode()

    def settle(self) -> None:
        """What is there now will have been watched when the watches have caught up with a list that is taken later."""
        self._settled = self._end()

    def events(self, namespaces: Collection[str]) -> tuple[Iterator[Object], Iterator[Object]]:
        """The events about pods of these namespaces since the beginning: up to where it settled, and after it.

        HarnessError if it is another file by now: what the case did is in the former one, or lost.
        """
        if (self._file and self._inode() != self._file) or self._end() < self._begin:
            raise HarnessError(f"the audit log {self._path} was replaced or cut while the case ran")

        def about_pods(begin: int, end: int) -> Iterator[Object]:
            for event in self._between(begin, end, _ABOUT_PODS):
                if (event.get("objectRef") or {}).get("namespace") in namespaces:
                    yield event

        settled = max(self._begin, self._settled)
        return about_pods(self._begin, settled), about_pods(settled, self._end())

    def all_events(self) -> Iterator[Object]:
        """Every event since the beginning."""
        return self._between(self._begin, self._end())

    def _between(self, begin: int, end: int, mark: bytes = b"") -> Iterator[Object]:
        """The events in this part of the file whose lines hold the mark."""
        if self._path is None or begin >= end:
            return
        with self._path.open("rb") as file:
            file.seek(begin)
            while begin < end and (line := file.readline()):
                begin += len(line)
                if mark in line:
                    with contextlib.suppress(ValueError):
                        yield json.loads(line)

    def _inode(self) -> int:
        return self._path.stat().st_ino if self._path is not None and self._path.exists() else 0

    def _end(self) -> int:
        """Where the last whole line ends; what follows it is still being written."""
        if self._path is None or not self._path.exists():
            return 0
        with self._path.open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - _TAIL)
            file.seek(start)
            return start + file.read().rfind(b"\n") + 1
