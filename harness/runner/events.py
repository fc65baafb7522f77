"""What a running suite tells the outside, one JSON line at a time.

Workers, boxes and builds all report here, into one file of the run's folder: `muster run` draws its live lines from it,
and the report is assembled from it, so a run that is cut off still has everything that was finished. Lines are short
and appended with one write each, which the kernel does not interleave.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.box.artifacts.progress import Event

FILE = "events.jsonl"
MAIN = "main"  # the worker, where there is only one


class Log:
    """Appends events of one worker to the run's file."""

    def __init__(self, folder: Path, worker: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / FILE
        self._worker = worker

    def tell(self, event: str, **details: Any) -> None:
        line = (
            json.dumps({"event": event, "at": round(time.time(), 3), "worker": self._worker, **details}, default=str)
            + "\n"
        )
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)


class LogListener:
    """Passes what a box announces on to the log."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def begin(self, phase: str) -> None:
        self._log.tell("phase-begin", phase=phase)

    def end(self, phase: str, seconds: float, *, failed: bool = False) -> None:
        self._log.tell("phase-end", phase=phase, seconds=round(seconds, 3), failed=failed)

    def build(self, event: Event, /) -> None:
        self._log.tell("build", text=str(event), stage=event.stage, done=event.done, total=event.total)


def read(folder: Path) -> Iterator[dict[str, Any]]:
    """Every complete event of a run's folder."""
    path = folder / FILE
    if path.exists():
        for line in path.read_bytes().split(b"\n")[:-1]:
            yield json.loads(line)


class Tail:
    """Reads on where the last look ended."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._offset = 0

    def new(self) -> list[dict[str, Any]]:
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                *lines, _ = file.read().split(b"\n")
        except FileNotFoundError:
            return []
        self._offset += sum(len(line) + 1 for line in lines)
        return [json.loads(line) for line in lines]
