"""Assertions: claims are judged by their evidence, and never pass against it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.core.gang import Gang
from harness.core.history.records import History
from harness.core.oracle.answers import ACCEPTED, LIMIT, REFUSED, bounded, holds
from harness.core.oracle.checks import assertions
from harness.core.second import second_opinion
from harness.core.verdict import Outcome, Verdict

from .story import BEGAN, NS, Story

SENTENCE = "a gang needs a minimum"


def judge(history: History) -> Verdict:
    """The verdict of the check, which is that of the second judge."""
    verdict = assertions.judge(history)
    assert second_opinion(history)["assertions"] is verdict.outcome
    return verdict


def judged(held: object, detail: str = "", **evidence: Any) -> Verdict:
    story = Story().act("claim", sentence=SENTENCE, held=held, detail=detail, **evidence)
    return judge(story.end(1))


def asked(held: object, expected: str, code: int, message: str = "", mention: str = "") -> Verdict:
    request = {"verb": "create", "object": {"kind": "Workload"}}
    answer = {"code": code, "message": message}
    return judged(held, request=request, answer=answer, expected=expected, mention=mention)


@pytest.mark.parametrize(
    ("held", "outcome"), [(True, Outcome.PASS), (False, Outcome.VIOLATED), (None, Outcome.UNKNOWN)]
)
def test_a_claim_without_evidence_stands_as_it_was_stored(held: object, outcome: Outcome) -> None:
    assert judged(held).outcome is outcome


@pytest.mark.parametrize(
    ("expected", "code", "message", "held"),
    [
        (ACCEPTED, 201, "", True),
        (ACCEPTED, 200, "", True),
        (ACCEPTED, 422, "spec.x: Required value", False),
        (ACCEPTED, 409, "it changed meanwhile", None),
        (ACCEPTED, 0, "no answer", None),
        (REFUSED, 422, "Spec.X: Required value", True),
        (REFUSED, 403, "forbidden: spec.x", True),
        (REFUSED, 422, "spec.y: Required value", False),
        (REFUSED, 201, "", False),
        (REFUSED, 500, "internal error about spec.x", False),
        (REFUSED, 0, "no answer about spec.x", None),
        (REFUSED, 503, "not now, spec.x", None),
    ],
)
def test_a_claim_about_a_request_is_judged_by_the_answer(
    expected: str, code: int, message: str, held: bool | None
) -> None:
    outcomes = {True: Outcome.PASS, False: Outcome.VIOLATED, None: Outcome.UNKNOWN}

    assert holds(expected, code, message, "spec.x") is held
    assert asked(held, expected, code, message, "spec.x").outcome is outcomes[held]


@pytest.mark.parametrize("stored", [True, False, None])
@pytest.mark.parametrize(
    ("code", "held"), [(422, True), (201, False), (0, None)], ids=["refused", "accepted", "no answer"]
)
def test_a_result_that_contradicts_its_answer_never_passes(stored: object, code: int, held: object) -> None:
    verdict = asked(stored, REFUSED, code)

    assert (verdict.outcome is Outcome.PASS) == (stored is True and held is True)
    if held is False:
        assert verdict.outcome is Outcome.VIOLATED
    if stored is not held:
        assert "the answer shows" in verdict.reason


def test_a_failed_assertion_is_a_sentence_with_its_detail() -> None:
    verdict = judged(False, "0 of 4 members bound")

    assert verdict.reason == f"failed: {SENTENCE} (0 of 4 members bound)"


def test_the_witness_shows_request_answer_and_objects() -> None:
    refused = asked(False, ACCEPTED, 422, "spec.x: Required value")
    missed = judged(False, read=[{"kind": "ConfigMap", "metadata": {"name": "train"}, "missing": True}])

    assert refused.witness is not None
    assert missed.witness is not None
    assert "request" in refused.witness.around[-2]
    assert "spec.x: Required value" in refused.witness.around[-1]
    assert '"missing": true' in missed.witness.around[-1]


def test_what_a_claim_keeps_is_bounded() -> None:
    small = {"metadata": {"name": "a", "managedFields": [{"manager": "kubectl"}]}, "items": ({"b"},)}
    large = {"data": "x" * LIMIT}

    assert bounded(small) == {"metadata": {"name": "a"}, "items": [["b"]]}
    assert list(bounded(large)) == ["cut"]
    assert len(bounded(large)["cut"]) == LIMIT


GANG = Gang("a", 3)


def bound() -> Story:
    """A gang and two pods of no gang are bound, all by 0.2 s."""
    story = Story().node("n1").submit(GANG).at(0.1).bind_all(GANG)
    for name in ("p-1", "p-2"):
        story.pod(name).bind(name)
    return story.at(0.2)


def looked(story: Story, held: object, **standing: Any) -> Verdict:
    """The case looks at 1.59 s."""
    claimed = story.at(1.59).act("claim", sentence=SENTENCE, held=held, detail="", standing=standing)
    return judge(claimed.end(9))


def moment(verdict: Verdict) -> float:
    assert verdict.witness is not None
    return round(verdict.witness.at - BEGAN, 6)


ALL = {"gangs": [f"{NS}/a"], "least": 3}


def test_the_witness_is_the_record_that_broke_the_claim_and_not_the_look() -> None:
    story = bound().at(0.35).terminating("a-1").at(0.5).gone("a-1").at(0.6).terminating("a-2")
    verdict = looked(story, False, **ALL)
    assert verdict.outcome is Outcome.VIOLATED and moment(verdict) == 0.35
    assert verdict.witness is not None and verdict.witness.gang == f"{NS}/a"
    assert [row.state for row in verdict.witness.ledger] == ["bound", "terminating", "bound"]
    assert SENTENCE in verdict.witness.around[-1] and "+1.590s" in verdict.witness.around[-1]


def test_pods_of_no_gang_are_counted_too() -> None:
    pods = {"pods": [f"{NS}/p-1", f"{NS}/p-2"], "least": 1, "most": 1}
    one_left = looked(bound().at(0.4).gone("p-1"), True, **pods)
    assert one_left.outcome is Outcome.PASS
    both_gone = looked(bound().at(0.4).gone("p-1").at(0.7).terminating("p-2"), False, **pods)
    assert moment(both_gone) == 0.7


def test_too_many_is_broken_by_the_bind() -> None:
    story = Story().node("n1").submit(GANG).at(0.8).bind("a-0").at(0.9).bind("a-1")
    assert moment(looked(story, False, gangs=[f"{NS}/a"], most=0)) == 0.8


def test_what_came_back_is_whole() -> None:
    story = bound().at(0.3).gone("a-1").at(0.5).pod("a-1", gang="a").bind("a-1")
    assert looked(story, True, **ALL).outcome is Outcome.PASS
    assert moment(looked(story.at(0.9).gone("a-2"), False, **ALL)) == 0.9


def test_what_never_came_true_is_seen_where_the_case_looked() -> None:
    story = Story().node("n1").submit(GANG).at(0.1).bind("a-0")
    assert moment(looked(story, False, **ALL)) == 1.59


def test_a_claim_that_the_history_contradicts_is_violated() -> None:
    verdict = looked(bound().at(0.35).terminating("a-1"), True, **ALL)
    assert verdict.outcome is Outcome.VIOLATED and "the history shows that it did not hold" in verdict.reason
    assert moment(verdict) == 0.35


@pytest.mark.parametrize(
    "standing",
    [{}, {"gangs": 3}, {"pods": [7]}, {"gangs": ["a"], "least": "all"}, {"gangs": ["a"], "most": -1}, {"odd": 1}],
)
def test_a_count_that_cannot_be_read_is_unknown(standing: dict[str, Any]) -> None:
    assert looked(bound(), True, **standing).outcome is Outcome.UNKNOWN


def stored_as(held: object, **evidence: Any) -> Outcome:
    return judged(held, **evidence).outcome


@pytest.mark.parametrize(
    ("value", "condition", "held"),
    [
        (["a", "b"], {"count": 2}, True),
        (["a", "b"], {"count": 3}, False),
        (["a", "b"], {"least": 1, "most": 2}, True),
        (["a", "b"], {"least": 3}, False),
        (3, {"least": 3}, True),
        (3.5, {"most": 3}, False),
        ("True", {"equals": "True"}, True),
        ("", {"equals": "True"}, False),
        ("new", {"differs": "old"}, True),
        ("old", {"differs": "old"}, False),
        (["a"], {"within": ["a", "b"]}, True),
        (["a", "c"], {"within": ["a", "b"]}, False),
        (["a", "c"], {"includes": ["a"]}, True),
        (["c"], {"includes": ["a"]}, False),
        (["a"], {"excludes": ["b"], "count": 1}, True),
        (["a", "b"], {"excludes": ["b"]}, False),
        ({"a": [1]}, {"equals": {"a": [1]}}, True),
        ([{"name": "g"}], {"within": [{"name": "g"}, {"name": "h"}]}, True),
        (None, {"count": 0}, False),
    ],
)
def test_a_claim_about_a_value_is_judged_by_its_condition(value: object, condition: object, held: bool) -> None:
    assert stored_as(held, value=value, condition=condition) is (Outcome.PASS if held else Outcome.VIOLATED)
    assert stored_as(not held, value=value, condition=condition) is (Outcome.UNKNOWN if held else Outcome.VIOLATED)


@pytest.mark.parametrize(
    "evidence",
    [
        {"condition": {"count": 1}},
        {"condition": {}, "value": 1},
        {"condition": 7, "value": 1},
        {"condition": {"about": 1}, "value": 1},
        {"condition": {"count": "1"}, "value": 1},
        {"condition": {"within": "abc"}, "value": ["a"]},
        {"condition": {"count": 1}, "value": False},
        {"condition": {"includes": list(range(1001))}, "value": list(range(1001))},
    ],
)
def test_a_value_or_condition_that_cannot_be_read_is_unknown(evidence: dict[str, Any]) -> None:
    assert stored_as(True, **evidence) is Outcome.UNKNOWN


ZONES = {"n1": "east", "n2": "east", "n3": "west"}


def placed(*nodes: str) -> Story:
    """Members of a gang on these nodes, one after another from 0.1 s on."""
    story = Story()
    for name, zone in ZONES.items():
        story.node(name, labels={"zone": zone})
    story.submit(GANG)
    for index, node in enumerate(nodes):
        story.at(0.1 + 0.1 * index).bind(f"a-{index}", node)
    return story


def looked_where(story: Story, held: object, condition: object, **places: Any) -> Verdict:
    state = {"places": {"gangs": [f"{NS}/a"], **places}, "condition": condition}
    return judge(story.at(1.59).act("claim", sentence=SENTENCE, held=held, detail="", **state).end(9))


def test_a_claim_about_places_is_judged_by_the_history() -> None:
    assert looked_where(placed("n1", "n2"), True, {"count": 1}, label="zone").outcome is Outcome.PASS
    assert looked_where(placed("n1", "n2"), True, {"equals": ["n1", "n2"]}).outcome is Outcome.PASS
    assert looked_where(placed("n1"), True, {"equals": ["n1"]}, gangs=[], pods=[f"{NS}/a-0"]).outcome is Outcome.PASS
    assert looked_where(placed(), True, {"excludes": ["n1"]}).outcome is Outcome.PASS
    assert looked_where(placed("n1"), True, {"count": 0}, role="server").outcome is Outcome.PASS


def test_the_bind_to_a_wrong_place_is_the_witness() -> None:
    verdict = looked_where(placed("n1", "n3", "n2"), True, {"count": 1}, label="zone")
    assert verdict.outcome is Outcome.VIOLATED and moment(verdict) == 0.2
    assert "the history shows that it did not hold" in verdict.reason
    assert looked_where(placed("n1", "n3"), False, {"excludes": ["n3"]}).outcome is Outcome.VIOLATED
    assert moment(looked_where(placed("n1"), False, {"count": 2})) == 1.59, "it never came true"
    assert (
        looked_where(placed("n3", "n1").at(0.9).gone("a-0"), True, {"count": 1}, label="zone").outcome is Outcome.PASS
    )


@pytest.mark.parametrize(
    "places", [{}, {"gangs": 3}, {"gangs": [7]}, {"gangs": ["a"], "role": 7}, {"odd": 1}, {"gangs": ["a"]}]
)
def test_places_that_cannot_be_read_are_unknown(places: dict[str, Any]) -> None:
    assert stored_as(True, places=places) is Outcome.UNKNOWN


def test_the_first_of_several_broken_claims_is_shown() -> None:
    story = bound().at(0.3).terminating("p-1").at(0.4).terminating("a-1")
    story.at(1.0).act("claim", sentence="first look", held=False, standing=ALL)
    verdict = looked(story, False, pods=[f"{NS}/p-1"], least=1)
    assert moment(verdict) == 0.3
    assert verdict.witness is not None and SENTENCE in verdict.witness.around[-1]
