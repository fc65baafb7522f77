"""Preemption: something starts that victims were evicted for, and victim gangs fall whole."""

from __future__ import annotations

from dataclasses import replace

from harness.core.gang import Gang
from harness.core.oracle.checks import preemption
from harness.core.verdict import Outcome

from .story import Story

LOW, HIGH = Gang("low", 2), Gang("high", 2)
ATOM = Gang("low", 3, disruption="gang")


def story(low: Gang = LOW) -> Story:
    base = Story(start_after_eviction=10, evicted=10).node("n1").submit(low).bind_all(low)
    return base.after(1).submit(HIGH).after(1)


def preempt(base: Story, *names: str) -> Story:
    for name in names:
        base.condition(name, "DisruptionTarget", "True", "PreemptionByScheduler").terminating(name)
    return base


def test_a_victim_for_which_a_gang_starts_passes() -> None:
    base = preempt(story(), "low-0", "low-1").after(1).gone("low-0").gone("low-1").bind_all(HIGH)
    verdict = preemption.judge(base.end(60))
    assert verdict.outcome is Outcome.PASS
    assert verdict.figures["victims"] == 2


def test_a_victim_for_nothing_is_violated() -> None:
    verdict = preemption.judge(preempt(story(), "low-0").gone("low-0").end(60))
    assert verdict.outcome is Outcome.VIOLATED
    assert "low-0" in verdict.reason
    assert preemption.judge(preempt(story(), "low-0").gone("low-0").end(5)).outcome is Outcome.UNKNOWN


def test_the_time_that_a_victim_needs_to_go_does_not_count() -> None:
    def gone_at(seconds: float, name: str = "low-1") -> Outcome:
        base = preempt(story(), "low-0", name).gone("low-0").at(seconds).gone(name).after(5).bind_all(HIGH)
        return preemption.judge(base.end(90)).outcome

    assert gone_at(40) is Outcome.PASS
    late = preempt(story(), "low-0").at(40).gone("low-0").after(11).bind_all(HIGH)
    assert preemption.judge(late.end(90)).outcome is Outcome.VIOLATED
    held = preempt(story(), "low-0")
    assert preemption.judge(held.end(90)).outcome is Outcome.UNKNOWN


def test_a_start_that_was_not_waiting_does_not_count() -> None:
    late = Gang("later", 1)
    base = preempt(story(), "low-0").gone("low-0").after(1).submit(late).bind_all(late)
    assert preemption.judge(base.end(60)).outcome is Outcome.VIOLATED


def test_a_fence_does_not_excuse_an_eviction() -> None:
    base = story().act("fence", "f").pod("f", part="fence").after(0.1)
    assert preemption.judge(preempt(base, "low-0").gone("low-0").bind("f").end(60)).outcome is Outcome.VIOLATED


def test_events_and_deletions_by_the_scheduler_make_victims() -> None:
    assert preemption.judge(story().event("Preempted", "low-0").end(60)).outcome is Outcome.VIOLATED
    assert preemption.judge(story().audit("delete", "low-0").end(60)).outcome is Outcome.VIOLATED
    assert preemption.judge(story().audit("evict", "low-0", code=201).end(60)).outcome is Outcome.VIOLATED


def test_a_member_that_the_scheduler_fails_is_a_victim_and_one_that_fails_by_itself_is_none() -> None:
    def failing(who: str) -> int:
        verdict = preemption.judge(story().watch("Pod", "low-0", phase="Failed", failed_by=who).end(60))
        assert (verdict.outcome is Outcome.VIOLATED) is bool(verdict.figures["victims"])
        return int(verdict.figures["victims"])

    assert failing("gang-scheduler") == 1
    assert failing("kubelet") == 0
    assert failing("") == 0


def test_others_do_not_make_victims() -> None:
    for base in (
        story().audit("delete", "low-0", by="kubectl/v1"),
        story().audit("delete", "low-0", code=404),
        story().condition("low-0", "DisruptionTarget", "True", "DeletionByTaintManager"),
        story().audit("delete", "high-0"),  # never bound
        story().delete("low").audit("delete", "low-0"),
        story().act("delete", "low", what="members", members=["low-0"]).audit("delete", "low-0"),
    ):
        verdict = preemption.judge(base.end(60))
        assert (verdict.outcome, verdict.figures["victims"]) == (Outcome.PASS, 0)


def test_a_rollback_has_no_victims() -> None:
    base = story().bind("high-0").audit("delete", "high-0").gone("high-0")
    assert preemption.judge(base.end(60)).figures["victims"] == 0


def test_a_rollback_of_a_gang_that_begins_anew_has_no_victims() -> None:
    base = Story(start_after_eviction=10).node("n1").submit(LOW).bind_all(LOW).after(1)
    base.act("delete", "low", what="members", members=["low-0", "low-1"]).gone("low-0").gone("low-1").after(1)
    base.act("create", "low", count=2).pod("low-0", gang="low").pod("low-1", gang="low").bind("low-0").after(0.5)
    base.audit("delete", "low-0").terminating("low-0").gone("low-0")

    assert preemption.judge(base.end(60)).outcome is Outcome.PASS


def test_a_victim_gang_falls_whole_or_keeps_quorum() -> None:
    def fallen(*names: str) -> Story:
        base = preempt(story(ATOM), *names).after(1)
        for name in names:
            base.gone(name)
        return base.bind_all(HIGH)

    assert preemption.judge(fallen("low-0", "low-1", "low-2").end(60)).outcome is Outcome.PASS
    broken = preemption.judge(fallen("low-0").end(60))
    assert broken.outcome is Outcome.VIOLATED
    assert "left with 2" in broken.reason


def test_a_gang_that_is_promised_to_stay_untouched_has_no_victims() -> None:
    def promised() -> Story:
        return story().expect("untouched", "low").after(1)

    def start(base: Story) -> Outcome:
        return preemption.judge(base.after(1).bind_all(HIGH).end(60)).outcome

    assert start(preempt(promised(), "low-0")) is Outcome.VIOLATED
    assert start(promised()) is Outcome.PASS
    assert start(preempt(promised().lift("low"), "low-0")) is Outcome.PASS


def test_a_victim_gang_may_keep_its_quorum() -> None:
    spare = Gang("low", 3, quorum=2, disruption="gang")
    base = preempt(story(spare), "low-0").after(1).gone("low-0").bind_all(HIGH)
    assert preemption.judge(base.end(60)).outcome is Outcome.PASS


def unaudited(base: Story, seconds: float = 60) -> Outcome:
    history = base.end(seconds)
    return preemption.judge(replace(history, header={**history.header, "audit": False})).outcome


def test_without_an_audit_log_a_member_that_somebody_deleted_is_unknown() -> None:
    base = story().gone("low-0")
    assert preemption.judge(base.end(60)).outcome is Outcome.PASS  # the audit log would name who deleted it
    assert unaudited(story().gone("low-0")) is Outcome.UNKNOWN
    assert unaudited(story().act("delete", "low", what="members", members=["low-0"]).gone("low-0")) is Outcome.PASS
    assert unaudited(story().delete("low").gone("low-0")) is Outcome.PASS


def test_without_an_audit_log_a_single_pod_that_somebody_deleted_is_unknown() -> None:
    def single() -> Story:
        return story().pod("single", labels={"muster.dev/part": "plain"}).bind("single")

    assert unaudited(single()) is Outcome.PASS
    assert unaudited(single().gone("single")) is Outcome.UNKNOWN
    assert unaudited(single().act("note", text="", deleted=["ns/single"]).gone("single")) is Outcome.PASS
    foreign = story().pod("theirs").bind("theirs").gone("theirs")  # it has no label of a case
    assert unaudited(foreign) is Outcome.PASS


def test_without_an_audit_log_a_victim_is_known_by_its_condition() -> None:
    assert unaudited(preempt(story(), "low-0").gone("low-0")) is Outcome.VIOLATED
    whole = preempt(story(), "low-0", "low-1").after(1).gone("low-0").gone("low-1").bind_all(HIGH)
    assert unaudited(whole) is Outcome.PASS


def victims(base: Story) -> int:
    return int(preemption.judge(base.end(60)).figures["victims"])


def test_a_sign_that_comes_late_is_about_the_moment_at_which_the_pod_left() -> None:
    base = story().terminating("low-0").after(1).bind_all(HIGH).gone("low-0").event("Preempted", "low-0")
    assert preemption.judge(base.end(60)).outcome is Outcome.PASS  # the gang was waiting when the pod left
    anew = story().gone("low-0").gone("low-1").pod("low-0", gang="low").bind("low-0")
    late = anew.gone("low-0").event("Preempted", "low-0")
    assert victims(late) == 0  # it was taken back before the gang had its quorum again


def test_a_request_is_dated_by_the_change_that_shows_it() -> None:
    base = Story(start_after_eviction=10).node("n1").submit(LOW).bind_all(LOW).after(1)
    base.audit("delete", "low-0").pod("single")  # its record was delivered late, so the request stands before it
    base.terminating("low-0").gone("low-0").bind("single")
    assert preemption.judge(base.end(60)).outcome is Outcome.PASS


def test_a_condition_that_only_stands_there_names_no_victim() -> None:
    rollback = story().bind("high-0").condition("high-0", "DisruptionTarget", "True", "PreemptionByScheduler")
    assert victims(rollback.bind("high-1").watch("Pod", "high-0", ready=True)) == 0


def test_a_pod_that_is_going_already_is_no_victim_of_its_group() -> None:
    base = story().group("low").terminating("low-0")
    history = base.group("low", conditions={"Preempted": ["True", "InClusterQueue", ""]}).end(60)
    terms = {"vocabulary": {"group_victims": ["Preempted=True"]}}
    verdict = preemption.judge(replace(history, header={**history.header, **terms}))
    assert verdict.figures["victims"] == 1


def test_a_gang_that_the_case_has_deleted_does_not_start() -> None:
    base = preempt(story(), "low-0").after(1).delete("high").bind_all(HIGH)
    assert preemption.judge(base.end(60)).outcome is Outcome.UNKNOWN


def test_a_gang_starts_too_when_the_case_lowers_its_quorum() -> None:
    base = preempt(story().bind("high-0"), "low-0").after(1).act("edit", "high", quorum=1)
    assert preemption.judge(base.end(60)).outcome is Outcome.PASS


def test_a_waiting_pod_that_the_case_deletes_leaves_it_open_what_was_evicted_for_it() -> None:
    base = Story(start_after_eviction=10).node("n1").submit(LOW).bind_all(LOW).after(1).pod("single").after(1)
    preempt(base, "low-0").after(1).act("note", text="", deleted=["ns/single"]).gone("single")
    assert preemption.judge(base.end(60)).outcome is Outcome.UNKNOWN


def test_a_gang_that_lost_its_quorum_to_the_eviction_was_not_waiting_for_it() -> None:
    base = story().watch("Pod", "low-0", phase="Failed", failed_by="gang-scheduler").delete("low")
    assert preemption.judge(base.end(60)).outcome is Outcome.VIOLATED


def test_a_victim_gang_that_kept_its_quorum_may_lose_members_to_others_later() -> None:
    spare = Gang("low", 3, quorum=2, disruption="gang")
    base = preempt(story(spare), "low-0").after(1).gone("low-0").bind_all(HIGH).after(1)
    assert (
        preemption.judge(base.watch("Pod", "low-1", phase="Failed", failed_by="kubelet").end(60)).outcome
        is Outcome.PASS
    )


def test_what_is_left_of_a_victim_gang_after_the_case_deleted_it_proves_nothing() -> None:
    base = preempt(story(ATOM), "low-0").after(1).gone("low-0").bind_all(HIGH).after(1).delete("low")
    assert preemption.judge(base.gone("low-1").gone("low-2").end(60)).outcome is Outcome.UNKNOWN


def test_without_an_audit_log_it_counts_what_was_so_when_the_pod_went() -> None:
    assert unaudited(story().gone("low-0").after(1).delete("low")) is Outcome.UNKNOWN
    again = story().gone("low-0").gone("low-1").pod("low-0", gang="low").bind("low-0")
    assert unaudited(again) is Outcome.UNKNOWN
    assert unaudited(story().gone("low-0").after(1).no_node("n1")) is Outcome.UNKNOWN
    assert unaudited(story().no_node("n1").gone("low-0")) is Outcome.PASS
