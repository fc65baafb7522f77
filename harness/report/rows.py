"""Which rows of a node's lane a pod's bar is drawn in.

A lane has one row per GPU, and pods take the lowest free rows that lie together, as a person would draw it. A pod that
finds no free row goes below the last one: an overbooked node is visibly taller than it is allowed to be.
"""

from __future__ import annotations

from itertools import count


class Rows:
    """The rows of one node; pods without a GPU share thin rows below."""

    def __init__(self, gpus: int) -> None:
        self.gpus = gpus
        self._taken: dict[int, str] = {}  # row -> pod
        self._thin: dict[int, str] = {}
        self.most = 0  # rows ever used
        self.thin = 0  # thin rows ever used

    def take(self, pod: str, gpus: int) -> list[tuple[int, int]]:
        """Rows for the pod as (first, how many) pieces; a thin row is one piece of no GPUs."""
        if gpus < 1:
            row = next(i for i in count() if i not in self._thin)
            self._thin[row] = pod
            self.thin = max(self.thin, row + 1)
            return [(row, 0)]
        free = self._together(gpus) or self._anywhere(gpus)
        self._taken.update(dict.fromkeys(free, pod))
        self.most = max(self.most, free[-1] + 1)
        pieces: list[tuple[int, int]] = []
        for row in free:
            if pieces and sum(pieces[-1]) == row:
                pieces[-1] = (pieces[-1][0], pieces[-1][1] + 1)
            else:
                pieces.append((row, 1))
        return pieces

    def give_back(self, pod: str) -> None:
        """Free the pod's rows."""
        self._taken = {row: owner for row, owner in self._taken.items() if owner != pod}
        self._thin = {row: owner for row, owner in self._thin.items() if owner != pod}

    def _together(self, gpus: int) -> list[int]:
        for first in range(self.gpus - gpus + 1):
            if not any(row in self._taken for row in range(first, first + gpus)):
                return list(range(first, first + gpus))
        return []

    def _anywhere(self, gpus: int) -> list[int]:
        free = (row for row in count() if row not in self._taken)
        return [next(free) for _ in range(gpus)]
