"""The words of refusals and evictions are an integration's own, and a history is read by those in its header."""

from __future__ import annotations

import json

from harness.core.gang import Gang
from harness.core.history.records import History
from harness.core.oracle.checks import preemption, refused
from harness.core.oracle.replay import Replay, timeline
from harness.core.oracle.vocabulary import BEFORE_VOCABULARIES, COMMON, Vocabulary, vocabulary_of
from harness.core.verdict import Outcome

from .story import Story

BIG = Gang("big", 2)
QUEUE = Vocabulary(
    group_conditions=("QuotaReserved=False (Pending)",),
    group_tells_of_members=True,
    group_admits=("QuotaReserved=True",),
    group_victims=("Preempted=True",),
    victim_conditions=("DisruptionTarget", "TerminationTarget"),
    evictors=("scheduler", "queue-manager"),
)  # a queue that holds pods back by scheduling gates, and says why in the status of an object for the whole gang
NO_QUOTA = {"QuotaReserved": ["False", "Pending", "the quota is used up"]}
LET_IN = {"QuotaReserved": ["True", "QuotaReserved", ""]}


def history_of(story: Story, vocabulary: Vocabulary | None) -> History:
    """The history of the story, with this vocabulary in its header as the recorder writes and a file keeps it."""
    history = story.end(60)
    if vocabulary is None:
        return history
    header = json.loads(json.dumps({**history.header, "vocabulary": vocabulary.as_data()}))
    return History(header, history.records)


def held_back() -> Story:
    """A gang whose pods have a gate from the beginning, which the API server puts into their status."""
    story = Story(start_after_eviction=10).node("n1").act("submit", "big", gang=BIG.as_record())
    for name, role in BIG.members():
        story.pod(name, gang="big", role=role, gates=1, conditions={"PodScheduled": ["False", "SchedulingGated", ""]})
    return story.group("big").expect("refused", "big").after(1)


def test_a_condition_of_the_group_refuses_where_the_integration_says_so() -> None:
    story = held_back().group("big", conditions=NO_QUOTA)
    assert refused.judge(history_of(story, QUEUE)).outcome is Outcome.PASS
    assert refused.judge(history_of(story, COMMON)).outcome is Outcome.UNKNOWN
    assert refused.judge(history_of(story, None)).outcome is Outcome.UNKNOWN


def test_what_the_group_said_before_the_last_member_came_is_no_evidence() -> None:
    story = Story().node("n1").submit(BIG.but(missing=1)).group("big", conditions=NO_QUOTA)
    story.act("create", "big", count=1).pod("big-1", gang="big").expect("refused", "big").after(1)
    assert refused.judge(history_of(story, QUEUE)).outcome is Outcome.UNKNOWN
    again = {"QuotaReserved": ["False", "Pending", "the quota is used up by others"]}
    assert refused.judge(history_of(story.group("big", conditions=again), QUEUE)).outcome is Outcome.PASS


def test_an_event_about_the_group_refuses_all_members_where_the_integration_says_so() -> None:
    story = held_back().event("Pending", "big", kind="Workload", type="Warning", gang="ns/big")
    assert refused.judge(history_of(story, QUEUE)).outcome is Outcome.PASS
    assert refused.judge(history_of(story, COMMON)).outcome is Outcome.UNKNOWN


def test_a_gate_is_the_api_server_s_unless_the_scheduler_puts_it_there_itself() -> None:
    gated = held_back()
    assert refused.judge(history_of(gated, QUEUE)).outcome is Outcome.UNKNOWN
    assert refused.judge(history_of(gated, Vocabulary(gates_refuse=True))).outcome is Outcome.PASS


def test_a_bind_before_the_words_of_the_group_is_violated() -> None:
    story = held_back().bind("big-0").group("big", conditions=NO_QUOTA)
    assert refused.judge(history_of(story, QUEUE)).outcome is Outcome.VIOLATED


def test_a_condition_may_be_named_with_its_reason() -> None:
    story = held_back().group("big", conditions={"QuotaReserved": ["False", "Inadmissible", "there is no such queue"]})
    assert refused.judge(history_of(story, QUEUE)).outcome is Outcome.UNKNOWN
    by_status = Vocabulary(group_conditions=("QuotaReserved=False",), group_tells_of_members=True)
    assert refused.judge(history_of(story, by_status)).outcome is Outcome.PASS


def let_in_later() -> Story:
    """A gang that a queue holds back before it has any pod, and whose pods come when it is let in."""
    story = Story().node("n1").submit(BIG, create=False).group("big").expect("refused", "big")
    story.group("big", conditions=NO_QUOTA).after(1).lift("big")
    story.after(1).group("big", conditions=LET_IN)
    for name, role in BIG.members():
        story.pod(name, gang="big", role=role)
    return story.bind_all(BIG)


def test_a_gang_that_was_held_back_before_it_had_pods_was_refused() -> None:
    assert refused.judge(history_of(let_in_later(), QUEUE)).outcome is Outcome.PASS
    alone = Vocabulary(group_conditions=QUEUE.group_conditions)  # its objects do not tell of members to come
    assert refused.judge(history_of(let_in_later(), alone)).outcome is Outcome.UNKNOWN


def test_what_was_held_back_at_first_is_no_evidence_for_members_that_the_case_creates_later() -> None:
    story = let_in_later().act("create", "big", count=1).pod("big-2", gang="big").expect("unbound", "big")
    story.expect("refused", "big")
    assert refused.judge(history_of(story, QUEUE)).outcome is Outcome.VIOLATED


def passed_by(*states: list[str], opened: bool = False) -> Story:
    """A gang whose group says this between the submission of a fence and its bind; at last it is let in."""
    story = held_back()
    if opened:
        story.group("big", conditions=LET_IN)
        for name, _ in BIG.members():
            story.watch("Pod", name, gates=0)
    story.act("fence", "later").pod("later", part="fence").after(1)
    for state in states:
        story.group("big", conditions={"QuotaReserved": state})
    return story.bind("later").after(1).group("big", conditions=LET_IN)


def test_a_fence_may_pass_a_gang_that_is_let_in_meanwhile() -> None:
    let_in, taken_back = LET_IN["QuotaReserved"], ["False", "Evicted", ""]
    for story, outcome in (
        (passed_by(), Outcome.PASS),
        (passed_by(let_in), Outcome.UNKNOWN),
        (passed_by(let_in, taken_back), Outcome.PASS),
        (passed_by(let_in, opened=True), Outcome.PASS),
    ):
        assert refused.judge(history_of(story, QUEUE)).outcome is outcome
        assert refused.judge(history_of(story, COMMON)).outcome is Outcome.PASS


def test_a_watch_of_groups_may_lag_behind_that_of_pods() -> None:
    history = history_of(passed_by(opened=True), QUEUE)
    records = list(history.records)
    let_in = next(pos for pos, record in enumerate(records) if record.state.get("conditions") == LET_IN)
    records.insert(let_in + 2, records.pop(let_in))  # as they arrive while a case runs: both gates first
    replay = Replay(history.header)
    for record in records:
        replay.feed(record)

    incarnation = replay.timeline.incarnation("ns/big", len(records))

    assert incarnation is not None
    assert refused.evidence(replay.timeline, incarnation, len(records)) is not None


def test_a_gate_that_is_removed_later_does_not_undo_what_a_fence_has_shown() -> None:
    story = held_back().watch("Pod", "big-0", gates=2).group("big", conditions=LET_IN)  # it has a gate of the user, too
    story.watch("Pod", "big-0", gates=1).watch("Pod", "big-1", gates=0)
    story.act("fence", "later").pod("later", part="fence").bind("later").after(1).lift("big")
    story.watch("Pod", "big-0", gates=0).bind_all(BIG)
    assert refused.judge(history_of(story, QUEUE)).outcome is Outcome.PASS


def running() -> Story:
    """A gang that runs, and one that waits."""
    story = Story(start_after_eviction=10).node("n1").submit(BIG).bind_all(BIG).after(1).submit(Gang("high", 2))
    return story.after(1)


def test_victims_are_named_in_the_words_of_the_integration() -> None:
    for story, vocabulary in (
        (running().condition("big-0", "TerminationTarget", "True", "Preempted"), QUEUE),
        (running().audit("delete", "big-0", by="queue-manager/v1"), QUEUE),
        (running().event("Evict", "big-0"), Vocabulary(victim_events=("Preempted", "Evict"))),
    ):
        assert preemption.judge(history_of(story, vocabulary)).figures["victims"] == 1
        assert preemption.judge(history_of(story, COMMON)).figures["victims"] == 0


def test_a_group_that_is_evicted_has_its_bound_members_as_victims_once() -> None:
    evicted = {"Preempted": ["True", "InClusterQueue", ""]}
    story = running().pod("big-2", gang="big").group("big").group("big", conditions=evicted).after(1)
    story.group("big", conditions={**evicted, "QuotaReserved": ["False", "Pending", ""]})
    assert preemption.judge(history_of(story, QUEUE)).figures["victims"] == 2
    assert preemption.judge(history_of(story, COMMON)).figures["victims"] == 0


def test_a_group_that_comes_back_can_be_evicted_again() -> None:
    states = ("True", "False", "True")
    story = running().group("big")
    for status in states:
        story.group("big", conditions={"Preempted": [status, "InClusterQueue", ""]}).after(1)
        if status == "True":
            story.gone("big-0").gone("big-1")
        else:
            story.pod("big-0", gang="big").pod("big-1", gang="big").bind_all(BIG)
    assert preemption.judge(history_of(story, QUEUE)).figures["victims"] == 4


def test_a_history_keeps_all_words_and_reads_those_it_knows() -> None:
    data = json.loads(json.dumps(QUEUE.as_data()))
    assert vocabulary_of({"vocabulary": data}) == QUEUE
    assert vocabulary_of({"vocabulary": {**data, "words_of_a_newer_muster": ["x"]}}) == QUEUE
    assert timeline(history_of(running(), QUEUE)).vocabulary == QUEUE


def test_a_history_without_a_vocabulary_is_read_as_it_was_recorded() -> None:
    assert vocabulary_of({}) == BEFORE_VOCABULARIES
    assert preemption.judge(history_of(running().event("Evict", "big-0"), None)).figures["victims"] == 1
    normal = Story().node("n1").submit(BIG).expect("refused", "big").event("Unschedulable", "big-1", type="Normal")
    assert refused.judge(history_of(normal, None)).outcome is Outcome.PASS
    assert refused.judge(history_of(normal, COMMON)).outcome is Outcome.UNKNOWN
