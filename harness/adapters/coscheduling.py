"""Coscheduling: the gang plugin of scheduler-plugins, in a kube-scheduler of its own, with its PodGroup controller.

The configuration is the one the project ships for the plugin, under the scheduler name of its chart, so that it can
also run beside a cluster's own kube-scheduler.
"""

from __future__ import annotations

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
    Membership,
    Object,
    Part,
    Settings,
)
from harness.adapters.common.render import total_request
from harness.box.base import Box
from harness.core.gang import Gang
from harness.core.kinds import Kind

SCHEDULER, CONTROLLER = "coscheduling-scheduler", "coscheduling-controller"
NAME = "scheduler-plugins-scheduler"
NAMESPACE = "scheduler-plugins"
DOCS = "https://github.com/kubernetes-sigs/scheduler-plugins/tree/master/pkg/coscheduling"
POD_GROUP = Kind("scheduling.x-k8s.io/v1alpha1", "PodGroup", "podgroups")
OPTIONS = {
    "permit-waiting-seconds": "how long an assigned member waits for the others; the vendor's sample has 10",
    "backoff-seconds": "how long a group that failed is left alone; the vendor's is 0",
    "without": "extension points to leave the plugin out of, such as permit; to see the suite notice it",
}
ARGUMENTS = {"permit-waiting-seconds": "permitWaitingTimeSeconds", "backoff-seconds": "podGroupBackoffSeconds"}
DEPARTURES = (
    hosting.OUTSIDE,
    Departure(f"schedulerName {NAME}", "the name its chart gives a second scheduler; the sample replaces the first"),
    Departure("built against Kubernetes 1.34.4 modules", "not every module of 1.34.7 can be verified"),
)


def install(box: Box, settings: Settings) -> Installed:
    """The scheduler and the controller, side by side: neither needs the other to start."""
    artifact = hosting.artifact("scheduler-plugins", settings)
    departures = DEPARTURES + hosting.option_departures(settings.options)
    hosting.ensure_crds(box, artifact)
    if not hosting.runs(box, SCHEDULER):
        path = box.directory / "coscheduling.yaml"
        sample = hosting.read_yaml(artifact.files["config"], "scheduler-config.yaml")
        config = configuration(sample, settings.options)
        port = box.reserve_port()
        flags = hosting.scheduler_flags(box, SCHEDULER, path, port)
        hosting.write_yaml(path, hosting.scheduler_config(config, box.directory / f"{SCHEDULER}.kubeconfig"))
        hosting.start(
            box,
            SCHEDULER,
            artifact.binaries["scheduler"],
            flags,
            role="scheduler",
            probe=box.https_probe(port, "/readyz"),
        )
    if not hosting.runs(box, CONTROLLER):
        port = box.reserve_port()
        flags = [
            f"--kubeconfig={box.identity(CONTROLLER)}",
            f"--metricsAddr=127.0.0.1:{box.reserve_port()}",
            f"--probeAddr=127.0.0.1:{port}",
        ]
        hosting.start(
            box,
            CONTROLLER,
            artifact.binaries["controller"],
            flags,
            role="controller",
            probe=hosting.http_probe(port, "/readyz"),
        )
    for name in (SCHEDULER, CONTROLLER):
        box.processes[name].wait_ready(hosting.START_TIMEOUT)
    return Installed(artifact.version, (artifact,), departures, (SCHEDULER,), (CONTROLLER,))


def configuration(sample: Object, options: Mapping[str, str]) -> Object:
    """The vendor's sample under our scheduler name, with the plugin's arguments that the user set."""
    profile = {**sample["profiles"][0], "schedulerName": NAME}
    arguments = {ARGUMENTS[name]: int(value) for name, value in options.items() if name in ARGUMENTS}
    profile["pluginConfig"] = [{**entry, "args": {**entry["args"], **arguments}} for entry in profile["pluginConfig"]]
    return hosting.without_points({**sample, "profiles": [profile]}, "Coscheduling", options.get("without", ""))


def cluster(context: InstallContext) -> list[Object]:
    """What installs it in a cluster, beside that cluster's own kube-scheduler."""
    config = configuration(hosting.read_yaml(context.artifact.files["config"], "scheduler-config.yaml"), {})
    config.pop("clientConnection")
    text = yaml.safe_dump(config, sort_keys=False)
    return hosting.in_cluster("coscheduling", NAMESPACE, images=context.images, config=text)


PART = Part(cluster, "scheduler-plugins", departures=DEPARTURES[1:], roles={"scheduler": "scheduler"})


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    return {"minimum": total_request(gang) if "min-resources" in gang.styles or gang.total_gpus else {}}


INFORMER = "kube-scheduler's watch of pods, which the plugin shares, leaves out those that have succeeded or failed"

ADAPTER = Adapter(
    name="coscheduling",
    title="Coscheduling (scheduler-plugins)",
    organization="Kubernetes SIG Scheduling",
    url="https://scheduler-plugins.sigs.k8s.io",
    scheduler=NAME,
    component="scheduler-plugins",
    images={
        "scheduler": r"scheduler-plugins/kube-scheduler|scheduler-plugins-scheduler",
        "controller": r"scheduler-plugins/controller|scheduler-plugins-controller",
    },
    features=(
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
        "restart-safe",
        "starts-anew",
        "total",
        Claim("job-gang", source="its README: a PodGroup, and its label in the template of a controller"),
        Claim("set-gang", source="its README: a PodGroup, and its label in the template of a controller"),
        Claim("forgets-succeeded", source=INFORMER),
        Claim("forgets-failed", source=INFORMER),
        Claim("counts-leaving", source="PodGroupManager.PreFilter and Permit count pods until they are deleted"),
        Claim("refills-whole", source="PodGroupManager.PreFilter: pods wait while fewer than minMember are known"),
    ),
    styles=("min-resources",),
    install=install,
    values=values,
    groups=lambda kubernetes: (POD_GROUP,),
    edit_quorum=hosting.edit_min_member(POD_GROUP),
    membership=Membership(POD_GROUP, ("labels", "scheduling.x-k8s.io/pod-group")),
    options=OPTIONS,
    cluster=(PART,),
    definitions=hosting.definitions("scheduler-plugins"),
    pace=BACKOFF_PACE,
    limits=(
        Limit(
            "gang",
            ">=0.34",
            "A gang that the plugin rejected last is not woken when pods are deleted, and can stay "
            "pending although it fits; minResources makes that rarer (style min-resources).",
            DOCS,
        ),
        Limit("gang", ">=0.34", "When the bind of one member is refused the others stay bound.", DOCS),
        Limit("preemption", ">=0.19", "Victims are chosen pod by pod; nothing makes sure the gang then fits.", DOCS),
        Limit(
            "group-status",
            ">=0.19",
            "A PodGroup's phase is Scheduling until it is Running; a lack of room is only said of its pods.",
            DOCS,
        ),
        Limit("role-minima", ">=0.19", "A PodGroup has one minimum for all its members.", DOCS),
        Limit("queue", ">=0.19", "The plugin knows no queues; quotas are another plugin, CapacityScheduling.", DOCS),
    ),
)
