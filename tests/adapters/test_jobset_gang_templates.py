"""The manifests of JobSet gangs, by golden files: JobSets as users write them, and the controller in a cluster.

After a change that is meant: MUSTER_UPDATE_GOLDEN=1 pytest tests/adapters, then read the difference.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.adapters import adapter
from harness.adapters.common.jobset import ReplicatedJob
from harness.adapters.common.reference_controller import in_cluster
from harness.adapters.common.render import gang_yaml, parse, render
from harness.adapters.jobset_gang import classify, read_group
from harness.core.errors import UsageError
from harness.core.gang import Gang, Role

GOLDEN = Path(__file__).parent / "golden" / "jobset-gang"
ADAPTER = adapter("jobset-gang")
GANGS = {
    "plain": Gang("plain", size=2, gpus=2),
    "roles": Gang("roles", roles=(Role("leader", 1, gpus=0), Role("worker", 2, gpus=4)), lifetime=3),
    "priority": Gang("priority", size=1, priority="high", selector={"muster.dev/pool": "a"}),
}


def levels() -> str:
    worker = ReplicatedJob("worker", pods=2, replicas=2, gpus=0, mode="ReplicatedGang", gang="set-worker", each=True)
    jobs = [
        ReplicatedJob("driver", gpus=0, mode="Gang", gang="set-driver"),
        replace(worker, after="driver"),
        ReplicatedJob("logger", gpus=0, mode="Off"),
    ]
    return render(
        "jobset-gang/gang.yaml.j2", name="set", namespace="ns", mode="Off", in_order=True, jobs=jobs, scheduler="s"
    )


def cluster() -> str:
    objects = in_cluster("jobset-gang", "jobset-gang", "muster-system", "muster:1", {})
    for obj in objects:
        for name in obj.get("data") or ():
            obj["data"][name] = "..."
        for hook in obj.get("webhooks") or ():
            hook["clientConfig"]["caBundle"] = "..."
    return yaml.safe_dump_all(objects, sort_keys=False)


TEXTS = {name: gang_yaml(ADAPTER, gang, "ns", "1.37.1") for name, gang in GANGS.items()}
TEXTS |= {"levels": levels(), "cluster": cluster()}


@pytest.mark.parametrize("name", TEXTS)
def test_manifest_is_as_it_was(name: str) -> None:
    path = GOLDEN / f"{name}.yaml"
    if os.environ.get("MUSTER_UPDATE_GOLDEN"):
        path.write_text(TEXTS[name], encoding="utf-8")

    assert TEXTS[name] == path.read_text(encoding="utf-8")


def test_modes_stay_words() -> None:
    (jobset,) = parse(TEXTS["levels"])

    assert jobset["spec"]["gangConfig"]["gangMode"] == "Off"
    assert [job["gangConfig"]["gangMode"] for job in jobset["spec"]["replicatedJobs"]] == [
        "Gang",
        "ReplicatedGang",
        "Off",
    ]


@pytest.mark.parametrize(
    "change", [{"quorum": 1}, {"missing": 1}, {"gated": 1}, {"timeout": 3}, {"queue": "team"}, {"style": "odd"}]
)
def test_what_a_jobset_cannot_say_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        gang_yaml(ADAPTER, GANGS["plain"].but(**change), "ns", "1.37.1")


def test_pods_of_replicas_are_of_different_gangs() -> None:
    labels = {"muster.dev/gang": "set-worker", "jobset.sigs.k8s.io/job-index": "1"}

    assert classify({"metadata": {"labels": labels}}) == ("set-worker", "member", "")
    each = {**labels, "muster.dev/gang-of": "replica"}
    assert classify({"metadata": {"labels": each}}) == ("set-worker-1", "member", "")


def test_objects_stand_for_the_gangs_that_they_are_named_after() -> None:
    def gang(kind: str, name: str, **meta: Any) -> str:
        return read_group({"kind": kind, "metadata": {"name": name, **meta}})[0]

    owned = {"ownerReferences": [{"kind": "JobSet"}]}
    assert gang("PodGroup", "pg-set.worker.1", **owned) == "set-worker-1"
    assert gang("Workload", "w-set", **owned) == "set"
    assert gang("Workload", "w-set") == ""
    assert gang("PodGroup", "mine", labels={"muster.dev/gang": "set"}) == "set"
    assert (gang("JobSet", "set"), gang("Job", "set-worker-0", **owned)) == ("set", "")
