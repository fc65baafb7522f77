"""What a mutation says about itself: the cases that must kill it, and the clauses that it breaks.

A mutation is a class derived from a reference implementation with one decision overridden, so that whatever turns red
is due to that decision alone. Its docstring says what it does wrong, its name in `muster prove` follows from the name
of the class.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import ClassVar, TypeVar

ReferenceClass = TypeVar("ReferenceClass")
CANARY = "canary"  # the gang that must start before any case is run: mutants leave it alone


class Mutation:
    """Mixed into the reference implementation that a mutation changes."""

    killed_by: ClassVar[tuple[str, ...]] = ()  # cases that must turn red; the quick proof runs the first
    breaks: ClassVar[tuple[str, ...]] = ()  # clauses of the register that it breaks
    survives: ClassVar[str] = ""  # why no case kills it yet
    quick: ClassVar[bool] = False  # whether the quick proof runs it


def mutations(reference: type[ReferenceClass], *modules: ModuleType) -> dict[str, type[ReferenceClass]]:
    """The mutations of this reference that the modules define, by name, in the order in which they are written."""
    return {
        re.sub(r"\B([A-Z])", r"-\1", name).lower(): value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and issubclass(value, Mutation)
        and issubclass(value, reference)
    }
