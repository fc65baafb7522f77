"""The audit log of an API server, read from where a case began.

It says who bound, evicted or deleted which pod, and when. What it holds may be newer than what the watches have
delivered, so reading has two ends: up to where the watches have surely caught up, and beyond.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from harness.box.api import Object
from harness.core.errors import HarnessError


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
        self._begin = self._size()
        self._file = self._inode()

    def settle(self) -> None:
        """What is there now will have been watched when the watches have caught up with a list that is taken later."""
        self._settled = self._size()

    def events(self) -> tuple[list[Object], list[Object]]:
        """The events since the beginning up to where it settled, and those after it.

        HarnessError if it is another file by now: what the case did is in the former one, or lost.
        """
        if self._path is None:
            return [], []
        if (self._file and self._inode() != self._file) or self._size() < self._begin:
            raise HarnessError(f"the audit log {self._path} was replaced or cut while the case ran")
        if not self._path.exists():
            return [], []
        with self._path.open("rb") as file:
            file.seek(self._begin)
            settled = file.read(max(0, self._settled - self._begin))
            late = file.read()
        cut = settled.rpartition(b"\n")[0]  # what follows the last newline was still being written
        return _read(cut), _read((settled[len(cut) :] + late).rpartition(b"\n")[0])

    def _inode(self) -> int:
        return self._path.stat().st_ino if self._path is not None and self._path.exists() else 0

    def _size(self) -> int:
        return self._path.stat().st_size if self._path is not None and self._path.exists() else 0


def _read(lines: bytes) -> list[Object]:
    events = []
    for line in lines.split(b"\n"):
        with contextlib.suppress(ValueError):
            events.append(json.loads(line))
    return events
