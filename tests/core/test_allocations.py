"""Volumes and devices at the moment of the bind: a pod has on its node what it claims."""

from __future__ import annotations

from typing import Any

import pytest

from harness.core.history.allocations import (
    claims_of_pod,
    resource_claim_state,
    volume_claim_state,
    volume_state,
)
from harness.core.oracle.checks.constraints import judge
from harness.core.second.judge import disagreements
from harness.core.verdict import Outcome

from .story import Story

HERE = [{"matchExpressions": [{"key": "host", "operator": "In", "values": ["n1"]}]}]
DEVICE = "driver/pool/device-0"


def two_nodes() -> Story:
    """Two nodes that the scheduler knows: it has used the last one."""
    story = Story(window=2).node("n1", labels={"host": "n1"}).node("n2", labels={"host": "n2"})
    return story.pod("first", constraints={}).bind("first", "n2")


def volume(story: Story, claim: str = "data", *, bound: bool = True, **state: Any) -> Story:
    """A volume on n1 and a claim for it."""
    story.watch("PersistentVolume", "disk", "added", nodes=HERE, claim=f"ns/{claim}")
    return story.watch("PersistentVolumeClaim", claim, "added", **({"volume": "disk"} if bound else {}), **state)


def device(story: Story, claim: str, pod: str, devices: tuple[str, ...] = (DEVICE,), **state: Any) -> Story:
    """Devices on n1 that are given to a claim, for that pod."""
    users = [f"Pod-{pod}-1"]
    return story.watch("ResourceClaim", claim, "added", devices=list(devices), nodes=HERE, users=users, **state)


def pod(story: Story, name: str, node: str = "n1", **demands: Any) -> Story:
    return story.pod(name, constraints=demands).bind(name, node)


def outcome(story: Story) -> Outcome:
    """What the check says, with which the second judge agrees."""
    history = story.after(10).end()
    verdict = judge(history)
    assert disagreements(history, [verdict]) == []
    return verdict.outcome


# -- what a history keeps


def test_names_of_claims_come_from_the_pod_and_from_what_was_made_for_it() -> None:
    claims = [{"name": "a", "resourceClaimName": "own"}, {"name": "b", "resourceClaimTemplateName": "t"}]
    spec = {
        "volumes": [
            {"name": "v", "persistentVolumeClaim": {"claimName": "data"}},
            {"name": "e", "ephemeral": {}},
            {"name": "c", "configMap": {}},
        ],
        "resourceClaims": [*claims, {"name": "c", "resourceClaimTemplateName": "t"}],
    }
    status = {"resourceClaimStatuses": [{"name": "b", "resourceClaimName": "pod-b-x"}, {"name": "c"}]}

    assert claims_of_pod({"metadata": {"name": "pod"}, "spec": spec}) == (["data", "pod-e"], ["own", "?b", "?c"])
    assert claims_of_pod({"metadata": {"name": "pod"}, "spec": spec, "status": status})[1] == ["own", "pod-b-x"]


def test_claim_has_its_volume_once_it_is_bound_for_good() -> None:
    claim = {"spec": {"volumeName": "disk", "accessModes": ["ReadWriteOncePod"]}, "metadata": {}}

    assert volume_claim_state(claim) == {"exclusive": True}
    claim["metadata"] = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    assert volume_claim_state(claim) == {"exclusive": True, "volume": "disk"}


def test_volume_keeps_its_claim_and_its_nodes() -> None:
    spec = {"claimRef": {"namespace": "ns", "name": "data"}, "nodeAffinity": {"required": {"nodeSelectorTerms": HERE}}}

    assert volume_state({"spec": spec}) == {"claim": "ns/data", "nodes": HERE}


def test_devices_for_administrators_and_shared_ones_are_nobodys_own() -> None:
    results = [
        {"driver": "d", "pool": "p", "device": "1"},
        {"driver": "d", "pool": "p", "device": "2", "adminAccess": True},
        {"driver": "d", "pool": "p", "device": "3", "shareID": "x"},
    ]
    status = {"allocation": {"devices": {"results": results}}, "reservedFor": [{"uid": "u"}]}

    assert resource_claim_state({"status": status}) == {"devices": ["d/p/1"], "users": ["u"]}
    assert resource_claim_state({}) == {}


# -- the law


def test_pod_beside_its_volume_is_right() -> None:
    assert outcome(pod(volume(two_nodes()), "p", volumes=["data"])) is Outcome.PASS


def test_pod_away_from_its_volume_is_wrong() -> None:
    story = pod(volume(two_nodes()), "p", "n2", volumes=["data"])

    assert outcome(story) is Outcome.VIOLATED
    assert "the volume disk of its claim data cannot be used there" in judge(story.end()).reason


@pytest.mark.parametrize("end", ["never bound", "deleted"])
def test_pod_without_its_volume_is_wrong(end: str) -> None:
    story = volume(two_nodes(), bound=end == "deleted")
    if end == "deleted":
        story.watch("PersistentVolumeClaim", "data", "deleted")

    assert outcome(pod(story, "p", volumes=["data"])) is Outcome.VIOLATED


def test_claim_that_no_record_shows_is_not_judged() -> None:
    assert outcome(pod(two_nodes(), "p", volumes=["data"], devices=["gpu"])) is Outcome.PASS


def test_volume_for_one_pod_is_used_by_one_at_a_time() -> None:
    story = pod(volume(two_nodes(), exclusive=True), "p", volumes=["data"])

    assert outcome(story.gone("p").pod("q", constraints={"volumes": ["data"]}).bind("q", "n1")) is Outcome.PASS
    assert outcome(pod(story, "r", volumes=["data"])) is Outcome.VIOLATED


def test_volume_for_one_pod_that_another_scheduler_has_just_used_is_a_race() -> None:
    story = volume(two_nodes(), exclusive=True).pod("mine", constraints={"volumes": ["data"]})
    story.pod("theirs", constraints={"volumes": ["data"]}, scheduler="other").bind("theirs", "n1")

    assert outcome(story.after(1).bind("mine", "n1")) is Outcome.PASS


def test_pod_with_its_devices_is_right() -> None:
    assert outcome(pod(device(two_nodes(), "gpu", "p"), "p", devices=["gpu"])) is Outcome.PASS


@pytest.mark.parametrize(
    ("claim", "node"), [("gpu", "n2"), ("?gpu", "n1")], ids=["on another node", "from a template, never made"]
)
def test_pod_away_from_its_devices_is_wrong(claim: str, node: str) -> None:
    assert outcome(pod(device(two_nodes(), "gpu", "p"), "p", node, devices=[claim])) is Outcome.VIOLATED


def test_pod_whose_claim_was_not_allocated_is_wrong() -> None:
    story = two_nodes().watch("ResourceClaim", "gpu", "added")

    assert outcome(pod(story, "p", devices=["gpu"])) is Outcome.VIOLATED


def test_pod_for_which_its_claim_is_not_reserved_is_wrong() -> None:
    assert outcome(pod(device(two_nodes(), "gpu", "other"), "p", devices=["gpu"])) is Outcome.VIOLATED


def test_device_is_given_once() -> None:
    story = pod(device(two_nodes(), "gpu", "p"), "p", devices=["gpu"])
    device(story, "more", "q")

    assert outcome(pod(story, "q", devices=["more"])) is Outcome.VIOLATED


def test_device_that_was_given_back_can_be_given_again() -> None:
    story = pod(device(two_nodes(), "gpu", "p"), "p", devices=["gpu"])
    story.gone("p").watch("ResourceClaim", "gpu", "deleted")
    device(story, "more", "q")

    assert outcome(pod(story, "q", devices=["more"])) is Outcome.PASS
