"""What a case sees of objects: not yet is waited for, and an API server that is away is held against nobody."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from harness.core.errors import ApiError
from harness.objects import Objects


class Witness(Objects):
    """Keeps the claims, and has no time to wait."""

    def __init__(
        self, there: dict[str, dict[str, str]] | None = None, events: list[dict[str, str]] | None = None
    ) -> None:
        self.claims: list[bool | None] = []
        self.recorder = SimpleNamespace(changed=threading.Condition())  # type: ignore[assignment]
        self.api = SimpleNamespace(
            resource=lambda *kind: kind,
            find=lambda kind, namespace, name: (there or {}).get(name),
            list=lambda kind, namespace, **_: [{**one, "metadata": {"name": "event"}} for one in events or []],
        )  # type: ignore[assignment]
        self.namespace = "ns"

    def deadline(self, name: str) -> float:
        return 0.0

    def claim(self, sentence: str, held: bool | None, detail: str = "") -> bool | None:  # type: ignore[override]
        self.claims.append(held)
        return held


def failing(error: Exception) -> bool:
    raise error


@pytest.mark.parametrize(
    ("status", "held"), [(0, None), (404, False)], ids=["the API server is away", "a part is not there"]
)
def test_what_could_not_be_asked_is_not_known(status: int, held: bool | None) -> None:
    world = Witness()

    world.sees("it comes", lambda: failing(ApiError("no answer", status=status)))

    assert world.claims == [held]


def test_an_object_that_is_missed_is_not_there_yet() -> None:
    world = Witness({"here": {"kind": "Pod"}})

    world.sees("it comes", lambda: world.existing(("v1", "Pod"), "nowhere"))
    world.sees("it is here", lambda: world.existing(("v1", "Pod"), "here"))

    assert world.claims == [False, True]


RUNTIME = "Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create "


@pytest.mark.parametrize(
    ("reason", "message", "held"),
    [
        ("Failed", RUNTIME + "failed: error setting cgroup config for procHooks process: unable to freeze", None),
        ("Failed", RUNTIME + 'failed: exec: "waiter": executable file not found in $PATH', False),
        ("BackOff", "unable to freeze the cgroup, OCI runtime create failed", False),
    ],
    ids=["the node", "the pod", "another event"],
)
def test_a_container_that_a_node_could_not_make_is_held_against_nobody(
    reason: str, message: str, held: bool | None
) -> None:
    world = Witness(events=[{"reason": "Scheduled", "message": "so it is"}, {"reason": reason, "message": message}])

    world.sees("it comes", lambda: False)

    assert world.claims == [held]


def test_a_refusal_is_a_fault_of_the_case() -> None:
    with pytest.raises(ApiError):
        Witness().sees("it comes", lambda: failing(ApiError("forbidden", status=403)))


@pytest.mark.parametrize(
    ("status", "message", "held"),
    [(422, "spec.x: Invalid value", True), (422, "spec.y: Invalid value", False), (500, "no idea of spec.x", False),
     (0, "connection refused", None), (503, "not now, spec.x", None)],
)  # fmt: skip
def test_an_object_is_rejected_for_its_reason_or_nobody_knows(status: int, message: str, held: bool | None) -> None:
    world = Witness()
    world.api.create = lambda obj: failing(ApiError(message, status=status))  # type: ignore[method-assign, assignment, return-value]

    world.rejects({}, "x is refused", mention="SPEC.X")

    assert world.claims == [held]
