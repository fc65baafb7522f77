"""An API server that has no time now: which answers say so, and asking again when it says to."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

BUSY = (429, 503)  # answers of a server that has not begun to work on the request


class HasHeaders(Protocol):
    """An answer as far as it says whether the server has time."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


Answer = TypeVar("Answer", bound=HasHeaders)


def ask(send: Callable[[], Answer], seconds: float) -> Answer:
    """The answer to a request; a server that says when to come again is asked again as long as the time allows."""
    end = time.monotonic() + seconds
    answer = send()
    while (pause := _pause(answer)) is not None and time.monotonic() + pause < end:
        time.sleep(pause)
        answer = send()
    return answer


def _pause(answer: HasHeaders) -> float | None:
    """How long a server that did nothing wants us to wait before the same request; None: this is its answer."""
    text = answer.headers.get("Retry-After", "")
    return float(text) if answer.status in BUSY and text.isascii() and text.isdigit() else None
