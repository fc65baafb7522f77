"""What a case sees of objects: not yet is waited for, and an API server that is away is held against nobody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from harness.box.recorder import Recorder
from harness.cases.claims import finds, rejects, sees, wait_for
from harness.cases.objects import Objects
from harness.core.errors import ApiError
from harness.core.oracle.facts import Stall


class Asked:
    """A context that keeps the claims, and has no time to wait."""

    def __init__(
        self, there: dict[str, dict[str, str]] | None = None, events: list[dict[str, str]] | None = None
    ) -> None:
        self.claims: list[bool | None] = []
        self.evidence: list[dict[str, object]] = []
        self.read: list[dict[str, object]] = []
        self.recorder = SimpleNamespace(changed=threading.Condition(), countdown=self.countdown)
        self.api = SimpleNamespace(
            resource=lambda version, kind: SimpleNamespace(kind=kind),
            find=lambda kind, namespace, name: (there or {}).get(name),
            list=lambda kind, namespace, **_: events or [],
        )
        self.namespace = "ns"

    def countdown(self, seconds: float) -> Callable[[], float]:
        until = time.monotonic() + seconds
        return lambda: until - time.monotonic()

    def deadline(self, name: str) -> float:
        return 0.0

    def claim(self, sentence: str, held: bool | None, detail: str = "", **evidence: object) -> bool | None:
        self.claims.append(held)
        self.evidence.append(evidence)
        return held


def test_a_claim_keeps_the_condition_and_the_value_that_was_read_at_last() -> None:
    asked = Asked()
    numbers = iter([0, 3])
    asked.deadline = lambda name: 1.0 if name else 0.0  # type: ignore[method-assign]

    sees(asked, "they come to be three", lambda: [pod(index) for index in range(next(numbers))], count=3)
    finds(asked, "it is red", {"colours": {"red", "blue"}}, equals={"colours": ["red"]})
    sees(asked, "it comes", lambda: failing(KeyError("nowhere")), "", count=0)
    sees(asked, "it comes", lambda: failing(ApiError("away", status=0)), "", count=0)

    assert asked.claims == [True, False, False, None]
    named = [{"name": f"a-{index}", "uid": f"u{index}"} for index in range(3)]
    assert asked.evidence == [
        {"value": named, "condition": {"count": 3}},
        {"value": {"colours": ["blue", "red"]}, "condition": {"equals": {"colours": ["red"]}}},
        {"value": None, "condition": {"count": 0}},
        {"condition": {"count": 0}},
    ]


def pod(index: int) -> dict[str, object]:
    return {"metadata": {"name": f"a-{index}", "uid": f"u{index}", "labels": {}}, "spec": {"containers": []}}


def test_time_in_which_all_stood_still_is_added_to_the_time_for_a_condition() -> None:
    asked = Asked()
    asked.recorder = Recorder(SimpleNamespace())  # type: ignore[arg-type]
    asked.deadline = lambda name: 0.2  # type: ignore[method-assign]
    began = time.monotonic()

    def look() -> bool:
        if not asked.recorder._heartbeat.stalls:
            now = time.time()
            asked.recorder._heartbeat.stalls.append(Stall(now, now + 0.6, "muster"))
        return time.monotonic() - began > 0.5

    assert wait_for(asked, look, "bound")
    assert not wait_for(asked, lambda: False, "bound")
    assert time.monotonic() - began < 3


def failing(error: Exception) -> bool:
    raise error


@pytest.mark.parametrize(
    ("status", "held"), [(0, None), (404, False)], ids=["the API server is away", "a part is not there"]
)
def test_what_could_not_be_asked_is_not_known(status: int, held: bool | None) -> None:
    asked = Asked()

    sees(asked, "it comes", lambda: failing(ApiError("no answer", status=status)))

    assert asked.claims == [held]


def test_an_object_that_is_missed_is_not_there_yet() -> None:
    asked = Asked({"here": {"kind": "Pod"}})
    objects = Objects(asked)

    sees(asked, "it comes", lambda: objects.get(("v1", "Pod"), "nowhere"))
    sees(asked, "it is here", lambda: objects.get(("v1", "Pod"), "here"))

    assert asked.claims == [False, True]


def test_a_claim_keeps_what_its_condition_read_at_last() -> None:
    asked = Asked({"here": {"kind": "Pod"}})
    objects = Objects(asked)

    sees(asked, "it is here", lambda: objects.find(("v1", "Pod"), "nowhere") or objects.find(("v1", "Pod"), "here"))
    sees(asked, "nothing was read", lambda: True)

    missing = {"kind": "Pod", "metadata": {"name": "nowhere"}, "missing": True}
    assert asked.evidence == [{"read": [missing, {"kind": "Pod"}]}, {}]


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
    asked = Asked(events=[{"reason": "Scheduled", "message": "so it is"}, {"reason": reason, "message": message}])

    sees(asked, "it comes", lambda: False)

    assert asked.claims == [held]


def test_a_refusal_is_a_fault_of_the_case() -> None:
    with pytest.raises(ApiError):
        sees(Asked(), "it comes", lambda: failing(ApiError("forbidden", status=403)))


@pytest.mark.parametrize(
    ("status", "message", "held"),
    [
        (422, "spec.x: Invalid value", True),
        (422, "spec.y: Invalid value", False),
        (500, "no idea of spec.x", False),
        (0, "connection refused", None),
        (503, "not now, spec.x", None),
    ],
)
def test_an_object_is_rejected_for_its_reason_or_nobody_knows(status: int, message: str, held: bool | None) -> None:
    asked = Asked()
    asked.api.create = lambda obj: failing(ApiError(message, status=status))

    rejects(asked, {}, "x is refused", mention="SPEC.X")

    assert asked.claims == [held]
    assert asked.evidence[0]["answer"] == {"code": status, "message": message}
    assert asked.evidence[0]["request"] == {"verb": "create", "object": {}}
