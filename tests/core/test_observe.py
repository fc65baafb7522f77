"""Raw objects become compact states, and labels for what changed."""

from __future__ import annotations

from typing import Any

import pytest

from harness.core.history.observe import (
    changes,
    event_state,
    group_state,
    node_state,
    pod_request,
    pod_state,
    unix,
)
from harness.core.labels import by_label


def container(**requests: str) -> dict[str, Any]:
    return {"name": "c", "resources": {"requests": requests}}


def test_requests_are_summed_over_containers() -> None:
    assert pod_request({"containers": [container(cpu="500m"), container(cpu="1", memory="1k")]}) == {
        "cpu": 1500,
        "memory": 1_000_000,
    }


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


def test_what_a_pod_requests_as_a_whole_goes_before_the_sum_of_its_containers() -> None:
    whole = {"requests": {"cpu": "3", "hugepages-2Mi": "4Mi", "ephemeral-storage": "1"}}
    spec = {"containers": [container(cpu="1", memory="1k")], "resources": whole, "overhead": {"cpu": "1"}}
    assert pod_request(spec) == {"cpu": 4000, "memory": 1_000_000, "hugepages-2Mi": 4 * 2**20 * 1000}


def test_all_resources_of_init_containers_count() -> None:
    big = container(**{"ephemeral-storage": "5", "hugepages-2Mi": "2Mi"})
    assert pod_request({"containers": [container(cpu="1")], "initContainers": [big]}) == {
        "cpu": 1000,
        "ephemeral-storage": 5000,
        "hugepages-2Mi": 2 * 2**20 * 1000,
    }


POD: dict[str, Any] = {
    "metadata": {"namespace": "ns", "name": "p", "labels": {"muster.dev/gang": "g", "muster.dev/role": "lead"}},
    "spec": {
        "nodeName": "n1",
        "schedulerName": "s",
        "priority": 0,
        "schedulingGates": [{"name": "x"}],
        "containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}],
        "initContainers": [{"name": "wait"}],
    },
    "status": {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "False", "reason": "R"}],
        "initContainerStatuses": [
            {"name": "wait", "state": {"terminated": {"exitCode": 3, "startedAt": "1970-01-01T00:00:10Z"}}}
        ],
        "containerStatuses": [{"name": "main", "state": {"running": {"startedAt": "1970-01-01T00:00:20Z"}}}],
    },
}


def test_a_pod_keeps_what_verdicts_need_and_nothing_empty() -> None:
    assert pod_state(POD) == {
        "gang": "ns/g",
        "part": "member",
        "role": "lead",
        "node": "n1",
        "phase": "Running",
        "request": {"cpu": 1000},
        "scheduler": "s",
        "gates": 1,
        "ready": True,
        "inits": ["wait"],
        "running": {"wait": 10.0, "main": 20.0},
        "exited": {"wait": 3},
        "conditions": {"Ready": ["True", "", ""], "PodScheduled": ["False", "R", ""]},
        "labels": {"muster.dev/gang": "g", "muster.dev/role": "lead"},
        "constraints": {},
    }


def test_who_failed_a_pod_is_kept() -> None:
    status = {"manager": "some-scheduler", "subresource": "status", "fieldsV1": {"f:status": {"f:phase": {}}}}
    spec = {"manager": "kubectl", "fieldsV1": {"f:spec": {}}}
    failed = {"metadata": {"managedFields": [spec, status]}, "status": {"phase": "Failed"}}
    assert pod_state(failed)["failed_by"] == "some-scheduler"
    assert "failed_by" not in pod_state({**failed, "status": {"phase": "Running"}})
    assert "failed_by" not in pod_state({"status": {"phase": "Failed"}})


def test_the_adapter_decides_what_a_pod_is() -> None:
    state = pod_state(POD, lambda pod: ("other", "placeholder", ""))
    assert (state["gang"], state["part"]) == ("ns/other", "placeholder")
    assert by_label({"metadata": {"name": "p"}}) == ("", "plain", "")
    held = {
        "metadata": {"labels": {"muster.dev/gang": "g", "muster.dev/part": "placeholder", "muster.dev/role": "lead"}}
    }
    assert by_label(held) == ("g", "placeholder", "lead")


def test_nodes_events_and_groups() -> None:
    node = {
        "metadata": {"name": "n", "labels": {"zone": "a"}},
        "spec": {"unschedulable": True, "taints": [{"key": "k", "effect": "NoSchedule"}]},
        "status": {"allocatable": {"cpu": "2"}, "conditions": [{"type": "Ready", "status": "True"}]},
    }
    assert node_state(node) == {
        "allocatable": {"cpu": 2000},
        "ready": True,
        "unschedulable": True,
        "taints": ["k=:NoSchedule"],
        "labels": {"zone": "a"},
    }
    about = {"kind": "Pod", "namespace": "ns", "name": "p"}
    old = {"involvedObject": about, "reason": "R", "message": "m", "type": "Warning", "source": {"component": "c"}}
    new = {"regarding": about, "reason": "R", "note": "m", "type": "Warning", "reportingController": "c"}
    for event in (old, new):
        assert event_state(event, {"Pod/ns/p": "ns/g"}.__getitem__) == {
            "reason": "R",
            "message": "m",
            "type": "Warning",
            "about": "Pod/ns/p",
            "component": "c",
            "gang": "ns/g",
        }
    group = {"metadata": {"deletionTimestamp": "x"}, "status": {"phase": "Pending"}}
    assert group_state(group, "ns/g", 3) == {"gang": "ns/g", "quorum": 3, "phase": "Pending", "deleting": True}


@pytest.mark.parametrize(
    ("before", "after", "verb", "labels"),
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
def test_labels_for_what_changed(before: Any, after: Any, verb: str, labels: tuple[str, ...]) -> None:
    assert changes(before, after, verb) == labels


def test_times_keep_their_microseconds() -> None:
    assert unix("1970-01-01T00:01:00.000250Z") == 60.00025
