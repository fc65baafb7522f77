"""A moment of a history in words that a reader can follow.

`ledger` says which member was where, `around` what happened just before and after, `describe` what one record means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.history.records import History, Record
from harness.core.oracle.replay import replay
from harness.core.verdict import LedgerRow, Witness

_AROUND = 6  # records in a witness: enough to see the step, its cause and its answer


def witness(history: History, index: int, gang: str = "") -> Witness:
    """The proof at record `index`: the revision it stands at, the gang's ledger there, the records around."""
    records = history.records
    rev = next((records[i].rev for i in range(index, -1, -1) if records[i].rev is not None), None)
    rows = ledger_at(history, gang, index) if gang else ()
    return Witness(rev, records[index].at, gang, rows, around(history, index, _AROUND, gang))


def ledger(history: History, gang: str, revision: int) -> tuple[LedgerRow, ...]:
    """Every member of the gang ("namespace/name") as it stood once `revision` was committed."""
    last = -1
    for index, record in enumerate(history.records):
        if record.rev is not None and record.rev > revision:
            break
        last = index
    return ledger_at(history, gang, last)


def ledger_at(history: History, gang: str, index: int) -> tuple[LedgerRow, ...]:
    """Every member of the gang's current incarnation after record `index`, the ones never created as `absent`."""
    incarnation = replay(history.header, history.records[: index + 1]).incarnation(gang, index)
    if incarnation is None:
        return ()
    records = [pod.record for pod in incarnation.pods]
    rows = [LedgerRow(record.name, record.state.get("node", ""), pod_word(record)) for record in records]
    expected = [name for name, _ in incarnation.gang.but(missing=0).members()] if incarnation.gang is not None else []
    there = {row.member for row in rows}
    absent = [name for name in expected if name not in there] if not rows or there & {*expected} else []
    return tuple(sorted(rows, key=lambda row: row.member)) + tuple(LedgerRow(name, "", "absent") for name in absent)


def pod_word(record: Record) -> str:
    """One word for how a pod stands after this record."""
    state = record.state
    phase = state.get("phase", "")
    if record.verb == "deleted":
        word = "succeeded" if phase == "Succeeded" else "deleted"
    elif state.get("part") == "placeholder":
        word = "placeholder"
    elif phase in ("Succeeded", "Failed"):
        word = phase.lower()
    elif state.get("deleting"):
        word = "terminating"
    elif state.get("node"):
        word = "running" if phase == "Running" else "bound"
    elif state.get("nominated"):
        word = "nominated"
    else:
        word = "gated" if state.get("gates") else "pending"
    return word


def around(history: History, index: int, n: int = _AROUND, gang: str = "") -> tuple[str, ...]:
    """About `n` records around `index` in words; with a gang, only what tells something about it."""
    records = history.records
    before: list[int] = []
    after: list[int] = []
    for i in range(index - 1, -1, -1):
        if len(before) >= n - n // 3 - 1 or index - i > 5000:
            break
        if _tells(records[i], gang):
            before.append(i)
    for i in range(index + 1, min(len(records), index + 5000)):
        if len(after) >= n // 3:
            break
        if _tells(records[i], gang):
            after.append(i)
    places = [*reversed(before), index, *after]
    return tuple(("> " if i == index else "  ") + describe(records[i], history.began) for i in places)


def _tells(record: Record, gang: str) -> bool:
    if record.kind == "Event" and record.state.get("reason") in ("Scheduled", "Pulled", "Created", "Started"):
        return False
    if not gang or record.source == "gap":
        return True
    if record.source == "action":
        return record.verb not in ("note", "claim")
    namespace, _, name = gang.partition("/")
    if record.source == "audit":
        return record.namespace == namespace and record.name.startswith(name)
    return bool(record.state.get("gang") == gang)


def describe(record: Record, began: float | None = None) -> str:
    """The record in one readable line; times are seconds since `began` where it is given."""
    time = f"{record.at - began:+.3f}s" if began is not None else f"{record.at:.3f}"
    place = f"rev {record.rev}" if record.rev is not None else record.source
    return f"{place} {time} {_DESCRIPTIONS.get(record.source, _watch)(record)}"


def _watch(record: Record) -> str:
    name = f"{record.kind} {_full(record)}"
    state = record.state
    if record.kind == "Event":
        return f"Event {state.get('reason', '')} about {state.get('about', '')}: {_short(state.get('message', ''))}"
    changes = []
    for word in record.changed or (record.verb,):
        changes.append(f"bound to {state.get('node')}" if word == "bound" else _detail(word, state))
    by = f" by {record.by.partition('/')[0]}" if record.by else ""
    return f"{name} {', '.join(changes)}{by}"


def _detail(word: str, state: Mapping[str, Any]) -> str:
    if word == "phase":
        return f"phase {state.get('phase', '')}"
    if word == "nominated":
        return f"nominated to {state.get('nominated', '')}"
    if word == "condition":
        conditions = (state.get("conditions") or {}).items()
        parts = [f"{kind}={status}" + (f" ({reason})" if reason else "") for kind, (status, reason, *_) in conditions]
        return f"condition {', '.join(parts)}" if parts else word
    return word


def _audit(record: Record) -> str:
    code = record.state.get("code", 0)
    to = f" to {record.state['node']}" if record.state.get("node") else ""
    answer = f"refused with {code}: {_short(record.state.get('message', ''))}" if code >= 400 else "accepted"
    return f"{record.verb} of Pod {_full(record)}{to} by {record.by.partition('/')[0] or 'somebody'} {answer}"


def _action(record: Record) -> str:
    state = record.state
    if record.verb == "stalled":
        return f"{record.name} stood still for {state.get('to', 0) - state.get('from', 0):.3f} s"
    if record.verb == "crash":
        return f"{record.name} crashed ({state.get('ending', '')})"
    text = (
        state.get("text")
        or state.get("sentence")
        or " ".join(f"{name}={value}" for name, value in state.items() if name != "gang")
    )
    return f"the case: {record.verb} {_full(record)} {_short(str(text))}".rstrip()


def _gap(record: Record) -> str:
    return f"watch of {record.kind} lost between revisions {record.state.get('from')} and {record.state.get('to')}"


_DESCRIPTIONS = {"watch": _watch, "audit": _audit, "action": _action, "gap": _gap}


def _full(record: Record) -> str:
    return f"{record.namespace}/{record.name}" if record.namespace else record.name


def _short(text: str, limit: int = 100) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
