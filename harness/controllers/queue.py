"""Which keys a controller is to look at, and when.

A key that is added twice is looked at once; a key that is added while somebody looks at it is looked at again after
that, never by two threads at once. Keys that failed come back later and later.
"""

from __future__ import annotations

import heapq
import threading
import time

Key = tuple[str, str]  # namespace, name

FIRST_RETRY = 0.05  # seconds; doubled with every failure
LAST_RETRY = 30.0


class Queue:
    """A de-duplicating queue of keys with delays."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ready: dict[Key, None] = {}  # ordered, each key once
        self._busy: set[Key] = set()
        self._again: set[Key] = set()  # added while busy
        self._later: list[tuple[float, Key]] = []
        self._due: dict[Key, float] = {}  # the earliest time of each key in `_later`
        self._failures: dict[Key, int] = {}
        self._closed = False

    def add(self, key: Key) -> None:
        """Look at the key as soon as a thread is free."""
        with self._changed:
            self._add(key)

    def add_after(self, key: Key, seconds: float) -> None:
        """Look at the key in so many seconds, or earlier if it is to be looked at anyway."""
        with self._changed:
            at = time.monotonic() + seconds
            if at < self._due.get(key, float("inf")):
                self._due[key] = at
                heapq.heappush(self._later, (at, key))
                self._changed.notify()

    def retry(self, key: Key) -> float:
        """The last look failed: look again later than the last time; in how many seconds."""
        with self._changed:
            failures = self._failures[key] = self._failures.get(key, 0) + 1
        delay = min(FIRST_RETRY * 2.0 ** min(failures - 1, 20), LAST_RETRY)
        self.add_after(key, delay)
        return delay

    def forget(self, key: Key) -> None:
        """The last look went well: the next failure is a first one."""
        with self._changed:
            self._failures.pop(key, None)

    def get(self) -> Key | None:
        """The next key, which is busy until `done`; None once the queue is closed."""
        with self._changed:
            while not self._closed:
                wait = self._ripen()
                if self._ready:
                    key = next(iter(self._ready))
                    del self._ready[key]
                    self._busy.add(key)
                    return key
                self._changed.wait(wait)
            return None

    def done(self, key: Key) -> None:
        with self._changed:
            self._busy.discard(key)
            if key in self._again:
                self._again.discard(key)
                self._add(key)

    def close(self) -> None:
        """Wake everybody who waits; what is queued is dropped, for it is in the API server anyway."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def __len__(self) -> int:
        with self._changed:
            return len(self._ready) + len(self._busy)

    def _add(self, key: Key) -> None:
        if key in self._busy:
            self._again.add(key)
        elif key not in self._ready:
            self._ready[key] = None
            self._changed.notify()

    def _ripen(self) -> float | None:
        """Move keys whose time has come; seconds until the next one's."""
        now = time.monotonic()
        while self._later:
            at, key = self._later[0]
            if self._due.get(key) != at:  # an earlier time took its place
                heapq.heappop(self._later)
                continue
            if at > now:
                return at - now
            heapq.heappop(self._later)
            del self._due[key]
            self._add(key)
        return None
