"""Mutations that leave gangs, or a member of each, pending.

Almost any case kills them, but not before its deadline is over; so these are tried last.
"""

from __future__ import annotations

import os

from harness.mutation.base import Mutation
from harness.mutation.scheduler.reference import Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import Unit


class AllButOne(Mutation, Reference):
    """Starts a gang without its last member."""

    killed_by = (
        "gang-that-fits-is-bound-whole",
        "job-that-fits-runs",
        "gang-of-forty-members-is-bound-whole",
        "gang-as-large-as-the-cluster-is-bound-whole",
        "gang-fits-what-others-left",
        "gang-starts-with-its-quorum",
        "gang-with-one-member-per-node-is-bound-whole",
        "group-before-its-pods-is-bound-whole",
        "long-names-work",
        "roles-of-different-size-start-together",
        "two-schedulers-share-the-nodes",
        "bind-of-one-member-is-refused",
    )
    breaks = ("GANG-01", "WL-36", "KAR-0053-1", "KOORD-19")
    quick = True

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        count = max(0, unit.quorum - 1 - len(unit.bound)) if unit.quorum > 1 else len(placement)
        super().start(unit, placement[:count], space)


class Ignores(Mutation, Reference):
    """Never looks at gangs of more than one."""

    killed_by = ("gang-that-fits-is-bound-whole",)
    breaks = ("GANG-01", "WL-30")
    quick = True

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if not unit.is_gang or unit.quorum == 1:
            super().attempt(unit, space, units)


class CrashesWithoutNodes(Mutation, Reference):
    """Ends itself when a gang of several is tried while there is no node."""

    killed_by = ("last-node-goes-while-a-gang-waits", "gang-before-the-first-node-starts-when-nodes-come")
    breaks = ("GANG-60",)

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if len(unit.pending) > 1 and not space.nodes:
            os._exit(2)
        super().attempt(unit, space, units)


class ServesOneGang(Mutation, Reference):
    """Serves the first gang it meets and no other."""

    killed_by = ("gang-of-one-is-bound",)
    breaks = ("GANG-01",)
    served = ""

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        if unit.is_gang:
            self.served = self.served or unit.key
        if not unit.is_gang or unit.key == self.served:
            super().attempt(unit, space, units)
