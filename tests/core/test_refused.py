"""Refused, not ignored: silence is unknown, evidence passes, a bind is a violation."""

from __future__ import annotations

from harness.core.gang import Gang
from harness.core.oracle.checks import refused
from harness.core.oracle.replay import replay, timeline
from harness.core.verdict import Outcome

from .story import Story

BIG = Gang("big", 4)


def story() -> Story:
    return Story().node("n1", gpus=2).submit(BIG).expect("refused", "big").after(1)


def test_silence_is_unknown() -> None:
    assert refused.judge(story().end(60)).outcome is Outcome.UNKNOWN


def test_the_scheduler_s_own_words_are_evidence() -> None:
    for variant in (
        story().unschedulable("big-3"),
        story().event("FailedScheduling", "big-3", type="Warning"),
        story().pod("hold-0", gang="big", part="placeholder").unschedulable("hold-0"),
    ):
        assert refused.judge(variant.end(60)).outcome is Outcome.PASS


def test_words_about_a_gang_without_members_are_evidence() -> None:
    for variant in (
        suspended().event("Unschedulable", "big", kind="PodGroup", gang="ns/big"),
        suspended().group("big", conditions={"Unschedulable": ["True", "NotEnoughResources", ""]}),
        suspended().group("big", conditions={"PodGroupScheduled": ["False", "Unschedulable", ""]}),
        suspended().group("big", phase="Unschedulable"),
    ):
        assert refused.judge(variant.end(60)).outcome is Outcome.PASS


def suspended() -> Story:
    """A gang that nobody has let in: its group is there, and no member."""
    return Story().node("n1", gpus=2).submit(BIG, create=False).group("big").expect("refused", "big").after(1)


def test_words_that_may_have_been_decided_before_the_last_member_came_are_no_evidence() -> None:
    for variant in (
        story().unschedulable("big-2"),
        story().event("FailedScheduling", "big-0", type="Warning"),
        story().group("big", conditions={"PodGroupScheduled": ["False", "Unschedulable", ""]}),
        suspended().group("big", phase="Unschedulable").pod("big-0", gang="big"),
    ):
        assert refused.judge(variant.end(60)).outcome is Outcome.UNKNOWN


def test_a_late_word_about_the_first_member_does_not_excuse_the_binds_after_it() -> None:
    variant = story().unschedulable("big-0").bind("big-0").bind("big-1").bind("big-2").bind("big-3")

    assert refused.judge(variant.end(60)).outcome is Outcome.VIOLATED


def test_a_case_waits_for_the_evidence_of_the_check() -> None:
    for variant in (
        story(),
        story().unschedulable("big-0"),
        story().unschedulable("big-3"),
        story().event("FailedScheduling", "big-3", type="Warning", gang="ns/big"),
        story().event("FailedScheduling", "big-2", type="Warning", gang="ns/big"),
        story().group("big", phase="Unschedulable"),
        suspended().group("big", phase="Unschedulable"),
        story().pod("hold-0", gang="big", part="placeholder").unschedulable("hold-0"),
        arriving(),
        arriving().unschedulable("big-0"),
        arriving().unschedulable("big-3"),
    ):
        line = timeline(variant.end(60))
        evidence = refused.evidence(line, line.incarnations["ns/big"][0], line.last)
        assert (evidence is not None) == (refused.judge(variant.build()).outcome is Outcome.PASS)


def test_what_was_bound_before_the_members_came_back_is_past() -> None:
    def back() -> Story:
        variant = Story().node("n1").submit(BIG).bind_all(BIG).act("delete", "big", what="members")
        for n in range(4):
            variant.gone(f"big-{n}")
        variant.act("create", "big", count=4)
        for n in range(4):
            variant.pod(f"big-{n}", gang="big")
        return variant.expect("refused", "big")

    assert refused.judge(back().unschedulable("big-3").end(60)).outcome is Outcome.PASS
    assert refused.judge(back().bind("big-0").unschedulable("big-3").end(60)).outcome is Outcome.VIOLATED
    assert refused.judge(back().end(60)).outcome is Outcome.UNKNOWN


def test_members_that_the_case_adds_must_be_known_too() -> None:
    def grown() -> Story:
        base = Story().node("n1").submit(Gang("big", 4, missing=1)).expect("refused", "big").unschedulable("big-2")
        return base.act("create", "big", count=1).pod("big-3", gang="big").expect("refused", "big")

    assert refused.judge(grown().end(60)).outcome is Outcome.UNKNOWN
    assert refused.judge(grown().unschedulable("big-3").end(60)).outcome is Outcome.PASS


def arriving() -> Story:
    """The scheduler says no to the first member, then the others come."""
    story = Story().node("n1", gpus=4).submit(BIG, create=False).expect("refused", "big")
    story.pod("big-0", gang="big").unschedulable("big-0")
    for name in ("big-1", "big-2", "big-3"):
        story.pod(name, gang="big")
    return story


def test_words_about_a_part_of_the_gang_are_no_evidence() -> None:
    bound = arriving().bind("big-0").bind("big-1").bind("big-2").bind("big-3").end(60)

    assert refused.judge(bound).outcome is Outcome.VIOLATED


def test_a_gang_that_was_refused_and_bound_before_the_case_spoke_is_not_refused() -> None:
    variant = Story().node("n1", gpus=4).submit(BIG).unschedulable("big-3").bind("big-0").expect("refused", "big")

    assert refused.judge(variant.end(60)).outcome is Outcome.VIOLATED


def test_words_that_only_stand_there_still_are_no_evidence() -> None:
    assert refused.judge(arriving().unschedulable("big-0").end(60)).outcome is Outcome.UNKNOWN
    assert refused.judge(arriving().unschedulable("big-3").end(60)).outcome is Outcome.PASS


def test_what_others_write_is_no_evidence() -> None:
    for variant in (
        story().condition("big-0", "PodScheduled", "False", "SchedulingGated"),
        story().event("FailedCreate", "big", kind="Job", type="Warning", gang="ns/big"),
        story().event("FailedScheduling", "stranger", type="Warning"),
        story().event("Scheduled", "big-0", type="Normal"),
        story().group("big", phase="Pending"),
    ):
        assert refused.judge(variant.end(60)).outcome is Outcome.UNKNOWN


def test_a_bind_before_the_evidence_is_violated() -> None:
    verdict = refused.judge(story().bind("big-0").unschedulable("big-3").end(60))
    assert verdict.outcome is Outcome.VIOLATED
    assert "big-0" in verdict.reason


def test_a_fence_of_the_same_scheduler_submitted_later_is_evidence() -> None:
    bound = story().act("fence", "f").pod("f", part="fence").after(1).bind("f").end(60)
    assert refused.judge(bound).outcome is Outcome.PASS
    unbound = story().act("fence", "f").pod("f", part="fence").end(60)
    assert refused.judge(unbound).outcome is Outcome.UNKNOWN
    stranger = story().act("fence", "f").pod("f", part="fence", scheduler="default-scheduler").bind("f").end(60)
    assert refused.judge(stranger).outcome is Outcome.UNKNOWN
    earlier = Story().node("n1").act("fence", "f").pod("f", part="fence").submit(BIG).expect("refused", "big")
    assert refused.judge(earlier.bind("f").end(60)).outcome is Outcome.UNKNOWN


def test_evidence_of_an_earlier_life_does_not_count() -> None:
    variant = story().unschedulable("big-0").delete("big")
    for n in range(4):
        variant.gone(f"big-{n}")
    assert refused.judge(variant.submit(BIG).expect("refused", "big").end(60)).outcome is Outcome.UNKNOWN


def test_unbound_holds_until_it_is_lifted() -> None:
    def promised() -> Story:
        return Story().node("n1").submit(BIG).expect("unbound", "big").after(5)

    assert refused.judge(promised().end(60)).outcome is Outcome.PASS
    assert refused.judge(promised().bind("big-0").end(60)).outcome is Outcome.VIOLATED
    assert refused.judge(promised().lift("big").bind("big-0").end(60)).outcome is Outcome.PASS
    assert refused.judge(promised().lift("other").bind("big-0").end(60)).outcome is Outcome.VIOLATED
    assert refused.judge(promised().delete("big").bind("big-0").end(60)).outcome is Outcome.PASS


def test_unbound_is_broken_by_what_is_bound_already() -> None:
    history = Story().node("n1").submit(BIG).bind("big-0").expect("unbound", "big").end(60)
    assert refused.judge(history).outcome is Outcome.VIOLATED


def test_a_promise_ends_with_the_gang_even_if_it_is_lifted_later() -> None:
    base = Story().node("n1").submit(BIG).expect("unbound", "big").delete("big").bind("big-0").lift("big")
    assert refused.judge(base.end(60)).outcome is Outcome.PASS


def test_evidence_before_the_submission_does_not_count() -> None:
    base = Story().node("n1").pod("big-0", gang="big").unschedulable("big-0")
    base.submit(BIG, create=False).expect("refused", "big")
    assert refused.judge(base.end(60)).outcome is Outcome.UNKNOWN


def test_a_fence_before_any_member_exists_proves_nothing() -> None:
    base = Story().node("n1").submit(BIG, create=False).expect("refused", "big")
    base.act("fence", "f").pod("f", part="fence").bind("f").after(1).pod("big-0", gang="big")
    assert refused.judge(base.end(60)).outcome is Outcome.UNKNOWN


def test_the_scheduler_is_at_work_on_a_gang_again_when_it_writes_about_it() -> None:
    variant = story().unschedulable("big-3")
    assert replay({}, variant.records).unpromised_change("ns/big") is None, "nothing was changed since the promise"

    variant.act("node-add", count=1)
    changed = replay({}, variant.records).unpromised_change("ns/big")
    assert changed == len(variant.records) - 1

    def is_tried() -> bool:
        return replay({}, variant.records).incarnations["ns/big"][-1].tried > changed

    variant.act("note", text="a fence").event("Scheduled", "big-0", type="Normal")
    assert not is_tried()
    variant.event("FailedScheduling", "big-0", type="Warning")
    assert is_tried()
    changed = replay({}, variant.act("node-add", count=1).records).unpromised_change("ns/big")
    assert not is_tried()
    variant.condition("big-1", "PodScheduled", "False", "Unschedulable")
    assert is_tried()
    assert replay({}, variant.expect("unbound", "big").records).unpromised_change("ns/big") is None


def test_an_event_about_a_pod_that_nobody_saw_is_not_about_the_group() -> None:
    base = suspended().event("FailedScheduling", "big-0", type="Warning", gang="ns/big")
    assert refused.judge(base.end(60)).outcome is Outcome.UNKNOWN


def test_an_event_that_expires_is_no_evidence_and_one_that_is_repeated_is_about_the_pod_that_it_was_about() -> None:
    expired = Story().node("n1").submit(BIG.but(missing=1)).event("FailedScheduling", "big-2", type="Warning")
    event = next(key.partition("/")[2] for key in expired.states if key.startswith("Event/"))
    expired.act("create", "big", count=1).pod("big-3", gang="big").expect("refused", "big")
    assert refused.judge(expired.watch("Event", event, "deleted").end(60)).outcome is Outcome.UNKNOWN

    repeated = story().event("FailedScheduling", "big-0", type="Warning")
    event = next(key.partition("/")[2] for key in repeated.states if key.startswith("Event/"))
    repeated.gone("big-0").pod("big-0", gang="big").watch("Event", event, message="again")
    assert refused.judge(repeated.end(60)).outcome is Outcome.UNKNOWN


def test_what_a_group_object_says_still_is_no_evidence() -> None:
    base = Story().node("n1").submit(BIG, create=False).group("big", phase="Unschedulable")
    base.act("create", "big", count=1).expect("refused", "big").after(1)
    base.group("big", conditions={"Ready": ["False", "NotYet", ""]})
    assert refused.judge(base.end(60)).outcome is Outcome.UNKNOWN
    base.group("big", conditions={"PodGroupScheduled": ["False", "Unschedulable", ""]})
    assert refused.judge(base.build()).outcome is Outcome.PASS


def test_a_promise_about_a_gang_that_the_case_has_deleted_is_over_at_once() -> None:
    base = Story().node("n1").submit(BIG).delete("big").bind("big-0")
    assert refused.judge(base.expect("unbound", "big").end(60)).outcome is Outcome.PASS
    assert refused.judge(base.expect("refused", "big").end(60)).outcome is Outcome.UNKNOWN


def test_to_create_only_the_group_is_not_to_create_members() -> None:
    def bound_first() -> Story:
        return Story().node("n1").submit(BIG).bind("big-0").after(1).act("create", "big").gone("big-0")

    base = bound_first().unschedulable("big-3").expect("refused", "big")
    assert refused.judge(base.end(60)).outcome is Outcome.VIOLATED


def test_evidence_from_before_the_last_creation_does_not_count() -> None:
    base = Story().node("n1").submit(BIG).pod("big-4", gang="big").unschedulable("big-4")  # a controller made a fifth
    base.act("create", "big", count=1).expect("refused", "big")
    assert refused.judge(base.end(60)).outcome is Outcome.UNKNOWN


def test_a_fence_before_the_first_pod_proves_nothing_even_if_a_placeholder_comes_later() -> None:
    base = suspended().act("fence", "f").pod("f", part="fence").bind("f")
    base.pod("hold-0", gang="big", part="placeholder")
    assert refused.judge(base.end(60)).outcome is Outcome.UNKNOWN
