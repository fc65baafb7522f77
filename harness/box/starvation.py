"""Notices when the machine gave a program of the box no processor, though it had work to do.

A scheduler that binds a gang one member after another needs processor time between two binds. On a machine that is busy
with something else, or while somebody has stopped the process, it does not get it, and would be blamed for a window
that it could not keep. Linux counts for every thread how long it waited for a processor. So one thread looks at
all of them, five times a second. Where one of them waited for more than half of the time, a quarter of a second in all,
that time is told as a stall, which no deadline counts. The kernel counts a wait when it is over, so one look may show
more of it than the time since the look before. A scheduler that waits by itself, for a timer or for an event, waits for
no processor: nothing is told of it, so what it does wrong is judged as on an idle machine. Nothing is told either while
the programs under test use most of the processors themselves.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from harness.box.base import Process
from harness.core.oracle.facts import Stall

TICK = 0.2  # seconds between two looks
SHARE = 0.5  # of a tick: who waits for longer runs at less than half of its speed
MOST = 0.5  # of all processors: while the programs under test use more, they are the load
LIMIT = 0.25  # seconds of waiting that are told; a window has 2
LONGEST = 1.0  # seconds after which it is told though it goes on, so that those who wait know it in time
PROC = Path("/proc")
NOT_UNDER_TEST = ("apiserver", "etcd")  # roles of the processes that every scheduler needs


class Times(NamedTuple):
    """What the kernel has counted for one thread."""

    ran: int  # nanoseconds
    waited: int  # nanoseconds, for a processor; a wait is added when it is over
    changed: float  # when one of them was seen to change last


@dataclass(slots=True)
class Usage:
    """What is known of one process since the last look."""

    pid: int
    threads: dict[str, Times]
    ran: float = 0.0  # seconds since the look before, of all threads
    waited: float = 0.0  # seconds that the unluckiest thread waited, up to now
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
            usages = [(process, usage) for process in self.processes() if (usage := self._measure(process, now))]
            load = sum(usage.ran for process, usage in usages if process.command.role not in NOT_UNDER_TEST)
            for process, usage in usages:
                stalls += self._judge(process, usage, now, tick, load < MOST * self.processors * tick, final)
        for stall in stalls:
            self.tell(stall)

    def _work(self) -> None:
        while not self._stop.wait(TICK):
            self.look()

    def _measure(self, process: Process, now: float) -> Usage | None:
        """What the process did since the last look; None if there was none, or if it is not to run."""
        if process.paused or not process.alive:  # the history says so by itself
            self._usages.pop(process.name, None)
            return None
        usage = self._usages.get(process.name)
        former = usage.threads if usage is not None and usage.pid == process.pid else {}
        threads = {name: _aged(times, former.get(name), now) for name, times in self._read(process.pid)}
        if usage is None or usage.pid != process.pid:
            self._usages[process.name] = Usage(process.pid, threads)
            return None
        pairs = [(times, former[name]) for name, times in threads.items() if name in former]
        usage.ran = sum(times.ran - before.ran for times, before in pairs) / 1e9
        waits = (min((times.waited - before.waited) / 1e9, now - before.changed) for times, before in pairs)
        usage.waited = max(waits, default=0.0)
        usage.threads = threads
        return usage

    def _judge(
        self, process: Process, usage: Usage, now: float, tick: float, is_free: bool, final: bool
    ) -> Iterable[Stall]:
        lost = tick if self._is_stopped(process.pid) else usage.waited
        if is_starved := lost > SHARE * tick and is_free:
            usage.since = usage.since if usage.lost else now - lost
            usage.lost += lost
        if usage.lost and (final or not is_starved or now - usage.since >= LONGEST):
            if usage.lost >= LIMIT:
                yield Stall(now - usage.lost, now, process.name)
            usage.lost = 0.0

    def _read(self, pid: int) -> Iterable[tuple[str, tuple[int, int]]]:
        """The name of each thread, with what it has run and waited; nothing where the kernel does not count."""
        for thread in self.proc.glob(f"{pid}/task/*"):
            with contextlib.suppress(OSError, ValueError):  # it has just ended
                ran, waited, *_ = (thread / "schedstat").read_text().split()
                yield thread.name, (int(ran), int(waited))

    def _is_stopped(self, pid: int) -> bool:
        try:
            return (self.proc / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] in "Tt"
        except (OSError, IndexError):
            return False


def _aged(counted: tuple[int, int], before: Times | None, now: float) -> Times:
    """The times of a thread, with the moment at which they changed last."""
    is_same = before is not None and (before.ran, before.waited) == counted
    return Times(*counted, before.changed if before is not None and is_same else now)
