"""Edits that leave a history possible: times, and what the cluster is said to have done."""

from __future__ import annotations

from dataclasses import replace

from harness.core.gang import GPU
from harness.core.history.records import History, Record

from . import edited
from .answers import Answer, edit
from .edited import after_promise, submission
from .editing import (
    act,
    bound_members,
    each,
    gang_of,
    insert,
    places,
    pods,
    put,
    rebuilt,
    recorded,
    unbound_members,
)

# -- time --------------------------------------------------------------------------------------------------------------


def stalled(history: History, name: str) -> History:
    """Something stood still from the first promise on."""
    records = history.records
    since, until = records[after_promise(history) - 1].at - 0.01, records[-1].at
    return act(history, len(records) - 1, "stalled", name, **{"from": since, "to": until})


@edit(Answer.VIOLATED)
def muster_stood_still(history: History) -> History:
    """For six seconds and more, as the recorder writes it down."""
    longer = put(history, len(history.records) - 1, at=history.records[-1].at + 7)
    return stalled(longer, "muster")


@edit(Answer.UNNOTICED)
def api_server_stood_still(history: History) -> History:
    return stalled(history, "apiserver")


@edit(Answer.UNNOTICED)
def time_runs_slower(history: History) -> History:
    began = history.records[places(history, "submit")[0]].at
    slower = [replace(r, at=began + (r.at - began) * 0.02) if r.at > began else r for r in history.records]
    return rebuilt(history, slower)


@edit(Answer.VIOLATED)
def cut_before_the_first_bind(history: History) -> History:
    """With a last note, as if nobody had watched for longer."""
    [place, *_] = [p for p in pods(history, "bound") if history.records[p].name in bound_members(history)] or [-1]
    end = max(place, after_promise(history))
    if any(record.verb == "claim" for record in history.records[end:]):
        return history  # claims would have to be invented, with their evidence
    remaining = history.records[:end]
    return rebuilt(history, [*remaining, replace(history.records[-1], at=remaining[-1].at + 0.01)])


# -- what the cluster did ----------------------------------------------------------------------------------------------


@edit(Answer.UNNOTICED)
def missing_binds_invented(history: History) -> History:
    """Every member is bound with the last one that was, where the fewest pods are."""
    records = list(history.records)
    for name in unbound_members(history):
        [*_, last] = [p for p, record in enumerate(records) if record.kind == "Pod" and record.name == name]
        places_of_binds = [p for p, r in enumerate(records) if r.kind == "Pod" and r.state.get("gang") and r.by]
        place = max([last, *places_of_binds]) + 1
        before = records[place - 1]
        values = {**records[last].state, "node": emptiest(records)}
        invented = replace(records[last], rev=before.rev or records[last].rev, at=before.at, state=values)
        records.insert(place, replace(invented, verb="modified", by=before.by))
        records[place + 1 :] = [on(record, invented) for record in records[place + 1 :]]
    return rebuilt(history, records)


def emptiest(records: list[Record]) -> str:
    nodes = sorted({r.name for r in records if r.kind == "Node" and GPU in r.state.get("allocatable", {})})
    taken = [(r.name, r.state["node"]) for r in records if r.kind == "Pod" and r.state.get("node")]
    return min(nodes, key=lambda node: len({pair for pair in taken if pair[1] == node}))


def on(record: Record, bound: Record) -> Record:
    if record.kind != "Pod" or record.uid != bound.uid:
        return record
    return replace(record, state={**record.state, "node": bound.state["node"]})


@edit(Answer.UNNOTICED)
def binds_undone(history: History) -> History:
    """Nothing of the gang was ever bound."""
    gang = gang_of(history)
    records = [
        replace(r, by="", state={k: v for k, v in r.state.items() if k not in ("node", "running", "ready")})
        if r.kind == "Pod" and r.state.get("gang") == gang
        else r
        for r in history.records
    ]
    pending = [
        replace(r, state={**r.state, "phase": "Pending"})
        if r.kind == "Pod" and r.state.get("gang") == gang and r.state.get("phase") == "Running"
        else r
        for r in records
    ]
    return rebuilt(history, pending)


@edit(Answer.UNKNOWN)
def more_room_on_nodes(history: History) -> History:
    records = [
        replace(r, state={**r.state, "allocatable": {**r.state["allocatable"], GPU: 64000}})
        if r.kind == "Node" and GPU in r.state.get("allocatable", {})
        else r
        for r in history.records
    ]
    return rebuilt(history, records)


@edit(Answer.UNKNOWN)
def nodes_invented(history: History) -> History:
    [place, *_] = [p for p, r in enumerate(history.records) if r.kind == "Node" and GPU in r.state["allocatable"]]
    record = history.records[place]
    for number in range(20):
        history = insert(history, place + 1, replace(record, name=f"more-{number}", uid=f"more-{number}"))
    return history


@edit(Answer.UNKNOWN)
def members_request_nothing(history: History) -> History:
    records = [
        replace(r, state={**r.state, "request": {}}) if r.kind == "Pod" and r.state.get("gang") else r
        for r in history.records
    ]
    return rebuilt(history, records)


@edit(Answer.VIOLATED)
def gang_and_members_request_nothing(history: History) -> History:
    return submission(members_request_nothing(history), gpus=0)


@edit(Answer.UNNOTICED)
def other_pods_request_nothing(history: History) -> History:
    records = [
        replace(r, state={**r.state, "request": {}}) if r.kind == "Pod" and not r.state.get("gang") else r
        for r in history.records
    ]
    return rebuilt(history, records)


@edit(Answer.UNKNOWN)
def members_are_first_seen_on_their_nodes(history: History) -> History:
    names, remaining = bound_members(history), []
    for record in history.records:
        if record.kind == "Pod" and record.name in names and record.source == "watch" and not record.state.get("node"):
            continue
        remaining.append(record)
    return rebuilt(history, remaining)


@edit(Answer.VIOLATED)
def every_pod_has_its_own_scheduler(history: History) -> History:
    records = [
        replace(r, state={**r.state, "scheduler": f"for-{r.name}"}) if r.kind == "Pod" and r.source == "watch" else r
        for r in history.records
    ]
    return rebuilt(history, records)


@edit(Answer.UNKNOWN)
def demands_dropped(history: History) -> History:
    return each(history, "Pod", constraints=None)


@edit(Answer.VIOLATED)
def demands_were_never_recorded(history: History) -> History:
    dropped = each(history, "Pod", constraints=None)
    return History({key: value for key, value in history.header.items() if key != "constraints"}, dropped.records)


@edit(Answer.VIOLATED)
def demands_emptied(history: History) -> History:
    records = [
        replace(r, state={**r.state, "constraints": {}}) if r.kind == "Pod" and r.source == "watch" else r
        for r in history.records
    ]
    return rebuilt(history, records)


@edit(Answer.UNNOTICED)
def another_run_of_the_case(history: History) -> History:
    """A history of the same case that passed, of another scheduler."""
    runs = [other for other in recorded("passed").values() if other.case == history.case]
    return runs[0] if runs else history


@edit(Answer.VIOLATED)
def words_of_the_scheduler_emptied(history: History) -> History:
    empty = {key: [] if isinstance(value, list) else value for key, value in history.header["vocabulary"].items()}
    return History({**history.header, "vocabulary": empty}, history.records)


@edit(Answer.VIOLATED)
def watch_of_pods_lost(history: History) -> History:
    place = pods(history)[0]
    gap = Record(None, history.records[place].at, "gap", "lost", kind="Pod", state={"from": 1})
    return insert(history, place, gap)


FOREIGN_EDITS = (  # in a passing history: actions, promises, claims and gangs that are not in the code of the case
    edited.promises_dropped,
    edited.promise_with_the_longest_deadline,
    edited.claims_removed,
    edited.promise_lifted,
    edited.quorum_of_one,
    edited.quorum_edited,
    edited.submitted_again_with_less,
    edited.starts_only_with_a_gang_that_never_comes,
    edited.gang_deleted_by_the_case,
    edited.scheduler_paused_by_the_case,
    edited.nodes_changed_all_the_time,
    edited.nodes_added_all_the_time,
    every_pod_has_its_own_scheduler,
    demands_were_never_recorded,
)
