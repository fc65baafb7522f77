"""Schedulers that leave gangs, or a member of each, alone; see `sins.py`.

Almost any case notices that, but no sooner than its time is over; so these come last.
"""

from __future__ import annotations

from honest import Honest, Placement
from room import Room
from units import Unit


class AllButOne(Honest):
    """Starts a gang without its last member."""

    caught_by = (
        "gang-that-fits-is-bound-whole", "job-that-fits-runs", "gang-of-forty-members-is-bound-whole",
        "gang-as-large-as-the-cluster-is-bound-whole", "gang-fits-what-others-left", "gang-starts-with-its-quorum",
        "gang-with-one-member-per-node-is-bound-whole", "group-before-its-pods-is-bound-whole", "long-names-work",
        "roles-of-different-size-start-together", "two-schedulers-share-the-nodes", "bind-of-one-member-is-refused",
    )  # fmt: skip
    quick = True

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        wanted = max(0, unit.quorum - 1 - len(unit.bound)) if unit.quorum > 1 else len(placement)
        super().start(unit, placement[:wanted], space)


class Ignores(Honest):
    """Never looks at gangs of more than one."""

    caught_by = ("gang-that-fits-is-bound-whole",)
    quick = True

    def attempt(self, unit: Unit, space: Room, found: list[Unit]) -> None:
        if not unit.is_gang or unit.quorum == 1:
            super().attempt(unit, space, found)


class ServesOneGang(Honest):
    """Serves the first gang it meets and no other."""

    caught_by = ("gang-of-one-is-bound",)
    served = ""

    def attempt(self, unit: Unit, space: Room, found: list[Unit]) -> None:
        if unit.is_gang:
            self.served = self.served or unit.key
        if not unit.is_gang or unit.key == self.served:
            super().attempt(unit, space, found)
