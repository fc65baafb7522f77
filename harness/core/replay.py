"""What a history says at one moment, for checks and for people.

`timeline` gives checks the course of every gang (made once, kept as long as the history); `ledger`, `around` and
`describe` turn a moment into words a reader can follow: who was where, and what happened just before and after.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from harness.core.gang import gang_from_record
from harness.core.history import History, Record, gang_key, pod_key
from harness.core.timeline import Timeline
from harness.core.verdict import LedgerRow, Witness
from harness.core.walk import Walk

_KEPT: WeakKeyDictionary[History, Timeline] = WeakKeyDictionary()
_AROUND = 6  # records in a witness: enough to see the step, its cause and its answer


def timeline(history: History) -> Timeline:
    """The timeline of the history, made once."""
    found = _KEPT.get(history)
    if found is None:
        found = _KEPT[history] = Walk(history).walk()
    return found


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
    """Every member of the gang's current life after record `index`, the ones never created as `absent`."""
    pods: dict[str, Record] = {}
    expected: list[str] = []
    for record in history.records[: index + 1]:
        if record.source == "action" and record.verb == "submit" and gang_key(record.namespace, record.name) == gang:
            members = gang_from_record({"name": record.name, **(record.state.get("gang") or {})})
            expected = [name for name, _ in members.but(missing=0).members()]
            pods = {uid: one for uid, one in pods.items() if one.verb != "deleted"}
        elif record.kind == "Pod" and record.source == "watch" and record.state.get("gang") == gang:
            pods[pod_key(record)] = record
    rows = [LedgerRow(one.name, one.state.get("node", ""), pod_word(one)) for one in pods.values()]
    named = any(row.member in expected for row in rows) or not rows
    absent = [name for name in expected if name not in {row.member for row in rows}] if named else []
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
    chosen = [*reversed(before), index, *after]
    return tuple(("> " if i == index else "  ") + describe(records[i], history.began) for i in chosen)


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
    return f"{place} {time} {_SAY.get(record.source, _watch)(record)}"


def _watch(record: Record) -> str:
    name = f"{record.kind} {_full(record)}"
    state = record.state
    if record.kind == "Event":
        return f"Event {state.get('reason', '')} about {state.get('about', '')}: {_short(state.get('message', ''))}"
    words = []
    for word in record.changed or (record.verb,):
        words.append(f"bound to {state.get('node')}" if word == "bound" else _detail(word, state))
    by = f" by {record.by.partition('/')[0]}" if record.by else ""
    return f"{name} {', '.join(words)}{by}"


def _detail(word: str, state: Mapping[str, Any]) -> str:
    if word == "phase":
        return f"phase {state.get('phase', '')}"
    if word == "nominated":
        return f"nominated to {state.get('nominated', '')}"
    if word == "condition":
        said = [f"{kind}={one[0]}" + (f" ({one[1]})" if one[1] else "") for kind, one in state["conditions"].items()] \
            if state.get("conditions") else []  # fmt: skip
        return f"condition {', '.join(said)}" if said else word
    return word


def _audit(record: Record) -> str:
    code = record.state.get("code", 0)
    to = f" to {record.state['node']}" if record.state.get("node") else ""
    said = f"refused with {code}: {_short(record.state.get('message', ''))}" if code >= 400 else "accepted"
    return f"{record.verb} of Pod {_full(record)}{to} by {record.by.partition('/')[0] or 'somebody'} {said}"


def _action(record: Record) -> str:
    state = record.state
    told = state.get("text") or state.get("sentence") or " ".join(
        f"{name}={value}" for name, value in state.items() if name != "gang"
    )  # fmt: skip
    return f"the case: {record.verb} {_full(record)} {_short(str(told))}".rstrip()


def _gap(record: Record) -> str:
    return f"watch of {record.kind} lost between revisions {record.state.get('from')} and {record.state.get('to')}"


_SAY = {"watch": _watch, "audit": _audit, "action": _action, "gap": _gap}


def _full(record: Record) -> str:
    return f"{record.namespace}/{record.name}" if record.namespace else record.name


def _short(text: str, limit: int = 100) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
