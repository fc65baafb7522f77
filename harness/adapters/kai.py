"""KAI: a scheduler whose decisions another program binds, with queues, sub-groups, reclaim and consolidation.

Its operator is left out: it only writes the Deployments of six programs, and here these are started with the flags that
it would give them. The scheduler writes a BindRequest for each pod that it has placed, and the binder carries it out;
so both count as what places pods. The podgrouper makes a PodGroup for every pod of KAI that has none, and for every pod
that has an owner, whatever the pod says itself (see `limits`).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from harness.adapters.common import hosting, kubebuilder
from harness.adapters.common.base import (
    Adapter,
    Claim,
    Departure,
    Edit,
    InstallContext,
    Installed,
    Limit,
    Object,
    Part,
    Settings,
)
from harness.adapters.common.render import parse, render
from harness.box.artifacts import Artifact
from harness.box.base import Box, Process
from harness.box.nodes import RACK
from harness.core.errors import UsageError
from harness.core.gang import Gang
from harness.core.kinds import Kind
from harness.core.labels import GANG_LABEL
from harness.core.oracle.vocabulary import COMMON, Vocabulary

SCHEDULER, BINDER, ADMISSION = "kai-scheduler", "kai-binder", "kai-admission"
PODGROUPER, POD_GROUPS, QUEUES = "kai-podgrouper", "kai-podgroupcontroller", "kai-queuecontroller"
NAMESPACE, RESERVATION = "kai-scheduler", "kai-resource-reservation"
POD_GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup", "podgroups")
QUEUE = Kind("scheduling.run.ai/v2", "Queue", "queues", namespaced=False)
LEVELS = Kind("kai.scheduler/v1alpha1", "Topology", "topologies", namespaced=False)
DEFAULT, TOPOLOGY = "default-queue", "cluster-topology"
QUEUE_LABEL, PREEMPTIBLE = "kai.scheduler/queue", "kai.scheduler/preemptibility"
DOCS = "https://github.com/NVIDIA/KAI-Scheduler/blob/v0.12.0/docs"
CODE = "https://github.com/NVIDIA/KAI-Scheduler/blob/v0.12.0/pkg"
ISSUES = "https://github.com/kai-scheduler/KAI-Scheduler/issues"
ACTIONS = ("allocate", "consolidation", "reclaim", "preempt", "stalegangeviction")
PLUGINS = (  # of the default shard, as the operator lists them
    *("predicates", "proportion", "priority", "nodeavailability", "resourcetype", "podaffinity", "elastic", "kubeflow"),
    *("ray", "subgrouporder", "taskorder", "nominatednode", "dynamicresources", "minruntime", "topology", "snapshot"),
    *("gpupack", "nodeplacement", "gpusharingorder"),
)
ARGUMENTS = {"nodeplacement": {"gpu": "binpack", "cpu": "binpack"}}
OPTIONS = {
    "schedule-period": "time between two cycles, such as 100ms; the vendor's is 1s",
    "staleness-grace-period": "how long a gang below its quorum keeps its members, such as 5s; the vendor's is 60s",
    "without": "action or plugin to leave out, such as consolidation; to see the suite notice it",
}
DEPARTURES = (
    hosting.OUTSIDE,
    Departure("no operator", "it would only write the Deployments of the six programs that run here"),
    Departure("pods of GPUs get no RuntimeClass `nvidia`", "that class comes with the GPU operator"),
    Departure("the admission webhook is reached by URL on 127.0.0.1", "it is a process of this machine"),
    Departure(
        "the webhooks that check Queues and PodGroups are off",
        "both programs have the fixed port 9443 on all addresses, and boxes run side by side",
    ),
    Departure("the podgroup controller shows its metrics on a free port", "its port 8080 is fixed, see above"),
    Departure("the scheduler has no server for snapshots", "it would listen on all addresses"),
)


def install(box: Box, settings: Settings) -> Installed:
    """The six programs; the admission webhook is registered once it answers."""
    artifact = hosting.artifact("kai", settings)
    if not hosting.runs(box, SCHEDULER, BINDER, ADMISSION, PODGROUPER, POD_GROUPS, QUEUES):
        hosting.ensure_crds(box, artifact)
        prepare(box, artifact)
        processes = [_start_scheduler(box, artifact, settings.options), *_start_controllers(box, artifact)]
        processes.append(_start_admission(box, artifact))
        for process in processes:
            process.wait_ready(hosting.START_TIMEOUT)
        for obj in webhooks(box.authority.certificate, url=_address(box)):
            box.api.apply(obj)
    departures = DEPARTURES + hosting.option_departures(settings.options)
    return Installed(artifact.version, (artifact,), departures, (SCHEDULER, BINDER), (PODGROUPER, POD_GROUPS, QUEUES))


def prepare(box: Box, artifact: Artifact) -> None:
    """What the chart makes besides programs: namespaces, priorities and the two default queues; and a topology."""
    for name in (NAMESPACE, RESERVATION):
        hosting.ensure_namespace(box, name)
    for path in artifact.files["priorities"]:
        box.api.apply(yaml.safe_load(path.read_text("utf-8")))
    values = hosting.read_yaml(artifact.files["chart"], "values.yaml")["defaultQueue"]
    parent, child = {"resources": values["parentResources"]}, {"resources": values["childResources"]}
    box.api.apply(_object(QUEUE, values["parentName"], parent))
    box.api.apply(_object(QUEUE, values["childName"], {**child, "parentQueue": values["parentName"]}))
    box.api.apply(_object(LEVELS, TOPOLOGY, {"levels": [{"nodeLabel": RACK}, {"nodeLabel": "kubernetes.io/hostname"}]}))


def _object(kind: Kind, name: str, spec: Object) -> Object:
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name}, "spec": spec}


def configuration(without: str = "") -> Object:
    """The configuration that the operator writes for the default shard, but for an action or plugin to leave out."""
    if without and without not in (*ACTIONS, *PLUGINS):
        raise UsageError(
            f"KAI's configuration has no action or plugin {without!r}",
            hint=f"Actions: {', '.join(ACTIONS)}. Plugins: {', '.join(PLUGINS)}.",
        )
    plugins = [
        {"name": name, **({"arguments": ARGUMENTS[name]} if name in ARGUMENTS else {})}
        for name in PLUGINS
        if name != without
    ]
    actions = ", ".join(action for action in ACTIONS if action != without)
    return {"actions": actions, "tiers": [{"plugins": plugins}]}


def scheduler_flags(config: str | Path) -> list[str]:
    """What the operator tells the scheduler of the default shard."""
    return [
        f"--scheduler-conf={config}",
        f"--scheduler-name={SCHEDULER}",
        f"--namespace={NAMESPACE}",
        "--nodepool-label-key=kai.scheduler/node-pool",
        "--partition-label-value=",
        f"--resource-reservation-app-label={RESERVATION}",
        "--metrics-namespace=kai",
    ]


def _start_scheduler(box: Box, artifact: Artifact, options: Mapping[str, str]) -> Process:
    box.identity(SCHEDULER)
    config = hosting.write_yaml(box.directory / "kai-scheduler.yaml", configuration(options.get("without", "")))
    port = box.reserve_port()
    flags = [*scheduler_flags(config), f"--listen-address=127.0.0.1:{port}", "--plugin-server-port=-1"]
    flags += [f"--{name}={options[name]}" for name in ("schedule-period",) if name in options]
    if "staleness-grace-period" in options:
        flags.append(f"--default-staleness-grace-period={options['staleness-grace-period']}")
    probe = hosting.http_probe(port, "/metrics")
    return hosting.start(box, SCHEDULER, artifact.binaries["scheduler"], flags, role="scheduler", probe=probe)


BINDER_FLAGS = (
    f"--scheduler-name={SCHEDULER}",
    f"--resource-reservation-namespace={RESERVATION}",
    f"--resource-reservation-service-account={RESERVATION}",
    f"--resource-reservation-app-label={RESERVATION}",
    "--scale-adjust-namespace=kai-scale-adjust",
)
GROUPER_FLAGS = (
    f"--scheduler-name={SCHEDULER}",
    f"--queue-label-key={QUEUE_LABEL}",
    "--nodepool-label-key=kai.scheduler/node-pool",
)


def _start_controllers(box: Box, artifact: Artifact) -> list[Process]:
    """Binder, podgrouper, podgroup controller and queue controller, each with an address of its own to ask it at."""

    def start(name: str, flags: Sequence[str], address: str, path: str, role: str = "controller") -> Process:
        box.identity(name)
        port = box.reserve_port()
        return hosting.start(
            box,
            name,
            artifact.binaries[name.removeprefix("kai-")],
            [*flags, f"{address}=127.0.0.1:{port}"],
            role=role,
            probe=hosting.http_probe(port, path),
        )

    health, metrics, none = "--health-probe-bind-address", "--metrics-bind-address", "--health-probe-bind-address=0"
    group_flags = (f"--scheduler-name={SCHEDULER}", "--enable-podgroup-webhook=false")
    queue_flags = (f"--queue-label-key={QUEUE_LABEL}", "--metrics-namespace=kai", "--enable-webhook=false")
    return [
        start(BINDER, (*BINDER_FLAGS, none), metrics, "/metrics", role="scheduler"),
        start(PODGROUPER, (*GROUPER_FLAGS, f"{metrics}=0"), health, "/readyz"),
        start(POD_GROUPS, group_flags, health, "/readyz"),
        start(QUEUES, queue_flags, "--metrics-listen-address", "/metrics"),
    ]


ADMISSION_FLAGS = (f"--scheduler-name={SCHEDULER}", "--gpu-pod-runtime-class-name=")


def _start_admission(box: Box, artifact: Artifact) -> Process:
    """It looks for its certificate below the folder for temporary files, and no flag names another place."""
    box.identity(ADMISSION)
    temporary = box.directory / ADMISSION
    folder = temporary / "k8s-webhook-server" / "serving-certs"
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not folder.is_symlink():
        folder.symlink_to(kubebuilder.certificates(box, ADMISSION))
    port, health = box.reserve_port(), box.reserve_port()
    flags = [
        *ADMISSION_FLAGS,
        f"--webhook-addr={port}",
        f"--health-probe-bind-address=127.0.0.1:{health}",
        "--metrics-bind-address=0",
    ]
    return hosting.start(
        box,
        ADMISSION,
        artifact.binaries["admission"],
        flags,
        role="webhook",
        probe=hosting.http_probe(health, "/readyz"),
        environment={"TMPDIR": str(temporary)},
    )


def _address(box: Box) -> str:
    """Where the admission webhook listens."""
    flags = box.processes[ADMISSION].command.argv
    port = next(flag.partition("=")[2] for flag in flags if flag.startswith("--webhook-addr="))
    return f"https://127.0.0.1:{port}"


def webhooks(authority: bytes, *, url: str = "") -> list[Object]:
    """The configurations that the operator writes: of pods by URL if one is given, else all of them by service."""
    bundle = base64.b64encode(authority).decode()
    return parse(render("kai/webhooks.yaml.j2", url=url, namespace=NAMESPACE, bundle=bundle))


def cluster(context: InstallContext) -> list[Object]:
    """What installs it in a cluster: the chart's own roles, and Deployments as the operator writes them."""
    authority, config = context.authority, yaml.safe_dump(configuration(), sort_keys=False)
    served = {}
    for name in ("admission", "queue-controller", "podgroup-controller"):
        pair = authority.issue(name, names=(f"{name}.{NAMESPACE}.svc",))
        served[name] = [base64.b64encode(text).decode() for text in (pair.certificate, pair.key)]
    objects = hosting.in_cluster(
        "kai",
        NAMESPACE,
        images=context.images,
        config=config,
        served=served,
        flags={
            "scheduler": [*scheduler_flags("/etc/config/config.yaml"), "--listen-address=:8080"],
            "binder": BINDER_FLAGS,
            "podgrouper": GROUPER_FLAGS,
            "admission": ADMISSION_FLAGS,
        },
    )
    return [*objects, *rights(context.artifact), *webhooks(authority.certificate)]


def rights(artifact: Artifact) -> list[Object]:
    """The chart's roles and who has them, in the namespace that it is installed into."""
    texts = [path.read_text("utf-8").replace("{{ .Release.Namespace }}", NAMESPACE) for path in artifact.files["rbac"]]
    return [obj for text in texts for obj in parse(text)]


PART = Part(
    cluster,
    "kai",
    prepare=prepare,
    departures=DEPARTURES[1:3],
    roles={"scheduler": "scheduler", "binder": "scheduler", "admission": "webhook"},
)


# -- gangs ------------------------------------------------------------------------------------------------------------


def make_queue(box: Box, name: str, limits: Mapping[str, str]) -> None:
    """A queue below the default parent; a gang of a queue that the scheduler does not know is not placed."""
    box.api.apply(parse(render("kai/queue.yaml.j2", name=name, limits=limits))[0])


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """Roles are sub-groups, whose minimum is 1 at least: a gang that can do without one of its roles has none."""
    subgroups = bool(gang.roles) and all(role.minimum for role in gang.roles)
    return {"queue": gang.queue or DEFAULT, "topology": TOPOLOGY, "subgroups": subgroups}


def read_group(obj: Object) -> tuple[str, int | None]:
    """The gang of a PodGroup; those that the podgrouper makes stand for none."""
    meta = obj["metadata"]
    if meta.get("ownerReferences"):
        return "", None
    return (meta.get("labels") or {}).get(GANG_LABEL, meta["name"]), (obj.get("spec") or {}).get("minMember")


def edit_quorum(gang: Gang, quorum: int, kubernetes: str) -> Sequence[Edit]:
    return [(POD_GROUP, gang.name, {"spec": {"minMember": quorum}})]


VOCABULARY = Vocabulary(
    refusal_events=(*COMMON.refusal_events, "Unschedulable"),
    other_warnings=(*COMMON.other_warnings, "PodGrouperWarning"),  # of the podgrouper, before any scheduler has looked
)
PACE = (
    "KAI decides once per schedule-period, a second as shipped, and its binder carries a decision out afterwards, so a "
    "decision takes half a second on average and a second look another whole one."
)
ALIVE = "PodSet.IsReadyForScheduling counts pods that wait or are bound and not deleted (aliveStatuses in pod_status)"

ADAPTER = Adapter(
    name="kai",
    title="KAI Scheduler",
    organization="CNCF",
    url="https://github.com/kai-scheduler/KAI-Scheduler",
    scheduler=SCHEDULER,
    images={
        "scheduler": r"kai-scheduler/(scheduler|binder)[:@]",
        "controller": r"kai-scheduler/(podgrouper|podgroupcontroller|queuecontroller)[:@]",
        "webhook": r"kai-scheduler/admission[:@]",
    },
    features=(
        "gang",
        "quorum",
        "roles",
        "role-minima",
        "group-object",
        "group-first",
        "quorum-edit",
        "priority",
        "preemption",
        "gang-disruption",
        "queue",
        "topology",
        "role-topology",
        "stale-eviction",
        "consolidation",
        "restart-safe",
        "starts-anew",
        "tells-members",
        Claim("job-apart", source="docs/batch/README.md: pods of a Job are scheduled separately"),
        Claim("set-apart", source="docs/developer/pod-grouper.md: a PodGroup for each pod of a Deployment"),
        Claim("forgets-succeeded", source=ALIVE),
        Claim("forgets-failed", source=ALIVE),
        Claim("forgets-leaving", source=ALIVE),
        Claim("refills-whole", source="getNumTasksToAllocate: below minMember all that are missing are placed at once"),
    ),
    styles=("stale-eviction",),  # of all its gangs
    install=install,
    values=values,
    groups=lambda kubernetes: (POD_GROUP,),
    read_group=read_group,
    edit_quorum=edit_quorum,
    options=OPTIONS,
    cluster=(PART,),
    definitions=hosting.definitions("kai"),
    queue=make_queue,
    owner_annotations=lambda gang: {},
    vocabulary=VOCABULARY,
    pod_labels={QUEUE_LABEL: DEFAULT, PREEMPTIBLE: "preemptible"},
    pace=PACE,
    works_in_cycles=True,
    limits=(
        Limit(
            "gang",
            ">=0.12",
            "A PodGroup is known by its name alone: gangs of one name in two namespaces are taken for one.",
            f"{ISSUES}/2095",
        ),
        Limit(
            "gang",
            ">=0.12,<0.15",
            "Pods that a Job or a Deployment owns are never one gang: the podgrouper gives each a PodGroup of its own, "
            "whatever PodGroup the pod names.",
            f"{DOCS}/batch/README.md",
        ),
        Limit(
            "gang",
            ">=0.12",
            "What sidecars request, and what a pod requests as a whole, does not count.",
            f"{CODE}/scheduler/api/pod_info/pod_info.go",
        ),
        Limit(
            "preemption",
            ">=0.12",
            "Neither disruption budgets nor the preemptionPolicy of a priority class are looked at.",
            f"{DOCS}/priority/README.md",
        ),
        Limit(
            "group-status",
            ">=0.12",
            "The status of a PodGroup says when it was not placed (schedulingConditions), and not that it was.",
            f"{CODE}/apis/scheduling/v2alpha2/podgroup_types.go",
        ),
        Limit(
            "timeout",
            ">=0.12",
            "A gang has no time limit of its own: what does not fit in one cycle holds nothing.",
            f"{DOCS}/developer/action-framework.md",
        ),
    ),
)
