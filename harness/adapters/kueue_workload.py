"""Kueue with native groups: Kueue lets a gang in by quota, and kube-scheduler places it whole or not at all.

The pods, or the template of the Job, name a PodGroup of Kubernetes' own gang API beside the queue of Kueue. So both
halves of all-or-nothing are there: quota for all members, and a place for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.adapters.common import kueue_gangs
from harness.adapters.common.base import Limit, Object
from harness.adapters.common.kueue_queues import WORKLOAD
from harness.box.minor import gang_apis, minor_of
from harness.core.errors import UsageError
from harness.core.gang import Gang
from harness.core.kinds import JOB, Kind
from harness.core.labels import GANG_LABEL


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    api = minor_of(kubernetes).gang_api
    if not api.has_group_objects:
        raise UsageError(
            f"Kubernetes {kubernetes} has no PodGroup objects, which gangs of this integration need",
            hint="Use --kubernetes 1.36 or later.",
        )
    reference, disruption = api.refer("", "", gang.name), api.disruption.get(gang.disruption or "", "")
    return kueue_gangs.values(gang, {"api": api, "reference": reference, "disruption": disruption})


def groups(kubernetes: str) -> tuple[Kind, ...]:
    return (WORKLOAD, JOB, minor_of(kubernetes).gang_api.pod_group)


def read_group(obj: Object) -> tuple[str, int | None]:
    api = next((api for api in gang_apis() if api.version == obj["apiVersion"]), None)
    if api is None:
        return kueue_gangs.read_group(obj)
    return (obj["metadata"].get("labels") or {}).get(GANG_LABEL, obj["metadata"]["name"]), api.minimum(obj)


ADAPTER = kueue_gangs.kueue_adapter(
    name="kueue-workload",
    title="Kueue with native groups",
    values=values,
    features=("group-object", "group-first"),
    groups=groups,
    read=read_group,
    limits=(
        Limit(
            "gang",
            ">=0.1",
            "Quota is held from admission on, also while no place is found for the gang.",
            "https://kueue.sigs.k8s.io/docs/concepts/workload/",
        ),
    ),
)
