"""Volcano: a batch scheduler of its own, with a controller manager and admission webhooks.

It runs as its Helm chart would run it: scheduler configuration, flags and the list of webhooks come from the chart in
the locked module. The order of starting matters. The scheduler creates the queues `root` and `default`, which the
webhooks would have to admit, and the controller opens them; so the webhooks are registered once both queues are open.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from harness.adapters.common import hosting
from harness.adapters.common.base import (
    Adapter,
    Claim,
    Departure,
    Edit,
    InstallContext,
    Installed,
    Limit,
    Membership,
    Object,
    Part,
    Settings,
    Variant,
)
from harness.adapters.common.render import parse, render, total_request
from harness.box.artifacts import Artifact
from harness.box.base import Box
from harness.core.errors import UsageError
from harness.core.gang import Gang
from harness.core.kinds import Kind
from harness.core.labels import GANG_LABEL
from harness.core.oracle.vocabulary import COMMON, Vocabulary

SCHEDULER, CONTROLLER, WEBHOOKS = "vc-scheduler", "vc-controller-manager", "vc-webhook-manager"
DOCS = "https://volcano.sh/en/docs"
POD_GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup", "podgroups")
QUEUE = Kind("scheduling.volcano.sh/v1beta1", "Queue", "queues", namespaced=False)
JOB = Kind("batch.volcano.sh/v1alpha1", "Job", "jobs")
NAMESPACE = "volcano-system"
OPTIONS = {
    "schedule-period": "time between two cycles, such as 100ms; the vendor's is 1s",
    "actions": "what a cycle does, such as 'allocate, preempt, backfill'; the vendor's: enqueue, allocate, backfill",
    "without": "plugin to leave out of the configuration, such as gang; to see the suite notice it",
}
DEPARTURES = (
    hosting.OUTSIDE,
    Departure("admission webhooks are reached by URL on 127.0.0.1", "the webhook manager is a process of this machine"),
    Departure("the controller manager logs at level 2", hosting.QUIET.why),
)


def install(box: Box, settings: Settings) -> Installed:
    """Scheduler and controller manager first, then the webhooks, then what serves them."""
    options = settings.options
    artifact = hosting.artifact("volcano", settings)
    departures = DEPARTURES + hosting.option_departures(options)
    if not hosting.runs(box, SCHEDULER, CONTROLLER, WEBHOOKS):
        hosting.ensure_crds(box, artifact)
        hosting.ensure_namespace(box, NAMESPACE)
        values = hosting.read_yaml(artifact.files["chart"], "values.yaml")["custom"]
        scheduler = _start_scheduler(box, artifact, values, options)
        controller = _start_controller(box, artifact, values)
        scheduler.wait_ready(hosting.START_TIMEOUT)
        controller.wait_ready(hosting.START_TIMEOUT)
        hosting.wait(lambda: all(_open(box, name) for name in ("root", "default")), "the queue `default`", controller)
        _start_webhooks(box, artifact, values)
    actions = options.get("actions", "")  # enqueue keeps a gang out while there is no room for its minResources
    more = frozenset({"preemption"}) if "preempt" in actions and "enqueue" not in actions else frozenset()
    return Installed(artifact.version, (artifact,), departures, (SCHEDULER,), (CONTROLLER,), more)


def _start_scheduler(box: Box, artifact: Artifact, values: Mapping[str, Any], options: Mapping[str, str]) -> Any:
    conf = hosting.read_yaml(artifact.files["chart"], "volcano-scheduler.conf")
    conf["actions"] = options.get("actions", conf["actions"])
    if "without" in options:
        leave_out(conf, options["without"])
    health = box.reserve_port()
    flags = [
        f"--kubeconfig={box.identity(SCHEDULER)}",
        f"--scheduler-conf={hosting.write_yaml(box.directory / 'volcano-scheduler.conf', conf)}",
        f"--leader-elect={str(values['leader_elect_enable']).lower()}",
        "--enable-healthz=true",
        f"--healthz-address=127.0.0.1:{health}",
        "--enable-metrics=true",
        f"--listen-address=127.0.0.1:{box.reserve_port()}",
        f"--kube-api-qps={values['scheduler_kube_api_qps']}",
        f"--kube-api-burst={values['scheduler_kube_api_burst']}",
        f"--schedule-period={options.get('schedule-period', values['scheduler_schedule_period'])}",
        f"--node-worker-threads={values['scheduler_node_worker_threads']}",
        f"--cache-dump-dir={box.directory}",
        f"-v={values['scheduler_log_level']}",
    ]
    return hosting.start(
        box,
        SCHEDULER,
        artifact.binaries["scheduler"],
        flags,
        role="scheduler",
        probe=hosting.http_probe(health, "/healthz"),
        environment={"DEBUG_SOCKET_DIR": str(box.directory)},
    )


def leave_out(conf: Object, name: str) -> None:
    """Take a plugin out of the scheduler's configuration, so that it becomes a mutant."""
    plugins = [plugin["name"] for tier in conf["tiers"] for plugin in tier["plugins"]]
    if name not in plugins:
        raise UsageError(f"Volcano's configuration has no plugin {name!r}", hint=f"Its plugins: {', '.join(plugins)}.")
    for tier in conf["tiers"]:
        tier["plugins"] = [plugin for plugin in tier["plugins"] if plugin["name"] != name]


def _start_controller(box: Box, artifact: Artifact, values: Mapping[str, Any]) -> Any:
    health = box.reserve_port()
    flags = [
        f"--kubeconfig={box.identity(CONTROLLER)}",
        f"--leader-elect={str(values['leader_elect_enable']).lower()}",
        "--enable-healthz=true",
        f"--healthz-address=127.0.0.1:{health}",
        "--enable-metrics=true",
        f"--listen-address=127.0.0.1:{box.reserve_port()}",
        f"--kube-api-qps={values['controller_kube_api_qps']}",
        f"--kube-api-burst={values['controller_kube_api_burst']}",
        f"--worker-threads={values['controller_worker_threads']}",
        f"--worker-threads-for-gc={values['controller_worker_threads_for_gc']}",
        f"--worker-threads-for-podgroup={values['controller_worker_threads_for_podgroup']}",
        "-v=2",
    ]
    return hosting.start(
        box,
        CONTROLLER,
        artifact.binaries["controller-manager"],
        flags,
        role="controller",
        probe=hosting.http_probe(health, "/healthz"),
        environment={"KUBE_POD_NAMESPACE": NAMESPACE, "HELM_RELEASE_NAME": "volcano"},
    )


def _start_webhooks(box: Box, artifact: Artifact, values: Mapping[str, Any]) -> None:
    if hosting.runs(box, WEBHOOKS):
        return  # the configurations name its port
    port, health = box.reserve_port(), box.reserve_port()
    certificate, key = hosting.serving(box, WEBHOOKS)
    for obj in webhooks(artifact, url=f"https://127.0.0.1:{port}", authority=box.authority.certificate):
        box.api.apply(obj)
    flags = [
        f"--kubeconfig={box.identity(WEBHOOKS)}",
        f"--enabled-admission={values['enabled_admissions']}",
        f"--tls-cert-file={certificate}",
        f"--tls-private-key-file={key}",
        f"--ca-cert-file={box.directory / 'pki' / 'ca.crt'}",
        f"--admission-conf={hosting.pick(artifact.files['chart'], 'volcano-admission.conf')}",
        "--webhook-url=https://127.0.0.1",
        "--listen-address=127.0.0.1",
        f"--port={port}",
        "--enable-healthz=true",
        f"--healthz-address=127.0.0.1:{health}",
        "--graceful-shutdown-time=0s",
        "-v=2",
    ]
    process = hosting.start(
        box, WEBHOOKS, artifact.binaries["webhook-manager"], flags, role="webhook", probe=hosting.tcp_probe(port)
    )
    process.wait_ready(hosting.START_TIMEOUT)


def webhooks(artifact: Artifact, *, authority: bytes, url: str = "") -> list[Object]:
    """The chart's webhook configurations that its own values switch on; by URL if one is given, else by service."""
    enabled = hosting.read_yaml(artifact.files["chart"], "values.yaml")["custom"]["enabled_admissions"].split(",")
    configurations = []
    for obj in yaml.safe_load_all(plain_yaml(hosting.pick(artifact.files["chart"], "webhooks.yaml"))):
        client = obj["webhooks"][0]["clientConfig"]
        path = client["service"]["path"]
        if path in enabled:
            bundle = {"caBundle": base64.b64encode(authority).decode()}
            by_url = {"url": url + path}
            obj["webhooks"][0]["clientConfig"] = {**bundle, **(by_url if url else client)}
            obj["metadata"].pop("labels", None)
            configurations.append(obj)
    return configurations


def cluster(context: InstallContext) -> list[Object]:
    """What installs it in a cluster. Webhooks come last: the queues are made before they can be asked."""
    artifact, authority = context.artifact, context.authority
    values = hosting.read_yaml(artifact.files["chart"], "values.yaml")["custom"]
    pair = authority.issue("volcano-admission", names=(f"volcano-admission-service.{NAMESPACE}.svc",))
    encoded = [base64.b64encode(text).decode() for text in (pair.certificate, pair.key, authority.certificate)]
    objects = hosting.in_cluster(
        "volcano",
        NAMESPACE,
        images=context.images,
        period=values["scheduler_schedule_period"],
        config=hosting.pick(artifact.files["chart"], "volcano-scheduler.conf").read_text(encoding="utf-8"),
        admissions=values["enabled_admissions"],
        certificate=encoded[0],
        key=encoded[1],
        authority=encoded[2],
    )
    return objects + webhooks(artifact, authority=authority.certificate)


PART = Part(
    cluster,
    "volcano",
    departures=DEPARTURES[2:],
    roles={"scheduler": "scheduler", "webhook-manager": "webhook"},
)


def plain_yaml(path: Path) -> str:
    """A chart's template without its template language: names filled in, lines that only steer it left out."""
    text = path.read_text(encoding="utf-8")
    text = text.replace("{{ .Release.Namespace }}", NAMESPACE).replace("{{ .Release.Name }}", "volcano")
    return "\n".join(line for line in text.splitlines() if not re.match(r"\s*\{\{", line))


def make_queue(box: Box, name: str, limits: Mapping[str, str]) -> None:
    """A queue with these limits, open for gangs."""
    box.api.apply(parse(render("volcano/queue.yaml.j2", name=name, limits=limits))[0])
    hosting.wait(lambda: _open(box, name), f"the queue {name!r}", box.processes.get(CONTROLLER))


def _open(box: Box, name: str) -> bool:
    queue = box.api.find(QUEUE, "", name)
    return queue is not None and (queue.get("status") or {}).get("state") == "Open"


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    return {"vcjob": "vcjob" in gang.styles, "minimum": total_request(gang)}


def read_group(obj: Object) -> tuple[str, int | None]:
    """The gang of a PodGroup or Job; the PodGroups Volcano makes for single pods stand for none."""
    meta, spec = obj["metadata"], obj.get("spec") or {}
    if meta["name"].startswith("podgroup-") and meta.get("ownerReferences"):
        return "", None
    return (meta.get("labels") or {}).get(GANG_LABEL, meta["name"]), spec.get("minMember", spec.get("minAvailable"))


def edit_quorum(gang: Gang, quorum: int, kubernetes: str) -> Sequence[Edit]:
    if "vcjob" in gang.styles:
        return [(JOB, gang.name, {"spec": {"minAvailable": quorum}})]
    minimum = total_request(gang.but(quorum=quorum))
    return [(POD_GROUP, gang.name, {"spec": {"minMember": quorum, "minResources": minimum}})]


VOCABULARY = Vocabulary(
    refusal_events=(*COMMON.refusal_events, "Unschedulable"),  # of PodGroups, in part as a normal event
    victim_events=(*COMMON.victim_events, "Evict"),
)
OWNERS = "annotation scheduling.volcano.sh/group-min-member of a Job, Deployment or StatefulSet (labels.go of its API)"
PACE = (
    "Volcano looks at its queues once per schedule-period, a second as shipped, so a decision "
    "takes half a second on average and a second look another whole one."
)

ADAPTER = Adapter(
    name="volcano",
    title="Volcano",
    organization="CNCF",
    url="https://volcano.sh",
    scheduler="volcano",
    images={
        "scheduler": r"vc-scheduler|volcano-scheduler",
        "controller": r"vc-controller-manager|volcano-controller",
        "webhook": r"vc-webhook-manager|volcano-webhook",
    },
    features=(
        "gang",
        "instant-refusal",
        "pod-affinity",
        "spread",
        "host-ports",
        "volumes",
        "quorum",
        "roles",
        "role-minima",
        "group-object",
        "group-status",
        "group-first",
        "quorum-edit",
        "priority",
        "queue",
        "restart-safe",
        "starts-anew",
        "total",
        "tells-members",
        "vcjob",
        Claim("job-gang", source=OWNERS),
        Claim("set-gang", source=OWNERS),
        Claim("counts-succeeded", source="JobInfo.ReadyTaskNum and ValidTaskNum count tasks that have succeeded"),
        Claim("forgets-failed", source="JobInfo.ValidTaskNum leaves out tasks that have failed"),
        Claim(
            "forgets-leaving", source="a pod that is being deleted is Releasing, which JobInfo.ValidTaskNum leaves out"
        ),
        Claim("refills-whole", source="gang plugin: a job with fewer valid tasks than minAvailable is not tried"),
        Claim("quorum-first", source="gang plugin, JobOrderFn: jobs that are ready come after those that are not"),
    ),
    styles=("vcjob",),
    owner_annotations=lambda gang: {"scheduling.volcano.sh/group-min-member": str(gang.minimum)},
    install=install,
    values=values,
    groups=lambda kubernetes: (POD_GROUP, JOB),
    read_group=read_group,
    edit_quorum=edit_quorum,
    vocabulary=VOCABULARY,
    membership=Membership(POD_GROUP, ("annotations", "scheduling.k8s.io/group-name")),
    options=OPTIONS,
    variants={
        "preempt": Variant(
            "with its preempt action",
            {"actions": "allocate, preempt, backfill"},
            features=("preemption",),
            without=("total",),  # the action enqueue, which keeps out gangs that could preempt, reads minResources
        )
    },
    cluster=(PART,),
    definitions=hosting.definitions("volcano"),
    queue=make_queue,
    queue_kinds=(QUEUE,),
    pace=PACE,
    works_in_cycles=True,
    limits=(
        Limit(
            "gang",
            ">=1.14",
            "When the bind of one member is refused the others stay bound; it is tried again in every cycle.",
            f"{DOCS}/plugins/",
        ),
        Limit(
            "preemption",
            ">=1.0",
            "The configuration of the chart has no preempt action, and its enqueue action "
            "keeps gangs out that have no room; `--set actions='allocate, preempt, backfill'` preempts.",
            f"{DOCS}/actions/",
        ),
        Limit(
            "topology",
            ">=1.0",
            "Gangs stay together by HyperNode objects, not by a node label, and the plugin is "
            "not in the configuration of the chart.",
            f"{DOCS}/network_topology_aware_scheduling/",
        ),
        Limit(
            "timeout",
            ">=1.0",
            "A gang has no time limit of its own: what does not fit in one cycle holds nothing.",
            f"{DOCS}/plugins/",
        ),
    ),
)
