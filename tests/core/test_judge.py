"""Verdicts combine: worst wins, blindness is unknown, our own faults are never violations, observers only report."""

from __future__ import annotations

import pytest

from harness.bench import synthetic
from harness.core.gang import Gang, Role, gang_from_record
from harness.core.history.records import History
from harness.core.oracle import checks
from harness.core.oracle.checks import CHECKS, atomic, judge_all, liveness, overbooking, refused
from harness.core.oracle.judge import case_outcome, judge_case, soften
from harness.core.verdict import Outcome

from .story import Story

GANG = Gang("a", 3)


def story() -> Story:
    return Story().node("n1").submit(GANG)


def by_name(history: History) -> dict[str, Outcome]:
    return {verdict.check: verdict.outcome for verdict in judge_all(history)}


def test_every_check_has_a_name_a_law_and_a_reason() -> None:
    verdicts = judge_all(story().bind_all(GANG).end(60))
    assert [verdict.check for verdict in verdicts] == [check.NAME for check in CHECKS]
    assert len({check.NAME for check in CHECKS}) == 12
    assert all(verdict.promised and verdict.reason for verdict in verdicts)


def test_an_honest_history_passes_everything() -> None:
    verdicts = judge_all(synthetic.history(pods=300, nodes=20, gpus=16))
    assert {verdict.outcome for verdict in verdicts} == {Outcome.PASS}
    assert case_outcome(verdicts) is Outcome.PASS


def test_a_case_is_as_bad_as_its_worst_check() -> None:
    assert case_outcome(judge_case(story().bind("a-0").end(60))) is Outcome.VIOLATED
    assert (
        case_outcome(judge_case(story().bind_all(GANG).expect("bound", "a", within=90, all=True).end(60)))
        is Outcome.PASS
    )
    assert case_outcome(judge_case(story().expect("bound", "a", within=90).end(60))) is Outcome.UNKNOWN


def test_a_case_in_which_nothing_was_judged_is_unknown() -> None:
    assert case_outcome(judge_case(Story().node("n1").end(60))) is Outcome.UNKNOWN


def test_an_observer_reports_and_never_accuses() -> None:
    broken = story().bind("a-0").end(60)
    softened = judge_case(broken, "OBSERVE")
    assert case_outcome(softened) is Outcome.PASS
    atomic_verdict = next(verdict for verdict in softened if verdict.check == "atomic")
    assert "1 of 3" in atomic_verdict.figures["observed"]
    assert atomic_verdict.witness is not None
    cut = judge_case(story().expect("bound", "a", within=90).end(60), "OBSERVE")
    assert case_outcome(soften(cut)) is Outcome.UNKNOWN


def test_a_check_that_breaks_is_unknown_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(history: History) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(checks.atomic, "judge", broken)
    atomic_verdict = next(verdict for verdict in judge_all(story().end(60)) if verdict.check == "atomic")
    assert atomic_verdict.outcome is Outcome.UNKNOWN
    assert "ZeroDivisionError: oops" in atomic_verdict.reason


def test_a_gap_in_pods_makes_what_depends_on_it_unknown() -> None:
    history = story().lost("Pod", 101, 104).bind_all(GANG).end(60)
    assert by_name(history)["atomic"] is Outcome.UNKNOWN
    assert by_name(history)["overbooking"] is Outcome.UNKNOWN
    assert by_name(history)["preemption"] is Outcome.UNKNOWN
    assert by_name(history)["assertions"] is Outcome.PASS


def test_a_gap_in_another_kind_does_not() -> None:
    history = story().lost("Event", 101, 104).bind_all(GANG).end(60)
    assert by_name(history)["atomic"] is Outcome.PASS
    nodes = story().lost("Node", 101, 104).bind_all(GANG).end(60)
    assert by_name(nodes)["overbooking"] is Outcome.UNKNOWN
    assert by_name(nodes)["atomic"] is Outcome.PASS


def test_a_violation_proven_before_the_gap_stays() -> None:
    early = story().bind("a-0").after(10).node("n2").node("n3").lost("Pod", 106, 200).end(60)
    assert atomic.judge(early).outcome is Outcome.VIOLATED
    during = story().bind("a-0").lost("Pod", 105, 200).after(10).end(60)
    assert atomic.judge(during).outcome is Outcome.UNKNOWN


def test_what_was_seen_stays_seen_across_a_gap() -> None:
    base = story().expect("bound", "a").lost("Pod", 101, 104).after(1).bind_all(GANG)
    assert liveness.judge(base.end(60)).outcome is Outcome.PASS
    bound = story().expect("unbound", "a").lost("Pod", 101, 104).after(1).bind("a-0")
    assert refused.judge(bound.end(60)).outcome is Outcome.VIOLATED
    silent = story().expect("unbound", "a").lost("Pod", 101, 104).after(1)
    assert refused.judge(silent.end(60)).outcome is Outcome.UNKNOWN


def test_an_accepted_bind_the_watch_never_showed_is_a_gap() -> None:
    history = story().audit("bind", "a-0", code=201, node="n1").end(60)
    assert atomic.judge(history).outcome is Outcome.UNKNOWN
    refused_bind = story().audit("bind", "a-0", code=409, node="n1").end(60)
    assert atomic.judge(refused_bind).outcome is Outcome.PASS
    assert atomic.judge(refused_bind).figures["refused_binds"] == 1


def test_the_story_of_a_violation_says_everything() -> None:
    text = overbooking.judge(Story().node("n1", gpus=2).submit(GANG).bind_all(GANG).end(9)).story()
    for part in ("VIOLATED overbooking", "promised", "revision 107", "gang ns/a", "a-2", "> rev 107"):
        assert part in text


def test_fields_of_a_newer_muster_are_passed_over() -> None:
    data = {"name": "g", "size": 2, "colour": "red", "roles": [{"name": "worker", "size": 2, "shape": "round"}]}

    assert gang_from_record(data) == Gang("g", roles=(Role("worker", 2),))
