"""JobSet with the barrier of KEP-498: pods start when they are placed, and wait for each other in an init container.

The real JobSet controller runs with a reference controller of ours beside it. Nothing here schedules gangs: the box's
kube-scheduler places pod by pod. On nodes that run no containers a small process plays the kubelet of the waiting pods.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.adapters.common import hosting, jobset, kubebuilder, reference_controller
from harness.adapters.common.base import Adapter, Departure, Installed, Limit, Object, Settings
from harness.adapters.common.jobset import ReplicatedJob
from harness.adapters.common.render import parse, render
from harness.box.base import Box
from harness.controllers.jobset_barrier.injection import check_image
from harness.controllers.jobset_barrier.spec import CONFIG
from harness.core.gang import Gang
from harness.core.kinds import CONFIG_MAP, JOBSET
from harness.core.labels import GANG_LABEL

NAME = "jobset-barrier"
BINARY = f"{NAME}.controller"
KUBELET = "simulated-kubelet"
SCHEDULER = "default-scheduler"
OPTIONS = {"init-image": "image of the waiting init containers, with a POSIX shell; bash by default"}
GANG_FIELDS = (
    "name",
    "size",
    "quorum",
    "gpus",
    "cpu",
    "memory",
    "roles",
    "priority",
    "timeout",
    "lifetime",
    "selector",
)
FIELD = jobset.Field(
    "spec",
    CONFIG,
    {
        "type": "object",
        "nullable": True,
        "properties": {
            "timeoutAfterSeconds": {"type": "integer", "format": "int32", "nullable": True},
            "targetReplicatedJobs": {
                "type": "array",
                "nullable": True,
                "items": {"type": "string"},
                "x-kubernetes-list-type": "atomic",
            },
        },
    },
)
SIMULATED = Departure(
    "SIMULATED: a process of muster's is the kubelet of pods that wait at the barrier",
    "nodes of the box run no containers; it runs the real command of the init container as a process of the host, "
    "without its image, and takes other containers for done. A box of the kind `kind` runs the real ones",
)
DEPARTURES = (*kubebuilder.DEPARTURES, reference_controller.OURS, FIELD.departure)


def install(box: Box, settings: Settings) -> Installed:
    """The release, the reference controller with its webhooks, and the simulated kubelet."""
    image = settings.options.get("init-image")
    arguments = [f"--init-image={check_image(image)}"] if image is not None else []
    artifact = jobset.start(box, settings, [FIELD])
    reference_controller.start(box, settings, NAME, NAME, binary=BINARY, arguments=arguments)
    simulated = not box.capabilities.containers
    if simulated:
        _start_kubelet(box)
    return Installed(
        artifact.version,
        (artifact,),
        (*DEPARTURES, *((SIMULATED,) if simulated else ()), *hosting.option_departures(settings.options)),
        schedulers=("kube-scheduler",),
        controllers=(NAME,),
    )


def _start_kubelet(box: Box) -> None:
    health = box.reserve_port()
    flags = ["-m", "harness.controllers.simulated_kubelet", f"--kubeconfig={box.identity(KUBELET)}"]
    process = hosting.start(
        box,
        KUBELET,
        Path(sys.executable),
        [*flags, f"--health-port={health}"],
        role="nodes",
        probe=hosting.http_probe(health, "/readyz"),
        environment={"TMPDIR": str(box.directory)},
    )
    process.wait_ready(hosting.START_TIMEOUT)


def render_jobset(
    gang: Gang,
    namespace: str,
    jobs: Sequence[ReplicatedJob],
    barrier: Mapping[str, Any] | None,
    *,
    in_order: bool = False,
    restarts: int = 0,
    suspended: bool = False,
) -> Object:
    """A JobSet as a user would write it; `barrier` is its groupSchedulingConfig."""
    text = render(
        f"{NAME}/gang.yaml.j2",
        gang=gang,
        namespace=namespace,
        scheduler=SCHEDULER,
        jobs=jobs,
        barrier=barrier,
        in_order=in_order,
        restarts=restarts,
        suspended=suspended,
    )
    return parse(text)[0]


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """A gang as a JobSet with one replicated job per role; UsageError for what a JobSet cannot say."""
    jobs = [
        ReplicatedJob(
            role.name if gang.roles else "workers",
            role.size,
            gpus=role.gpus,
            cpu=role.cpu,
            memory=role.memory,
            role=role.name if gang.roles else "",
        )
        for role in gang.parts
    ]
    barrier = {} if gang.timeout is None else {"timeoutAfterSeconds": gang.timeout}
    return {"jobs": jobs, "barrier": barrier, "in_order": False, "restarts": 0, "suspended": False}


def read_group(obj: Object) -> tuple[str, int | None]:
    """The gang of a JobSet, and of a ConfigMap that it controls: the one that carries its signal."""
    meta = obj["metadata"]
    for owner in meta.get("ownerReferences") or ():
        if owner.get("controller") and owner["kind"] == JOBSET.kind:
            return str(owner["name"]), None
    return str((meta.get("labels") or {}).get(GANG_LABEL, "")), None


ADAPTER = Adapter(
    name=NAME,
    title="JobSet with a start barrier (reference)",
    organization="Kubernetes",
    url="https://jobset.sigs.k8s.io",
    component="jobset",
    scheduler=SCHEDULER,
    features=("jobset-barrier", "jobset-reference"),
    install=install,
    gang_fields=GANG_FIELDS,
    values=values,
    groups=lambda kubernetes: (JOBSET, CONFIG_MAP),
    read_group=read_group,
    vocabulary=jobset.VOCABULARY,
    definitions=jobset.definitions,
    options=OPTIONS,
    cluster=(
        jobset.part([FIELD], keeps_gangs=False),
        reference_controller.part(NAME, NAME, binary=BINARY, options={"init-image": check_image}),
    ),
    needs_scheduler=True,
    limits=(
        Limit(
            "gang",
            ">=0.1",
            "A barrier is no gang scheduling: pods are placed one by one and hold their nodes while they wait.",
            jobset.DOCS,
        ),
    ),
)
