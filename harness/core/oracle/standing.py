"""How many pods stand, and since when too few or too many: claims about that are judged again from the history.

A case looks at a moment of its own, often long after something happened. A claim about how many pods are bound keeps
which pods and gangs it counts and how many there must be. The state of the replay has when each pod was placed and when
it was not any more, so the number is counted again, and the record with which it left its bounds is known. That record
broke the claim, and there a reader has to look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from harness.core.oracle.incarnation import Pod
from harness.core.oracle.timeline import Timeline

KEY = "standing"  # of a claim's state
MOST = 1_000_000  # pods of a claim


@dataclass(frozen=True, slots=True)
class Standing:
    """So many of these pods, and of the members of these gangs, must be bound and not leaving; finished ones count."""

    gangs: Sequence[str] = ()  # namespace/name
    pods: Sequence[str] = ()  # namespace/name
    least: int = 0
    most: int | None = None

    def number(self, line: Timeline) -> int:
        """How many stand after the last record."""
        return sum(pod.placed for pod in self._counted(line))

    def allows(self, number: int) -> bool:
        """Whether that is as many as there must be."""
        return self.least <= number and (self.most is None or number <= self.most)

    def broken_since(self, line: Timeline, last: int) -> int | None:
        """The record with which the number left its bounds and did not come back up to `last`; None if it is in them.

        `last` itself if the number never was in its bounds: then nothing broke the claim, it did not come true.
        """
        changes = [
            (pos, 1 if place % 2 == 0 else -1)
            for pod in self._counted(line)
            for place, pos in enumerate(pod.placements)
            if pos <= last
        ]
        number, broke, once = 0, None if self.allows(0) else last, self.allows(0)
        for pos, change in sorted(changes):
            number += change
            if self.allows(number):
                broke, once = None, True
            elif broke is None:
                broke = pos
        return broke if broke is None or once else last

    def as_record(self) -> dict[str, Any]:
        """What the history keeps."""
        return {key: value for key, value in asdict(self).items() if value not in (None, (), [])}

    def _counted(self, line: Timeline) -> list[Pod]:
        gangs, names = set(self.gangs), set(self.pods)
        return [pod for pod in line.pods.values() if pod.name in names or (pod.part == "member" and pod.gang in gangs)]


def standing_of(state: Mapping[str, Any]) -> Standing | None:
    """What the claim counts; None if it counts nothing, TypeError or ValueError if that cannot be read."""
    data = state.get(KEY)
    if data is None:
        return None
    standing = Standing(**data)
    names, numbers = (*standing.gangs, *standing.pods), (standing.least, standing.most or 0)
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError("it does not name what it counts")
    if not all(isinstance(number, int) and 0 <= number <= MOST for number in numbers):
        raise ValueError("it has no numbers")
    return standing
