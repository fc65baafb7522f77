"""Start order, barrier and claims."""

from __future__ import annotations

from harness.core.gang import Gang
from harness.core.oracle.checks import assertions, barrier, order
from harness.core.verdict import Outcome

from .story import BEGAN, Story

A, B = Gang("a", 2), Gang("b", 2)


def both() -> Story:
    return Story().node("n1").submit(A).submit(B).expect("order", "a", "b")


def test_the_later_gang_waits_for_quorum_of_the_earlier() -> None:
    assert order.judge(both().bind_all(A).bind_all(B).end(9)).outcome is Outcome.PASS
    early = order.judge(both().bind("a-0").bind("b-0").bind("a-1").bind("b-1").end(9))
    assert early.outcome is Outcome.VIOLATED
    assert "b-0" in early.reason
    assert order.judge(both().bind_all(B).end(9)).outcome is Outcome.VIOLATED
    assert order.judge(both().end(9)).outcome is Outcome.PASS


def waiting(**details: object) -> Story:
    return Story().node("n1").submit(A).bind_all(A).expect("barrier", "a", init="wait", **details)


def running(**when: float) -> dict[str, float]:
    return {name: BEGAN + at for name, at in when.items()}


def test_no_main_container_before_all_members_wait() -> None:
    good = waiting(count=2)
    good.watch("Pod", "a-0", running=running(wait=1), inits=["wait"])
    good.watch("Pod", "a-0", running=running(wait=1, main=5))
    good.watch("Pod", "a-1", running=running(wait=3))  # reported late, started in time
    assert barrier.judge(good.end(9)).outcome is Outcome.PASS
    bad = waiting(count=2).watch("Pod", "a-0", running=running(wait=1, main=2))
    bad.watch("Pod", "a-1", running=running(wait=4))
    verdict = barrier.judge(bad.end(9))
    assert verdict.outcome is Outcome.VIOLATED
    assert "1 of 2" in verdict.reason


def test_other_init_containers_are_not_main_containers() -> None:
    base = waiting(count=2).watch("Pod", "a-0", running=running(other=1), inits=["other", "wait"])
    assert barrier.judge(base.end(9)).outcome is Outcome.PASS
    main = waiting(count=2).watch("Pod", "a-0", running=running(other=1), inits=["wait"])
    assert barrier.judge(main.end(9)).outcome is Outcome.VIOLATED


def test_a_member_that_is_gone_does_not_count() -> None:
    base = waiting(count=2).watch("Pod", "a-1", running=running(wait=1)).at(2).gone("a-1")
    base.watch("Pod", "a-0", running=running(wait=1, main=5))
    assert barrier.judge(base.end(9)).outcome is Outcome.VIOLATED


def test_claims_hold_or_not_or_could_not_be_seen() -> None:
    def claim(held: object) -> Outcome:
        return assertions.judge(Story().act("claim", sentence="the file has 2 lines", held=held).end(1)).outcome

    assert claim(True) is Outcome.PASS
    assert claim(False) is Outcome.VIOLATED
    assert claim(None) is Outcome.UNKNOWN


def test_a_barrier_is_that_of_the_gang_as_it_was_submitted_when_it_was_promised() -> None:
    early = running(main=2)
    anew = waiting(count=2).after(1).submit(A, create=False).pod("a-5", gang="a").bind("a-5")
    assert barrier.judge(anew.watch("Pod", "a-5", running=early).end(9)).outcome is Outcome.PASS
    anew.expect("barrier", "a", init="wait", count=2)
    assert barrier.judge(anew.end(9)).outcome is Outcome.VIOLATED


def test_what_starts_after_the_case_deleted_the_gang_is_not_judged() -> None:
    unseen = waiting().delete("a").watch("Pod", "a-0", running=running(main=2))
    assert barrier.judge(unseen.end(9)).outcome is Outcome.PASS
    reported = waiting().watch("Pod", "a-0", running=running(main=2)).delete("a")
    assert barrier.judge(reported.end(9)).outcome is Outcome.VIOLATED
