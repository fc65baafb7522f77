"""JobSet gangs (KEP-1068): the released JobSet controller, our reference controller, and kube-scheduler's own gangs.

No release of JobSet knows `gangConfig`. The reference adds the field to the CRD, writes Workloads and PodGroups for it
and puts the references into the Jobs; who places the pods, and is judged for it, is the scheduler of the box.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.adapters import jobset, reference
from harness.adapters.base import GANG_LABEL, Adapter, Box, Installed, Limit, Object, Settings, by_label
from harness.adapters.jobset import INDEX_LABEL, JOB, JOBSET
from harness.box.profile import profile
from harness.core.errors import UsageError
from harness.core.gang import Gang, Role

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
ALLOWED = ("name", "size", "quorum", "gpus", "cpu", "memory", "roles", "priority", "selector", "lifetime")


@dataclass(frozen=True, slots=True)
class Job:
    """A replicated job as the template writes it."""

    name: str
    request: Mapping[str, str]
    replicas: int = 1
    pods: int = 1
    mode: str = ""
    gang: str = ""  # the gang that its pods belong to, as the user means it; empty: none
    each: bool = False  # each replica is a gang of its own
    role: str = ""
    after: str = ""  # the job it depends on
    status: str = "Complete"  # of that job
    lifetime: float | None = None
    priority: str | None = None
    selector: Mapping[str, str] = field(default_factory=dict)


def install(box: Box, settings: Settings) -> Installed:
    """The JobSet controller with the field in its CRD, then the reference controller with its webhooks."""
    found = jobset.start(box, settings, FIELDS)
    reference.start(box, settings, NAME, NAME, binary=BINARY)
    return Installed(
        version=found.version,
        artifacts=(found, box.artifacts["kubernetes"]),
        departures=(*jobset.DEPARTURES, reference.OURS, *(one.departure for one in FIELDS)),
        schedulers=("kube-scheduler",),
        controllers=(jobset.CONTROLLER, NAME),
    )


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """A gang as a JobSet that is one gang, with a job for each role; UsageError for what a JobSet cannot say."""
    default = Gang()
    for name in Gang.__dataclass_fields__:
        if name not in ALLOWED and getattr(gang, name) != getattr(default, name):
            raise UsageError(
                f"gang {gang.name}: a JobSet has no way to say {name}", hint=f"Allowed: {', '.join(ALLOWED)}."
            )
    if gang.minimum != gang.size:
        raise UsageError(
            f"gang {gang.name}: a JobSet starts with all its {gang.size} pods; given quorum={gang.minimum}",
            hint=f"Allowed: quorum={gang.size}.",
        )
    jobs = [_job(gang, role) for role in gang.parts]
    return {"name": gang.name, "mode": "Gang", "in_order": False, "jobs": jobs}


def _job(gang: Gang, role: Role) -> Job:
    return Job(
        role.name, role.request, pods=role.size, gang=gang.name, role=role.name if gang.roles else "",
        lifetime=gang.lifetime, priority=gang.priority, selector=gang.selector,
    )  # fmt: skip


def groups(kubernetes: str) -> tuple[tuple[str, str], ...]:
    group = profile(kubernetes).group
    kinds = ("Workload",) if group.endswith("v1alpha1") else ("Workload", "PodGroup")
    return (JOBSET, JOB, *((group, kind) for kind in kinds))


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
    features=lambda version, kubernetes: frozenset({"jobset-gang"}),
    install=install,
    values=values,
    groups=groups,
    read_group=read_group,
    classify=classify,
    options={},
    cluster=(jobset.part(FIELDS, keeps_gangs=True), reference.part(NAME, NAME, binary=BINARY)),
    definitions=jobset.definitions,
    needs_scheduler=True,
    limits=(
        Limit("jobset-gang", ">=0.1", "No release of JobSet implements gangConfig; what is judged is a reference "
              "controller of muster's with the released JobSet controller and kube-scheduler.", KEP),
    ),
)  # fmt: skip
