"""Merge the sources of a history: watch, audit log, and the actions of the case.

The watch knows the order (revisions), but not which client acted. The audit log knows the client and the time to the
microsecond, and which requests were rejected, but not the revision. The case knows its own actions. A bind is in both
the watch and the audit log, so the two are joined: the watch record of the same pod uid and node gets the time and the
user agent of the audit log. Where the log has creations of pods, too, they date the records of new pods. The rest of
the log stays as records of its own. All records are put in one order, and none of the watch is later than those after
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from harness.core.history.observe import unix
from harness.core.history.records import Record, by_revision, earliest, ordered

SLOW = 0.25  # seconds: a bind that the API server needs longer for is time that the scheduler did not have
LATENCIES_OF_CALLER = (  # webhooks of the scheduler, and its own requests that are in front
    "apiserver.latency.k8s.io/mutating-webhook",
    "apiserver.latency.k8s.io/validating-webhook",
    "apiserver.latency.k8s.io/apf-queue-wait",
)
UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
REFUSED = 400  # HTTP status codes from here on mean that nothing happened
_VERBS = {
    ("create", "binding"): "bind",
    ("create", "eviction"): "evict",
    ("delete", ""): "delete",
    ("deletecollection", ""): "delete",
}


def merge(
    watch: Iterable[Record],
    audit: Iterable[Record | Mapping[str, Any]] = (),
    actions: Iterable[Record] = (),
    gaps: Iterable[Record] = (),
    late: Iterable[Record | Mapping[str, Any]] = (),
) -> tuple[Record, ...]:
    """All records in one order; `audit` may hold raw audit events or records made by `audit_record`.

    `late` are events that were written after the watches were compared with a list: they may say when a bind was made
    that a watch shows, and nothing else.
    """
    early, later = _read(audit), _read(late)
    joined, unmatched = _join(_without_repeats(watch), early.binds)
    joined, _ = _join(joined, later.binds)
    _date(joined, [*early.creations, *later.creations])
    return ordered([*_in_time(joined), *early.others, *unmatched, *actions, *gaps, *early.stalls, *later.stalls])


def slow_request(event: Mapping[str, Any]) -> Record | None:
    """The stall that a request shows which the API server answered late; None for every other one.

    A bind is a write of a few bytes, and so is the deletion of one pod: whatever it waits for, an API server or a store
    that is stopped, starved or slow, it is not the scheduler that sent it. Deletions of many pods and evictions, which
    ask for budgets again and again, take time by nature. A webhook may be the scheduler's own, and so may be what
    stands in front of it in a queue, so that time is not taken off. The log has it of requests above half a second.
    """
    received, done, record = event.get("requestReceivedTimestamp"), event.get("stageTimestamp"), audit_record(event)
    if not received or not done or record is None or record.verb == "evict" or event["verb"] == "deletecollection":
        return None
    since, until = unix(received) + _own_time(event), unix(done)
    if until - since <= SLOW:
        return None
    span = {"from": round(since, 6), "to": round(until, 6)}
    return Record(None, round(until, 6), "action", "stalled", name="apiserver", state=span)


def _own_time(event: Mapping[str, Any]) -> float:
    """Seconds of a slow request that the scheduler itself may have caused, as the audit log notes them."""
    notes = event.get("annotations") or {}
    return sum(_seconds(str(text)) for name, text in notes.items() if name in LATENCIES_OF_CALLER)


def _seconds(duration: str) -> float:
    """The seconds of a duration as Go writes it, such as 1m2.5s or 830.1ms; what is none counts nothing."""
    return sum(float(number) * UNITS[unit] for number, unit in re.findall(r"([\d.]+)(h|ms|m|s|µs|ns)", duration))


def audit_record(event: Mapping[str, Any]) -> Record | None:
    """The record of one audit.k8s.io/v1 event; None if a history does not keep such an event."""
    ref = event.get("objectRef") or {}
    if event.get("stage", "ResponseComplete") != "ResponseComplete" or ref.get("resource") != "pods":
        return None
    verb = _VERBS.get((event.get("verb", ""), ref.get("subresource") or ""))
    if verb is None or "dryRun=All" in event.get("requestURI", ""):
        return None
    status = event.get("responseStatus") or {}
    body = event.get("requestObject") or {}
    meta = body.get("metadata") or {}
    state: dict[str, Any] = {"code": int(status.get("code") or 0)}
    if state["code"] >= REFUSED and status.get("message"):
        state["message"] = status["message"]
    if verb == "bind" and (node := (body.get("target") or {}).get("name")):
        state["node"] = node
    stamp = event.get("stageTimestamp") or event.get("requestReceivedTimestamp")
    return Record(
        rev=None,
        at=round(unix(stamp), 6) if stamp else 0.0,
        source="audit",
        verb=verb,
        kind="Pod",
        namespace=ref.get("namespace", ""),
        name=ref.get("name") or meta.get("name", ""),
        uid=ref.get("uid") or meta.get("uid", ""),
        by=event.get("userAgent", ""),
        state=state,
    )


def _without_repeats(watch: Iterable[Record]) -> list[Record]:
    """Watch records without repeats (a watch that reconnects lists objects again); the earliest of equals stays."""
    earliest: dict[tuple[Any, ...], Record] = {}
    for record in watch:
        when = record.at if record.rev is None else 0.0
        key = (record.rev, record.kind, record.namespace, record.name, record.verb == "deleted", when)
        previous = earliest.get(key)
        if previous is None or record.at < previous.at:
            earliest[key] = record
    return list(earliest.values())


class _Creation(NamedTuple):
    """A pod was created."""

    at: float
    namespace: str
    name: str


@dataclass(slots=True)
class _Audit:
    """What a part of the audit log tells."""

    binds: list[Record] = field(default_factory=list)  # that the API server accepted
    creations: list[_Creation] = field(default_factory=list)  # of pods, that it accepted
    others: list[Record] = field(default_factory=list)  # the rest that a history keeps
    stalls: list[Record] = field(default_factory=list)


def _read(audit: Iterable[Record | Mapping[str, Any]]) -> _Audit:
    """All of it, event by event: a log may be larger than what is kept of it."""
    audit_part = _Audit()
    for event in audit:
        record = event if isinstance(event, Record) else audit_record(event)
        if isinstance(event, Mapping) and (stall := slow_request(event)):
            audit_part.stalls.append(stall)
        if record is not None:
            accepted_bind = record.verb == "bind" and record.state.get("code", 0) < REFUSED
            (audit_part.binds if accepted_bind else audit_part.others).append(record)
        elif isinstance(event, Mapping) and (creation := _creation(event)):
            audit_part.creations.append(creation)
    return audit_part


def _creation(event: Mapping[str, Any]) -> _Creation | None:
    """The creation of a pod that this event tells; None if it tells of something else, or was refused."""
    ref = event.get("objectRef") or {}
    if event.get("verb") != "create" or ref.get("resource") != "pods" or ref.get("subresource"):
        return None
    stamp, code = event.get("stageTimestamp"), int((event.get("responseStatus") or {}).get("code") or 0)
    if not stamp or not 0 < code < REFUSED or "dryRun=All" in event.get("requestURI", ""):
        return None
    return _Creation(round(unix(stamp), 6), ref.get("namespace", ""), ref.get("name", ""))


def _date(watch: list[Record], creations: Sequence[_Creation]) -> None:
    """Give records of new pods the time at which they were created, where the log has it.

    A watch delivers them later, much later on a busy machine. The log knows a new pod by its name alone.
    """
    if not creations:
        return
    places: dict[tuple[str, str], list[int]] = {}
    for index in sorted(range(len(watch)), key=lambda i: watch[i].rev or 0):
        record = watch[index]
        if record.kind == "Pod" and "created" in record.changed:
            places.setdefault((record.namespace, record.name), []).append(index)
    for creation in sorted(creations):
        indices = places.get((creation.namespace, creation.name))
        if indices:
            index = indices.pop(0)
            watch[index] = replace(watch[index], at=min(watch[index].at, creation.at))


def _in_time(watch: list[Record]) -> list[Record]:
    """Watch records in order, none of them later than what was committed after it.

    A change is delivered after its commit, much later on a busy machine. Whatever has a higher revision was committed
    after it, so the earliest time of what follows is a better one. Without it a bind, whose time is that of the audit
    log, would count as late as an older change that arrived after it.
    """
    watch = sorted(watch, key=by_revision)
    return [
        record if record.at == bound else replace(record, at=bound)
        for record, bound in zip(watch, earliest(watch), strict=True)
    ]


def _join(watch: list[Record], binds: list[Record]) -> tuple[list[Record], list[Record]]:
    """Watch records with the data of their binds, and the binds without a watch record."""
    by_uid: dict[tuple[str, str], int] = {}
    by_name: dict[tuple[str, str, str], list[int]] = {}
    for index in sorted(range(len(watch)), key=lambda i: watch[i].rev or 0):
        record = watch[index]
        if record.kind == "Pod" and "bound" in record.changed:
            node = record.state.get("node", "")
            by_uid.setdefault((record.uid, node), index)
            by_name.setdefault((record.namespace, record.name, node), []).append(index)
    unmatched = []
    for bind in sorted(binds, key=lambda record: record.at):
        node = bind.state.get("node", "")
        by_its_uid = by_uid.get((bind.uid, node))
        places = by_name.get((bind.namespace, bind.name, node), []) if not bind.uid else [by_its_uid]
        place = next((i for i in places if i is not None and not watch[i].by), None)
        if place is None:
            unmatched.append(bind)
        else:
            at = min(watch[place].at, bind.at)  # both follow the commit; the log may be written after the case saw it
            watch[place] = replace(watch[place], at=at, by=bind.by)
    return watch, unmatched
