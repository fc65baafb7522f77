"""A machine that has too much to do: busy processors, a busy disk, and a muster that does not get to run.

Each disturbance is a process or a thread of this machine that ends with us. None of them touches a cluster; pauses of
components are made by the testbed itself (`harness.testbed.pauses`), which knows what a case has paused on purpose.
"""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

from harness.box.parent import die_with_parent

BUSY = "while True: pass"
WRITES = """
import os, sys
block = os.urandom(1 << 20)
with open(sys.argv[1], "wb", buffering=0) as file:
    while True:
        file.seek(0)
        for _ in range(16):
            file.write(block)
            os.fsync(file.fileno())
"""
BETWEEN = (1.0, 8.0)  # seconds between two pauses of muster itself
LENGTH = (0.05, 2.0)  # seconds of one; what is longer than one second the history must tell


class Disturbances:
    """While it is entered, the machine is disturbed: so many busy processes, and the rest if asked for."""

    def __init__(self, folder: Path, *, load: int, disk: bool, pauses: bool, seed: int) -> None:
        self._file = folder / "busy-disk"
        self._load = load
        self._disk = disk
        self._pauses = pauses
        self._random = random.Random(seed)
        self._stop = threading.Event()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._recorders: list[psutil.Process] = []
        self._thread = threading.Thread(target=self._pause_recorders, name="pauses of muster", daemon=True)

    def __enter__(self) -> Disturbances:
        for _ in range(self._load):
            self._start("-c", BUSY)
        if self._disk:
            self._start("-c", WRITES, str(self._file))
        if self._pauses:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._pauses:
            self._thread.join()
        for process in self._processes:
            process.kill()
            process.wait()
        self._file.unlink(missing_ok=True)

    def watch(self, event: Mapping[str, Any]) -> None:
        """Learn from the events of a run which processes record histories: they are what is paused of muster."""
        if event["event"] == "testbed":
            with contextlib.suppress(psutil.Error):
                self._recorders.append(psutil.Process(event["pid"]))

    def _start(self, *arguments: str) -> None:
        command = [sys.executable, "-S", "-E", *arguments]
        self._processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent))

    def _pause_recorders(self) -> None:
        while not self._stop.wait(self._random.uniform(*BETWEEN)):
            self._recorders = [recorder for recorder in self._recorders if recorder.is_running()]
            for recorder in self._recorders:
                with contextlib.suppress(psutil.Error):
                    recorder.suspend()
                    self._stop.wait(self._random.uniform(*LENGTH))
                with contextlib.suppress(psutil.Error):
                    recorder.resume()
