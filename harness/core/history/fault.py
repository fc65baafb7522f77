"""What a rule about histories finds, and what all rules share."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

_HUGE = 10**30  # more than any number of a cluster

Broken = Iterator[tuple[str, str]]  # rule and what is wrong


class Fault(NamedTuple):
    """Something impossible, and the rule that it breaks."""

    rule: str
    where: str  # the record, in words; "" for the header
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


def is_number(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _HUGE


def short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
