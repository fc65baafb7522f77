"""The history of one case: the only input of a verdict.

The checks read the history and nothing else, so a stored history can be judged again years later, by people who have
no cluster. The format is a contract, described in docs/reference/history.md; this module is the same contract as
types. Records are frozen, and a reader must never change `state`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FORMAT = "muster.history"
VERSION = 1

MARKER = "marker"  # the verb of the action, and the part of the pod, that show what the scheduler knows of the nodes
ALLOCATIONS = ("PersistentVolume", "PersistentVolumeClaim", "ResourceClaim")  # who has which volume and device
PLAIN_KINDS = frozenset(("Pod", "Node", "Event", "Namespace", *ALLOCATIONS))  # every other kind is a group object
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Record:
    """One change, request, action or gap; `state` is the complete object after it."""

    rev: int | None
    at: float  # unix seconds
    source: str  # watch | audit | action | gap
    verb: str
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    changed: tuple[str, ...] = ()
    by: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """What the file keeps: every key that has a value."""
        data: dict[str, Any] = {"at": round(self.at, 6), "source": self.source, "verb": self.verb}
        if self.rev is not None:
            data["rev"] = self.rev
        for name in ("kind", "namespace", "name", "uid", "by"):
            if value := getattr(self, name):
                data[name] = value
        if self.changed:
            data["changed"] = list(self.changed)
        if self.state:
            data["state"] = dict(self.state)
        return data


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """Everything that happened in one case, in order."""

    header: Mapping[str, Any]
    records: tuple[Record, ...]
    complete: bool = True  # False: the file was cut off, and nothing after the last record is known
    digest: str = ""  # of the lines it was read from
    derived: dict[str, Any] = field(init=False, repr=False, default_factory=dict)  # what a reader makes of it once

    @property
    def gaps(self) -> tuple[Record, ...]:
        """The spans in which changes may be missing."""
        return tuple(record for record in self.records if record.source == "gap")

    @property
    def case(self) -> str:
        return str(self.header.get("case", ""))

    @property
    def began(self) -> float:
        """Time zero of every relative time shown to a reader."""
        first = self.records[0].at if self.records else 0.0
        return float(self.header.get("started", first))


def header(case: str, **more: Any) -> dict[str, Any]:
    """The first line of a history of this case."""
    return {"format": f"{FORMAT}/{VERSION}", "case": case, **more}


def record_from_data(data: Mapping[str, Any]) -> Record:
    """The record that `as_data` described; KeyError or TypeError if it is none."""
    return Record(
        data.get("rev"),
        data["at"],
        data["source"],
        data["verb"],
        data.get("kind", ""),
        data.get("namespace", ""),
        data.get("name", ""),
        data.get("uid", ""),
        tuple(data.get("changed", ())),
        data.get("by", ""),
        data.get("state", _NOTHING),
    )


def gang_key(namespace: str, name: str) -> str:
    """What identifies a gang everywhere: `namespace/name`."""
    return f"{namespace}/{name}"


def gang_keys(record: Record) -> tuple[str, ...]:
    """The gangs an action is about: `state.gangs`; a name without a namespace is in the namespace of the record."""
    named = record.state.get("gangs") or ([record.name] if record.name else [])
    return tuple(name if "/" in name else gang_key(record.namespace, name) for name in named)


def pod_key(record: Record) -> str:
    """What identifies one pod object: its uid, or its name where the uid is not known."""
    return record.uid or f"{record.namespace}/{record.name}"


def ordered(records: Iterable[Record]) -> tuple[Record, ...]:
    """Records in history order: by revision; records without a revision are placed by their time.

    `at` is never earlier than the commit (a watch delivers and the audit log writes afterwards), so a revision was
    committed no later than the earliest `at` of itself and of everything after it. That bound is what a time is
    compared with; at equal times the actions of the case come first, since effects follow.
    """
    backbone: list[Record] = []
    loose: list[Record] = []
    for record in records:
        (loose if record.rev is None else backbone).append(record)
    backbone.sort(key=by_revision)
    loose.sort(key=lambda record: record.at)
    bounds = earliest(backbone)
    out: list[Record] = []
    done = 0
    for record in loose:
        place = bisect_left(bounds, record.at, lo=done)
        out += backbone[done:place]
        out.append(record)
        done = place
    return (*out, *backbone[done:])


def by_revision(record: Record) -> tuple[int, str, str, str]:
    """The order of the changes that the API server committed."""
    return record.rev or 0, record.kind, record.namespace, record.name


def earliest(backbone: Sequence[Record]) -> list[float]:
    """For each record the earliest `at` of itself and all later ones: never decreasing."""
    bounds = [record.at for record in backbone]
    for i in range(len(bounds) - 2, -1, -1):
        bounds[i] = min(bounds[i], bounds[i + 1])
    return bounds
