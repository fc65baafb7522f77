"""From several witnesses to one history.

The watch knows the order (revisions) but not who acted; the audit log knows who acted, to the microsecond, and what
was refused, but not the revision; the case knows what it did. A bind stands in two of them, so it is joined: the watch
record of the same pod uid and node gets the audit log's time and user agent. What is left of the audit log is kept as
records of its own, and everything is put into one order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from harness.core.history import Record, ordered
from harness.core.observe import unix

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
) -> tuple[Record, ...]:
    """One ordered history of everything; `audit` may hold raw audit events or records made by `audit_record`."""
    seen = _once(watch)
    binds, kept = _sorted_out(audit)
    joined, lost = _join(seen, binds)
    return ordered([*joined, *kept, *lost, *actions, *gaps])


def audit_record(event: Mapping[str, Any]) -> Record | None:
    """The record of one audit.k8s.io/v1 event; None if it tells nothing a history keeps."""
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


def _once(watch: Iterable[Record]) -> list[Record]:
    """Watch records without the repeats that a new list after a lost watch brings, the earliest of each kept."""
    found: dict[tuple[Any, ...], Record] = {}
    for record in watch:
        when = record.at if record.rev is None else 0.0
        key = (record.rev, record.kind, record.namespace, record.name, record.verb == "deleted", when)
        known = found.get(key)
        if known is None or record.at < known.at:
            found[key] = record
    return list(found.values())


def _sorted_out(audit: Iterable[Record | Mapping[str, Any]]) -> tuple[list[Record], list[Record]]:
    """Accepted binds, and all other audit records worth keeping."""
    binds: list[Record] = []
    kept: list[Record] = []
    for event in audit:
        record = event if isinstance(event, Record) else audit_record(event)
        if record is not None:
            accepted_bind = record.verb == "bind" and record.state.get("code", 0) < REFUSED
            (binds if accepted_bind else kept).append(record)
    return binds, kept


def _join(watch: list[Record], binds: list[Record]) -> tuple[list[Record], list[Record]]:
    """Watch records with the binds written into them, and the binds that no watch record shows."""
    by_uid: dict[tuple[str, str], int] = {}
    by_name: dict[tuple[str, str, str], list[int]] = {}
    for index in sorted(range(len(watch)), key=lambda i: watch[i].rev or 0):
        record = watch[index]
        if record.kind == "Pod" and "bound" in record.changed:
            node = record.state.get("node", "")
            by_uid.setdefault((record.uid, node), index)
            by_name.setdefault((record.namespace, record.name, node), []).append(index)
    lost = []
    for bind in sorted(binds, key=lambda record: record.at):
        node = bind.state.get("node", "")
        known = by_uid.get((bind.uid, node))
        places = by_name.get((bind.namespace, bind.name, node), []) if not bind.uid else [known]
        place = next((i for i in places if i is not None and not watch[i].by), None)
        if place is None:
            lost.append(bind)
        else:
            watch[place] = replace(watch[place], at=bind.at, by=bind.by)
    return watch, lost
