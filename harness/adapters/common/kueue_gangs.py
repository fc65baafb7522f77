"""What integrations with Kueue have in common: how gangs are declared, deleted, refused and evicted, what they claim.

Kueue refuses a gang in a condition of the Workload object that it makes of the gang's pods or Job, and evicts it whole
by another one. Pods that are held back have a gate from their creation on, which says nothing. A pod keeps a finalizer
until Kueue has decided about its gang: if only the pods of a group are deleted, the group keeps its quota. So a user
gives up a group by deleting its Workload, and so do cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.adapters.common import hosting, kueue_controller, kueue_queues
from harness.adapters.common.base import (
    BACKOFF_PACE,
    Adapter,
    Installed,
    Limit,
    Object,
    Part,
    Settings,
    Variant,
)
from harness.adapters.common.kueue_controller import CONTROLLER
from harness.adapters.common.kueue_queues import LABEL, USERS, WORKLOAD
from harness.box.base import Box
from harness.core.errors import UsageError
from harness.core.gang import Gang
from harness.core.kinds import JOB, Kind
from harness.core.labels import GANG_LABEL
from harness.core.oracle.vocabulary import COMMON, Vocabulary

STYLE = "job"  # the gang is a suspended Job
POD_GROUP, SIZE = "kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-total-count"
OF_PODS = "kueue.x-k8s.io/is-group-workload"  # annotation of a Workload that was made of a group of pods
EVICTED = "WorkloadEvicted"  # how reasons begin for which Kueue ends the pods of a Workload
SPARING = (  # why it ends pods for nobody's sake
    "WorkloadDeleted",
    "NoMatchingWorkload",
    "NotAdmitted",
    EVICTED,
    *(
        f"{EVICTED}DueTo{reason}"
        for reason in (
            "AdmissionCheck",
            "ClusterQueueStopped",
            "Deactivated",
            "DeactivatedDueToMaximumExecutionTimeExceeded",
            "DeactivatedDueToRequeuingLimitExceeded",
            "LocalQueueStopped",
            "NodeFailures",
            "PodsReadyTimeout",
        )
    ),
)
VOCABULARY = Vocabulary(
    group_words=(),  # a Workload says what it waits for in reasons of its own
    group_conditions=("QuotaReserved=False (Pending)",),  # but not Inadmissible: that its queue does not exist
    group_tells_of_members=True,  # it is made once all members are there
    group_admits=("QuotaReserved=True",),
    group_victims=("Preempted=True",),
    victim_conditions=(*COMMON.victim_conditions, "TerminationTarget"),
    other_disruptions=(*COMMON.other_disruptions, *SPARING),
)
FEATURES = (
    "gang",
    "roles",
    "priority",
    "preemption",
    "gang-disruption",
    "queue",
    "borrowing",
    "reclaim",
    "queued-job",
    "restart-safe",
)


def values(gang: Gang, native: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the template needs to know of a gang, and of the native group that it is besides, if it is one.

    UsageError for a Job of pods that are not alike.
    """
    by_job = STYLE in gang.styles
    if by_job and (gang.roles or gang.minimum != gang.size or gang.missing):
        raise UsageError(
            f"gang {gang.name}: a Job has pods that are all alike, and starts with all of them",
            hint="Leave roles, quorum and missing members out, or leave the style out.",
        )
    labels = {LABEL: gang.queue or USERS}
    group = {} if by_job else {POD_GROUP: gang.name}
    return {
        "by_job": by_job,
        "labels": {**labels, **group},
        "annotations": {SIZE: gang.size},
        "native": native or {},
    }


def made_groups(gang: Gang) -> Sequence[tuple[Kind, str]]:
    """The Workload of a group of pods; that of a Job goes with the Job."""
    return () if STYLE in gang.styles else ((WORKLOAD, gang.name),)


def read_group(obj: Object) -> tuple[str, int | None]:
    """The gang of a Job or a Workload; those of single pods, and of what no case has submitted, stand for none."""
    meta, spec = obj["metadata"], obj.get("spec") or {}
    if obj["kind"] == JOB.kind:
        return (meta.get("labels") or {}).get(GANG_LABEL, ""), spec.get("parallelism")
    size = sum(pods["count"] for pods in spec.get("podSets") or ())
    if (meta.get("annotations") or {}).get(OF_PODS) == "true":
        return meta["name"], size
    owners = [owner["name"] for owner in meta.get("ownerReferences") or () if owner["kind"] == JOB.kind]
    return (owners[0], size) if owners else ("", None)


def install(box: Box, settings: Settings) -> Installed:
    """Kueue beside the kube-scheduler that came up with the box, and the usual queue."""
    artifact, options = hosting.artifact("kueue", settings), settings.options
    gives_up = kueue_controller.waits_for_pods(options)
    kueue_controller.start(box, artifact, options)
    kueue_queues.follow_nodes(box)
    return Installed(
        artifact.version,
        (artifact, box.artifacts["kubernetes"]),
        (*kueue_controller.DEPARTURES, *kueue_queues.SETUP, *hosting.option_departures(options)),
        ("kube-scheduler",),
        (CONTROLLER,),
        frozenset({"gives-up"}) if gives_up else frozenset(),
    )


def part() -> Part:
    """Kueue in a cluster, which has a kube-scheduler."""
    controller = kueue_controller.PART
    return Part(
        controller.objects,
        controller.component,
        prepare=controller.prepare,
        options=controller.options,
        departures=(*controller.departures, *kueue_queues.SETUP),
    )


def _groups(kubernetes: str) -> tuple[Kind, ...]:
    return (WORKLOAD, JOB)


PODS_READY = Variant(
    "and waitForPodsReady",
    {
        "wait-for-pods-ready": "on",
        "pods-ready-timeout": "10s",
        "recovery-timeout": "10s",
        "requeue-backoff": "5",
    },
    features=("gives-up",),
)


def kueue_adapter(
    *,
    name: str,
    title: str,
    values: Callable[[Gang, str], Mapping[str, Any]],
    limits: Sequence[Limit],
    features: Sequence[str] = (),
    groups: Callable[[str], tuple[Kind, ...]] = _groups,
    read: Callable[[Object], tuple[str, int | None]] = read_group,
) -> Adapter:
    """An integration of Kueue: quota by Kueue, and placement by kube-scheduler as these values ask for it."""
    definitions: Callable[[Settings, str], Sequence[Path]] = hosting.definitions("kueue")
    return Adapter(
        name=name,
        title=title,
        organization="Kubernetes SIG Scheduling",
        url="https://kueue.sigs.k8s.io",
        scheduler="default-scheduler",
        component="kueue",
        folder="kueue",
        features=(*FEATURES, *features),
        limits=tuple(limits),
        vocabulary=VOCABULARY,
        pace=BACKOFF_PACE,
        options=kueue_controller.OPTIONS,
        variants={"pods-ready": PODS_READY},
        needs_scheduler=True,
        definitions=definitions,
        cluster=(part(),),
        install=install,
        queue=kueue_queues.make_queue,
        shared_queue=kueue_queues.make_shared_queue,
        open_queue=kueue_queues.open_queue,
        follow_nodes=kueue_queues.follow_nodes,
        styles=(STYLE,),
        values=values,
        pod_labels={LABEL: USERS},
        groups=groups,
        read_group=read,
        made_groups=made_groups,
    )
