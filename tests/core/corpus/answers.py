"""The register of edits, each with the answer that is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from harness.core.history.records import History


class Answer(StrEnum):
    """What becomes of a forged history, from the best for muster to the best for the forger."""

    UNKNOWN = "it is unknown"
    VIOLATED = "violated stays"
    BY_VERIFY = "it passes, and verify refuses it"
    UNNOTICED = "it is not noticed"


@dataclass(frozen=True)
class Edit:
    answer: Answer
    apply: Callable[[History], History]

    @property
    def name(self) -> str:
        return self.apply.__name__


EDITS: list[Edit] = []


def edit(answer: Answer) -> Callable[[Callable[[History], History]], Callable[[History], History]]:
    def register(function: Callable[[History], History]) -> Callable[[History], History]:
        EDITS.append(Edit(answer, function))
        return function

    return register
