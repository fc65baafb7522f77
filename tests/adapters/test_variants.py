"""Integrations with settings of their own: they have a name, and all else follows from the one that they vary."""

from __future__ import annotations

import pytest

from harness.adapters import adapter
from harness.adapters.common.base import Settings, features_of, with_preset
from harness.adapters.common.variants import variants_of
from harness.box.artifacts import load
from harness.box.minor import minors
from harness.box.options import BoxOptions
from harness.box.spec import BoxSpec
from harness.cli.get import components_of
from harness.core.errors import UsageError
from harness.runner.config import RunConfig, kubernetes_of
from harness.testbed.install import box_for


def test_a_variant_is_its_integration_with_settings_and_features() -> None:
    plain, preempts = adapter("volcano"), adapter("volcano+preempt")

    assert preempts.name == "volcano+preempt" and preempts.title == "Volcano with its preempt action"
    assert features_of(preempts) - features_of(plain) == {"preemption"}
    assert features_of(plain) - features_of(preempts) == {"total"}
    assert (preempts.folder, preempts.component) == (plain.folder, plain.component) == ("volcano", "volcano")
    assert with_preset(preempts, Settings()).options == {"actions": "allocate, preempt, backfill"}
    assert with_preset(preempts, Settings(options={"actions": "allocate"})).options == {"actions": "allocate"}


def test_every_kubernetes_is_a_variant_of_what_is_not_native() -> None:
    assert {f"kubernetes-{minor}" for minor in minors()} <= variants_of(adapter("jobset-gang")).keys()
    assert variants_of(adapter("workload")).keys() == {"aware-preemption"}
    assert adapter("jobset-gang+kubernetes-1.36").kubernetes == "1.36"


def test_what_is_run_and_built_is_of_that_kubernetes() -> None:
    older = "jobset-gang+kubernetes-1.35@0.11.1"

    assert RunConfig((older,)).check().only(older).box.kubernetes == "1.35"
    assert kubernetes_of("jobset-gang+kubernetes-1.36", "1.36.4") == "1.36.4"
    assert {"kubernetes@1.35", "jobset@0.11.1"} <= set(components_of(load(), older))
    with pytest.raises(UsageError, match=r"is for Kubernetes 1\.36, and --kubernetes asks for 1\.37"):
        RunConfig(("jobset-gang+kubernetes-1.36",)).only("jobset-gang+kubernetes-1.36")
        kubernetes_of("jobset-gang+kubernetes-1.36", "1.37")


def test_a_variant_may_have_gates_of_its_kubernetes() -> None:
    aware = adapter("workload+aware-preemption")

    assert features_of(aware) - features_of(adapter("workload"), "1.36") == {"gang-disruption"}
    assert RunConfig((aware.name,)).check().only(aware.name).box.kubernetes == "1.36"
    assert box_for(aware, BoxSpec(), Settings()).gates == {"WorkloadAwarePreemption": True}
    turned_off = {"WorkloadAwarePreemption": False}
    assert box_for(aware, BoxSpec(), Settings(), BoxOptions(gates=turned_off)).gates == turned_off
    with pytest.raises(UsageError, match=r"is for Kubernetes 1\.36, and --kubernetes asks for 1\.37"):
        kubernetes_of(aware.name, "1.37")


def test_an_unknown_variant_is_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="Volcano has no variant 'premept'") as error:
        adapter("volcano+premept")
    assert "volcano+preempt" in error.value.hint
