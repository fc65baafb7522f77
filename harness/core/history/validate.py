"""What cannot happen in a cluster: a history that shows it was damaged, edited or recorded wrongly, and proves nothing.

The API server makes some sequences impossible, and the recorder others. A verdict from a history that shows one of them
would be about the damage and not about the scheduler, so judging, live and again, answers `unknown` with the reason.
Real histories must never be refused: each rule below is a guarantee of Kubernetes, of etcd or of the recorder itself,
and where a watch lost its place (a gap) the rules about pods that need every change are not applied.

    header      the deadlines are positive numbers
    shape       every field of a record has its type; sources and verbs are known
    time        times are numbers; actions and requests are in order of time; a revision may be delivered late, but no
                more than `LATE` seconds
    revision    every watch record has a revision, and they never go back (etcd's total order)
    identity    one uid has one namespace and name, and two pods of one name never exist at once
    namespace   the members of a gang are in the namespace of the gang (a pod group is namespaced)
    binding     a pod is bound once: its node never changes and never goes away (the API server refuses both);
                and only a pod that has a node runs (whoever plays the kubelet took it for another of that name)
    deletion    a deletion is never taken back, nothing is bound while it is being deleted, nothing comes after it
    labels      what a record says has changed follows from the record before it (else one was removed or edited)
    numbers     requests, room and sizes are numbers that a cluster can have
    stall       a time in which muster or the API server stood still has ended when it is written down
    promise     a promise is one that muster knows, about gangs that were submitted, within the longest deadline
                (`promised.py`)

What the case did is compared with what was recorded in `deeds.py`: submission, quorum, room, stall, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.core.gang import GPU, OWN_GPU
from harness.core.history.constraints import malformed
from harness.core.history.deeds import Deeds
from harness.core.history.fault import Broken, Fault, is_number, short
from harness.core.history.observe import changes
from harness.core.history.promised import broken_promises
from harness.core.history.records import History, Record, gang_key

LATE = 120.0  # seconds by which the times of two revisions may be out of order: a watch delivers late on a busy machine
MOST_GPUS = 4096  # of one pod or node; a page draws a row for each
SOURCES = frozenset(("watch", "audit", "action", "gap"))
CHANGES = frozenset(("added", "modified", "deleted"))  # verbs of a watch
_TEXTS = ("verb", "kind", "namespace", "name", "uid", "by")


def impossible(history: History) -> Fault | None:
    """The first thing in the history that cannot happen; None for a possible history."""
    if "impossible" not in history.derived:
        history.derived["impossible"] = _first(history)
    fault: Fault | None = history.derived["impossible"]
    return fault


def _first(history: History) -> Fault | None:
    try:
        return next(faults(history), None)
    except Exception as error:  # a shape that no rule thought of must not be judged either
        return Fault("shape", "", f"it cannot be read: {type(error).__name__}: {short(error)}")


def faults(history: History) -> Iterator[Fault]:
    """Everything in the history that cannot happen, in the order of its records."""
    yield from _header(history.header)
    pods = _Pods(lost=any(gap.kind in ("", "Pod") for gap in history.gaps))
    order = _Order()
    deeds = Deeds(history)
    for number, record in enumerate(history.records, start=1):
        broken = [*_shape(record)]
        if not broken:
            broken += [*order.faults(record), *_numbers(record), *_stall(record)]
        if not broken and record.kind == "Pod" and record.source == "watch":
            broken += pods.faults(record)
        if not broken:
            broken += deeds.faults(record)
        for rule, what in broken:
            yield Fault(rule, f"record {number}", what)
        if broken and broken[0][0] == "shape":
            return  # what follows cannot be read
    yield from deeds.missing(history)
    yield from broken_promises(history)


def _header(header: Mapping[str, Any]) -> Iterator[Fault]:
    deadlines = header.get("deadlines") or {}
    if not isinstance(deadlines, Mapping):
        yield Fault("header", "", f"the deadlines are {type(deadlines).__name__}, not numbers by name")
        return
    for name, value in deadlines.items():
        if not is_number(value) or value <= 0:
            yield Fault("header", "", f"the deadline {name} is {value!r}, not a positive number")
    if not is_number(header.get("started", 0.0)):
        yield Fault("header", "", f"it started at {header['started']!r}, which is no time")


def _shape(record: Record) -> Broken:
    if record.source not in SOURCES:
        yield "shape", f"it is from {record.source!r}; a history has {', '.join(sorted(SOURCES))}"
    for name in _TEXTS:
        if not isinstance(getattr(record, name), str):
            yield "shape", f"its {name} is {getattr(record, name)!r}, not text"
    if record.source == "watch" and record.verb not in CHANGES:
        yield "shape", f"a watch has no verb {record.verb!r}"
    if not isinstance(record.state, Mapping):
        yield "shape", f"its state is {type(record.state).__name__}, not an object"
    elif record.source == "watch":
        for name, kind in _STATES:
            if not isinstance(record.state.get(name, kind()), kind):
                yield "shape", f"its {name} is {short(record.state[name])}"
        constraints = record.state.get("constraints", {})
        if isinstance(constraints, dict) and (name := malformed(constraints)):
            yield "shape", f"its constraint {name} is {short(constraints[name])}"
    if not is_number(record.at) or record.at <= 0:
        yield "time", f"its time is {record.at!r}, not a number of seconds"
    if record.rev is not None and (not isinstance(record.rev, int) or isinstance(record.rev, bool) or record.rev < 0):
        yield "revision", f"its revision is {record.rev!r}"


_STATES: tuple[tuple[str, type], ...] = (
    ("gang", str),
    ("node", str),
    ("phase", str),
    ("part", str),
    ("request", dict),
    ("allocatable", dict),
    ("conditions", dict),
    ("running", dict),
    ("deleting", bool),
    ("labels", dict),
    ("taints", list),
    ("constraints", dict),
)


class _Order:
    """Times and revisions along the records."""

    def __init__(self) -> None:
        self._revision = 0
        self._latest = self._loose = 0.0

    def faults(self, record: Record) -> Broken:
        if record.source == "watch" and record.rev is None:
            yield "revision", "a change of an object has no revision"
        if record.rev is not None:
            if record.rev < self._revision:
                yield "revision", f"revision {record.rev} stands after {self._revision}"
            self._revision = max(self._revision, record.rev)
        elif record.at < self._loose - 1e-6:
            yield "time", f"it is {self._loose - record.at:.3f} s earlier than the one before it of the same kind"
        else:
            self._loose = record.at
        if record.at < self._latest - LATE:
            yield "time", f"it is {self._latest - record.at:.1f} s earlier than a record before it"
        self._latest = max(self._latest, record.at)


class _Pods:
    """The pods as they were after the records so far."""

    def __init__(self, *, lost: bool) -> None:
        self._lost = lost  # changes of pods may be missing
        self._records: dict[str, Record] = {}  # the last of each uid
        self._living: dict[tuple[str, str], str] = {}  # uid of the pod of a name

    def faults(self, record: Record) -> Broken:
        name = (record.namespace, record.name)
        uid = record.uid or gang_key(*name)
        before = self._records.get(uid)
        if before is not None and before.verb == "deleted" and not record.uid:
            before = None  # without uids a pod of the same name may come again
        yield from self._whose(record, uid, before)
        if record.state.get("phase") == "Running" and not record.state.get("node"):
            yield "binding", f"pod {gang_key(*name)} runs without a node"
        if before is not None:
            yield from _transition(before, record)
        if not self._lost:
            yield from _labels(before, record)
        self._records[uid] = record
        if record.verb == "deleted":
            self._living.pop(name, None)
        else:
            self._living[name] = uid

    def _whose(self, record: Record, uid: str, before: Record | None) -> Broken:
        name = (record.namespace, record.name)
        if before is not None and (before.namespace, before.name) != name:
            yield "identity", f"the uid of {gang_key(*name)} was that of {gang_key(before.namespace, before.name)}"
        if not self._lost and self._living.get(name, uid) != uid:
            yield "identity", f"a second pod {gang_key(*name)} exists beside the first"
        gang = record.state.get("gang", "")
        if "/" in gang and not gang.startswith(f"{record.namespace}/"):
            yield "namespace", f"pod {gang_key(*name)} is a member of {gang}, in another namespace"


def _transition(before: Record, record: Record) -> Broken:
    name = gang_key(record.namespace, record.name)
    node, previous = record.state.get("node", ""), before.state.get("node", "")
    if before.verb == "deleted":
        yield "deletion", f"pod {name} changes after it was deleted"
    if previous and not node:
        yield "binding", f"pod {name} was bound to {previous}, and now is not"
    if previous and node and node != previous:
        yield "binding", f"pod {name} was bound to {previous}, and now to {node}"
    if node and not previous and before.state.get("deleting"):
        yield "deletion", f"pod {name} is bound to {node} while it is being deleted"
    if before.state.get("deleting") and not record.state.get("deleting"):
        yield "deletion", f"the deletion of pod {name} is taken back"


def _labels(before: Record | None, record: Record) -> Broken:
    name = gang_key(record.namespace, record.name)
    if before is None and "created" not in record.changed:
        yield "labels", f"the first record of pod {name} does not show its creation"
    elif set(record.changed) != set(changes(before.state if before else None, record.state, record.verb)):
        yield (
            "labels",
            f"pod {name} is said to be {_listed(record.changed)}, which does not follow from what was before",
        )


def _numbers(record: Record) -> Broken:
    if record.source != "watch":
        return
    for key in ("request", "allocatable"):
        for name, amount in (record.state.get(key) or {}).items():
            most = MOST_GPUS * 1000 if name in (GPU, OWN_GPU) else float("inf")
            if not is_number(amount) or not 0 <= amount <= most:
                yield "numbers", f"{key} of {record.name} has {short(amount)} thousandths of {name}"


def _stall(record: Record) -> Broken:
    if record.source == "action" and record.verb == "stalled":
        since, until = record.state.get("from", 0), record.state.get("to", 0)
        if not is_number(since) or not is_number(until) or not 0 < since <= until <= record.at + 1e-6:
            yield "stall", f"{record.name} is said to have stood still from {short(since)} to {short(until)}"


def _listed(labels: tuple[str, ...]) -> str:
    return ", ".join(labels) or "unchanged"
