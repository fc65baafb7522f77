"""JobSet with the barrier of KEP-498: pods start when they are placed, and wait for each other in an init container.

The real JobSet controller runs with a reference controller of ours beside it. Nothing here schedules gangs: the box's
kube-scheduler places pod by pod. On nodes that run no containers a small process plays the kubelet of the waiting pods.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.adapters import hosting, jobset, reference
from harness.adapters.base import GANG_LABEL, Adapter, Box, Departure, Installed, Limit, Object, Settings, by_label
from harness.adapters.render import parse, render
from harness.controllers.jobset_barrier_injection import check_image
from harness.controllers.jobset_barrier_spec import CONFIG, JOBSET_LABEL, VOLUME
from harness.core.errors import UsageError
from harness.core.gang import Gang, Role

NAME = "jobset-barrier"
BINARY = f"{NAME}.controller"
KUBELET = "simulated-kubelet"
SCHEDULER = "default-scheduler"
CONFIG_MAP = ("v1", "ConfigMap")
OPTIONS = {"init-image": "image of the waiting init containers, with a POSIX shell; bash by default"}
ALLOWED = ("name", "size", "quorum", "gpus", "cpu", "memory", "roles", "priority", "timeout", "lifetime", "selector")
FIELD = jobset.Field("spec", CONFIG, {
    "type": "object",
    "nullable": True,
    "properties": {
        "timeoutAfterSeconds": {"type": "integer", "format": "int32", "nullable": True},
        "targetReplicatedJobs": {
            "type": "array", "nullable": True, "items": {"type": "string"}, "x-kubernetes-list-type": "atomic",
        },
    },
})  # fmt: skip
SIMULATED = Departure(
    "SIMULATED: a process of muster's plays the kubelet for pods that wait at the barrier",
    "nodes of the box run no containers; it does what a kubelet and the script of the init container would do, so "
    "times of containers are its own. A box of the kind `kind` runs the real ones",
)
DEPARTURES = (*jobset.DEPARTURES, reference.OURS, FIELD.departure)


@dataclass(frozen=True, slots=True)
class ReplicatedJob:
    """A replicated job of a JobSet, in a few words."""

    name: str = "workers"
    pods: int = 1  # of each replica
    replicas: int = 1
    gpus: int = 1  # of each pod
    cpu: str = "100m"
    memory: str = "64Mi"
    member: bool = True  # its pods are counted by the oracle as members of the gang
    role: str = ""
    depends: str = ""  # on the readiness of the replicated job of this name
    needs: str = ""  # a ConfigMap without which no container of its pods can start
    retries: int = 0  # how many pods of a Job may fail before the Job fails

    @property
    def request(self) -> dict[str, str]:
        return Role(self.name, self.pods, gpus=self.gpus, cpu=self.cpu, memory=self.memory).request


def install(box: Box, settings: Settings) -> Installed:
    """The release, the reference controller with its webhooks, and whoever plays the kubelet."""
    image = settings.options.get("init-image")
    arguments = [f"--init-image={check_image(image)}"] if image is not None else []
    found = jobset.start(box, settings, [FIELD])
    reference.start(box, settings, NAME, NAME, binary=BINARY, arguments=arguments)
    simulated = box.kind == "embedded"
    if simulated:
        _start_kubelet(box)
    return Installed(
        found.version,
        (found,),
        (*DEPARTURES, *((SIMULATED,) if simulated else ()), *hosting.chosen_departures(settings.options)),
        schedulers=("kube-scheduler",),
        controllers=(NAME,),
    )


def _start_kubelet(box: Box) -> None:
    health = box.reserve_port()
    flags = ["-m", "harness.controllers.simulated_kubelet", f"--kubeconfig={box.identity(KUBELET)}"]
    process = hosting.start(
        box, KUBELET, Path(sys.executable), [*flags, f"--health-port={health}"], role="nodes",
        probe=hosting.http_probe(health, "/readyz"), environment={"TMPDIR": str(box.directory)},
    )  # fmt: skip
    process.wait_ready(hosting.START_TIMEOUT)


def render_jobset(
    gang: Gang, namespace: str, jobs: Sequence[ReplicatedJob], barrier: Mapping[str, Any] | None, *,
    in_order: bool = False, restarts: int = 0, suspended: bool = False,
) -> Object:  # fmt: skip
    """A JobSet as a user would write it; `barrier` is its groupSchedulingConfig."""
    text = render(
        f"{NAME}/gang.yaml.j2", gang=gang, namespace=namespace, scheduler=SCHEDULER, jobs=jobs, barrier=barrier,
        in_order=in_order, restarts=restarts, suspended=suspended,
    )  # fmt: skip
    return parse(text)[0]


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """A gang as a JobSet with one replicated job per role; UsageError for what a JobSet cannot say."""
    default = Gang()
    for field in Gang.__dataclass_fields__:
        if field not in ALLOWED and getattr(gang, field) != getattr(default, field):
            raise UsageError(
                f"gang {gang.name}: a JobSet with a barrier has no way to say {field}",
                hint=f"Allowed: {', '.join(ALLOWED)}.",
            )
    jobs = [
        ReplicatedJob(
            role.name if gang.roles else "workers", role.size, gpus=role.gpus, cpu=role.cpu, memory=role.memory,
            role=role.name if gang.roles else "",
        )
        for role in gang.parts
    ]  # fmt: skip
    barrier = {} if gang.timeout is None else {"timeoutAfterSeconds": gang.timeout}
    return {"jobs": jobs, "barrier": barrier, "in_order": False, "restarts": 0, "suspended": False}


def read_group(obj: Object) -> tuple[str, int | None]:
    """The gang of a JobSet, and of the ConfigMap that carries its signal."""
    meta = obj["metadata"]
    labels = meta.get("labels") or {}
    if JOBSET_LABEL in labels and meta["name"] == f"{labels[JOBSET_LABEL]}-{VOLUME}":
        return str(labels[JOBSET_LABEL]), None
    return str(labels.get(GANG_LABEL, "")), None


ADAPTER = Adapter(
    name=NAME,
    title="JobSet with a start barrier (reference)",
    organization="Kubernetes",
    url="https://jobset.sigs.k8s.io",
    component="jobset",
    scheduler=SCHEDULER,
    features=lambda version, kubernetes: frozenset({"jobset-barrier"}),
    install=install,
    values=values,
    groups=lambda kubernetes: (jobset.JOBSET, CONFIG_MAP),
    read_group=read_group,
    classify=by_label,
    definitions=jobset.definitions,
    options=OPTIONS,
    cluster=(
        jobset.part([FIELD], keeps_gangs=False),
        reference.part(NAME, NAME, binary=BINARY, options={"init-image": check_image}),
    ),
    needs_scheduler=True,
    limits=(
        Limit("gang", ">=0.1", "A barrier is no gang scheduling: pods are placed one by one and hold their nodes while "
              "they wait.", jobset.DOCS),
    ),
)  # fmt: skip
