"""Starts what crashed again, as a cluster would.

A scheduler runs as a Deployment, so one that crashes is back soon: at once the first time, then after ten seconds,
twenty, forty, which is the kubelet's own backoff. To leave it dead would blame it for far more than the crash. Each
crash is written into the history, where the check `crash` judges it; what a case killed stays dead until the case
starts it.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence

from harness.box.base import Process
from harness.box.recorder import Recorder
from harness.core.errors import MusterError

POLL = 0.1
BACKOFF = (0.0, 10.0, 20.0, 40.0)
FORGET = 600.0  # seconds without a crash after which the first one is forgiven, as the kubelet does


class Supervisor:
    """Watches over the processes of an integration in a thread of its own."""

    def __init__(self, processes: Sequence[Process], recorder: Recorder) -> None:
        self._processes = processes
        self._recorder = recorder
        self._crashes: dict[str, list[float]] = {process.name: [] for process in processes}
        self._due: dict[str, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=5)

    def _watch(self) -> None:
        while not self._stop.wait(POLL):
            self.look()

    def look(self) -> None:
        """Start what has crashed; what a case has started or ended meanwhile is no longer due."""
        for process in self._processes:
            if not process.crashed:
                self._due.pop(process.name, None)
                continue
            with contextlib.suppress(MusterError):  # the box goes down: nothing left to look after
                self._mend(process)

    def _mend(self, process: Process) -> None:
        now, name = time.monotonic(), process.name
        if name not in self._due:
            recent = [at for at in self._crashes[name] if now - at < FORGET]
            self._crashes[name] = [*recent, now]
            wait = BACKOFF[min(len(recent), len(BACKOFF) - 1)]
            self._due[name] = now + wait
            self._recorder.act("crash", name, role=process.command.role, ending=process.ending, back_in=wait)
        if now >= self._due[name]:
            del self._due[name]
            process.start()
