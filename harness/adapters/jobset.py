"""The JobSet controller in a box, shared by every integration that adds something to JobSets.

The real release runs as a process of its own, with its webhooks over TLS. Its CRD drops every field it does not know,
so what a design adds to a JobSet has to be added to the CRD's schema before it can be said; `Field` names such an
addition.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.adapters import hosting, released
from harness.adapters.base import Box, Departure, Object, Part, Settings, Site
from harness.box import crds
from harness.box.api import PATCH_JSON
from harness.box.artifacts import Artifact
from harness.core.errors import ApiError, HarnessError, UsageError

CONTROLLER = "jobset-controller"
OLD = "0.11.1"  # for Kubernetes 1.35
JOBSET = ("jobset.x-k8s.io/v1alpha2", "JobSet")
JOB = ("batch/v1", "Job")
DEFINITION = "jobsets.jobset.x-k8s.io"
DOCS = "https://jobset.sigs.k8s.io/docs"
SET_LABEL = "jobset.sigs.k8s.io/jobset-name"  # on the Jobs and pods of a set
JOB_LABEL = "jobset.sigs.k8s.io/replicatedjob-name"
INDEX_LABEL = "jobset.sigs.k8s.io/job-index"
DEPARTURES = (
    hosting.OUTSIDE,
    Departure("admission webhooks are reached by URL on 127.0.0.1", "the controller is a process of this machine"),
    Departure("certificates of the box, no internal certificate management", "that needs a Secret mounted in a pod"),
)
definitions = hosting.definitions("jobset")
RELEASE = released.Release("jobset", SET_LABEL)


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


def start(box: Box, settings: Settings, fields: Sequence[Field] = ()) -> Artifact:
    """Start the controller and register its webhooks; JobSets then have these fields too."""
    found = hosting.artifact("jobset", replace(settings, version=settings.version or fitting(box.kubernetes)))
    check_pair(found.version, box.kubernetes)
    if not hosting.runs(box, CONTROLLER):
        hosting.ensure_crds(box, found)
        extend(box, fields)
        port, health = box.reserve_port(), box.reserve_port()
        config = box.directory / "jobset.yaml"
        hosting.write_yaml(config, RELEASE.configuration(port, health, released.certificates(box, CONTROLLER)))
        flags = [f"--kubeconfig={box.identity(CONTROLLER)}", f"--config={config}"]
        listens, answers = hosting.tcp_probe(port), hosting.http_probe(health, "/readyz")
        hosting.start(
            box, CONTROLLER, found.binaries["controller"], flags, role="controller",
            probe=lambda: answers() and listens(),
        )  # fmt: skip
        box.processes[CONTROLLER].wait_ready(hosting.START_TIMEOUT)
        for obj in RELEASE.webhooks(found, url=f"https://127.0.0.1:{port}", authority=box.authority.certificate):
            box.api.apply(obj)
    box.processes[CONTROLLER].wait_ready(hosting.START_TIMEOUT)
    return found


def part(fields: Sequence[Field], *, keeps_gangs: bool) -> Part:
    """The controller in a cluster, where JobSets then have these fields too."""

    def prepare(box: Box, found: Artifact) -> None:
        check_pair(found.version, box.kubernetes)
        extend(box, fields)

    departures = (*released.IN_CLUSTER, *(one.departure for one in fields))
    return Part(cluster, "jobset", prepare=prepare, departures=departures, keeps_gangs=keeps_gangs)


def cluster(site: Site) -> list[Object]:
    """What runs the release in a cluster."""
    return RELEASE.in_cluster(site, {"jobset.yaml": RELEASE.configuration_inside()})


def fitting(kubernetes: str) -> str | None:
    """The release whose pod templates know the gang reference of this Kubernetes; None: the latest."""
    return OLD if kubernetes.startswith("1.35.") else None


def check_pair(version: str, kubernetes: str) -> None:
    """UsageError for a JobSet whose pod templates do not know the gang reference of this Kubernetes."""
    old = kubernetes.startswith("1.35.")
    if old != version.startswith("0.11."):
        better = OLD if old else "0.12.0"
        raise UsageError(
            f"JobSet {version} does not go with Kubernetes {kubernetes}: its pod templates have the reference to a "
            f"gang of {'a later' if old else 'an earlier'} release",
            hint=f"Leave the version out, or ask for JobSet {better}, such as --integration jobset-gang@{better}.",
        )


def extend(box: Box, fields: Sequence[Field]) -> None:
    """Add fields to the schema of JobSets and return when the API server keeps them."""
    root = "/spec/versions/0/schema/openAPIV3Schema/properties/spec"
    places = {"spec": root, "spec.replicatedJobs": f"{root}/properties/replicatedJobs/items"}
    change = [
        {"op": "add", "path": f"{places[one.where]}/properties/{one.name}", "value": one.schema} for one in fields
    ]
    if change:
        box.api.patch(crds.CRD, "", DEFINITION, change, content_type=PATCH_JSON)
    deadline = time.monotonic() + hosting.START_TIMEOUT
    while not all(_kept(box, one) for one in fields):
        if time.monotonic() > deadline:
            names = ", ".join(one.name for one in fields)
            raise HarnessError(f"the API server does not keep {names} in JobSets, though their CRD has it")
        time.sleep(0.02)


def _kept(box: Box, one: Field) -> bool:
    """Whether a JobSet with the field is told from one without: what is unknown is refused when asked to be strict."""
    spec: Object = {one.name: {}} if one.where == "spec" else {"replicatedJobs": [{"name": "probe", one.name: {}}]}
    obj = {"apiVersion": JOBSET[0], "kind": JOBSET[1], "metadata": {"name": "probe", "namespace": "default"},
           "spec": spec}  # fmt: skip
    try:
        box.api.create(obj, dryRun="All", fieldValidation="Strict")
    except ApiError as error:
        return "unknown field" not in error.message
    return True
