"""What was recorded follows from what the case did, and legitimate differences are let alone."""

from __future__ import annotations

from typing import Any

import pytest

from harness.core.gang import Gang
from harness.core.history.records import History
from harness.core.history.validate import faults

from .story import BEGAN, Story

TWO = Gang("a", 2)


def rules(story: Story, **header: Any) -> list[str]:
    history = story.end(60)
    return [fault.rule for fault in faults(History({**history.header, **header}, history.records))]


def stood_still(story: Story, since: float, until: float, who: str = "muster") -> Story:
    return story.at(until).act("stalled", who, **{"from": BEGAN + since, "to": BEGAN + until})


def born_bound(story: Story) -> Story:
    story.act("submit", "a", gang=TWO.as_record())
    return story.pod("a-0", gang="a", node="n1")


def test_a_member_is_created_before_it_is_bound() -> None:
    assert rules(born_bound(Story().node("n1"))) == ["submission"]
    assert rules(born_bound(Story().node("n1").lost("Pod", 1, 200))) == []
    assert rules(Story().node("n1").pod("guest", node="n1")) == [], "a pod of no gang may be created with its node"


def test_no_more_members_exist_than_were_created() -> None:
    story = Story().node("n1").submit(TWO).pod("a-2", gang="a")
    assert rules(story) == ["submission"]
    grown = Story().node("n1").submit(TWO).act("create", "a", count=1).pod("a-2", gang="a")
    assert rules(grown) == []
    replaced = Story().node("n1").submit(TWO).terminating("a-0").pod("a-2", gang="a")
    assert rules(replaced) == [], "one that is being deleted does not count"
    pod_of_a_job = Story().node("n1").submit(TWO).pod("a-0-x7k2d", gang="a")
    assert rules(pod_of_a_job) == [], "it does not have a name that muster gives"
    assert rules(Story().node("n1").submit(TWO).pod("a-2", gang="a"), integration="lws-coscheduling@1") == []


def test_members_request_what_their_gang_states() -> None:
    assert rules(Story().node("n1").submit(TWO, create=False).pod("a-0", gang="a", request={})) == ["submission"]


@pytest.mark.parametrize(("integration", "expected"), [("workload@1.37.1", ["quorum"]), ("volcano@1.14.1", [])])
def test_an_edited_quorum_is_seen(integration: str, expected: list[str]) -> None:
    def story(quorum: int) -> Story:
        group = {"gang": "ns/a", "quorum": 2}
        begun = Story().node("n1").submit(TWO).watch("PodGroup.scheduling.k8s.io", "a", "added", **group)
        begun.act("edit", "a", quorum=1)
        return begun.watch("PodGroup.scheduling.k8s.io", "a", gang="ns/a", quorum=quorum)

    assert rules(story(2).expect("bound", "a"), integration=integration) == expected
    assert rules(story(1).expect("bound", "a"), integration=integration) == []
    assert rules(story(2), integration=integration) == [], "the case may have ended because the edit was refused"


def test_nodes_have_the_gpus_that_the_case_gave() -> None:
    def story() -> Story:
        return Story().watch("Namespace", "ns", "added").act("node-add", count=1, gpus=4)

    assert rules(story().node("n1", gpus=4)) == []
    assert rules(story().node("n1", gpus=8)) == ["room"]
    assert rules(story().node("n1", gpus=8), box="existing") == []
    assert rules(story().node("n1", gpus=4).node("n2", gpus=4)) == ["room"]
    resized = story().node("n1", gpus=4).act("node-change", nodes=["n1"], change="resize", gpus=6)
    assert rules(resized.node("n1", gpus=6)) == []
    assert rules(Story().node("old", gpus=8).watch("Namespace", "ns", "added").act("node-add", count=1, gpus=4)) == []


def test_while_muster_stood_still_nothing_happened() -> None:
    def story() -> Story:
        return Story().node("n1").submit(TWO).at(15).expect("bound", "a")

    assert rules(stood_still(story(), 10, 20)) == ["stall"]
    assert rules(stood_still(story(), 14.5, 20)) == [], "when it began is known to a second"
    assert rules(stood_still(story(), 13, 17)) == [], "a short one may be one thread alone"
    assert rules(stood_still(story(), 10, 20, who="apiserver")) == []
    assert rules(stood_still(Story().node("n1").submit(TWO).at(15).bind("a-0"), 10, 20)) == [], "dated by the audit log"


def test_all_pods_have_constraints_or_none() -> None:
    assert rules(Story().pod("x", constraints={}).pod("y")) == ["constraints"]
    assert rules(Story().pod("x").pod("y")) == []
    assert rules(Story().pod("x"), constraints=True) == ["constraints"]


def test_nothing_is_promised_within_more_than_the_longest_deadline() -> None:
    story = Story(bound=30.0).node("n1").submit(TWO).expect("bound", "a", within=31)
    assert rules(story) == ["promise"]
    assert rules(story, case="bench-even") == [], "a load has a deadline by its number of pods"
