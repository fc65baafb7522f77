"""Raw objects become compact states, and words for what is new."""

from __future__ import annotations

from typing import Any

import pytest

from harness.core.observe import (
    changes,
    classify_by_label,
    event_state,
    group_state,
    node_state,
    pod_request,
    pod_state,
    unix,
)


def container(**requests: str) -> dict[str, Any]:
    return {"name": "c", "resources": {"requests": requests}}


def test_requests_are_summed_over_containers() -> None:
    assert pod_request({"containers": [container(cpu="500m"), container(cpu="1", memory="1k")]}) == {
        "cpu": 1500, "memory": 1_000_000
    }  # fmt: skip


def test_the_largest_init_container_counts_if_it_is_larger() -> None:
    spec = {"containers": [container(cpu="1")], "initContainers": [container(cpu="3"), container(cpu="2")]}
    assert pod_request(spec) == {"cpu": 3000}
    assert pod_request({**spec, "containers": [container(cpu="4")]}) == {"cpu": 4000}


def test_sidecars_count_beside_containers_and_beside_later_init_containers() -> None:
    sidecar = {**container(cpu="1"), "restartPolicy": "Always"}
    assert pod_request({"containers": [container(cpu="1")], "initContainers": [sidecar]}) == {"cpu": 2000}
    late = {"containers": [container(cpu="1")], "initContainers": [sidecar, container(cpu="4")]}
    assert pod_request(late) == {"cpu": 5000}
    early = {"containers": [container(cpu="1")], "initContainers": [container(cpu="4"), sidecar]}
    assert pod_request(early) == {"cpu": 4000}


def test_overhead_is_added_and_a_limit_is_a_request() -> None:
    spec = {"containers": [{"name": "c", "resources": {"limits": {"cpu": "2"}}}], "overhead": {"cpu": "100m"}}
    assert pod_request(spec) == {"cpu": 2100}


POD: dict[str, Any] = {
    "metadata": {"namespace": "ns", "name": "p", "labels": {"muster.dev/gang": "g", "muster.dev/role": "lead"}},
    "spec": {
        "nodeName": "n1", "schedulerName": "s", "priority": 0, "schedulingGates": [{"name": "x"}],
        "containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}], "initContainers": [{"name": "wait"}],
    },
    "status": {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "False", "reason": "R"}],
        "initContainerStatuses": [
            {"name": "wait", "state": {"terminated": {"exitCode": 3, "startedAt": "1970-01-01T00:00:10Z"}}}
        ],
        "containerStatuses": [{"name": "main", "state": {"running": {"startedAt": "1970-01-01T00:00:20Z"}}}],
    },
}  # fmt: skip


def test_a_pod_keeps_what_verdicts_need_and_nothing_empty() -> None:
    assert pod_state(POD) == {
        "gang": "ns/g", "part": "member", "role": "lead", "node": "n1", "phase": "Running", "request": {"cpu": 1000},
        "scheduler": "s", "gates": 1, "ready": True, "inits": ["wait"], "running": {"wait": 10.0, "main": 20.0},
        "exited": {"wait": 3}, "conditions": {"Ready": ["True", "", ""], "PodScheduled": ["False", "R", ""]},
    }  # fmt: skip


def test_the_adapter_decides_what_a_pod_is() -> None:
    state = pod_state(POD, lambda pod: ("ns/other", "placeholder", ""))
    assert (state["gang"], state["part"]) == ("ns/other", "placeholder")
    assert classify_by_label({"metadata": {"name": "p"}}) == ("", "plain", "")


def test_nodes_events_and_groups() -> None:
    node = {
        "metadata": {"name": "n", "labels": {"zone": "a"}},
        "spec": {"unschedulable": True, "taints": [{"key": "k", "effect": "NoSchedule"}]},
        "status": {"allocatable": {"cpu": "2"}, "conditions": [{"type": "Ready", "status": "True"}]},
    }
    assert node_state(node) == {
        "allocatable": {"cpu": 2000}, "ready": True, "unschedulable": True, "taints": ["k=:NoSchedule"],
        "labels": {"zone": "a"},
    }  # fmt: skip
    about = {"kind": "Pod", "namespace": "ns", "name": "p"}
    old = {"involvedObject": about, "reason": "R", "message": "m", "type": "Warning", "source": {"component": "c"}}
    new = {"regarding": about, "reason": "R", "note": "m", "type": "Warning", "reportingController": "c"}
    for event in (old, new):
        assert event_state(event, {"Pod/ns/p": "ns/g"}.__getitem__) == {
            "reason": "R", "message": "m", "type": "Warning", "about": "Pod/ns/p", "component": "c", "gang": "ns/g",
        }  # fmt: skip
    group = {"metadata": {"deletionTimestamp": "x"}, "status": {"phase": "Pending"}}
    assert group_state(group, "ns/g", 3) == {"gang": "ns/g", "quorum": 3, "phase": "Pending", "deleting": True}


@pytest.mark.parametrize(
    ("before", "after", "verb", "words"),
    [
        (None, {"phase": "Pending"}, "added", ("created",)),
        (None, {"node": "n"}, "added", ("created", "bound")),
        ({}, {"node": "n"}, "modified", ("bound",)),
        ({"node": "n"}, {"node": "n"}, "modified", ()),
        ({}, {"nominated": "n"}, "modified", ("nominated",)),
        ({"nominated": "n"}, {}, "modified", ("unnominated",)),
        ({}, {"deleting": True}, "modified", ("deleting",)),
        ({"deleting": True}, {"deleting": True}, "deleted", ("deleted",)),
        ({}, {"conditions": {"DisruptionTarget": ["True", "x", ""]}}, "modified", ("evicted", "condition")),
        ({}, {"conditions": {"DisruptionTarget": ["False", "x", ""]}}, "modified", ("condition",)),
        ({"phase": "Pending"}, {"phase": "Running", "ready": True}, "modified", ("phase", "ready")),
        ({"ready": True}, {}, "modified", ("unready",)),
        ({"allocatable": {"cpu": 1}}, {"allocatable": {"cpu": 2}}, "modified", ("resized",)),
        ({}, {"unschedulable": True}, "modified", ("cordoned",)),
        ({"unschedulable": True}, {}, "modified", ("uncordoned",)),
        ({"running": {"a": 1}}, {"running": {"a": 1, "b": 2}}, "modified", ("started",)),
    ],
)
def test_words_for_what_is_new(before: Any, after: Any, verb: str, words: tuple[str, ...]) -> None:
    assert changes(before, after, verb) == words


def test_times_keep_their_microseconds() -> None:
    assert unix("1970-01-01T00:01:00.000250Z") == 60.00025
