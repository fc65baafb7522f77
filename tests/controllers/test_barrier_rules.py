"""What the barrier's webhook refuses, word for word."""

from __future__ import annotations

from typing import Any

import pytest

from harness.controllers.jobset_barrier.rules import errors
from harness.controllers.jobset_barrier.spec import INIT, VOLUME

from .test_barrier_injection import jobset, patched, pod

ROOT = "spec.groupSchedulingConfig"
POD = "spec.replicatedJobs[0].template.spec.template.spec"


def messages(obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[str]:
    return [str(error) for error in errors(obj, old)]


def depending(*pairs: tuple[str, str], targets: list[str]) -> dict[str, Any]:
    obj = jobset(*(name for name, _ in pairs), config={"targetReplicatedJobs": targets})
    for job, (_, other) in zip(obj["spec"]["replicatedJobs"], pairs, strict=True):
        job["dependsOn"] = [{"name": other, "status": "Ready"}] if other else []
    return patched(obj)


def test_nothing_is_wrong_with_what_was_injected() -> None:
    assert messages(patched(jobset("a", "b", config={"timeoutAfterSeconds": 1, "targetReplicatedJobs": ["b"]}))) == []
    assert messages(jobset()) == []


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"timeoutAfterSeconds": 0}, f"{ROOT}.timeoutAfterSeconds: Invalid value: 0: must be greater than 0"),
        ({"timeoutAfterSeconds": -1}, f"{ROOT}.timeoutAfterSeconds: Invalid value: -1: must be greater than 0"),
        (
            {"targetReplicatedJobs": ["a", "x"]},
            f'{ROOT}.targetReplicatedJobs[1]: Invalid value: "x": must be the name of a replicated job of this JobSet',
        ),
        ({"targetReplicatedJobs": ["a", "a"]}, f'{ROOT}.targetReplicatedJobs[1]: Duplicate value: "a"'),
    ],
)
def test_a_wish_that_cannot_be(config: dict[str, Any], expected: str) -> None:
    assert messages(patched(jobset("a", "b", config=config))) == [expected]


@pytest.mark.parametrize(("targets", "refused"), [(None, True), (["a", "b"], True), (["b"], False)])
def test_in_order(targets: list[str] | None, refused: bool) -> None:
    order = {"startupPolicyOrder": "InOrder"}
    obj = patched(jobset("a", "b", config={"targetReplicatedJobs": targets}, startupPolicy=order))
    expected = (
        'spec.startupPolicy.startupPolicyOrder: Invalid value: "InOrder": '
        "may not be InOrder when groupSchedulingConfig spans more than one replicated job"
    )
    assert messages(obj) == ([expected] if refused else [])


def test_dependence_between_targets_is_an_order_too() -> None:
    chain = (("a", ""), ("b", "a"), ("c", "b"))
    expected = (
        'spec.replicatedJobs[2].dependsOn: Forbidden: may not lead to "a": '
        "both are targets of groupSchedulingConfig and start together"
    )
    assert messages(depending(*chain, targets=["a", "c"])) == [expected]
    assert messages(depending(*chain, targets=["c"])) == []
    assert messages(depending(("a", ""), ("b", ""), ("c", "b"), targets=["a", "c"])) == []
    assert len(messages(depending(*chain, targets=[]))) == 3


@pytest.mark.parametrize(
    ("field", "name", "thing"),
    [("containers", INIT, {}), ("initContainers", INIT, {"command": ["mine"]}), ("volumes", VOLUME, {"emptyDir": {}})],
)
def test_reserved_names(field: str, name: str, thing: dict[str, Any]) -> None:
    obj = jobset(config={})
    pod(obj)[field] = [{"name": name, **thing}]
    expected = f'{POD}.{field}[0].name: Invalid value: "{name}": is reserved in a JobSet with a groupSchedulingConfig'
    assert expected in messages(patched(obj))
    del obj["spec"]["groupSchedulingConfig"]
    assert messages(obj) == []


def test_beside_the_targets_only_container_names_are_reserved() -> None:
    obj = jobset("a", "b", config={"targetReplicatedJobs": ["a"]})
    pod(obj, 1)["volumes"] = [{"name": VOLUME, "emptyDir": {}}]
    assert messages(patched(obj)) == []
    pod(obj, 1)["initContainers"] = [{"name": INIT, "volumeMounts": [{"mountPath": "/mnt/group-scheduling"}]}]
    assert len(messages(patched(obj))) == 1


def test_the_wish_never_changes() -> None:
    old = patched(jobset(config={"timeoutAfterSeconds": 5}))
    new = {**old, "spec": {**old["spec"], "groupSchedulingConfig": {"timeoutAfterSeconds": 6}}}
    assert messages(new, old) == [f'{ROOT}: Invalid value: {{"timeoutAfterSeconds":6}}: field is immutable']
    assert messages(jobset(), old) == [f"{ROOT}: Invalid value: null: field is immutable"]
    assert len(messages(old, jobset())) == 1
    same = {
        **old,
        "spec": {**old["spec"], "groupSchedulingConfig": {"timeoutAfterSeconds": 5, "targetReplicatedJobs": []}},
    }
    assert messages(same, old) == []
    going = {**new, "metadata": {**new["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    assert messages(going, old) == []


def test_a_jobset_that_passed_no_injection_is_refused() -> None:
    missing = (
        f"{POD}.initContainers: Required value: must begin with {INIT}, "
        "which the mutating webhook injects: it was not called"
    )
    assert messages(jobset(config={})) == [missing]
    stale = patched(jobset(config={}))
    stale["metadata"]["name"] = "other"
    assert messages(stale) == [missing]
