"""What cannot happen is never judged: no damage of a history whose answer is known becomes a pass."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.core.gang import Gang
from harness.core.history import store
from harness.core.history.promised import PROMISES
from harness.core.history.records import History
from harness.core.history.validate import faults, impossible
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.verdict import Outcome

from .corpus.editing import PATHS, Pick, pods, without
from .corpus.impossible import DAMAGES
from .story import NS, Story

GANG = Gang("a", 3)


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


WHOLE = passing()


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


@pytest.mark.parametrize("name", sorted(PATHS))
def test_no_damage_of_a_recorded_history_becomes_a_pass(name: str) -> None:
    whole = store.read(PATHS[name])
    assert list(faults(whole)) == []
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
