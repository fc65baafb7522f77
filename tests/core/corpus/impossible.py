"""Damages that nothing real can show: each makes every history impossible, whatever its verdict was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.core.gang import GPU
from harness.core.history.records import History

from ..story import AGENT, BEGAN, NS
from .editing import Pick, followed, insert, places, pods, promised, put, state, without


def drop_record(history: History, pick: Pick) -> History:
    """One that a later record of the same pod stands on."""
    candidates = [place for place in pods(history, "created", "bound", "deleting") if followed(history, place)]
    return without(history, candidates[pick(len(candidates))])


def rebind(history: History, pick: Pick) -> History:
    candidates = [place for place in pods(history, "phase", "deleting") if history.records[place].state.get("node")]
    return state(history, candidates[pick(len(candidates))], node="n2")


def unbind(history: History, pick: Pick) -> History:
    candidates = [place for place in pods(history, "phase", "deleting") if history.records[place].state.get("node")]
    place = candidates[pick(len(candidates))]
    values = {key: value for key, value in history.records[place].state.items() if key != "node"}
    return put(history, place, state=values)


def bind_after_deletion(history: History, pick: Pick) -> History:
    candidates = pods(history, "deleted")
    place = candidates[pick(len(candidates))]
    record = history.records[place]
    return insert(history, place + 1, replace(record, verb="modified", changed=("bound",), by=AGENT))


def bind_while_deleting(history: History, pick: Pick) -> History:
    """A pending member of b is deleted and bound afterwards."""
    candidates = [place for place in pods(history, "condition") if not history.records[place].state.get("node")]
    place = candidates[pick(len(candidates))]
    record = history.records[place]
    deleting = replace(record, changed=("deleting",), state={**record.state, "deleting": True})
    bound = replace(record, changed=("bound",), state={**deleting.state, "node": "n1"})
    return insert(insert(history, place + 1, deleting), place + 2, bound)


def bad_time(history: History, pick: Pick) -> History:
    at: Any = (float("nan"), float("inf"), -1.0, 0.0, "soon", None, True)[pick(7)]
    return put(history, pick(len(history.records)), at=at)


def time_goes_back(history: History, pick: Pick) -> History:
    return put(history, 1 + pick(len(history.records) - 1), at=BEGAN - 1000.0)


def unknown_promise(history: History, pick: Pick) -> History:
    what: Any = ("bount", "", None, 7, [])[pick(5)]
    candidates = places(history, "expect")
    return state(history, candidates[pick(len(candidates))], what=what)


def bad_within(history: History, pick: Pick) -> History:
    within: Any = (float("nan"), float("inf"), -1, "long", True, [])[pick(6)]
    candidates = places(history, "expect")
    return state(history, candidates[pick(len(candidates))], within=within)


def promise_of_another_gang(history: History, pick: Pick) -> History:
    gangs: Any = ([f"{NS}/c"], ["other/a"], [], "a", [3])[pick(5)]
    candidates = places(history, "expect")
    return state(history, candidates[pick(len(candidates))], gangs=gangs)


def without_submission(history: History, pick: Pick) -> History:
    candidates = [place for place in places(history, "submit") if promised(history, place)]
    return without(history, candidates[pick(len(candidates))])


def other_namespace(history: History, pick: Pick) -> History:
    candidates = [place for place in pods(history) if history.records[place].state.get("gang")]
    return put(history, candidates[pick(len(candidates))], namespace="elsewhere")


def revisions_swapped(history: History, pick: Pick) -> History:
    candidates = [place for place, record in enumerate(history.records) if record.rev is not None]
    first = pick(len(candidates) - 1)
    one_place, other_place = candidates[first], candidates[first + 1]
    swapped = put(history, one_place, rev=history.records[other_place].rev)
    return put(swapped, other_place, rev=history.records[one_place].rev)


def bad_revision(history: History, pick: Pick) -> History:
    revision: Any = (None, -1, "7", 1.5, True)[pick(5)]
    candidates = pods(history)
    return put(history, candidates[pick(len(candidates))], rev=revision)


def shared_uid(history: History, pick: Pick) -> History:
    candidates = pods(history, "created")
    first = pick(len(candidates) - 1)
    first, second = candidates[first], candidates[first + 1 + pick(len(candidates) - first - 1)]
    return put(history, second, uid=history.records[first].uid)


def absurd_numbers(history: History, pick: Pick) -> History:
    amount: Any = (10**15, -1, float("nan"), "all", 10**400)[pick(5)]
    candidates = pods(history)
    return state(history, candidates[pick(len(candidates))], request={GPU: amount})


def absurd_gang(history: History, pick: Pick) -> History:
    size: Any = (0, -3, 10**12, "many", None)[pick(5)]
    candidates = places(history, "submit")
    return state(history, candidates[pick(len(candidates))], gang={"name": "a", "size": size})


def bad_deadline(history: History, pick: Pick) -> History:
    value: Any = (0, -1, float("nan"), float("inf"), "2", None, True)[pick(7)]
    return History({**history.header, "deadlines": {"window": value}}, history.records)


def bad_state(history: History, pick: Pick) -> History:
    candidates = pods(history)
    value: Any = (["x"], "x", 7)[pick(3)]
    key = ("gang", "node", "request", "conditions", "running")[pick(5)]
    wrong = 7 if value == "x" and key in ("gang", "node") else value
    wrong = ["x"] if wrong == 7 and key not in ("gang", "node") else wrong
    return state(history, candidates[pick(len(candidates))], **{key: wrong})


def bad_constraints(history: History, pick: Pick) -> History:
    candidates = pods(history)
    wrong = ({"ports": ["80"]}, {"selector": []}, {"apart": ["x"]}, {"tolerations": [{}]}, [])[pick(5)]
    return state(history, candidates[pick(len(candidates))], constraints=wrong)


def labels_removed(history: History, pick: Pick) -> History:
    candidates = pods(history, "created", "bound", "phase", "condition", "deleting", "deleted")
    return put(history, candidates[pick(len(candidates))], changed=())


DAMAGES: list[Callable[[History, Pick], History]] = [
    drop_record,
    rebind,
    unbind,
    bind_after_deletion,
    bind_while_deleting,
    bad_time,
    time_goes_back,
    unknown_promise,
    bad_within,
    promise_of_another_gang,
    without_submission,
    other_namespace,
    revisions_swapped,
    bad_revision,
    shared_uid,
    absurd_numbers,
    absurd_gang,
    bad_deadline,
    bad_state,
    bad_constraints,
    labels_removed,
]
