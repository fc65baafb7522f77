"""The native integration: kube-scheduler's own gangs through the Workload and PodGroup API of scheduling.k8s.io.

The scheduler under test is the box's own, so there is nothing to install; what differs between releases is the API:
1.35 has Workloads that pods point into, 1.36 and 1.37 have PodGroup objects that pods point to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.adapters.common.base import (
    BACKOFF_PACE,
    Adapter,
    Claim,
    Departure,
    Edit,
    Installed,
    Limit,
    Object,
    Settings,
    Variant,
)
from harness.box.base import Box
from harness.box.minor import gang_apis, minor_of
from harness.core.gang import Gang
from harness.core.gang_api import gang_policy
from harness.core.labels import GANG_LABEL

TEMPLATE = "members"  # the one group that the Workload of a gang describes
PREEMPTION = "WorkloadAwarePreemption"  # on by itself from 1.37
TOPOLOGY = "TopologyAwareWorkloadScheduling"
INFORMER = "kube-scheduler's watch of pods leaves out those that have succeeded or failed (newPodInformer)"
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


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    api = minor_of(kubernetes).gang_api
    return {
        "api": api,
        "origin": api.made_from(gang.name, TEMPLATE),
        "reference": api.refer(gang.name, TEMPLATE, gang.name),
        "disruption": api.disruption.get(gang.disruption or "", ""),
    }


def read_group(obj: Object) -> tuple[str, int | None]:
    name = (obj["metadata"].get("labels") or {}).get(GANG_LABEL, obj["metadata"]["name"])
    api = next(api for api in gang_apis() if api.version == obj["apiVersion"])
    return name, api.minimum(obj)


def edit_quorum(gang: Gang, quorum: int, kubernetes: str) -> Sequence[Edit]:
    api = minor_of(kubernetes).gang_api
    return [(api.pod_group, gang.name, {"spec": {api.policy_field: gang_policy(quorum)}})]


ADAPTER = Adapter(
    name="workload",
    title="Kubernetes native Workload API",
    organization="Kubernetes",
    url="https://kubernetes.io/docs/concepts/workloads/workload-api/",
    scheduler="default-scheduler",
    component="kubernetes",
    images={"scheduler": r"/kube-scheduler[:@]", "controller": r"/kube-controller-manager[:@]"},
    features=(
        "gang",
        "pod-affinity",
        "spread",
        "host-ports",
        "volumes",
        "devices",
        "quorum",
        "roles",
        "priority",
        "preemption",
        "workload-object",
        "group-first",
        "basic-policy",
        "restart-safe",
        "starts-anew",
        Claim("instant-refusal", kubernetes=">=1.36"),
        Claim("nominates", kubernetes=">=1.36"),
        Claim("hints-at-limits", kubernetes=">=1.36"),
        Claim("member-priority", kubernetes=">=1.36,<1.37"),
        Claim("job-gang", source="its documentation: a reference to the group in the template of a Job"),
        Claim("replica-key", kubernetes="<1.36"),
        Claim("group-object", kubernetes=">=1.36"),
        Claim("group-status", kubernetes=">=1.36"),
        Claim("gang-disruption", kubernetes=">=1.37"),
        Claim("quorum-edit", kubernetes=">=1.37"),
        Claim("tells-members", kubernetes=">=1.36"),
        Claim("forgets-succeeded", source=INFORMER),
        Claim("forgets-failed", source=INFORMER),
        Claim(
            "counts-leaving", source="kube-scheduler counts all pods of the group that it knows; one goes when deleted"
        ),
        Claim("refills-whole", source="GangScheduling.PreEnqueue: pods wait while fewer than minCount are known"),
    ),
    install=install,
    values=values,
    groups=lambda kubernetes: minor_of(kubernetes).gang_api.group_kinds,
    read_group=read_group,
    edit_quorum=edit_quorum,
    variants={
        "aware-preemption": Variant(
            "with workload-aware preemption", features=("gang-disruption",), kubernetes="1.36", gates=(PREEMPTION,)
        )
    },
    needs_scheduler=True,
    pace=BACKOFF_PACE,
    limits=(
        Limit(
            "preemption",
            ">=1.35,<1.37",
            "Victims can be evicted for a gang that never starts: preemption acts pod "
            "by pod inside the attempt (1.36: unless WorkloadAwarePreemption is on, as in workload+aware-preemption).",
        ),
        Limit(
            "gang",
            ">=1.35,<1.36",
            "A partial gang waits at Permit for up to five minutes, holding what it was "
            "assigned; two gangs can block each other for that long.",
        ),
    ),
)
