"""Each Kubernetes version comes up with its own shape of the gang API."""

import pytest

from harness.box.artifacts import load
from harness.box.embedded.box import EmbeddedBox
from harness.box.minor import minor_of, minors
from harness.core.errors import UsageError
from tests import gate


def test_every_locked_version_has_an_entry():
    assert {minor_of(version).version for version in load().locks("kubernetes")} == set(minors())


@pytest.mark.parametrize("minor", [pytest.param(minor, marks=gate.marks("workload", minor)) for minor in minors()])
def test_a_version_serves_its_own_gang_api(minor: str):
    api = minor_of(minor).gang_api
    with EmbeddedBox(minor) as box:
        served = {resource["kind"] for resource in box.api.request("GET", f"/apis/{api.version}")["resources"]}
        assert box.api.request("GET", "/version")["gitVersion"] == f"v{box.kubernetes}"

    assert set(api.kinds) <= served and ("PodGroup" in served) == api.has_group_objects


def test_a_gate_goes_only_where_it_is_known():
    old = minor_of("1.36.4")

    assert old.gate_flags("controllerManager", {"WorkloadAwarePreemption": True}) == [
        "--feature-gates=GenericWorkload=true"
    ]
    assert "WorkloadAwarePreemption=true" in old.gate_flags("scheduler", {"WorkloadAwarePreemption": True})[0]
    with pytest.raises(UsageError, match="WorkloadAwarePreemption"):
        minor_of("1.37.1").gate_flags("scheduler", {"WorkloadAwarePreemption": True})


def test_an_unknown_minor_names_the_known_ones():
    with pytest.raises(UsageError, match=r"1\.35, 1\.36, 1\.37"):
        minor_of("1.12.0")
