"""The LeaderWorkerSet controller in a box, shared by every integration that makes gangs of its replicas.

The real release runs as a process of its own with its webhooks over TLS. It keeps replicas: a leader pod each, and a
StatefulSet of workers that the leader owns. Who turns a replica into a gang is the integration's business: the release
itself for Volcano, a reference provider of ours elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.adapters import hosting, released
from harness.adapters.base import GANG_LABEL, Box, Departure, Object, Part, Settings, Site, by_label
from harness.box.artifacts import Artifact
from harness.core.errors import UsageError
from harness.core.gang import Gang

CONTROLLER = "lws-controller"
DOCS = "https://lws.sigs.k8s.io/docs"
SET = ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
STATEFUL_SET = ("apps/v1", "StatefulSet")
SET_LABEL = "leaderworkerset.sigs.k8s.io/name"
INDEX_LABEL = "leaderworkerset.sigs.k8s.io/group-index"
WORKER_LABEL = "leaderworkerset.sigs.k8s.io/worker-index"
RELEASE = released.Release("lws", SET_LABEL)
CONFIG, CONFIG_OFF = "lws.yaml", "lws-off.yaml"  # with gangs as the integration wants them; without any
MAKES_GROUPS = {  # what a component of the release's kustomization adds to its role where gangs are on
    "apiGroups": ["scheduling.volcano.sh"], "resources": ["podgroups"], "verbs": ["create", "get", "list", "watch"],
}  # fmt: skip
ALLOWED = ("name", "size", "quorum", "gpus", "cpu", "memory", "roles", "priority", "selector")
GROUP_ANNOTATION = "scheduling.k8s.io/group-name"  # how Volcano's pods name their gang
GROUP_LABEL = "scheduling.x-k8s.io/pod-group"  # how those of Coscheduling do
APPLICATION_LABEL = "applicationId"  # and those of YuniKorn
DEPARTURES = (
    hosting.OUTSIDE,
    Departure("admission webhooks are reached by URL on 127.0.0.1", "the controller is a process of this machine"),
    Departure("certificates of the box, no internal certificate management", "that needs a Secret mounted in a pod"),
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an integration writes down which gang a pod of a set is of."""

    group: tuple[str, str] | None  # apiVersion and kind of the object that stands for a replica; None: there is none
    place: tuple[str, str]  # the part of a pod's metadata, and the key in it, that names the gang


DIALECTS: Mapping[str, Dialect] = {
    "lws": Dialect(("scheduling.volcano.sh/v1beta1", "PodGroup"), ("annotations", GROUP_ANNOTATION)),
    "lws-coscheduling": Dialect(("scheduling.x-k8s.io/v1alpha1", "PodGroup"), ("labels", GROUP_LABEL)),
    "lws-yunikorn": Dialect(None, ("labels", APPLICATION_LABEL)),
}


def definitions(*others: str) -> Any:
    """The CRDs of LeaderWorkerSet in the version asked for, and those of other components in their default version."""

    def paths(settings: Settings) -> tuple[Path, ...]:
        found = list(hosting.artifact("lws", settings).files["crds"])
        for component in others:
            found += hosting.artifact(component, hosting.elsewhere(settings)).files["crds"]
        return tuple(found)

    return paths


def start(box: Box, settings: Settings, provider: str = "") -> Artifact:
    """Start the controller, with this gang provider of its own or none, and register its webhooks."""
    found = hosting.artifact("lws", settings)
    if not hosting.runs(box, CONTROLLER):
        hosting.ensure_crds(box, found)
        hosting.ensure_namespace(box, RELEASE.namespace)
        port, health = box.reserve_port(), box.reserve_port()
        off = RELEASE.configuration(port, health, released.certificates(box, CONTROLLER))
        hosting.write_yaml(box.directory / CONFIG_OFF, off)
        config = hosting.write_yaml(box.directory / CONFIG, {**off, **_gangs(provider)})
        for obj in RELEASE.webhooks(found, url=f"https://127.0.0.1:{port}", authority=box.authority.certificate):
            box.api.apply(obj)
        flags = [f"--kubeconfig={box.identity(CONTROLLER)}", f"--config={config}"]
        listens, answers = hosting.tcp_probe(port), hosting.http_probe(health, "/readyz")
        hosting.start(
            box, CONTROLLER, found.binaries["controller"], flags, role="controller",
            probe=lambda: answers() and listens(),
        )  # fmt: skip
    box.processes[CONTROLLER].wait_ready(hosting.START_TIMEOUT)
    return found


def part(provider: str = "", *, keeps_gangs: bool = True) -> Part:
    """The controller in a cluster, with this gang provider of its own or none; both configurations lie there."""

    def cluster(site: Site) -> list[Object]:
        off = RELEASE.configuration_inside()
        files = {CONFIG: {**off, **_gangs(provider)}, CONFIG_OFF: off}
        return RELEASE.in_cluster(site, files, more=[MAKES_GROUPS] if provider == "volcano" else [])

    return Part(cluster, "lws", departures=released.IN_CLUSTER, keeps_gangs=keeps_gangs)


def _gangs(provider: str) -> Object:
    """What a configuration without gangs, the vendor's default, is given to have them."""
    return {"gangSchedulingManagement": {"schedulerProvider": provider}} if provider else {}


# -- sets and gangs ---------------------------------------------------------------------------------------------------


def gang_name(name: str, index: int | str) -> str:
    """How the gang of a replica is called: as its set, for the first one, so that a set of one replica is a gang."""
    return name if str(index) == "0" else f"{name}-{index}"


def classify(pod: Object) -> tuple[str, str, str]:
    """Members are the pods of sets; a leader and its workers are one gang."""
    labels = pod["metadata"].get("labels") or {}
    if SET_LABEL in labels and INDEX_LABEL in labels:
        role = "leader" if labels.get(WORKER_LABEL) == "0" else "worker"
        return gang_name(labels[SET_LABEL], labels[INDEX_LABEL]), "member", role
    return by_label(pod)


def gang_of_labels(obj: Object) -> str:
    """The gang that the controller's labels on an object name; empty if they name none."""
    labels = obj["metadata"].get("labels") or {}
    return gang_name(labels[SET_LABEL], labels[INDEX_LABEL]) if {SET_LABEL, INDEX_LABEL} <= labels.keys() else ""


def read_set(obj: Object) -> tuple[str, int | None]:
    """The gang that a set of one replica is; sets of several and StatefulSets stand for none."""
    if obj["kind"] != SET[1] or GANG_LABEL not in (obj["metadata"].get("labels") or {}):
        return "", None
    spec = obj["spec"]
    ready = spec.get("startupPolicy") == "LeaderReady"
    return obj["metadata"]["name"], 1 if ready else spec["leaderWorkerTemplate"].get("size", 1)


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """A gang as a set of one replica; UsageError for what a set cannot say."""
    default = Gang()
    for field in Gang.__dataclass_fields__:
        if field not in ALLOWED and getattr(gang, field) != getattr(default, field):
            raise UsageError(
                f"gang {gang.name}: a LeaderWorkerSet has no way to say {field}", hint=f"Allowed: {', '.join(ALLOWED)}."
            )
    if gang.minimum not in (1, gang.size):
        raise UsageError(
            f"gang {gang.name}: a replica starts with all its {gang.size} members, or with its leader first; "
            f"given quorum={gang.minimum}",
            hint=f"Allowed: quorum={gang.size}, or quorum=1 for the startup policy LeaderReady.",
        )
    if gang.roles and (len(gang.roles) > 2 or gang.roles[0].size != 1):
        raise UsageError(
            f"gang {gang.name}: a replica is one leader and its workers",
            hint="Give two roles, the first of one member.",
        )
    startup = "LeaderReady" if gang.minimum == 1 and gang.size > 1 else "LeaderCreated"
    return {"replicas": 1, "startup": startup, "surge": 0, "subdomain": ""}
