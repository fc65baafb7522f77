"""Notices when muster itself, the API server or its store stood still: stopped, starved, swapped out, asleep.

The time of a record is mostly the time of its arrival. If nobody could write it down for a while, or the API server
could not answer, a scheduler would be blamed for time that it never had. So two threads look all the time: one whether
it gets to run itself, one whether the API server answers a read that reaches etcd. What took longer than a second is
told as a stall, and no deadline counts it. The same holds where the clock of the machine is set forward. If it is set
back, the history shows what cannot be, and is not judged.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from harness.core.oracle.facts import Stall

TICK = 0.2  # seconds between two looks
LIMIT = 1.0  # seconds that a look may take before it is a stall: far more than a busy machine needs for one
STEP = 0.25  # seconds by which somebody may set the clock forward unnoticed: an eighth of a gang's window

MOST = 1000  # stalls that are remembered


def elapsed() -> float:
    """Seconds since the machine was started; a machine that sleeps counts them too."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Heartbeat:
    """Tells stalls of this process and of the API server for as long as it runs."""

    def __init__(
        self,
        probe: Callable[[], object],
        tell: Callable[[Stall], None],
        clock: Callable[[], float] = elapsed,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._probe = probe
        self._tell = tell
        self._clock = clock
        self._wall = wall
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._last, self._read = clock(), wall()  # this process ran at that time, and what a watch on the wall showed
        self._asked: float | None = None  # since when the API server has not answered
        self.stalls: deque[Stall] = deque(maxlen=MOST)  # the latest
        self._stalled = 0.0  # seconds in which this process stood still since then

    def start(self) -> None:
        for work, name in ((self._tick, "heartbeat"), (self._ask, "heartbeat of the API server")):
            threading.Thread(target=work, name=name, daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def look(self) -> None:
        """Tell what has not been told yet; whoever is about to judge time calls this first."""
        new: list[Stall] = []
        with self._lock:
            now, until = self._clock(), self._wall()
            gap, step = now - self._last, until - self._read - (now - self._last)
            self._last, self._read = now, until
            if step > STEP:
                new.append(Stall(until - step, until, "clock"))
            if gap > LIMIT:
                new.append(Stall(until - gap, until, "muster"))
                self._stalled += gap
            if self._asked is not None and now - self._asked - self._stalled > LIMIT:
                new.append(Stall(until - (now - self._asked), until, "apiserver"))
                self._asked, self._stalled = now, 0.0  # what follows is told later, each second once
            self.stalls.extend(new)
        for stall in new:
            self._tell(stall)

    def note(self, stall: Stall) -> None:
        """Tell a stall that somebody else has noticed."""
        with self._lock:
            self.stalls.append(stall)
        self._tell(stall)

    def _tick(self) -> None:
        while not self._stop.wait(TICK):
            self.look()

    def _ask(self) -> None:
        while not self._stop.is_set():
            with self._lock:
                if self._asked is None:
                    self._asked, self._stalled = self._clock(), 0.0
            try:
                self._probe()
            except Exception:  # whatever it is: without this thread everything from now on would be a stall
                self._stop.wait(TICK)
                continue
            self.look()  # an answer that came late is told before it is forgotten
            with self._lock:
                self._asked = None
            self._stop.wait(TICK)
