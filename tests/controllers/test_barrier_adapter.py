"""The barrier as an integration: gangs as JobSets, what stands for them, and what is printed for a cluster."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml

from harness.adapters import adapter
from harness.adapters.common.render import gang_objects
from harness.adapters.jobset_barrier import DEPARTURES, NAME, SIMULATED
from harness.core.errors import UsageError
from harness.core.gang import GPU, Gang, Role

BARRIER = adapter(NAME)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harness", "controller", NAME, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_gang_is_a_jobset_with_a_job_per_role() -> None:
    roles = (Role("leader", 1, gpus=0), Role("worker", 3, gpus=4))
    (jobset,) = gang_objects(BARRIER, Gang("train", roles=roles, timeout=30), "default", "1.37.1")

    assert jobset["spec"]["groupSchedulingConfig"] == {"timeoutAfterSeconds": 30}
    leader, worker = jobset["spec"]["replicatedJobs"]
    assert (leader["template"]["spec"]["parallelism"], worker["template"]["spec"]["parallelism"]) == (1, 3)
    template = worker["template"]["spec"]["template"]
    assert BARRIER.classify(template) == ("train", "member", "worker")
    assert template["spec"]["containers"][0]["resources"]["limits"][GPU] == "4"
    assert BARRIER.read_group(jobset) == ("train", None)


def test_the_config_map_stands_for_the_gang_too() -> None:
    owner = {"kind": "JobSet", "name": "train", "uid": "u", "controller": True}
    assert BARRIER.read_group({"metadata": {"name": "any-name", "ownerReferences": [owner]}}) == ("train", None)
    other = {**owner, "controller": False}
    assert BARRIER.read_group({"metadata": {"name": "other", "ownerReferences": [other]}}) == ("", None)
    assert BARRIER.read_group({"metadata": {"name": "kube-root-ca.crt"}}) == ("", None)


@pytest.mark.parametrize("wish", [{"gated": 1}, {"queue": "team"}, {"topology": "zone"}, {"missing": 1}])
def test_what_a_jobset_cannot_say_is_refused(wish: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=f"no way to say {next(iter(wish))}"):
        gang_objects(BARRIER, Gang("train", size=2, **wish), "ns", "1.37.1")  # type: ignore[arg-type]


def test_simulation_and_reference_are_declared() -> None:
    assert SIMULATED.what.startswith("SIMULATED")
    assert any("groupSchedulingConfig" in departure.what for departure in DEPARTURES)


def test_manifests_name_the_image_and_the_webhooks() -> None:
    objects = list(yaml.safe_load_all(command("--manifests", "--init-image", "busybox:1.37").stdout))
    (deployment,) = [obj for obj in objects if obj["kind"] == "Deployment"]
    assert "--init-image=busybox:1.37" in deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    hooks = [obj["webhooks"][0] for obj in objects if obj["kind"].endswith("WebhookConfiguration")]
    assert [hook["clientConfig"]["service"]["path"] for hook in hooks] == ["/mutate", "/validate"]
    assert {hook["failurePolicy"] for hook in hooks} == {"Fail"}


@pytest.mark.parametrize("image", ["", "busybox latest"])
def test_an_image_that_is_none_is_refused(image: str) -> None:
    done = command("--init-image", image)
    assert done.returncode == 4
    assert "is no image" in done.stderr and "Traceback" not in done.stderr
