"""The LeaderWorkerSet controller in a box, shared by every integration that makes gangs of its replicas.

The real release runs as a process of its own with its webhooks over TLS. It keeps replicas: a leader pod each, and a
StatefulSet of workers that the leader owns. Who turns a replica into a gang is the integration's business: the release
itself for Volcano, a reference provider of ours elsewhere.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from harness.adapters import hosting
from harness.adapters.base import GANG_LABEL, Box, Departure, Object, Settings, by_label
from harness.box.artifacts import Artifact
from harness.box.pki import write_private
from harness.core.errors import UsageError
from harness.core.gang import Gang

CONTROLLER = "lws-controller"
NAMESPACE = "lws-system"
DOCS = "https://lws.sigs.k8s.io/docs"
SET = ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
STATEFUL_SET = ("apps/v1", "StatefulSet")
SET_LABEL = "leaderworkerset.sigs.k8s.io/name"
INDEX_LABEL = "leaderworkerset.sigs.k8s.io/group-index"
WORKER_LABEL = "leaderworkerset.sigs.k8s.io/worker-index"
CONFIG, CONFIG_OFF = "lws.yaml", "lws-off.yaml"  # with gangs as the integration wants them; without any
ALLOWED = ("name", "size", "quorum", "gpus", "cpu", "memory", "roles", "priority", "selector")
GROUP_ANNOTATION = "scheduling.k8s.io/group-name"  # how Volcano's pods name their gang
GROUP_LABEL = "scheduling.x-k8s.io/pod-group"  # how those of Coscheduling do
APPLICATION_LABEL = "applicationId"  # and those of YuniKorn
DEPARTURES = (
    hosting.OUTSIDE,
    Departure("admission webhooks are reached by URL on 127.0.0.1", "the controller is a process of this machine"),
    Departure("certificates of the box, no internal certificate management", "that needs a Secret mounted in a pod"),
    Departure("webhooks for pods see only pods of a set", "without it nothing starts while the controller is down"),
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
            found += hosting.artifact(component, elsewhere(settings)).files["crds"]
        return tuple(found)

    return paths


def elsewhere(settings: Settings) -> Settings:
    """The user's settings for a component that is not the one whose version was chosen."""
    return replace(settings, version=None)


def start(box: Box, settings: Settings, provider: str = "") -> Artifact:
    """Start the controller, with this gang provider of its own or none, and register its webhooks."""
    found = hosting.artifact("lws", settings)
    if not hosting.runs(box, CONTROLLER):
        hosting.ensure_crds(box, found)
        hosting.ensure_namespace(box, NAMESPACE)
        port, health = box.reserve_port(), box.reserve_port()
        off = configuration(port, health, _certificates(box))
        gangs = {"gangSchedulingManagement": {"schedulerProvider": provider}} if provider else {}
        hosting.write_yaml(box.directory / CONFIG_OFF, off)
        config = hosting.write_yaml(box.directory / CONFIG, {**off, **gangs})
        for obj in webhooks(found, url=f"https://127.0.0.1:{port}", authority=box.authority.certificate):
            box.api.apply(obj)
        flags = [f"--kubeconfig={box.identity(CONTROLLER)}", f"--config={config}"]
        listens, answers = hosting.tcp_probe(port), hosting.http_probe(health, "/readyz")
        hosting.start(
            box, CONTROLLER, found.binaries["controller"], flags, role="controller",
            probe=lambda: answers() and listens(),
        )  # fmt: skip
    box.processes[CONTROLLER].wait_ready(hosting.START_TIMEOUT)
    return found


def configuration(port: int, health: int, certificates: Path) -> Object:
    """The controller's configuration file; without gangs, which is the vendor's default."""
    return {
        "apiVersion": "config.lws.x-k8s.io/v1alpha1", "kind": "Configuration",
        "internalCertManagement": {"enable": False},
        "leaderElection": {"leaderElect": False},
        "metrics": {"bindAddress": "0"},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
        "webhook": {"host": "127.0.0.1", "port": port, "certDir": str(certificates)},
    }  # fmt: skip


def _certificates(box: Box) -> Path:
    """A folder with certificate and key under the names that the controller looks for."""
    pair = box.authority.issue(CONTROLLER)
    folder = box.directory / "pki" / CONTROLLER
    folder.mkdir(mode=0o700, exist_ok=True)
    write_private(folder / "tls.crt", pair.certificate)
    write_private(folder / "tls.key", pair.key)
    return folder


def webhooks(found: Artifact, *, authority: bytes, url: str) -> list[Object]:
    """The vendor's webhook configurations, by URL; those for pods are asked about pods of sets only."""
    bundle = base64.b64encode(authority).decode()
    objects = list(yaml.safe_load_all(hosting.pick(found.files["webhooks"], "manifests.yaml").read_text("utf-8")))
    for obj in objects:
        obj["metadata"]["name"] = f"lws-{obj['metadata']['name']}"  # as the vendor's kustomization does
        for hook in obj["webhooks"]:
            hook["clientConfig"] = {"url": url + hook["clientConfig"]["service"]["path"], "caBundle": bundle}
            if any("pods" in rule["resources"] for rule in hook["rules"]):
                hook["objectSelector"] = {"matchExpressions": [{"key": SET_LABEL, "operator": "Exists"}]}
    return objects


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
