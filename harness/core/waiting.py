"""One way to wait for something that is not announced: ask again until the answer is yes, for a limited time.

What the recorder sees is announced (`Recorder.wait`). This is for the rest: health endpoints, objects that are not
watched, containers and processes of this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_not_result, stop_after_delay, wait_fixed

from harness.core.errors import HarnessError

Answer = TypeVar("Answer")

POLL = 0.05  # seconds between two questions, where the caller has no better figure


def until(
    condition: Callable[[], Answer],
    timeout: float,
    what: str,
    *,
    poll: float = POLL,
    failure: Callable[[], Exception] | None = None,
) -> Answer:
    """The first true answer of `condition`, which is asked at least once. What it raises ends the waiting.

    After `timeout` seconds without one: what `failure` makes, or a HarnessError that names `what` was waited for.
    """

    def give_up(state: RetryCallState) -> NoReturn:
        raise failure() if failure is not None else HarnessError(f"not within {timeout:g} s: {what}")

    retrying = Retrying(
        retry=retry_if_not_result(bool),
        stop=stop_after_delay(timeout),
        wait=wait_fixed(poll),
        retry_error_callback=give_up,
    )
    return retrying(condition)
