"""How many pods are expected, and which of them have started."""

from __future__ import annotations

from typing import Any

import pytest

from harness.controllers.jobset_barrier import spec as spec

RUNNING = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
PASSED = {"terminated": {"exitCode": 0}}
FAILED = {"terminated": {"exitCode": 1}}


def job(name: str = "w", replicas: Any = 1, **batch: Any) -> dict[str, Any]:
    annotations = {spec.RESUMES: "0"}
    return {
        "name": name,
        "replicas": replicas,
        "template": {
            "spec": {
                **batch,
                "template": {"metadata": {"annotations": annotations}, "spec": {"containers": []}},
            }
        },
    }


def jobset(*jobs: dict[str, Any], restarts: int = 0, **config: Any) -> dict[str, Any]:
    wish = {"groupSchedulingConfig": config, "replicatedJobs": list(jobs)}
    return {"metadata": {"name": "s", "uid": "u"}, "spec": wish, "status": {"restarts": restarts}}


def pod(
    index: int = 0,
    state: Any = RUNNING,
    *,
    of: str = "w",
    replica: int = 0,
    restart: str = "0",
    uid: str = "u",
    resumes: str = "0",
    **more: Any,
) -> dict[str, Any]:
    labels = {
        spec.UID_LABEL: uid,
        spec.JOB_LABEL: of,
        spec.RESTART_LABEL: restart,
        spec.JOB_INDEX_LABEL: str(replica),
        spec.INDEX_LABEL: str(index),
    }
    statuses = [{"name": spec.INIT, "state": state}] if state else []
    meta = {"name": f"{of}-{replica}-{index}", "labels": labels, "annotations": {spec.RESUMES: resumes}}
    return {"metadata": {**meta, **more}, "spec": {}, "status": {"initContainerStatuses": statuses, "phase": "Pending"}}


@pytest.mark.parametrize(
    ("jobs", "config", "count"),
    [
        ([job(replicas=3, parallelism=100, completions=100)], {}, 300),
        ([job("a", 2, parallelism=3), job("b", 1, parallelism=2), job("none", 0, parallelism=9)], {}, 8),
        ([job("workers", 3, parallelism=100), job("auxiliary")], {"targetReplicatedJobs": ["workers"]}, 300),
        ([job(replicas=None)], {}, 1),
        ([job(parallelism=8, completions=3)], {}, 3),
        ([job(parallelism=2, completions=30)], {}, 2),
        ([job(parallelism=0)], {}, 0),
        ([job("a"), job("b")], {"targetReplicatedJobs": None}, 2),
    ],
)
def test_expected(jobs: list[dict[str, Any]], config: dict[str, Any], count: int) -> None:
    assert spec.expected(jobset(*jobs, **config)) == count


@pytest.mark.parametrize(
    ("member", "counts"),
    [
        (pod(), True),
        (pod(state=PASSED), True),
        (pod(state=FAILED), False),
        (pod(state={"waiting": {"reason": "PodInitializing"}}), False),
        (pod(state=None), False),
        (pod(deletionTimestamp="2026-01-01T00:00:00Z"), False),
        (pod(restart="1"), False),
        (pod(resumes="1"), False),
        (pod(uid="former"), False),
        (pod(of="auxiliary"), False),
    ],
)
def test_started(member: dict[str, Any], counts: bool) -> None:
    obj = jobset(job(), job("auxiliary"), targetReplicatedJobs=["w"])
    assert spec.started(obj, [member]) == int(counts)


def test_a_failed_pod_has_not_started_though_it_had_passed() -> None:
    failed = pod(state=PASSED)
    failed["status"]["phase"] = "Failed"
    assert spec.started(jobset(job()), [failed]) == 0


def test_a_surplus_pod_stands_in_for_no_other() -> None:
    obj = jobset(job(replicas=2, parallelism=2))
    twins = [pod(0), {**pod(0), "metadata": {**pod(0)["metadata"], "name": "twin"}}]
    assert spec.started(obj, [*twins, pod(1), pod(0, replica=1)]) == 3
    assert spec.started(obj, [pod(0), pod(1), pod(2), pod(0, replica=1)]) == 3


def test_pods_of_jobs_without_indexes_count_by_name() -> None:
    pods = [pod(0), {**pod(0), "metadata": {**pod(0)["metadata"], "name": "other"}}]
    for member in pods:
        member["metadata"] = {**member["metadata"], "labels": dict(member["metadata"]["labels"])}
        del member["metadata"]["labels"][spec.INDEX_LABEL]
    assert spec.started(jobset(job(parallelism=2)), pods) == 2
    assert all(spec.is_leader(member) for member in pods)


def test_an_attempt_is_named_alike_by_the_jobset_and_its_pods() -> None:
    assert spec.attempt(jobset(job(), restarts=2)) == spec.attempt_of_pod(pod(restart="2")) == "u/2/0"
