"""Speed as ratios: muster and an alternative, measured in turn, in one run, on the same machine.

Absolute seconds say more about the machine than about muster, so nothing here is a test with a limit. A bench returns
one object: `ratios` (muster divided by the alternative; smaller is better unless the name tells it) and `figures`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BenchResult:
    """The figures of one bench."""

    name: str
    ratios: dict[str, float]
    figures: dict[str, Any] = field(default_factory=dict)
    targets: dict[str, float] = field(default_factory=dict)  # what the project aims for, by ratio or figure

    def as_data(self) -> dict[str, Any]:
        return {"bench": self.name, "ratios": self.ratios, "figures": self.figures, "targets": self.targets}


def median(values: Sequence[float]) -> float:
    return round(statistics.median(values), 4)


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of muster divided by the median of the alternative."""
    return round(statistics.median(ours) / statistics.median(theirs), 3)
