"""The JobSet controller in a box, shared by every integration that adds something to JobSets.

The real release runs as a process of its own, with its webhooks over TLS. Its CRD drops every field it does not know,
so what a design adds to a JobSet has to be added to the CRD's schema before it can be said; `Field` names such an
addition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.adapters.common import hosting, kubebuilder
from harness.adapters.common.base import Departure, InstallContext, Object, Part, Settings
from harness.box.api import PATCH_JSON
from harness.box.artifacts import Artifact, load
from harness.box.base import Box
from harness.box.minor import minor_of
from harness.core.catalogue.versions import in_range
from harness.core.errors import ApiError, UsageError
from harness.core.gang import Role
from harness.core.kinds import CRD, JOBSET
from harness.core.oracle.vocabulary import COMMON, Vocabulary
from harness.core.waiting import until

DEFINITION = "jobsets.jobset.x-k8s.io"
DOCS = "https://jobset.sigs.k8s.io/docs"
VOCABULARY = Vocabulary(
    other_warnings=(
        *COMMON.other_warnings,
        "BackoffLimitExceeded",
        "DefaultFailurePolicy",
        "FailedJobs",
        "Gang",
        "Group",
        "JobCreationFailed",
        "RestartJobSet",
    )  # of the controllers of Jobs and JobSets, and of muster's own that make gangs of them
)
SET_LABEL = "jobset.sigs.k8s.io/jobset-name"  # on the Jobs and pods of a set
JOB_LABEL = "jobset.sigs.k8s.io/replicatedjob-name"
INDEX_LABEL = "jobset.sigs.k8s.io/job-index"
MANAGER = kubebuilder.Manager("jobset", SET_LABEL)
CONTROLLER = MANAGER.controller
FILES: dict[str, Object] = {"jobset.yaml": {}}


@dataclass(frozen=True, slots=True)
class ReplicatedJob:
    """A replicated job of a JobSet, as templates write it."""

    name: str = "workers"
    pods: int = 1  # of each replica
    replicas: int = 1
    gpus: int = 1  # of each pod
    cpu: str = "100m"
    memory: str = "64Mi"
    mode: str = ""  # its gangMode
    gang: str = ""  # the gang that its pods belong to, as the user means it; empty: none
    each: bool = False  # each replica is a gang of its own
    role: str = ""
    member: bool = True  # its pods are members of the gang that waits at a barrier
    after: str = ""  # the replicated job that it depends on
    status: str = "Complete"  # of that job
    needs: str = ""  # a ConfigMap without which no container of its pods can start
    retries: int = 0  # how many pods of a Job may fail before the Job fails
    lifetime: float | None = None
    priority: str | None = None
    selector: Mapping[str, str] = field(default_factory=dict)

    @property
    def request(self) -> dict[str, str]:
        return Role(self.name, self.pods, gpus=self.gpus, cpu=self.cpu, memory=self.memory).request


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a design adds to JobSets: where (`spec` or `spec.replicatedJobs`), its name and its schema."""

    where: str
    name: str
    schema: Object

    @property
    def departure(self) -> Departure:
        return Departure(
            f"the CRD of JobSet has {self.where}.{self.name} in its schema",
            "the released CRD drops the field; the design adds it to the API",
        )


def release(settings: Settings, kubernetes: str) -> Artifact:
    """The release that the user asks for, or the one that goes with this Kubernetes; UsageError for an odd pair."""
    artifact = hosting.artifact("jobset", replace(settings, version=settings.version or fitting(kubernetes)))
    check_pair(artifact.version, kubernetes)
    return artifact


def definitions(settings: Settings, kubernetes: str) -> tuple[Path, ...]:
    """The CRDs of that release, whose schema has the same gang reference in its pod templates."""
    return tuple(release(settings, kubernetes).files["crds"])


def start(box: Box, settings: Settings, fields: Sequence[Field] = ()) -> Artifact:
    """Start the controller and register its webhooks; JobSets then have these fields too."""
    artifact = release(settings, box.kubernetes)
    if not hosting.runs(box, CONTROLLER):
        hosting.ensure_crds(box, artifact)
        extend(box, fields)
    MANAGER.start(box, artifact, FILES)
    return artifact


def part(fields: Sequence[Field], *, keeps_gangs: bool) -> Part:
    """The controller in a cluster, where JobSets then have these fields too."""

    def prepare(box: Box, artifact: Artifact) -> None:
        check_pair(artifact.version, box.kubernetes)
        extend(box, fields)

    departures = (*kubebuilder.IN_CLUSTER, *(field.departure for field in fields))
    return Part(cluster, "jobset", prepare=prepare, departures=departures, keeps_gangs=keeps_gangs)


def cluster(context: InstallContext) -> list[Object]:
    """What runs the release in a cluster."""
    return MANAGER.in_cluster(context, FILES)


def fitting(kubernetes: str) -> str:
    """The newest release whose pod templates know the gang reference of this Kubernetes."""
    return next(version for version in load().locks("jobset") if _goes_with(version, kubernetes))


def check_pair(version: str, kubernetes: str) -> None:
    """UsageError for a JobSet whose pod templates do not know the gang reference of this Kubernetes."""
    if not _goes_with(version, kubernetes):
        better = fitting(kubernetes)
        raise UsageError(
            f"JobSet {version} does not work with Kubernetes {kubernetes}: its pod templates have the reference to a "
            "gang of another release",
            hint=f"Leave the version out, or ask for JobSet {better}, such as --integration jobset-gang@{better}.",
        )


def _goes_with(version: str, kubernetes: str) -> bool:
    return in_range(version, minor_of(kubernetes).components["jobset"])


def extend(box: Box, fields: Sequence[Field]) -> None:
    """Add fields to the schema of JobSets and return when the API server keeps them."""
    root = "/spec/versions/0/schema/openAPIV3Schema/properties/spec"
    places = {"spec": root, "spec.replicatedJobs": f"{root}/properties/replicatedJobs/items"}
    change = [
        {"op": "add", "path": f"{places[field.where]}/properties/{field.name}", "value": field.schema}
        for field in fields
    ]
    if change:
        box.api.patch(CRD, "", DEFINITION, change, content_type=PATCH_JSON)
    names = ", ".join(field.name for field in fields)
    until(
        lambda: all(_is_kept(box, field) for field in fields),
        hosting.START_TIMEOUT,
        f"the API server keeps {names} in JobSets, as their CRD says",
        poll=0.02,
    )


def _is_kept(box: Box, field: Field) -> bool:
    """Whether a JobSet with the field is told from one without: what is unknown is refused when asked to be strict."""
    spec: Object = (
        {field.name: {}} if field.where == "spec" else {"replicatedJobs": [{"name": "probe", field.name: {}}]}
    )
    obj = {
        "apiVersion": JOBSET.api_version,
        "kind": JOBSET.kind,
        "metadata": {"name": "probe", "namespace": "default"},
        "spec": spec,
    }
    try:
        box.api.create(obj, dryRun="All", fieldValidation="Strict")
    except ApiError as error:
        return "unknown field" not in error.message
    return True
