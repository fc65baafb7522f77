"""Speed as ratios: ours and the alternative measured in turn, in one run, on the same noisy machine.

Absolute seconds say more about the machine than about muster, so nothing here is a test with a limit. A bench gives one
object: `ratios` (ours divided by the other's, smaller is better unless its name says otherwise) and `figures`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a bench found."""

    name: str
    ratios: dict[str, float]
    figures: dict[str, Any] = field(default_factory=dict)
    targets: dict[str, float] = field(default_factory=dict)  # what the project aims for, by ratio or figure

    def as_data(self) -> dict[str, Any]:
        return {"bench": self.name, "ratios": self.ratios, "figures": self.figures, "targets": self.targets}


def median(values: Sequence[float]) -> float:
    return round(statistics.median(values), 4)


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Ours over theirs, by medians."""
    return round(statistics.median(ours) / statistics.median(theirs), 3)
