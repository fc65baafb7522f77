"""`-x` and `--maxfail`: end the run after this many failed cases; expected failures do not count."""

from __future__ import annotations

from typing import Any

from harness.core.results import case_from_data
from harness.runner.session import EnoughSeenError


class FailureLimit:
    """Counts failures among the events of a run."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self.count = 0

    @property
    def reached(self) -> bool:
        return self._most is not None and self.count >= self._most

    def begin(self) -> FailureLimit:
        """The same limit for another run."""
        self.count = 0
        return self

    def __call__(self, event: dict[str, Any]) -> None:
        if self._most is None or event["event"] != "case":
            return
        if case_from_data(event["result"]).is_unexpected:
            self.count += 1
        if self.reached:
            raise EnoughSeenError
