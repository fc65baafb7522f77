"""What the barrier's webhook writes into a JobSet: everything once, nothing of the user's lost, whoever asks again."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from harness.controllers.jobset_barrier.injection import container, injection
from harness.controllers.jobset_barrier.spec import INIT, RESUMES, VOLUME

LIMITS = {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}


def jobset(*names: str, config: Any = None, **spec: Any) -> dict[str, Any]:
    jobs = [
        {"name": name, "template": {"spec": {"template": {"spec": {"containers": [{"name": "main"}]}}}}}
        for name in names or ("workers",)
    ]
    wish = {} if config is None else {"groupSchedulingConfig": config}
    return {"metadata": {"name": "train", "namespace": "default"}, "spec": {**wish, "replicatedJobs": jobs, **spec}}


def pod(obj: dict[str, Any], index: int = 0) -> dict[str, Any]:
    spec: dict[str, Any] = obj["spec"]["replicatedJobs"][index]["template"]["spec"]["template"]["spec"]
    return spec


def patched(obj: dict[str, Any], old: dict[str, Any] | None = None, image: str = "bash") -> dict[str, Any]:
    """The object after the patch; every operation of ours is an `add` to an object."""
    obj = deepcopy(obj)
    for change in injection(obj, old, image):
        *path, last = change["path"].strip("/").split("/")
        place: Any = obj
        for step in path:
            place = place[int(step)] if isinstance(place, list) else place[step]
        place[last] = change["value"]
    return obj


def test_a_jobset_that_does_not_ask_is_left_alone() -> None:
    assert injection(jobset(), None, "bash") == []
    assert injection(jobset(config=None, suspend=True), None, "bash") == []


def test_targets_get_container_volume_and_count_of_resumes() -> None:
    mutated = patched(jobset("workers", "proxy", config={"targetReplicatedJobs": ["workers"]}))

    assert [container["name"] for container in pod(mutated)["initContainers"]] == [INIT]
    assert pod(mutated)["volumes"] == [
        {"name": VOLUME, "configMap": {"name": "train-group-scheduling", "optional": True}}
    ]
    template = mutated["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    assert template["metadata"]["annotations"] == {RESUMES: "0"}
    assert pod(mutated, 1) == {"containers": [{"name": "main"}]}


def test_the_injected_container_is_first_and_the_users_stay() -> None:
    submitted = jobset(config={})
    pod(submitted)["initContainers"] = [{"name": "fetch"}]
    pod(submitted)["volumes"] = [{"name": "scratch", "emptyDir": {}}]

    mutated = patched(submitted)

    assert [item["name"] for item in pod(mutated)["initContainers"]] == [INIT, "fetch"]
    assert [item["name"] for item in pod(mutated)["volumes"]] == ["scratch", VOLUME]
    assert pod(mutated)["containers"] == pod(submitted)["containers"]


def test_injecting_twice_changes_nothing() -> None:
    mutated = patched(jobset(config={"timeoutAfterSeconds": 5}))

    assert injection(mutated, None, "bash") == []
    assert injection(mutated, mutated, "bash") == []


def test_a_copy_under_another_name_gets_its_own_config_map() -> None:
    copy = patched(jobset(config={}))
    copy["metadata"]["name"] = "again"

    assert pod(patched(copy))["volumes"][0]["configMap"]["name"] == "again-group-scheduling"


def test_a_change_takes_over_what_is_stored() -> None:
    stored = patched(jobset(config={}), image="old")

    for written in (jobset(config={}), stored):
        assert patched(written, stored, image="new") == stored


def test_resuming_begins_a_new_attempt() -> None:
    stored = patched(jobset(config={}, suspend=True))

    resumed = patched({**stored, "spec": {**stored["spec"], "suspend": False}}, stored)
    again = patched({**resumed, "spec": {**resumed["spec"], "suspend": True}}, resumed)

    def resumes(obj: dict[str, Any]) -> str:
        template = obj["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
        return str(template["metadata"]["annotations"][RESUMES])

    assert (resumes(stored), resumes(resumed), resumes(again)) == ("0", "1", "1")


def test_a_name_to_be_generated_is_made_here() -> None:
    submitted = jobset(config={})
    submitted["metadata"] = {"generateName": "train-", "namespace": "default"}

    mutated = patched(submitted)

    name = mutated["metadata"]["name"]
    assert name.startswith("train-") and len(name) == len("train-") + 5
    assert pod(mutated)["volumes"][0]["configMap"]["name"] == f"{name}-group-scheduling"


def test_a_pod_keeps_its_class_of_service() -> None:
    obj = jobset(config={})
    assert "resources" not in container(obj, "bash", [{"name": "main"}])
    assert "resources" not in container(obj, "bash", [{"name": "main", **LIMITS}, {"name": "free"}])
    assert container(obj, "bash", [{"name": "main", **LIMITS}])["resources"]["limits"].keys() == {"cpu", "memory"}


def test_the_time_limit_is_given_to_the_script() -> None:
    def limit(config: dict[str, Any]) -> list[str]:
        variables = container(jobset(config=config), "bash")["env"]
        return [variable["value"] for variable in variables if variable["name"] == "TIMEOUT_AFTER_SECONDS"]

    assert limit({"timeoutAfterSeconds": 300}) == ["300"]
    assert limit({}) == limit({"timeoutAfterSeconds": None}) == []


@pytest.mark.parametrize("jobs", [None, "workers", 5, [5], [{}], [{"name": "workers", "template": "none"}]])
def test_what_is_no_list_of_jobs_is_left_to_the_schema(jobs: object) -> None:
    assert injection(jobset(config={}, replicatedJobs=jobs), None, "bash") == []
    assert injection(jobset(config={"targetReplicatedJobs": 7}, replicatedJobs=jobs), None, "bash") == []
