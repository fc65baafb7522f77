"""Coscheduling: the gang plugin of scheduler-plugins, in a kube-scheduler of its own, with its PodGroup controller.

The configuration is the one the project ships for the plugin, under the scheduler name of its chart, so that it can
also run beside a cluster's own kube-scheduler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from harness.adapters import hosting
from harness.adapters.base import (
    BACKOFF_PACE,
    GANG_LABEL,
    Adapter,
    Box,
    Departure,
    Installed,
    Limit,
    Object,
    Part,
    Settings,
    Site,
    by_label,
)
from harness.adapters.render import total_request
from harness.core.gang import Gang

SCHEDULER, CONTROLLER = "coscheduling-scheduler", "coscheduling-controller"
NAME = "scheduler-plugins-scheduler"
NAMESPACE = "scheduler-plugins"
DOCS = "https://github.com/kubernetes-sigs/scheduler-plugins/tree/master/pkg/coscheduling"
POD_GROUP = ("scheduling.x-k8s.io/v1alpha1", "PodGroup")
OPTIONS = {
    "permit-waiting-seconds": "how long an assigned member waits for the others; the vendor's sample has 10",
    "backoff-seconds": "how long a group that failed is left alone; the vendor's is 0",
    "without": "extension points to leave the plugin out of, such as permit; to see the suite notice it",
}
STYLES = ("min-resources",)
ARGUMENTS = {"permit-waiting-seconds": "permitWaitingTimeSeconds", "backoff-seconds": "podGroupBackoffSeconds"}
DEPARTURES = (
    hosting.OUTSIDE,
    Departure(f"schedulerName {NAME}", "the name its chart gives a second scheduler; the sample replaces the first"),
    Departure("built against Kubernetes 1.34.4 modules", "not every module of 1.34.7 can be verified"),
)


def install(box: Box, settings: Settings) -> Installed:
    """The scheduler and the controller, side by side: neither needs the other to start."""
    chosen = settings.options
    found = hosting.artifact("scheduler-plugins", settings)
    departures = DEPARTURES + hosting.chosen_departures(chosen)
    hosting.ensure_crds(box, found)
    if not hosting.runs(box, SCHEDULER):
        path = box.directory / "coscheduling.yaml"
        sample = hosting.read_yaml(found.files["config"], "scheduler-config.yaml")
        config = configuration(sample, chosen)
        port = box.reserve_port()
        flags = hosting.scheduler_flags(box, SCHEDULER, path, port)
        hosting.write_yaml(path, hosting.scheduler_config(config, box.directory / f"{SCHEDULER}.kubeconfig"))
        hosting.start(
            box, SCHEDULER, found.binaries["scheduler"], flags, role="scheduler", probe=box.https_probe(port, "/readyz")
        )
    if not hosting.runs(box, CONTROLLER):
        port = box.reserve_port()
        flags = [
            f"--kubeconfig={box.identity(CONTROLLER)}",
            f"--metricsAddr=127.0.0.1:{box.reserve_port()}",
            f"--probeAddr=127.0.0.1:{port}",
        ]
        hosting.start(
            box, CONTROLLER, found.binaries["controller"], flags, role="controller",
            probe=hosting.http_probe(port, "/readyz"),
        )  # fmt: skip
    for name in (SCHEDULER, CONTROLLER):
        box.processes[name].wait_ready(hosting.START_TIMEOUT)
    return Installed(found.version, (found,), departures, (SCHEDULER,), (CONTROLLER,))


def configuration(sample: Object, chosen: Mapping[str, str]) -> Object:
    """The vendor's sample under our scheduler name, with the plugin's arguments that the user set."""
    profile = {**sample["profiles"][0], "schedulerName": NAME}
    given = {ARGUMENTS[name]: int(value) for name, value in chosen.items() if name in ARGUMENTS}
    profile["pluginConfig"] = [{**entry, "args": {**entry["args"], **given}} for entry in profile["pluginConfig"]]
    return hosting.without_points({**sample, "profiles": [profile]}, "Coscheduling", chosen.get("without", ""))


def cluster(site: Site) -> list[Object]:
    """What installs it in a cluster, beside that cluster's own kube-scheduler."""
    config = configuration(hosting.read_yaml(site.found.files["config"], "scheduler-config.yaml"), {})
    config.pop("clientConnection")
    text = yaml.safe_dump(config, sort_keys=False)
    return hosting.in_cluster("coscheduling", NAMESPACE, images=site.images, config=text)


PART = Part(cluster, "scheduler-plugins", departures=DEPARTURES[1:])


def features(version: str, kubernetes: str) -> frozenset[str]:
    return frozenset({
        "gang", "quorum", "roles", "group-object", "group-first", "quorum-edit", "timeout", "priority",
        "preemption", "restart-safe", "starts-anew", "total",
    })  # fmt: skip


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    wanted = hosting.styles(gang, STYLES)
    return {"minimum": total_request(gang) if "min-resources" in wanted or gang.total_gpus else {}}


def groups(kubernetes: str) -> tuple[tuple[str, str], ...]:
    return (POD_GROUP,)


def read_group(obj: Object) -> tuple[str, int | None]:
    meta = obj["metadata"]
    return (meta.get("labels") or {}).get(GANG_LABEL, meta["name"]), (obj.get("spec") or {}).get("minMember")


def edit_quorum(gang: Gang, quorum: int) -> Sequence[tuple[tuple[str, str], str, Object]]:
    return [(POD_GROUP, gang.name, {"spec": {"minMember": quorum}})]


ADAPTER = Adapter(
    name="coscheduling",
    title="Coscheduling (scheduler-plugins)",
    organization="Kubernetes SIG Scheduling",
    url="https://scheduler-plugins.sigs.k8s.io",
    component="scheduler-plugins",
    scheduler=NAME,
    features=features,
    install=install,
    values=values,
    groups=groups,
    read_group=read_group,
    classify=by_label,
    edit_quorum=edit_quorum,
    options=OPTIONS,
    cluster=(PART,),
    definitions=hosting.definitions("scheduler-plugins"),
    pace=BACKOFF_PACE,
    limits=(
        Limit("gang", ">=0.34", "A gang that the plugin rejected last is not woken when pods are deleted, and can stay "
              "pending although it fits; minResources makes that rarer (style min-resources).", DOCS),
        Limit("gang", ">=0.34", "When the bind of one member is refused the others stay bound.", DOCS),
        Limit("preemption", ">=0.19", "Victims are chosen pod by pod; nothing makes sure the gang then fits.", DOCS),
        Limit("group-status", ">=0.19", "A PodGroup's phase is Scheduling until it is Running; a lack of room is "
              "only said of its pods.", DOCS),
        Limit("role-minima", ">=0.19", "A PodGroup has one minimum for all its members.", DOCS),
        Limit("queue", ">=0.19", "The plugin knows no queues; quotas are another plugin, CapacityScheduling.", DOCS),
    ),
)  # fmt: skip
