"""Records that share what is equal, so that a history of ten thousand pods fits into little memory.

A pod changes some five times, and each record holds its whole state. Most of it stays the same: its request, labels and
constraints, its name and uid. Decoded from JSON each of them is an object of its own, three quarters of what a history
needs. Records are never changed, so equal parts of them can be one object.
"""

from __future__ import annotations

import sys
from typing import Any

from harness.core.history.records import Record

MOST = 4096  # values that are kept for pods that come later; what is different in each pod need not be
_ALIKE = ("request", "labels", "constraints", "allocatable", "conditions")  # parts of a state that many objects share


class SharedValues:
    """Makes records that share their parts with earlier ones."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._labels: dict[tuple[str, ...], tuple[str, ...]] = {}

    def record(self, record: Record, before: Record | None) -> Record:
        """The same record; `before` is the previous one of its object."""
        state: dict[str, Any] = dict(record.state)
        earlier = before.state if before is not None else {}
        for key, value in state.items():
            if key in earlier and earlier[key] == value:
                state[key] = earlier[key]
            elif key in _ALIKE:
                state[key] = self._shared_value(value)
            elif type(value) is str and len(value) < 64:
                state[key] = sys.intern(value)
        same = before if before is not None else record
        return Record(
            record.rev,
            record.at,
            record.source,
            sys.intern(record.verb),
            record.kind,
            sys.intern(record.namespace),
            same.name,
            same.uid,
            self._labels.setdefault(record.changed, record.changed),
            record.by,
            state if state != earlier else earlier,
        )

    def _shared_value(self, value: Any) -> Any:
        """The value that was first seen of all that are equal to this one."""
        key = repr(value)
        if key not in self._values and len(self._values) >= MOST:
            return value
        return self._values.setdefault(key, value)
