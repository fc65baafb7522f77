"""Schedulers that leave gangs alone, which almost any case notices; so they come last. See `sins.py`."""

from __future__ import annotations

from honest import Honest
from room import Room
from units import Unit


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
