"""One way for tests to wait for something that nobody announces, by the function that the harness uses for it."""

from __future__ import annotations

from collections.abc import Callable

from harness.core.waiting import until


class _TooLate(Exception):
    """The time is over; no error of a condition is taken for that."""


def soon(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Whether the condition comes true within these seconds; it is asked at least once."""
    try:
        until(condition, seconds, "a condition of a test", poll=0.02, failure=_TooLate)
    except _TooLate:
        return False
    return True
