"""How long a watch was behind: from the moment it broke until it has delivered all that happened meanwhile.

The time of a record is the time of its arrival. What happens while a watch is broken arrives late, and a scheduler must
not be blamed for that. So the time is recorded as a stall, which no deadline counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from harness.core.oracle.facts import Stall

LIMIT = 0.25  # seconds; a watch that is resumed sooner delays no verdict
WHO = "watch"


class Lag:
    """The lag of one watch; used by the one thread that follows it."""

    def __init__(self, tell: Callable[[Stall], None]) -> None:
        self._tell = tell
        self._since: float | None = None  # since when it may be behind
        self._has_caught_up: Callable[[], bool] | None = None

    @property
    def is_behind(self) -> bool:
        return self._since is not None

    def begin(self, *, is_served: bool = True) -> None:
        """The watch broke, or could not be resumed; while the kind is not served nothing happens that could be late."""
        if self._since is None or not is_served:
            self._since = time.time()
        self._has_caught_up = None

    def resume(self, has_caught_up: Callable[[], bool]) -> None:
        """It is open again; the condition says whether all has arrived that was there when it was opened."""
        self._has_caught_up = has_caught_up
        self.look()

    def look(self) -> None:
        """Tell the stall once it is over; to be called after each record."""
        if self._since is None or self._has_caught_up is None or not self._has_caught_up():
            return
        since, now = self._since, time.time()
        self._since = self._has_caught_up = None
        if now - since > LIMIT:
            self._tell(Stall(since, now, WHO))
