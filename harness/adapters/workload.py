"""The native integration: kube-scheduler's own gangs through the Workload and PodGroup API of scheduling.k8s.io.

The scheduler under test is the box's own, so there is nothing to install; what differs between releases is the API:
1.35 has Workloads that pods point into, 1.36 and 1.37 have PodGroup objects that pods point to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.adapters.base import BACKOFF_PACE, Adapter, Box, Departure, Installed, Limit, Object, Settings, by_label
from harness.box.profile import profile
from harness.core.gang import Gang

TOPOLOGY = "TopologyAwareWorkloadScheduling"
DEPARTURES = (
    Departure("feature gates of the gang API are on", "the API is alpha or beta and off by default in every release"),
    Departure("leader election is off", "one scheduler runs per box"),
)


def install(box: Box, settings: Settings) -> Installed:
    """Nothing to add: kube-scheduler came up with the box. Domains of nodes are known behind a gate of their own."""
    return Installed(
        version=box.kubernetes,
        artifacts=(box.artifacts["kubernetes"],),
        departures=DEPARTURES,
        schedulers=("kube-scheduler",),
        controllers=("kube-controller-manager",),
        features=frozenset({"topology"}) if box.gates.get(TOPOLOGY) else frozenset(),
    )


def features(version: str, kubernetes: str) -> frozenset[str]:
    minor = _minor(kubernetes)
    has = {
        "gang", "quorum", "roles", "priority", "preemption", "workload-object", "group-first", "restart-safe",
        "starts-anew",
    }  # fmt: skip
    if minor == 35:
        has |= {"replica-key", "basic-policy"}
    if minor >= 36:
        has |= {"group-object", "group-status", "basic-policy"}
    if minor >= 37:
        has |= {"gang-disruption", "quorum-edit"}
    return frozenset(has)


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    group = profile(kubernetes).group
    modes = {"v1alpha2": {"pod": "Pod", "gang": "PodGroup"}, "v1beta1": {"pod": "{single: {}}", "gang": "{all: {}}"}}
    api = group.rpartition("/")[2]
    return {"group": group, "api": api, "disruption": modes.get(api, {}).get(gang.disruption or "", "")}


def groups(kubernetes: str) -> tuple[tuple[str, str], ...]:
    group = profile(kubernetes).group
    kinds = ("Workload",) if _minor(kubernetes) == 35 else ("Workload", "PodGroup")
    return tuple((group, kind) for kind in kinds)


def read_group(obj: Object) -> tuple[str, int | None]:
    spec = obj.get("spec") or {}
    name = (obj["metadata"].get("labels") or {}).get("muster.dev/gang", obj["metadata"]["name"])
    entries: Sequence[Object] = spec.get("podGroups") or spec.get("podGroupTemplates") or [spec]
    policy = entries[0].get("policy") or entries[0].get("schedulingPolicy") or {}
    return name, (policy.get("gang") or {}).get("minCount")


def edit_quorum(gang: Gang, quorum: int) -> Sequence[tuple[tuple[str, str], str, Object]]:
    change = {"spec": {"schedulingPolicy": {"gang": {"minCount": quorum}}}}
    return [(("scheduling.k8s.io/v1beta1", "PodGroup"), gang.name, change)]


def _minor(kubernetes: str) -> int:
    return int(kubernetes.split(".")[1])


ADAPTER = Adapter(
    name="workload",
    title="Kubernetes native Workload API",
    organization="Kubernetes",
    url="https://kubernetes.io/docs/concepts/workloads/workload-api/",
    component="kubernetes",
    scheduler="default-scheduler",
    features=features,
    install=install,
    values=values,
    groups=groups,
    read_group=read_group,
    classify=by_label,
    edit_quorum=edit_quorum,
    needs_scheduler=True,
    pace=BACKOFF_PACE,
    limits=(
        Limit("preemption", ">=1.35,<1.37", "Victims can be evicted for a gang that never starts: preemption acts pod "
              "by pod inside the attempt (1.36: unless the gate WorkloadAwarePreemption is on)."),
        Limit("gang", ">=1.35,<1.36", "A partial gang waits at Permit for up to five minutes, holding what it was "
              "assigned; two gangs can block each other for that long."),
    ),
)  # fmt: skip
