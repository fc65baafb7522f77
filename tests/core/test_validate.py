"""What cannot happen is never judged: no damage of a history whose answer is known becomes a pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.core.gang import GPU, Gang
from harness.core.history import store
from harness.core.history.records import History, Record, gang_key, gang_keys
from harness.core.history.validate import PROMISES, faults, impossible
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.verdict import Outcome

from .story import AGENT, BEGAN, NS, Story

GANG = Gang("a", 3)
Pick = Callable[[int], int]  # a number below the given one


def passing() -> History:
    """A gang that is bound whole, runs and is deleted, and another that has no room."""
    story = Story(window=2.0, bound=30.0).node("n1", gpus=4).after(0.1).submit(GANG)
    story.expect("bound", "a", within=30).after(0.5).bind_all(GANG, every=0.1)
    for name, _ in GANG.members():
        story.phase(name, "Running").after(0.05)
    story.submit(Gang("b", 4)).expect("refused", "b").after(0.4)
    for name, _ in Gang("b", 4).members():
        story.unschedulable(name)
    story.after(1.0).delete("a").expect("gone", "a", within=30)
    for name, _ in GANG.members():
        story.terminating(name).after(0.05).gone(name)
    return story.end(40)


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
WHOLE = passing()
HISTORIES = Path(__file__).parent / "histories"  # recorded by real boxes


def outcome(history: History) -> Outcome:
    return case_outcome(judge_case(history))


def test_the_history_that_is_damaged_below_passes() -> None:
    assert list(faults(WHOLE)) == []
    assert outcome(WHOLE) is Outcome.PASS


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_no_damage_becomes_a_pass(damage: Callable[[History, Pick], History]) -> None:
    @settings(max_examples=30, deadline=None, database=None)
    @given(st.data())
    def damaged(data: st.DataObject) -> None:
        history = damage(WHOLE, lambda below: data.draw(st.integers(0, below - 1)))
        assert impossible(history) is not None
        [verdict] = judge_case(history)
        assert verdict.outcome is Outcome.UNKNOWN and "cannot happen" in verdict.reason

    damaged()


@settings(max_examples=60, deadline=None)
@given(st.data(), st.lists(st.sampled_from(DAMAGES), min_size=2, max_size=4, unique=True))
def test_several_damages_do_not_hide_each_other(
    data: st.DataObject, damages: list[Callable[[History, Pick], History]]
) -> None:
    history = WHOLE
    for damage in damages:
        try:
            history = damage(history, lambda below: data.draw(st.integers(0, below - 1)))
        except (IndexError, ValueError, TypeError, AttributeError):  # nothing is left to damage in this way
            break
    assume(history.records != WHOLE.records)  # a later damage may undo an earlier one
    assert outcome(history) is Outcome.UNKNOWN


@pytest.mark.parametrize("name", sorted(path.name for path in HISTORIES.glob("*.zst")))
def test_no_damage_of_a_recorded_history_becomes_a_pass(name: str) -> None:
    whole = store.read(HISTORIES / name)
    assert list(faults(whole)) == [] and outcome(whole) is Outcome.PASS
    random = Random(name)
    damaged = 0
    for damage in DAMAGES * 3:
        try:
            history = damage(whole, random.randrange)
        except (IndexError, ValueError):  # the history has nothing that can be damaged in this way
            continue
        damaged += 1
        assert impossible(history) is not None, damage.__name__
        assert outcome(history) is Outcome.UNKNOWN, damage.__name__
    assert damaged > 2 * len(DAMAGES)


def test_where_a_watch_lost_its_place_a_missing_record_is_possible() -> None:
    story = Story().node("n1").submit(GANG).bind_all(GANG).lost("Pod", 100, 120)
    history = story.end(40)
    assert impossible(without(history, pods(history, "bound")[0])) is None


def test_a_pod_without_a_node_does_not_run() -> None:
    story = Story().node("n1").submit(GANG).phase("a-0", "Running")
    fault = impossible(story.end(40))
    assert fault is not None and fault.what == f"pod {NS}/a-0 runs without a node"
    assert outcome(story.end(40)) is Outcome.UNKNOWN


def test_every_promise_of_the_format_is_known() -> None:
    story = Story().node("n1").submit(GANG)
    for what in sorted(PROMISES):
        story.expect(what, "a")
    assert impossible(story.end(40)) is None
