"""Notices when the machine gave a program of the box no processor, though it had work to do.

A scheduler that binds a gang one member after another needs processor time between two binds. On a machine that is busy
with something else, or while somebody has stopped the process, it does not get it, and would be blamed for a window
that it could not keep. Linux counts for every thread how long it waited for a processor. So one thread looks at
all of them, five times a second. Where one of them waited for more than half of the time, a quarter of a second in all,
that time is told as a stall, which no deadline counts. A scheduler that waits by itself, for a timer or for an event,
waits for no processor: nothing is told of it, so what it does wrong is judged as on an idle machine. Nothing is told
either of a program that uses most of the processors itself.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.box.base import Process
from harness.core.oracle.facts import Stall

TICK = 0.2  # seconds between two looks
SHARE = 0.5  # of a tick: who waits for longer runs at less than half of its speed
OWN = 0.7  # of all processors: who uses more has what there is
LIMIT = 0.25  # seconds of waiting that are told; a window has 2
LONGEST = 1.0  # seconds after which it is told though it goes on, so that those who wait know it in time
PROC = Path("/proc")


@dataclass(slots=True)
class Usage:
    """What is known of one process since the last look."""

    pid: int
    times: dict[str, tuple[int, int]]  # nanoseconds that each thread has run, and has waited for a processor
    since: float = 0.0  # when the starvation began
    lost: float = 0.0  # seconds that were lost since then; 0: it is not starved


@dataclass(slots=True)
class Starvation:
    """Looks at processes of this machine for as long as it runs."""

    processes: Callable[[], Iterable[Process]]
    tell: Callable[[Stall], None]
    clock: Callable[[], float] = time.time
    proc: Path = PROC
    processors: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    _usages: dict[str, Usage] = field(default_factory=dict)  # by the name of the process
    _last: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        threading.Thread(target=self._work, name="starvation", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def look(self, *, final: bool = False) -> None:
        """Tell who was starved up to now; the final look of a case tells what has just begun, too."""
        stalls: list[Stall] = []
        with self._lock:
            now = self.clock()
            tick, self._last = now - self._last, now
            for process in self.processes():
                stalls += self._look_at(process, now, tick, final)
        for stall in stalls:
            self.tell(stall)

    def _work(self) -> None:
        while not self._stop.wait(TICK):
            self.look()

    def _look_at(self, process: Process, now: float, tick: float, final: bool) -> Iterable[Stall]:
        if process.paused or not process.alive:  # the history says so by itself
            self._usages.pop(process.name, None)
            return
        usage, times = self._usages.get(process.name), self._times(process.pid)
        if usage is None or usage.pid != process.pid:
            self._usages[process.name] = Usage(process.pid, times)
            return
        ran, waited = _since(usage.times, times)
        lost = tick if self._is_stopped(process.pid) else min(tick, waited)
        usage.times = times
        if is_starved := lost > SHARE * tick and ran < OWN * self.processors * tick:
            usage.since = usage.since if usage.lost else now - tick
            usage.lost += lost
        if usage.lost and (final or not is_starved or now - usage.since >= LONGEST):
            if usage.lost >= LIMIT:
                yield Stall(now - usage.lost, now, process.name)
            usage.lost = 0.0

    def _times(self, pid: int) -> dict[str, tuple[int, int]]:
        """The times of each thread; nothing where the kernel does not count them."""
        times = {}
        for thread in self.proc.glob(f"{pid}/task/*"):
            with contextlib.suppress(OSError, ValueError):  # it has just ended
                ran, waited, *_ = (thread / "schedstat").read_text().split()
                times[thread.name] = int(ran), int(waited)
        return times

    def _is_stopped(self, pid: int) -> bool:
        try:
            return (self.proc / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] in "Tt"
        except (OSError, IndexError):
            return False


def _since(before: Mapping[str, tuple[int, int]], now: Mapping[str, tuple[int, int]]) -> tuple[float, float]:
    """Seconds that all threads have run since then, and that the unluckiest of them has waited."""
    ran = waited = 0
    for thread, (run, wait) in now.items():
        former_run, former_wait = before.get(thread, (run, wait))
        ran += run - former_run
        waited = max(waited, wait - former_wait)
    return ran / 1e9, waited / 1e9
