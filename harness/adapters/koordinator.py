"""Koordinator: kube-scheduler with its own gang plugin, by PodGroup objects or by annotations on the pods alone.

The scheduler runs with the configuration its own repository ships, every plugin of it; the other programs of
Koordinator are about quality of service on real nodes and have no part in gangs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from harness.adapters.common import hosting
from harness.adapters.common.base import (
    BACKOFF_PACE,
    Adapter,
    Claim,
    Departure,
    InstallContext,
    Installed,
    Limit,
    Object,
    Part,
    Settings,
)
from harness.adapters.common.render import parse, render
from harness.box.artifacts import Artifact
from harness.box.base import Box
from harness.core.gang import Gang
from harness.core.kinds import Kind

SCHEDULER = "koord-scheduler"
DOCS = "https://koordinator.sh/docs/designs/gang-scheduling"
POD_GROUP = Kind("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", "podgroups")
NAMESPACE = "koordinator-system"
GANG = "gang.scheduling.koordinator.sh"
POLICIES = ("only-waiting", "waiting-and-running", "once-satisfied")  # which members count; the last is the default
OPTIONS = {"without": "extension points to leave the gang plugin out of, such as permit; to see the suite notice it"}
DEPARTURES = (
    hosting.OUTSIDE,
    Departure("leader election is off", "one scheduler runs per box"),
    hosting.QUIET,
)


def install(box: Box, settings: Settings) -> Installed:
    """The scheduler, with all CRDs: it waits without a word for those it watches."""
    artifact = hosting.artifact("koordinator", settings)
    if not hosting.runs(box, SCHEDULER):
        hosting.ensure_crds(box, artifact)
        hosting.ensure_namespace(box, NAMESPACE)  # its quota plugin keeps its own objects there
        path = box.directory / "koord-scheduler.yaml"
        port = box.reserve_port()
        flags = hosting.scheduler_flags(box, SCHEDULER, path, port)
        kubeconfig = box.directory / f"{SCHEDULER}.kubeconfig"
        config = hosting.without_points(configuration(artifact), "Coscheduling", settings.options.get("without", ""))
        hosting.write_yaml(path, hosting.scheduler_config(config, kubeconfig))
        hosting.start(
            box,
            SCHEDULER,
            artifact.binaries["scheduler"],
            [*flags, "--port=0", "-v=2"],
            role="scheduler",
            probe=box.https_probe(port, "/healthz"),
        )
    box.processes[SCHEDULER].wait_ready(hosting.START_TIMEOUT)
    departures = DEPARTURES + hosting.option_departures(settings.options)
    return Installed(artifact.version, (artifact,), departures, (SCHEDULER,), (SCHEDULER,))


def configuration(artifact: Artifact) -> Object:
    """The scheduler's configuration as the project ships it, out of its ConfigMap."""
    shipped = hosting.read_yaml(artifact.files["config"], "scheduler-config.yaml")
    config: Object = yaml.safe_load(shipped["data"]["koord-scheduler-config"])
    return config


def with_wait_time(box: Box, seconds: int) -> list[str]:
    """The command line of a scheduler whose gangs wait this long if they do not say how long."""
    config: Object = yaml.safe_load((box.directory / "koord-scheduler.yaml").read_text(encoding="utf-8"))
    arguments = {"apiVersion": config["apiVersion"], "kind": "CoschedulingArgs", "defaultTimeout": f"{seconds}s"}
    config["profiles"][0]["pluginConfig"].append({"name": "Coscheduling", "args": arguments})
    path = hosting.write_yaml(box.directory / "koord-scheduler-wait.yaml", config)
    argv = box.processes[SCHEDULER].command.argv
    return [f"--config={path}" if flag.startswith("--config=") else flag for flag in argv]


def cluster(context: InstallContext) -> list[Object]:
    """What installs it in a cluster, beside that cluster's own kube-scheduler."""
    config = configuration(context.artifact)
    config["leaderElection"] = {"leaderElect": False}
    text = yaml.safe_dump(config, sort_keys=False)
    return hosting.in_cluster("koordinator", NAMESPACE, images=context.images, config=text)


PART = Part(cluster, "koordinator", departures=DEPARTURES[1:], roles={"scheduler": "scheduler"})


def make_queue(box: Box, name: str, limits: Mapping[str, str]) -> None:
    """An elastic quota with these limits, in force once the scheduler's own debug endpoint knows it."""
    box.api.apply(parse(render("koordinator/queue.yaml.j2", name=name, namespace=NAMESPACE, limits=limits))[0])
    process = box.processes[SCHEDULER]
    port = next(int(flag.partition("=")[2]) for flag in process.command.argv if flag.startswith("--secure-port="))
    quota_exists = box.https_probe(port, f"/apis/v1/plugins/ElasticQuota/quotas/{name}")
    hosting.wait(quota_exists, f"the quota {name!r}", process)


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """`terms` is what the gang asks for beside its quorum: on the PodGroup, or on every pod where there is none."""
    terms = {f"{GANG}/mode": "NonStrict"} if "nonstrict" in gang.styles else {}
    if "no-others" in gang.styles:
        terms[f"{GANG}/groups"] = ""
    if gang.stated_size is not None:
        terms[f"{GANG}/total-number"] = str(gang.stated_size)
    for policy in POLICIES:
        if policy in gang.styles:
            terms[f"{GANG}/match-policy"] = policy
    by_annotations = "annotations" in gang.styles
    if by_annotations:
        terms |= {f"{GANG}/name": gang.name, f"{GANG}/min-available": str(gang.minimum)}
        if gang.timeout is not None:
            terms[f"{GANG}/waiting-time"] = f"{gang.timeout}s"
    return {
        "by_annotations": by_annotations,
        "terms": terms,
        "labels": {} if by_annotations else {"pod-group.scheduling.sigs.k8s.io": gang.name},
        "quota": {"quota.scheduling.koordinator.sh/name": gang.queue} if gang.queue else {},
        "together": together,
    }


def together(gang: Gang, namespace: str) -> str:
    """The gangs that start together, as the annotation wants them; a name without a slash is in the same namespace."""
    names = {name if "/" in name else f"{namespace}/{name}" for name in (gang.name, *gang.group)}
    return json.dumps(sorted(names))


ADAPTER = Adapter(
    name="koordinator",
    title="Koordinator",
    organization="CNCF",
    url="https://koordinator.sh",
    scheduler="koord-scheduler",
    images={"scheduler": r"koord-scheduler|koordinator-scheduler", "controller": r"koord-manager|koordinator-manager"},
    features=(
        "annotations",
        "pod-terms",
        "gang",
        "pod-affinity",
        "spread",
        "host-ports",
        "volumes",
        "devices",
        "quorum",
        "roles",
        "group-object",
        "group-first",
        "quorum-edit",
        "timeout",
        "priority",
        "preemption",
        "queue",
        "gang-group",
        "stated-size",
        "match-policy",
        "nonstrict",
        "queue-order",
        "timeout-marks-gang",
        "default-timeout",
        "restart-safe",
        Claim("job-gang", source="its user manual: labels or annotations in the template of a Job"),
        Claim(
            "refills-singly", source="match policy once-satisfied, the default: a gang that had room once is none later"
        ),
    ),
    wait_time=with_wait_time,
    late_mark=(f"{GANG}/timeout", "true"),
    styles=("annotations", "nonstrict", "no-others", *POLICIES),
    install=install,
    values=values,
    groups=lambda kubernetes: (POD_GROUP,),
    edit_quorum=hosting.edit_min_member(POD_GROUP),
    options=OPTIONS,
    cluster=(PART,),
    definitions=hosting.definitions("koordinator"),
    queue=make_queue,
    pace=BACKOFF_PACE,
    limits=(
        Limit("gang", ">=1.8", "When the bind of one member is refused the others stay bound.", DOCS),
        Limit(
            "gang",
            ">=1.8,<1.9",
            "While gangs wait the scheduler can end with a panic in its queue (assignment to "
            "entry in nil map); a gang it was binding stays in part.",
            DOCS,
        ),
        Limit(
            "group-status",
            ">=0.3",
            "A PodGroup's phase is Scheduling until it is Scheduled; a lack of room is only said of its pods.",
            DOCS,
        ),
        Limit(
            "role-minima",
            ">=0.3",
            "A gang has one minimum; roles with minima of their own are gangs of one group.",
            DOCS,
        ),
        Limit(
            "starts-anew",
            ">=1.0",
            "A gang that was placed once is satisfied for good: pods that come later "
            "are placed one by one, as the design says.",
            DOCS,
        ),
        Limit(
            "preemption",
            ">=1.0",
            "Members preempt one by one; preemption for the gang as a whole is off in the "
            "configuration the project ships (enablePreemption).",
            DOCS,
        ),
        Limit(
            "topology",
            ">=1.0",
            "Domains come from a ClusterNetworkTopology object, not from a node label.",
            "https://koordinator.sh/docs/user-manuals/network-topology-aware-scheduling",
        ),
    ),
)
