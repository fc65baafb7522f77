"""The LeaderWorkerSet controller in a box, shared by every integration that makes gangs of its replicas.

The real release runs as a process of its own with its webhooks over TLS. It keeps replicas: a leader pod each, and a
StatefulSet of workers that the leader owns. Who turns a replica into a gang is the integration's business: the release
itself for Volcano, a reference provider of ours elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.adapters.common import hosting, kubebuilder, reference_controller
from harness.adapters.common.base import (
    Adapter,
    Departure,
    InstallContext,
    Installed,
    Limit,
    Membership,
    Object,
    Part,
    Settings,
)
from harness.box.artifacts import Artifact
from harness.box.base import Box
from harness.core.errors import UsageError
from harness.core.gang import Gang
from harness.core.kinds import LEADER_WORKER_SET, STATEFUL_SET, Kind
from harness.core.labels import GANG_LABEL, by_label

DOCS = "https://lws.sigs.k8s.io/docs"
SET_LABEL = "leaderworkerset.sigs.k8s.io/name"
INDEX_LABEL = "leaderworkerset.sigs.k8s.io/group-index"
WORKER_LABEL = "leaderworkerset.sigs.k8s.io/worker-index"
MANAGER = kubebuilder.Manager("lws", SET_LABEL)
CONTROLLER = MANAGER.controller
CONFIG, CONFIG_OFF = "lws.yaml", "lws-off.yaml"  # with gangs as the integration wants them; without any
MAKES_GROUPS = {  # what a component of the release's kustomization adds to its role where gangs are on
    "apiGroups": ["scheduling.volcano.sh"],
    "resources": ["podgroups"],
    "verbs": ["create", "get", "list", "watch"],
}
GANG_FIELDS = ("name", "size", "quorum", "gpus", "cpu", "memory", "roles", "priority", "selector")
PROVIDER = "lws-provider"  # our reference provider
BINARY = "lws.provider"  # as --binary names it
OURS = Departure(
    "gangs come from a reference provider of muster's own, beside the released controller",
    "the design names this scheduler, and no release has a provider for it",
)


@dataclass(frozen=True, slots=True)
class _Stack:
    """LeaderWorkerSet, a scheduler below it, and the provider between them that makes gangs of replicas."""

    scheduler: Adapter
    released_provider: bool  # the provider for this scheduler is part of LeaderWorkerSet; otherwise it is ours

    @property
    def membership(self) -> Membership:
        membership = self.scheduler.membership
        assert membership is not None, f"{self.scheduler.name} does not say how its pods name their gang"
        return membership

    @property
    def features(self) -> tuple[str, ...]:
        by_object = ("lws-group-object", "lws-min-resources") if self.membership.group else ("lws-pods-only",)
        below = [feature for feature in ("devices", "preemption") if feature in self.scheduler.features]
        return ("leader-worker-set", *by_object, *(("lws-switch",) if self.released_provider else ()), *below)

    @property
    def cluster(self) -> tuple[Part, ...]:
        (part_of_scheduler,) = self.scheduler.cluster
        below, provider = replace(part_of_scheduler, keeps_gangs=False), self.scheduler.name
        return (
            (below, part(provider)) if self.released_provider else (below, part(keeps_gangs=False), _provider(provider))
        )

    def install(self, box: Box, settings: Settings) -> Installed:
        """The scheduler first, for the controller wants to see group objects when it starts."""
        provider = self.scheduler.name
        installed = self.scheduler.install(box, hosting.elsewhere(settings))
        artifact = start(box, settings, provider if self.released_provider else "")
        if not self.released_provider:
            arguments, values = [f"--provider={provider}"], {"provider": provider}
            reference_controller.start(
                box, settings, PROVIDER, "lws", binary=BINARY, arguments=arguments, values=values
            )
        departures = (*kubebuilder.DEPARTURES, *(() if self.released_provider else (OURS,)), *installed.departures)
        return Installed(
            artifact.version,
            (artifact, *installed.artifacts),
            tuple(dict.fromkeys(departures)),
            installed.schedulers,
            (CONTROLLER if self.released_provider else PROVIDER,),
        )

    def definitions(self, settings: Settings, kubernetes: str) -> tuple[Path, ...]:
        crds = hosting.artifact("lws", settings).files["crds"]
        return (*crds, *self.scheduler.definitions(hosting.elsewhere(settings), kubernetes))

    def groups(self, kubernetes: str) -> tuple[Kind, ...]:
        group = self.membership.group
        return (LEADER_WORKER_SET, STATEFUL_SET, *((group,) if group else ()))

    def read_group(self, obj: Object) -> tuple[str, int | None]:
        group = self.membership.group
        if group is None or obj["kind"] != group.kind:
            return read_set(obj)
        return gang_of_labels(obj), (obj.get("spec") or {}).get("minMember")


def lws_adapter(
    scheduler: Adapter,
    *,
    name: str,
    title: str,
    organization: str,
    released_provider: bool,
    limits: tuple[Limit, ...],
    classify: Callable[[Object], tuple[str, str, str]] | None = None,
) -> Adapter:
    """LeaderWorkerSet with gangs on a scheduler, by its own provider for it or by our reference provider.

    Everything else follows from the scheduler's own integration: its programs, options and group objects.
    """
    stack = _Stack(scheduler, released_provider)
    return Adapter(
        name=name,
        title=title,
        organization=organization,
        url="https://lws.sigs.k8s.io",
        scheduler=scheduler.scheduler,
        install=stack.install,
        component="lws",
        folder="lws",
        features=stack.features,
        limits=limits,
        vocabulary=scheduler.vocabulary,
        pace=scheduler.pace,
        works_in_cycles=scheduler.works_in_cycles,
        options=scheduler.options,
        definitions=stack.definitions,
        cluster=stack.cluster,
        gang_fields=GANG_FIELDS,
        values=values,
        pod_labels=scheduler.pod_labels,
        classify=classify or classify_by_set,
        groups=stack.groups,
        read_group=stack.read_group,
        membership=stack.membership,
    )


def start(box: Box, settings: Settings, provider: str = "") -> Artifact:
    """Start the controller, with this gang provider of its own or none, and register its webhooks."""
    artifact = hosting.artifact("lws", settings)
    if not hosting.runs(box, CONTROLLER):
        hosting.ensure_crds(box, artifact)
        hosting.ensure_namespace(box, MANAGER.namespace)
    MANAGER.start(box, artifact, _files(provider))
    return artifact


def part(provider: str = "", *, keeps_gangs: bool = True) -> Part:
    """The controller in a cluster, with this gang provider of its own or none."""

    def cluster(context: InstallContext) -> list[Object]:
        return MANAGER.in_cluster(context, _files(provider), rules=[MAKES_GROUPS] if provider == "volcano" else [])

    return Part(cluster, "lws", departures=kubebuilder.IN_CLUSTER, keeps_gangs=keeps_gangs)


def _provider(provider: str) -> Part:
    """Our reference provider in a cluster."""
    return reference_controller.part(PROVIDER, "lws", binary=BINARY, values={"provider": provider}, departure=OURS)


def _files(provider: str) -> dict[str, Object]:
    """Both configurations: with gangs as the integration wants them, and without any, which is the vendor's default."""
    gangs: Object = {"gangSchedulingManagement": {"schedulerProvider": provider}} if provider else {}
    return {CONFIG: gangs, CONFIG_OFF: {}}


# -- sets and gangs ---------------------------------------------------------------------------------------------------


def gang_name(name: str, index: int | str) -> str:
    """How the gang of a replica is called: as its set, for the first one, so that a set of one replica is a gang."""
    return name if str(index) == "0" else f"{name}-{index}"


def classify_by_set(pod: Object) -> tuple[str, str, str]:
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
    if obj["kind"] != LEADER_WORKER_SET.kind or GANG_LABEL not in (obj["metadata"].get("labels") or {}):
        return "", None
    spec = obj["spec"]
    ready = spec.get("startupPolicy") == "LeaderReady"
    return obj["metadata"]["name"], 1 if ready else spec["leaderWorkerTemplate"].get("size", 1)


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """A gang as a set of one replica; UsageError for a quorum or roles that a set cannot have."""
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
