"""YuniKorn: a scheduler without CRDs, in which a gang is an application whose pods carry its task groups.

Gangs are held together by placeholders: pods named tg-... that YuniKorn creates, places and replaces by the members one
by one. A bound placeholder holds room and is no member, which `classify` tells apart.

Its REST server has the fixed port 9080 on all addresses. A second YuniKorn on the machine does not get the port, says
so in its log and schedules all the same; so nothing here uses it, and boxes run side by side.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import yaml

from harness.adapters.common import hosting
from harness.adapters.common.base import (
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
from harness.adapters.common.render import parse, render
from harness.box.base import Box
from harness.core.gang import Gang
from harness.core.history.observe import pod_request
from harness.core.kinds import CONFIG_MAP
from harness.core.labels import GANG_LABEL, by_label
from harness.core.quantity import millis, plain

SCHEDULER = "yunikorn-scheduler"
NAMESPACE = "yunikorn"
CONFIG = "yunikorn-configs"
DOCS = "https://yunikorn.apache.org/docs"
OPTIONS = {"scheduling-interval": "time between two cycles, such as 100ms; the vendor's is 1s"}
STYLES = ("soft", "annotations")  # its gangs are declared by annotations in any case
APPLICATION = "applicationId"  # label of pods: the application, which is a gang or a single pod
READY = "scheduler state initialized"  # its own words; it has no health endpoint but the one on the fixed port
PLACEHOLDER = ("internal.yunikorn.apache.org/placeholder", "yunikorn.apache.org/placeholder")  # the latter before 1.6
TASK_GROUP, TASK_GROUPS = "yunikorn.apache.org/task-group-name", "yunikorn.apache.org/task-groups"
HELD_FOR = "muster.dev/held-for"  # on placeholders whose gang cannot be told from the application's id, or must not be
LONGEST = 63  # characters of a label's value
PLACEMENT = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")
DEPARTURES = (
    hosting.OUTSIDE,
    Departure(
        "gangs ask for the style Hard",
        "the default, Soft, gives up all-or-nothing when its time is over; it is there as the style soft",
    ),
    Departure("no admission controller", "it only fills in schedulerName and labels, which the gangs here have"),
)


def install(box: Box, settings: Settings) -> Installed:
    """One program without flags; its settings are a ConfigMap that is there before it."""
    options = settings.options
    artifact = hosting.artifact("yunikorn", settings)
    departures = DEPARTURES + hosting.option_departures(options)
    if not hosting.runs(box, SCHEDULER):
        hosting.ensure_namespace(box, NAMESPACE)
        if "scheduling-interval" in options:
            configure(box, {"service.schedulingInterval": options["scheduling-interval"]})
        box.identity(SCHEDULER)
        hosting.start(
            box,
            SCHEDULER,
            artifact.binaries["scheduler"],
            (),
            role="scheduler",
            probe=lambda: bool(box.processes[SCHEDULER].has_logged(READY)),
            environment={"NAMESPACE": NAMESPACE},
        )
    box.processes[SCHEDULER].wait_ready(hosting.START_TIMEOUT)
    return Installed(artifact.version, (artifact,), departures, (SCHEDULER,), (SCHEDULER,))


def cluster(context: InstallContext) -> list[Object]:
    """What installs it in a cluster, with its own defaults."""
    return hosting.in_cluster("yunikorn", NAMESPACE, images=context.images, config={})


PART = Part(cluster, "yunikorn", departures=DEPARTURES[1:], roles={"scheduler": "scheduler"})


def configure(box: Box, entries: Mapping[str, str]) -> None:
    """Add entries to YuniKorn's ConfigMap."""
    present = (box.api.find(CONFIG_MAP, NAMESPACE, CONFIG) or {}).get("data") or {}
    box.api.apply(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": CONFIG, "namespace": NAMESPACE},
            "data": {**present, **entries},
        }
    )


def make_queue(box: Box, name: str, limits: Mapping[str, str]) -> None:
    """A leaf queue below root with these limits; all queues are one document that YuniKorn reads again on change."""
    stored = box.api.find(CONFIG_MAP, NAMESPACE, CONFIG) or {}
    text = (stored.get("data") or {}).get("queues.yaml", "")
    queues = yaml.safe_load(text)["partitions"][0]["queues"][0]["queues"] if text else []
    limits_by_queue = {queue["name"]: queue["resources"]["max"] for queue in queues}
    rendered = render("yunikorn/queue.yaml.j2", queues={**limits_by_queue, name: dict(limits)})
    process = box.processes[SCHEDULER]
    configure(box, {"queues.yaml": yaml.safe_dump(parse(rendered)[0], sort_keys=False)})
    hosting.wait(lambda: process.has_logged(f"root.{name}"), f"the queue {name!r}", process)


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    style = "Soft" if "soft" in gang.styles else "Hard"
    parameters = [f"gangSchedulingStyle={style}"]
    if gang.timeout is not None:
        parameters.insert(0, f"placeholderTimeoutInSeconds={gang.timeout}")
    selector = {"nodeSelector": dict(gang.selector)} if gang.selector else {}
    task_groups = [
        {"name": role.name, "minMember": role.minimum, "minResource": role.request, **selector} for role in gang.parts
    ]
    return {
        "application": application,
        "task_groups": json.dumps(task_groups),
        "parameters": " ".join(parameters),
        "queue": {"queue": f"root.{gang.queue}"} if gang.queue else {},
    }


def application(gang: Gang, namespace: str) -> str:
    """The id of the gang's application: NAMESPACE.GANG.QUORUM, with a digest for the gang where that is too long."""
    composed = f"{namespace}.{gang.name}.{gang.minimum}"
    if len(composed) <= LONGEST:
        return composed
    return f"{namespace}.{hashlib.sha256(gang.name.encode()).hexdigest()[:16]}.{gang.minimum}"


def finish(objects: list[Object]) -> None:
    """Let the task groups ask for nodes and resources as their members do, whatever a case has altered in them: a
    placeholder is placed by what its task group says.

    Where members keep away from each other by their label, placeholders do so by one of their own; with the same label
    a member could not take the place of its placeholder. The same label says whose they are where the id does not.
    """
    groups: dict[str, Object] = {}
    members = [pod for pod in objects if TASK_GROUPS in (pod["metadata"].get("annotations") or {})]
    for pod in members:
        annotations, labels, spec = pod["metadata"]["annotations"], pod["metadata"]["labels"], pod["spec"]
        group = next(g for g in json.loads(annotations[TASK_GROUPS]) if g["name"] == annotations[TASK_GROUP])
        placement = json.dumps({field: spec[field] for field in PLACEMENT if field in spec})
        if GANG_LABEL in placement or labels[GANG_LABEL] not in labels[APPLICATION]:
            group["labels"] = {HELD_FOR: labels[GANG_LABEL]}
        if (request := pod_request(spec)) != millis(group["minResource"]):
            group["minResource"] = {resource: plain(amount) for resource, amount in request.items()}
        groups.setdefault(group["name"], {**group, **json.loads(placement.replace(GANG_LABEL, HELD_FOR))})
    for pod in members:
        all_groups = json.loads(pod["metadata"]["annotations"][TASK_GROUPS])
        merged = [groups.get(group["name"], group) for group in all_groups]
        pod["metadata"]["annotations"][TASK_GROUPS] = json.dumps(merged)


def classify(pod: Object) -> tuple[str, str, str]:
    """Members by our label; placeholders by their annotation, their gang from their label or the application's id."""
    meta = pod["metadata"]
    annotations, labels = meta.get("annotations") or {}, meta.get("labels") or {}
    if any(annotations.get(key) == "true" for key in PLACEHOLDER):
        identity = labels.get("yunikorn.apache.org/app-id", "")
        gang = labels.get(HELD_FOR) or identity.removeprefix(f"{meta.get('namespace', '')}.").rpartition(".")[0]
        role = annotations.get(TASK_GROUP, "")
        return gang, "placeholder", "" if role == "member" else role  # the only group of a gang without roles
    return by_label(pod)


PACE = (
    "YuniKorn decides once per scheduling interval, a second as shipped, and binds placeholders "
    "before members, so a gang takes two or three seconds at least."
)

ADAPTER = Adapter(
    name="yunikorn",
    title="Apache YuniKorn",
    organization="Apache Software Foundation",
    url="https://yunikorn.apache.org",
    scheduler="yunikorn",
    images={"scheduler": r"yunikorn:scheduler|yunikorn-scheduler"},
    features=(
        "gang",
        "pod-affinity",
        "spread",
        "host-ports",
        "volumes",
        "quorum",
        "roles",
        "role-minima",
        "timeout",
        "timeout-fails-gang",
        "priority",
        "queue",
        "soft",
        "restart-safe",
        "starts-anew",
        "pod-terms",
        Claim("job-gang", source="its user guide for gangs: annotations in the template of a Job"),
        Claim(
            "refills-singly", source="placeholders are made once, when the application starts; then pods go one by one"
        ),
    ),
    styles=STYLES,
    install=install,
    values=values,
    classify=classify,
    finish=finish,
    membership=Membership(None, ("labels", APPLICATION)),
    pod_labels={APPLICATION: "{namespace}.{name}"},
    options=OPTIONS,
    cluster=(PART,),
    queue=make_queue,
    pace=PACE,
    works_in_cycles=True,
    limits=(
        Limit(
            "gang",
            ">=1.0",
            "Placeholders are placed one by one: a gang that does not fit holds room until its time "
            "is over (15 minutes if it does not say), and two gangs can block each other for as long.",
            f"{DOCS}/user_guide/gang_scheduling",
        ),
        Limit(
            "gang",
            ">=1.8,<1.9",
            "A member whose bind was refused is not tried again and stays pending for ever.",
            f"{DOCS}/user_guide/gang_scheduling",
        ),
        Limit(
            "restart-safe",
            ">=1.8,<1.9",
            "After a restart a running gang gets placeholders once more, which hold "
            "its size a second time until their time is over.",
            f"{DOCS}/user_guide/gang_scheduling",
        ),
        Limit(
            "group-object",
            ">=1.0",
            "A gang has no object of its own; its task groups are annotations of its pods.",
            f"{DOCS}/user_guide/gang_scheduling",
        ),
        Limit(
            "preemption",
            ">=1.0",
            "Preemption is between queues with guaranteed resources, not between priorities of one queue.",
            f"{DOCS}/design/preemption",
        ),
    ),
)
