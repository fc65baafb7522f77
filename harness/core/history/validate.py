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
    promise     a promise is one that muster knows, about gangs that were submitted, within a number of seconds
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

from harness.core.gang import GPU, OWN_GPU, gang_from_record
from harness.core.history.constraints import malformed
from harness.core.history.observe import changes
from harness.core.history.records import History, Record, gang_key, gang_keys

LATE = 120.0  # seconds by which the times of two revisions may be out of order: a watch delivers late on a busy machine
MOST_GPUS = 4096  # of one pod or node; a page draws a row for each
MOST_MEMBERS = 100_000  # of one gang
PROMISES = frozenset(
    ("bound", "one-of", "refused", "unbound", "released", "gone", "untouched", "order", "barrier")
)  # docs/reference/history.md
SOURCES = frozenset(("watch", "audit", "action", "gap"))
CHANGES = frozenset(("added", "modified", "deleted"))  # verbs of a watch
_HUGE = 10**30  # more than any number of a cluster
_TEXTS = ("verb", "kind", "namespace", "name", "uid", "by")


class Fault(NamedTuple):
    """Something impossible, and the rule that it breaks."""

    rule: str
    where: str  # the record, in words; "" for the header
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


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
        return Fault("shape", "", f"it cannot be read: {type(error).__name__}: {_short(error)}")


def faults(history: History) -> Iterator[Fault]:
    """Everything in the history that cannot happen, in the order of its records."""
    yield from _header(history.header)
    pods = _Pods(lost=any(gap.kind in ("", "Pod") for gap in history.gaps))
    order = _Order()
    for number, record in enumerate(history.records, start=1):
        broken = [*_shape(record)]
        if not broken:
            broken += [*order.faults(record), *_numbers(record), *_stall(record)]
        if not broken and record.kind == "Pod" and record.source == "watch":
            broken += pods.faults(record)
        for rule, what in broken:
            yield Fault(rule, f"record {number}", what)
        if broken and broken[0][0] == "shape":
            return  # what follows cannot be read
    yield from _promises(history)


Broken = Iterator[tuple[str, str]]  # rule and what is wrong


def _header(header: Mapping[str, Any]) -> Iterator[Fault]:
    deadlines = header.get("deadlines") or {}
    if not isinstance(deadlines, Mapping):
        yield Fault("header", "", f"the deadlines are {type(deadlines).__name__}, not numbers by name")
        return
    for name, value in deadlines.items():
        if not _number(value) or value <= 0:
            yield Fault("header", "", f"the deadline {name} is {value!r}, not a positive number")
    if not _number(header.get("started", 0.0)):
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
                yield "shape", f"its {name} is {_short(record.state[name])}"
        constraints = record.state.get("constraints", {})
        if isinstance(constraints, dict) and (name := malformed(constraints)):
            yield "shape", f"its constraint {name} is {_short(constraints[name])}"
    if not _number(record.at) or record.at <= 0:
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
            if not _number(amount) or not 0 <= amount <= most:
                yield "numbers", f"{key} of {record.name} has {_short(amount)} thousandths of {name}"


def _stall(record: Record) -> Broken:
    if record.source == "action" and record.verb == "stalled":
        since, until = record.state.get("from", 0), record.state.get("to", 0)
        if not _number(since) or not _number(until) or not 0 < since <= until <= record.at + 1e-6:
            yield "stall", f"{record.name} is said to have stood still from {_short(since)} to {_short(until)}"


def _promises(history: History) -> Iterator[Fault]:
    actions = [(number, record) for number, record in enumerate(history.records, 1) if record.source == "action"]
    submitted = {gang_key(record.namespace, record.name) for _, record in actions if record.verb == "submit"}
    for number, record in actions:
        problems: Iterator[str] = iter(())
        if record.verb == "expect":
            problems = _promise(record, submitted)
        elif record.verb == "submit":
            problems = _gang(record)
        yield from (Fault("promise", f"record {number}", problem) for problem in problems)


def _promise(record: Record, submitted: set[str]) -> Iterator[str]:
    what, within = record.state.get("what"), record.state.get("within")
    if not isinstance(what, str) or what not in PROMISES:
        yield f"the promise {what!r} is none that muster knows"
    if within is not None and (not _number(within) or within < 0):
        yield f"the promise {what!r} is to hold within {within!r} seconds"
    gangs = record.state.get("gangs")
    if gangs is not None and not (isinstance(gangs, list) and all(isinstance(gang, str) for gang in gangs)):
        yield f"the promise {what!r} is about {_short(gangs)}, not about gangs"
        return
    keys = gang_keys(record)
    if not keys:
        yield f"the promise {what!r} is about no gang"
    for key in keys:
        if key not in submitted:
            yield f"the promise {what!r} is about {key}, which was never submitted"


def _gang(record: Record) -> Iterator[str]:
    data = record.state.get("gang") or {}
    try:
        gang = gang_from_record({"name": record.name, **data})
    except Exception as error:
        yield f"the gang {record.name} cannot be read: {_short(error)}"
        return
    for name, value in (("size", gang.size), ("quorum", gang.minimum), ("gpus", gang.gpus)):
        if not isinstance(value, int) or not 0 <= value <= MOST_MEMBERS:
            yield f"the gang {record.name} has {name} {_short(value)}"


def _number(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _HUGE


def _listed(labels: tuple[str, ...]) -> str:
    return ", ".join(labels) or "unchanged"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
