"""Short pauses of components while cases run, as on a machine that has too much to do: part of `muster soak`.

No case and no history knows of them. They are shorter than any deadline allows for, so they must not change a verdict.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable

from harness.box.process import HostProcess

BETWEEN = (0.2, 2.0)  # seconds between two pauses
LENGTH = (0.02, 0.6)  # seconds of one


class Pauses:
    """Stops one process after another for a moment, in a thread of its own."""

    def __init__(self, processes: Callable[[], Iterable[object]], seed: int) -> None:
        self._processes = processes
        self._random = random.Random(seed)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="pauses", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Return once no process is paused any more."""
        self._stop.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stop.wait(self._random.uniform(*BETWEEN)):
            processes = [process for process in self._processes() if isinstance(process, HostProcess)]
            if processes:
                self._random.choice(processes).stop_briefly(self._random.uniform(*LENGTH))
