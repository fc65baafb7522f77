"""What the reference provider makes of a leader and its set: names, numbers, owners, and what pods are told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.controllers.lws import sets as sets
from harness.controllers.lws.provider import GROUP, GROUP_LABEL, Coscheduling
from harness.controllers.lws.yunikorn import APPLICATION_LABEL, GROUP_ANNOTATION, GROUPS_ANNOTATION, LONGEST, YuniKorn
from harness.controllers.runtime.admission import Review
from harness.core.kinds import LEADER_WORKER_SET, POD

Object = dict[str, Any]


class Server:
    """Client and cache in one, over a dictionary of objects; it remembers what was written."""

    def __init__(self, *objects: Object) -> None:
        self.objects = {(obj["kind"], obj["metadata"]["namespace"], obj["metadata"]["name"]): obj for obj in objects}
        self.created: list[Object] = []
        self.deleted: list[tuple[str, str]] = []
        self.events: list[str] = []

    def get(self, kind: Any, namespace: str, name: str) -> Object | None:
        return self.objects.get((kind.kind, namespace, name))

    def list(self, kind: Any, namespace: str = "", selector: str = "") -> list[Object]:
        return [obj for key, obj in self.objects.items() if key[:2] == (kind.kind, namespace)]

    def create(self, kind: Any, obj: Object) -> Object:
        self.created.append(obj)
        return obj

    def delete(self, kind: Any, namespace: str, name: str, *, uid: str = "") -> bool:
        self.deleted.append((name, uid))
        return True

    def event(self, about: Object, reason: str, message: str, *, warning: bool = False) -> None:
        self.events.append(f"{reason}: {message}")


def a_spec(gpus: int, limits_only: bool = False, **more: Any) -> Object:
    asked = {"cpu": "100m", "memory": "64Mi", "nvidia.com/gpu": str(gpus)}
    resources = {"limits": asked} if limits_only else {"requests": asked, "limits": asked}
    return {"containers": [{"name": "main", "resources": resources}], **more}


def a_set(size: int = 3, startup: str = "LeaderCreated", **worker: Any) -> Object:
    template = {"size": size, "workerTemplate": {"spec": a_spec(2, **worker)}}
    spec = {"startupPolicy": startup, "leaderWorkerTemplate": template}
    meta = {"name": "serve", "namespace": "n1", "uid": "set"}
    return {"apiVersion": LEADER_WORKER_SET.api_version, "kind": LEADER_WORKER_SET.kind, "metadata": meta, "spec": spec}


def a_leader(index: int = 1, size: int = 3, uid: str = "new", **meta: Any) -> Object:
    labels = {sets.SET_LABEL: "serve", sets.WORKER_LABEL: "0", sets.INDEX_LABEL: str(index)}
    metadata = {
        "name": f"serve-{index}",
        "namespace": "n1",
        "uid": uid,
        "labels": labels,
        "annotations": {sets.SIZE_ANNOTATION: str(size)},
        **meta,
    }
    return {"apiVersion": "v1", "kind": POD.kind, "metadata": metadata, "spec": a_spec(1)}


def a_worker() -> Object:
    labels = {sets.SET_LABEL: "serve", sets.WORKER_LABEL: "2", sets.INDEX_LABEL: "1"}
    annotations = {sets.SIZE_ANNOTATION: "3", sets.LEADER_ANNOTATION: "serve-1"}
    meta = {"name": "serve-1-2", "labels": labels, "annotations": annotations}
    return {"apiVersion": "v1", "kind": POD.kind, "metadata": meta, "spec": a_spec(2)}


def a_group(**meta: Any) -> Object:
    return {"kind": GROUP.kind, "metadata": {"name": "serve-1", "namespace": "n1", "uid": "g", **meta}, "spec": {}}


def owned_by(uid: str) -> list[Object]:
    return [{"kind": "Pod", "name": "serve-1", "uid": uid, "controller": True}]


def reconciled(*objects: Object) -> Server:
    server = Server(*objects)
    Coscheduling(server, server).reconcile(("n1", "serve-1"))  # type: ignore[arg-type]
    return server


def asked(provider: Any, server: Server, pod: Object) -> Any:
    review = Review("CREATE", "Pod", "", "n1", pod["metadata"]["name"], pod, None)
    return provider(server, server).place(review)


def patched(answer: Any) -> dict[str, str]:
    """What was put where, by the last part of each path."""
    return {entry["path"].rpartition("/")[2].replace("~1", "/"): entry["value"] for entry in answer.patch}


def test_group_is_called_as_its_leader_who_owns_it() -> None:
    (group,) = reconciled(a_set(), a_leader()).created

    assert group["metadata"]["name"] == "serve-1"
    (owner,) = group["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["uid"], owner["controller"]) == ("Pod", "serve-1", "new", True)
    assert group["metadata"]["labels"] == {sets.SET_LABEL: "serve", sets.INDEX_LABEL: "1"}


@pytest.mark.parametrize(("startup", "minimum"), [("LeaderCreated", 3), ("LeaderReady", 1)])
def test_minimum_follows_the_startup_policy_and_resources_do_not(startup: str, minimum: int) -> None:
    (group,) = reconciled(a_set(startup=startup), a_leader()).created

    assert group["spec"]["minMember"] == minimum
    assert group["spec"]["minResources"] == {"cpu": "300m", "memory": "201326592", "nvidia.com/gpu": "5"}


def test_limits_stand_in_for_requests() -> None:
    (group,) = reconciled(a_set(limits_only=True), a_leader()).created

    assert group["spec"]["minResources"]["nvidia.com/gpu"] == "5"


def test_group_of_this_leader_or_of_nobody_is_kept() -> None:
    for owners in ([], owned_by("new")):
        server = reconciled(a_set(), a_leader(), a_group(ownerReferences=owners))
        assert (server.created, server.deleted) == ([], [])


def test_group_of_a_former_leader_has_to_go_first() -> None:
    server = reconciled(a_set(), a_leader(), a_group(ownerReferences=owned_by("old")))

    assert (server.created, server.deleted) == ([], [("serve-1", "g")])


def test_nothing_is_made_for_a_leader_that_goes_or_whose_set_is_gone() -> None:
    assert reconciled(a_set(), a_leader(deletionTimestamp="now")).created == []
    assert reconciled(a_leader()).created == []
    assert reconciled(a_set()).created == []


def test_pods_name_the_group_and_workers_wait_for_it() -> None:
    with_group, without = Server(a_group()), Server()
    leader = a_leader()
    del leader["metadata"]["labels"][sets.INDEX_LABEL]  # read from the ordinal

    assert patched(asked(Coscheduling, without, leader)) == {GROUP_LABEL: "serve-1"}
    assert patched(asked(Coscheduling, with_group, a_worker())) == {GROUP_LABEL: "serve-1"}
    (error,) = asked(Coscheduling, without, a_worker()).errors
    expected = f'metadata.labels[{GROUP_LABEL}]: Invalid value: "serve-1": '
    assert str(error) == expected + "the PodGroup of the replica does not exist yet"


def test_leader_waits_until_the_workers_of_a_former_one_are_gone() -> None:
    old = a_worker()
    old["metadata"]["namespace"] = "n1"

    (error,) = asked(Coscheduling, Server(old), a_leader()).errors
    assert str(error).endswith("workers of a former leader are still there")


def test_leader_is_an_application_with_two_task_groups() -> None:
    server = Server(a_set(nodeSelector={"pool": "a"}))
    first, second = (patched(asked(YuniKorn, server, a_leader())) for _ in range(2))

    assert first[APPLICATION_LABEL].startswith("n1.serve-1.")
    assert first[APPLICATION_LABEL] != second[APPLICATION_LABEL], "each life is an application of its own"
    leader, worker = json.loads(first[GROUPS_ANNOTATION])
    assert (leader["name"], leader["minMember"], leader["minResource"]["nvidia.com/gpu"]) == ("leader", 1, "1")
    assert (worker["name"], worker["minMember"], worker["minResource"]["nvidia.com/gpu"]) == ("worker", 2, "2")
    assert worker["nodeSelector"] == {"pool": "a"} and "nodeSelector" not in leader


def test_leader_that_goes_first_or_alone_is_the_only_task_group() -> None:
    for lws, leader in ((a_set(startup="LeaderReady"), a_leader()), (a_set(size=1), a_leader(size=1))):
        mutated = patched(asked(YuniKorn, Server(lws), leader))
        assert [group["name"] for group in json.loads(mutated[GROUPS_ANNOTATION])] == ["leader"]


def test_worker_follows_its_leader() -> None:
    groups = json.dumps([{"name": "leader"}, {"name": "worker"}])
    leader = a_leader()
    leader["metadata"]["labels"][APPLICATION_LABEL] = "n1.serve-1.abcd"
    leader["metadata"]["annotations"][GROUPS_ANNOTATION] = groups

    mutated = patched(asked(YuniKorn, Server(leader), a_worker()))
    assert (mutated[APPLICATION_LABEL], mutated[GROUP_ANNOTATION]) == ("n1.serve-1.abcd", "worker")
    assert mutated[GROUPS_ANNOTATION] == groups
    (error,) = asked(YuniKorn, Server(), a_worker()).errors
    assert "Required value" in str(error)


def test_pod_asked_about_twice_keeps_its_application() -> None:
    leader = a_leader()
    leader["metadata"]["labels"][APPLICATION_LABEL] = "n1.serve-1.abcd"

    assert patched(asked(YuniKorn, Server(a_set()), leader))[APPLICATION_LABEL] == "n1.serve-1.abcd"


def test_long_names_fit_a_label() -> None:
    leader = a_leader()
    leader["metadata"]["labels"][sets.SET_LABEL] = "s" * 60
    server = Server(a_set() | {"metadata": {"name": "s" * 60, "namespace": "n1", "uid": "set"}})

    assert len(patched(asked(YuniKorn, server, leader))[APPLICATION_LABEL]) == LONGEST
