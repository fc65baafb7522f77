"""Edits that leave a history possible: promises, claims and actions, as a forger writes them who wants a pass."""

from __future__ import annotations

from dataclasses import replace

from harness.core.history.records import History, Record, ordered

from .answers import Answer, edit
from .editing import (
    act,
    bound_members,
    gang_of,
    insert,
    name_of,
    places,
    put,
    rebuilt,
    state,
    unbound_members,
)


def submission(history: History, **values: object) -> History:
    """The gang is said to have been submitted with other values."""
    [place, *_] = [p for p in places(history, "submit") if history.records[p].name == name_of(history)]
    return state(history, place, gang={**history.records[place].state["gang"], **values})


def in_part(history: History) -> History:
    """The promises ask for the quorum, and not for every member."""
    for place in places(history, "expect"):
        values = {key: value for key, value in history.records[place].state.items() if key != "all"}
        history = put(history, place, state=values)
    return history


def after_promise(history: History) -> int:
    return places(history, "expect")[0] + 1


# -- promises and claims -----------------------------------------------------------------------------------------------


@edit(Answer.VIOLATED)
def promises_dropped(history: History) -> History:
    return rebuilt(history, [record for record in history.records if record.verb != "expect"])


@edit(Answer.VIOLATED)
def promise_with_the_longest_deadline(history: History) -> History:
    longest = max(history.header["deadlines"].values())
    return state(history, places(history, "expect")[-1], within=longest)


@edit(Answer.UNKNOWN)
def promise_without_end(history: History) -> History:
    return state(history, places(history, "expect")[-1], within=1e6)


@edit(Answer.UNKNOWN)
def promise_about_an_invented_gang(history: History) -> History:
    """The members that are bound are a gang of one each, and the others are pods of no gang."""
    namespace, names = gang_of(history).partition("/")[0], bound_members(history)
    records = []
    for record in history.records:
        if record.verb == "submit" and record.name == name_of(history):
            record = replace(record, name="other", state={"gang": {"name": "other", "size": 1, "gpus": 2}})
        elif record.verb == "expect":
            record = replace(record, state={**record.state, "gangs": [f"{namespace}/other"]})
        elif record.kind == "Pod" and record.state.get("gang") == gang_of(history):
            gang = f"{namespace}/other" if record.name in names[:1] else None
            record = moved(record, gang)
        elif record.kind != "Pod" and record.state.get("gang") == gang_of(history):
            continue
        records.append(record)
    return in_part(rebuilt(history, records))


def moved(record: Record, gang: str | None) -> Record:
    """A pod of another gang, or of none."""
    values = {key: value for key, value in record.state.items() if key != "gang"}
    more = {"gang": gang} if gang else {"part": "plain"}
    return replace(record, state={**values, **more})


def claims_removed(history: History) -> History:
    return rebuilt(history, [record for record in history.records if record.verb != "claim"])


@edit(Answer.VIOLATED)
def claims_flipped(history: History) -> History:
    for place in places(history, "claim"):
        history = state(history, place, held=True)
    return history


@edit(Answer.VIOLATED)
def promise_lifted(history: History) -> History:
    return act(history, after_promise(history), "lift", gangs=[])


# -- what the case did -------------------------------------------------------------------------------------------------


@edit(Answer.UNKNOWN)
def size_is_the_number_of_those_bound(history: History) -> History:
    return submission(history, size=max(1, len(bound_members(history))))


@edit(Answer.BY_VERIFY)
def quorum_of_one(history: History) -> History:
    return submission(in_part(history), quorum=1)


@edit(Answer.BY_VERIFY)
def quorum_edited(history: History) -> History:
    return act(in_part(history), after_promise(history), "edit", name_of(history), quorum=1)


@edit(Answer.VIOLATED)
def submitted_again_with_less(history: History) -> History:
    records = history.records
    [place, *_] = [p for p in places(history, "submit") if records[p].name == name_of(history)]
    first = replace(records[place], at=records[-1].at)
    again = replace(first, state={"gang": {**first.state["gang"], "size": 1}})
    return insert(history, len(records) - 1, again)


@edit(Answer.VIOLATED)
def starts_only_with_a_gang_that_never_comes(history: History) -> History:
    return submission(history, group=["ghost"])


@edit(Answer.BY_VERIFY)
def members_that_are_not_bound_are_of_no_gang(history: History) -> History:
    names = unbound_members(history)
    smaller = submission(history, size=max(1, len(bound_members(history))))
    records = [moved(r, None) if r.kind == "Pod" and r.name in names else r for r in smaller.records]
    return rebuilt(history, records)


@edit(Answer.VIOLATED)
def gang_deleted_by_the_case(history: History) -> History:
    return act(history, after_promise(history), "delete", name_of(history), what="gang")


@edit(Answer.BY_VERIFY)
def scheduler_paused_by_the_case(history: History) -> History:
    paused = act(history, after_promise(history), "pause", "reference", role="scheduler")
    return act(paused, len(paused.records) - 1, "resume", "reference", role="scheduler")


def jolted(history: History, verb: str, **values: object) -> History:
    """An action every half second, from the first promise to the end."""
    *records, last = history.records
    at = records[places(history, "expect")[0]].at
    jolts = []
    while at < last.at:
        jolts.append(Record(None, at, "action", verb, state=values))
        at += 0.5
    return rebuilt(history, [*ordered([*records, *jolts]), last])


@edit(Answer.BY_VERIFY)
def nodes_changed_all_the_time(history: History) -> History:
    return jolted(history, "node-change", nodes=["x"], change="cordon")


@edit(Answer.VIOLATED)
def nodes_added_all_the_time(history: History) -> History:
    return jolted(history, "node-add", count=1, gpus=0)
