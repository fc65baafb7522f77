"""The gang controller with no more rights than its manifests give it, and what it does when others meddle.

There is no JobSet controller in this box: JobSets are objects that nobody makes Jobs of.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from harness.adapters.common import jobset
from harness.adapters.common.base import Settings
from harness.adapters.common.render import parse, render
from harness.adapters.jobset_gang import FIELDS
from harness.box.api import Object
from harness.box.embedded.box import EmbeddedBox
from harness.core.kinds import EVENT, JOBSET, Kind
from tests.waiting import soon

NAME = "jobset-gang"


@pytest.fixture(scope="module")
def box() -> Iterator[EmbeddedBox]:
    with EmbeddedBox("1.37", scheduler=False, definitions=jobset.definitions(Settings(), "1.37")) as running:
        jobset.extend(running, FIELDS)
        for obj in parse(render(f"{NAME}/rbac.yaml.j2", name=NAME, namespace="default")):
            if obj["kind"] == "ClusterRoleBinding":
                obj["subjects"] = [{"kind": "User", "name": NAME, "apiGroup": "rbac.authorization.k8s.io"}]
            running.api.apply(obj)
        kubeconfig = running.identity(NAME, ())
        log = (running.directory / "controller.log").open("w+")
        command = [sys.executable, "-m", "harness", "controller", NAME, "--kubeconfig", str(kubeconfig)]
        process = subprocess.Popen(command, stderr=log, env={**os.environ, "TMPDIR": str(running.directory)})
        yield running
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        log.seek(0)
        assert "forbidden" not in log.read().lower()


def a_set(name: str, mode: str = "Gang", pods: int = 2) -> Object:
    template = {"spec": {"containers": [{"name": "main", "image": "x"}], "restartPolicy": "Never"}}
    spec = {"parallelism": pods, "completions": pods, "template": template}
    return {
        "apiVersion": JOBSET.api_version,
        "kind": JOBSET.kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "gangConfig": {"gangMode": mode},
            "replicatedJobs": [{"name": "worker", "replicas": 1, "template": {"spec": spec}}],
        },
    }


def read(box: EmbeddedBox, kind: Kind, name: str) -> dict[str, Any]:
    return box.api.find(kind, "default", name) or {}


def minimum(box: EmbeddedBox, name: str) -> int:
    return int(
        read(box, box.minor.gang_api.pod_group, name)
        .get("spec", {})
        .get("schedulingPolicy", {})
        .get("gang", {"minCount": 0})["minCount"]
    )


def test_its_rights_are_enough(box: EmbeddedBox) -> None:
    stored = box.api.create(a_set("rights"))
    assert soon(lambda: minimum(box, "pg-rights") == 2)

    assert soon(lambda: (box.api.get(JOBSET, "default", "rights").get("status") or {}).get("conditions"))
    (condition,) = box.api.get(JOBSET, "default", "rights")["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("GangsPrepared", "True", "WorkloadReady")
    events = [event for event in box.api.list(EVENT, "default") if event["reason"] == "WorkloadReady"]
    assert [event["involvedObject"]["uid"] for event in events] == [stored["metadata"]["uid"]]


def test_what_somebody_deletes_is_made_again(box: EmbeddedBox) -> None:
    box.api.create(a_set("again"))
    assert soon(lambda: minimum(box, "pg-again") == 2)
    for kind, name in ((box.minor.gang_api.workload, "w-again"), (box.minor.gang_api.pod_group, "pg-again")):
        uid = read(box, kind, name)["metadata"]["uid"]
        box.api.delete(kind, "default", name)

        def is_new(kind: Kind = kind, name: str = name, uid: str = uid) -> bool:
            return read(box, kind, name).get("metadata", {}).get("uid", uid) != uid

        assert soon(is_new)


def test_what_somebody_changes_is_put_right(box: EmbeddedBox) -> None:
    box.api.create(a_set("right"))
    assert soon(lambda: minimum(box, "pg-right") == 2)
    groups = box.minor.gang_api.pod_group
    box.api.patch(groups, "default", "pg-right", {"spec": {"schedulingPolicy": {"gang": {"minCount": 1}}}})

    assert soon(lambda: minimum(box, "pg-right") == 2)


def test_gangs_of_the_user_follow_the_users_workload(box: EmbeddedBox) -> None:
    target = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": "mine"}
    entry = {"name": "pg-mine", "schedulingPolicy": {"gang": {"minCount": 1}}, "disruptionMode": {"all": {}}}
    box.api.create(
        {
            "apiVersion": box.minor.gang_api.version,
            "kind": "Workload",
            "metadata": {"name": "by-hand", "namespace": "default"},
            "spec": {"controllerRef": target, "podGroupTemplates": [entry]},
        }
    )
    box.api.create(a_set("mine", pods=3))

    assert soon(lambda: minimum(box, "pg-mine") == 1)
    spec = read(box, box.minor.gang_api.pod_group, "pg-mine")["spec"]
    assert spec["disruptionMode"] == {"all": {}}
    assert spec["workloadRef"] == {"workloadName": "by-hand", "templateName": "pg-mine"}
    assert read(box, box.minor.gang_api.workload, "w-mine") == {}
