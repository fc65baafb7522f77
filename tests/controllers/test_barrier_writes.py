"""What the barrier controller writes beside its signal: the ConfigMap it has to see, and how it stands."""

from __future__ import annotations

from typing import Any

from harness.controllers.jobset_barrier.controller import CONDITION, OWNED_LABEL, Barrier
from harness.controllers.jobset_barrier.spec import JOBSET_LABEL

Object = dict[str, Any]
LABELS = {OWNED_LABEL: "jobset-barrier", JOBSET_LABEL: "train"}


class Server:
    """Answers with one ConfigMap, and remembers what was written."""

    def __init__(self, config_map: Object | None = None) -> None:
        self.config_map, self.written, self.events = config_map, [], []  # type: ignore[var-annotated]

    def get(self, kind: Any, namespace: str, name: str) -> Object | None:
        return self.config_map

    def create(self, kind: Any, obj: Object) -> None:
        self.written.append(("create", obj["metadata"]["labels"]))

    def patch(self, kind: Any, namespace: str, name: str, change: Object) -> None:
        self.written.append(("patch", change["metadata"]["labels"]))

    def apply(self, kind: Any, obj: Object, *, subresource: str) -> None:
        self.written.append((subresource, obj["status"]["conditions"][0]))

    def event(self, about: Object, reason: str, message: str, *, warning: bool = False) -> None:
        self.events.append(reason)


def jobset(*conditions: Object) -> Object:
    meta = {"name": "train", "namespace": "ns", "uid": "u-1", "generation": 1}
    return {"metadata": meta, "spec": {"groupSchedulingConfig": {}}, "status": {"conditions": list(conditions)}}


def a_map(uid: str, labels: Object | None) -> Object:
    owner = {"kind": "JobSet", "name": "train", "uid": uid, "controller": True}
    return {"metadata": {"name": "train-group-scheduling", "labels": labels, "ownerReferences": [owner]}}


def created(config_map: Object | None) -> tuple[float | None, Server]:
    server = Server(config_map)
    return Barrier(server, server).create(jobset()), server  # type: ignore[arg-type]


def test_a_config_map_is_made_where_there_is_none() -> None:
    again, server = created(None)

    assert (again, server.written) == (None, [("create", LABELS)])


def test_a_config_map_that_lost_its_labels_gets_them_back_so_that_it_is_seen() -> None:
    for labels in (None, {"other": "yes"}, {**LABELS, JOBSET_LABEL: "another"}):
        again, server = created(a_map("u-1", labels))

        assert (again, server.written) == (None, [("patch", LABELS)])
    assert created(a_map("u-1", {**LABELS, "other": "yes"}))[1].written == []


def test_a_config_map_of_somebody_else_is_complained_about_and_left_alone() -> None:
    again, server = created(a_map("another", None))

    assert again is not None
    ((where, condition),) = server.written
    assert (where, condition["type"], condition["status"], condition["reason"]) == (
        "status",
        CONDITION,
        "False",
        "Blocked",
    )
    assert "train-group-scheduling exists and is not controlled by this JobSet" in condition["message"]
    assert server.events == ["GroupSchedulingBlocked"]


def test_how_it_stands_is_said_once() -> None:
    server = Server()
    Barrier(server, server).report_state(jobset(), released=True)  # type: ignore[arg-type]

    ((where, condition),) = server.written
    assert (where, condition["type"], condition["status"]) == ("status", CONDITION, "True")
    assert server.events == ["GroupSchedulingAllPodsStarted"]
    Barrier(server, server).report_state(jobset(condition), released=True)  # type: ignore[arg-type]
    assert len(server.written) == len(server.events) == 1


def test_a_barrier_that_is_no_longer_blocked_says_so_before_anything_starts() -> None:
    blocked = {"type": CONDITION, "status": "False", "reason": "Blocked", "message": "", "lastTransitionTime": ""}
    blocked_jobset = jobset(blocked)

    class MapThatExists(Server):
        def get(self, kind: Any, namespace: str, name: str) -> Object | None:
            return blocked_jobset if kind.kind == "JobSet" else a_map("u-1", LABELS)

        def of(self, kind: Any, key: Any) -> list[Object]:
            return []

    server = MapThatExists()
    Barrier(server, server).reconcile(("ns", "train"))  # type: ignore[arg-type]

    ((_, condition),) = server.written
    assert (condition["status"], condition["reason"]) == ("False", "WaitingForPods")
