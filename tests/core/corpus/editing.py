"""Small edits of histories, from which attacks are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.core.history import store
from harness.core.history.observe import changes
from harness.core.history.records import History, Record, gang_key, gang_keys

Pick = Callable[[int], int]  # a number below the given one
FOLDER = Path(__file__).parent.parent / "histories"  # recorded by real boxes
PATHS = {path.relative_to(FOLDER).as_posix().removesuffix(".jsonl.zst"): path for path in FOLDER.rglob("*.zst")}


def recorded(group: str = "") -> dict[str, History]:
    """Recorded histories by name, of a group (`old`, `passed`, `violated`) or of all."""
    return {name: store.read(path) for name, path in sorted(PATHS.items()) if name.startswith(group)}


def pods(history: History, *labels: str) -> list[int]:
    """The places of the records of pods that carry one of these labels; of all pods without any."""
    return [
        place
        for place, record in enumerate(history.records)
        if record.source == "watch"
        and record.kind == "Pod"
        and (not labels or not set(labels).isdisjoint(record.changed))
    ]


def places(history: History, *verbs: str) -> list[int]:
    return [place for place, record in enumerate(history.records) if record.verb in verbs]


def followed(history: History, place: int) -> bool:
    """Whether a later record is about the same pod."""
    return any(record.uid == history.records[place].uid for record in history.records[place + 1 :])


def promised(history: History, place: int) -> bool:
    """Whether a promise is about the gang that is submitted here, and only here."""
    key = gang_key(history.records[place].namespace, history.records[place].name)
    again = [record for record in history.records if record.verb == "submit" and record.name == key.partition("/")[2]]
    return len(again) == 1 and any(key in gang_keys(record) for record in history.records if record.verb == "expect")


def put(history: History, place: int, **changes: Any) -> History:
    records = list(history.records)
    records[place] = replace(records[place], **changes)
    return History(history.header, tuple(records))


def state(history: History, place: int, **values: Any) -> History:
    return put(history, place, state={**history.records[place].state, **values})


def without(history: History, place: int) -> History:
    return History(history.header, history.records[:place] + history.records[place + 1 :])


def insert(history: History, place: int, record: Record) -> History:
    return History(history.header, (*history.records[:place], record, *history.records[place:]))


def rebuilt(history: History, records: list[Record], **header: Any) -> History:
    """The history of these records, with `changed` as the recorder would have computed it."""
    states: dict[str, Any] = {}
    made_again = []
    for record in records:
        if record.source == "watch":
            record = replace(record, changed=changes(states.get(record.uid), record.state, record.verb))
            states[record.uid] = record.state
        made_again.append(record)
    return History({**history.header, **header}, tuple(made_again))


def each(history: History, kind: str, **values: Any) -> History:
    """Every record of a kind of object with these parts of its state; a part that is None is left out."""
    records = [_with(record, values) if record.kind == kind else record for record in history.records]
    return rebuilt(history, records)


def _with(record: Record, values: dict[str, Any]) -> Record:
    state = {key: value for key, value in {**record.state, **values}.items() if value is not None}
    return replace(record, state=state)


def act(history: History, place: int, verb: str, name: str = "", **state: Any) -> History:
    """An action of the case, inserted at the time of the record that stands there."""
    namespace = gang_of(history).partition("/")[0]
    action = Record(None, history.records[place].at, "action", verb, namespace=namespace, name=name, state=state)
    return insert(history, place, action)


def gang_of(history: History) -> str:
    """The gang that the first promise is about; without promises the first gang."""
    promised = [gang_keys(record)[0] for record in history.records if record.verb == "expect"]
    return [*promised, *(gang_key(r.namespace, r.name) for r in history.records if r.verb == "submit")][0]


def name_of(history: History) -> str:
    return gang_of(history).partition("/")[2]


def bound_members(history: History) -> list[str]:
    """The names of the members of that gang that were bound."""
    gang = gang_of(history)
    return sorted(
        {r.name for r in history.records if r.kind == "Pod" and r.state.get("gang") == gang and r.state.get("node")}
    )


def unbound_members(history: History) -> list[str]:
    gang = gang_of(history)
    members = {r.name for r in history.records if r.kind == "Pod" and r.state.get("gang") == gang}
    return sorted(members - set(bound_members(history)))
