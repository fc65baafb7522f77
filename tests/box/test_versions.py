"""Each Kubernetes version comes up with its own shape of the gang API."""

import pytest

from harness.box.artifacts import load
from harness.box.embedded import EmbeddedBox
from harness.box.profile import profile
from harness.core.errors import UsageError

SHAPES = {
    "1.35": ("scheduling.k8s.io/v1alpha1", {"Workload"}),
    "1.36": ("scheduling.k8s.io/v1alpha2", {"Workload", "PodGroup"}),
    "1.37": ("scheduling.k8s.io/v1beta1", {"Workload", "PodGroup"}),
}


def test_every_locked_version_has_a_profile():
    assert {profile(version).minor for version in load().locks("kubernetes")} == set(SHAPES)


@pytest.mark.parametrize("minor", sorted(SHAPES))
def test_a_version_serves_its_own_gang_api(minor: str):
    group, kinds = SHAPES[minor]
    with EmbeddedBox(minor) as box:
        served = {one["kind"] for one in box.api.request("GET", f"/apis/{group}")["resources"]}
        assert box.api.request("GET", "/version")["gitVersion"] == f"v{box.kubernetes}"

    assert kinds <= served


def test_a_gate_goes_only_where_it_is_known():
    old = profile("1.36.4")

    assert old.gate_flags("controllerManager", {"WorkloadAwarePreemption": True}) == [
        "--feature-gates=GenericWorkload=true"
    ]
    assert "WorkloadAwarePreemption=true" in old.gate_flags("scheduler", {"WorkloadAwarePreemption": True})[0]
    with pytest.raises(UsageError, match="WorkloadAwarePreemption"):
        profile("1.37.1").gate_flags("scheduler", {"WorkloadAwarePreemption": True})


def test_an_unknown_minor_names_the_known_ones():
    with pytest.raises(UsageError, match=r"1\.35, 1\.36, 1\.37"):
        profile("1.12.0")
