"""JobSet gangs (KEP-1068): the released JobSet controller, our reference controller, and kube-scheduler's own gangs.

No release of JobSet knows `gangConfig`. The reference adds the field to the CRD, writes Workloads and PodGroups for it
and puts the references into the Jobs; who places the pods, and is judged for it, is the scheduler of the box.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.adapters.common import jobset, kubebuilder, reference_controller
from harness.adapters.common.base import Adapter, Installed, Limit, Object, Settings
from harness.adapters.common.jobset import INDEX_LABEL, ReplicatedJob
from harness.box.base import Box
from harness.box.minor import minor_of
from harness.core.errors import UsageError
from harness.core.gang import Gang, Role
from harness.core.kinds import JOB, JOBSET, Kind
from harness.core.labels import GANG_LABEL, by_label

NAME = "jobset-gang"
BINARY = f"{NAME}.controller"
KEP = "https://github.com/kubernetes-sigs/jobset/issues/1068"
EACH_LABEL = "muster.dev/gang-of"  # on pods of jobs each of whose replicas is a gang
SCHEMA: Object = {
    "type": "object",
    "description": "Which pods start together: Off, Gang or, for a replicated job, ReplicatedGang.",
    "properties": {"gangMode": {"type": "string"}},
}
FIELDS = (
    jobset.Field("spec", "gangConfig", SCHEMA),
    jobset.Field("spec.replicatedJobs", "gangConfig", SCHEMA),
)


def install(box: Box, settings: Settings) -> Installed:
    """The JobSet controller with the field in its CRD, then the reference controller with its webhooks."""
    artifact = jobset.start(box, settings, FIELDS)
    reference_controller.start(box, settings, NAME, NAME, binary=BINARY)
    return Installed(
        version=artifact.version,
        artifacts=(artifact, box.artifacts["kubernetes"]),
        departures=(*kubebuilder.DEPARTURES, reference_controller.OURS, *(crd_field.departure for crd_field in FIELDS)),
        schedulers=("kube-scheduler",),
        controllers=(jobset.CONTROLLER, NAME),
    )


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """A gang as a JobSet that is one gang, with a job for each role; UsageError for what a JobSet cannot say."""
    if gang.minimum != gang.size:
        raise UsageError(
            f"gang {gang.name}: a JobSet starts with all its {gang.size} pods; given quorum={gang.minimum}",
            hint=f"Allowed: quorum={gang.size}.",
        )
    jobs = [_job(gang, role) for role in gang.parts]
    return {"name": gang.name, "mode": "Gang", "in_order": False, "jobs": jobs}


def _job(gang: Gang, role: Role) -> ReplicatedJob:
    return ReplicatedJob(
        role.name,
        pods=role.size,
        gpus=role.gpus,
        cpu=role.cpu,
        memory=role.memory,
        gang=gang.name,
        role=role.name if gang.roles else "",
        lifetime=gang.lifetime,
        priority=gang.priority,
        selector=gang.selector,
    )


def groups(kubernetes: str) -> tuple[Kind, ...]:
    return (JOBSET, JOB, *minor_of(kubernetes).gang_api.group_kinds)


def read_group(obj: Object) -> tuple[str, int | None]:
    """The gang that an object stands for: a JobSet and its Workload for the whole set, a PodGroup for its own gang."""
    meta, kind = obj["metadata"], obj["kind"]
    labelled = (meta.get("labels") or {}).get(GANG_LABEL, "")
    if kind == "JobSet":
        return meta["name"], None
    if kind == "Job" or labelled or not meta.get("ownerReferences"):
        return labelled, None
    prefix, _, rest = meta["name"].partition("-")
    return rest.replace(".", "-") if prefix in ("w", "pg") else "", None


def classify(pod: Object) -> tuple[str, str, str]:
    """Members carry the gang's label from their template; where each replica is a gang, its index is added."""
    gang, part, role = by_label(pod)
    labels = pod["metadata"].get("labels") or {}
    return f"{gang}-{labels[INDEX_LABEL]}" if gang and labels.get(EACH_LABEL) == "replica" else gang, part, role


ADAPTER = Adapter(
    name=NAME,
    title="JobSet gangs (reference)",
    organization="Kubernetes",
    url="https://jobset.sigs.k8s.io",
    component="jobset",
    scheduler="default-scheduler",
    features=("jobset-gang", "jobset-reference"),
    install=install,
    gang_fields=("name", "size", "quorum", "gpus", "cpu", "memory", "roles", "priority", "selector", "lifetime"),
    values=values,
    groups=groups,
    read_group=read_group,
    classify=classify,
    cluster=(jobset.part(FIELDS, keeps_gangs=True), reference_controller.part(NAME, NAME, binary=BINARY)),
    vocabulary=jobset.VOCABULARY,
    definitions=jobset.definitions,
    needs_scheduler=True,
    limits=(
        Limit(
            "jobset-gang",
            ">=0.1",
            "No release of JobSet implements gangConfig; what is judged is a reference "
            "controller of muster's with the released JobSet controller and kube-scheduler.",
            KEP,
        ),
    ),
)
