"""The queue of keys that a controller has to reconcile.

A key that is added twice is reconciled once. A key that is added while a thread reconciles it is reconciled again
afterwards, never by two threads at once. Keys that failed are retried with growing delays.
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
        """Reconcile the key as soon as a thread is free."""
        with self._changed:
            self._add(key)

    def add_after(self, key: Key, seconds: float) -> None:
        """Reconcile the key after this many seconds, or earlier if it is added again."""
        with self._changed:
            at = time.monotonic() + seconds
            if at < self._due.get(key, float("inf")):
                self._due[key] = at
                heapq.heappush(self._later, (at, key))
                self._changed.notify()

    def retry(self, key: Key) -> float:
        """Retry after a failure, with a longer delay each time; returns the delay in seconds."""
        with self._changed:
            failures = self._failures[key] = self._failures.get(key, 0) + 1
        delay = min(FIRST_RETRY * 2.0 ** min(failures - 1, 20), LAST_RETRY)
        self.add_after(key, delay)
        return delay

    def forget(self, key: Key) -> None:
        """Reset the number of failures after a success."""
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
        """Wake all waiting threads; queued keys are dropped, since the state is in the API server."""
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
        """Move keys that are due; returns the seconds until the next one is due."""
        now = time.monotonic()
        while self._later:
            at, key = self._later[0]
            if self._due.get(key) != at:  # replaced by an earlier time
                heapq.heappop(self._later)
                continue
            if at > now:
                return at - now
            heapq.heappop(self._later)
            del self._due[key]
            self._add(key)
        return None
