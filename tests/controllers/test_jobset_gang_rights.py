"""The gang controller with no more rights than its manifests give it, and what it does when others meddle.

There is no JobSet controller in this box: JobSets are objects that nobody makes Jobs of.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harness.adapters import jobset
from harness.adapters.base import Settings
from harness.adapters.jobset_gang import FIELDS
from harness.adapters.render import parse, render
from harness.box.api import Object
from harness.box.embedded import EmbeddedBox

NAME = "jobset-gang"


@pytest.fixture(scope="module")
def box() -> Iterator[EmbeddedBox]:
    with EmbeddedBox("1.37", scheduler=False, definitions=jobset.definitions(Settings())) as made:
        jobset.extend(made, FIELDS)
        for obj in parse(render(f"{NAME}/rbac.yaml.j2", name=NAME, namespace="default")):
            if obj["kind"] == "ClusterRoleBinding":
                obj["subjects"] = [{"kind": "User", "name": NAME, "apiGroup": "rbac.authorization.k8s.io"}]
            made.api.apply(obj)
        kubeconfig = made.identity(NAME, ())
        log = (made.directory / "controller.log").open("w+")
        command = [sys.executable, "-m", "harness", "controller", NAME, "--kubeconfig", str(kubeconfig)]
        process = subprocess.Popen(command, stderr=log, env={**os.environ, "TMPDIR": str(made.directory)})
        yield made
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        log.seek(0)
        assert "forbidden" not in log.read().lower()


def a_set(name: str, mode: str = "Gang", pods: int = 2) -> Object:
    template = {"spec": {"containers": [{"name": "main", "image": "x"}], "restartPolicy": "Never"}}
    spec = {"parallelism": pods, "completions": pods, "template": template}
    return {
        "apiVersion": jobset.JOBSET[0], "kind": jobset.JOBSET[1], "metadata": {"name": name, "namespace": "default"},
        "spec": {"gangConfig": {"gangMode": mode}, "replicatedJobs": [
            {"name": "worker", "replicas": 1, "template": {"spec": spec}}
        ]},
    }  # fmt: skip


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def found(box: EmbeddedBox, kind: str, name: str) -> dict[str, Any]:
    return box.api.find(box.api.resource(box.profile.group, kind), "default", name) or {}


def minimum(box: EmbeddedBox, name: str) -> int:
    return int(
        found(box, "PodGroup", name)
        .get("spec", {})
        .get("schedulingPolicy", {})
        .get("gang", {"minCount": 0})["minCount"]
    )


def test_its_rights_are_enough(box: EmbeddedBox) -> None:
    stored = box.api.create(a_set("rights"))
    until(lambda: minimum(box, "pg-rights") == 2)

    resource = box.api.resource(*jobset.JOBSET)
    until(lambda: (box.api.get(resource, "default", "rights").get("status") or {}).get("conditions"))
    (condition,) = box.api.get(resource, "default", "rights")["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("GangsPrepared", "True", "WorkloadReady")
    events = [
        one for one in box.api.list(box.api.resource("v1", "Event"), "default") if one["reason"] == "WorkloadReady"
    ]
    assert [one["involvedObject"]["uid"] for one in events] == [stored["metadata"]["uid"]]


def test_what_somebody_deletes_is_made_again(box: EmbeddedBox) -> None:
    box.api.create(a_set("again"))
    until(lambda: minimum(box, "pg-again") == 2)
    for kind, name in (("Workload", "w-again"), ("PodGroup", "pg-again")):
        uid = found(box, kind, name)["metadata"]["uid"]
        box.api.delete(box.api.resource(box.profile.group, kind), "default", name)
        until(lambda kind=kind, name=name, uid=uid: found(box, kind, name).get("metadata", {}).get("uid", uid) != uid)


def test_what_somebody_changes_is_put_right(box: EmbeddedBox) -> None:
    box.api.create(a_set("right"))
    until(lambda: minimum(box, "pg-right") == 2)
    groups = box.api.resource(box.profile.group, "PodGroup")
    box.api.patch(groups, "default", "pg-right", {"spec": {"schedulingPolicy": {"gang": {"minCount": 1}}}})

    until(lambda: minimum(box, "pg-right") == 2)


def test_gangs_of_the_user_follow_the_users_workload(box: EmbeddedBox) -> None:
    target = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": "mine"}
    entry = {"name": "pg-mine", "schedulingPolicy": {"gang": {"minCount": 1}}, "disruptionMode": {"all": {}}}
    box.api.create({
        "apiVersion": box.profile.group, "kind": "Workload", "metadata": {"name": "by-hand", "namespace": "default"},
        "spec": {"controllerRef": target, "podGroupTemplates": [entry]},
    })  # fmt: skip
    box.api.create(a_set("mine", pods=3))

    until(lambda: minimum(box, "pg-mine") == 1)
    spec = found(box, "PodGroup", "pg-mine")["spec"]
    assert spec["disruptionMode"] == {"all": {}}
    assert spec["workloadRef"] == {"workloadName": "by-hand", "templateName": "pg-mine"}
    assert found(box, "Workload", "w-mine") == {}
