"""The controls: an honest gang scheduler of ours, and the same one with a sin, so that the suite can prove itself.

`--set sin=pod-by-pod` starts the sinner of that name; `--set sin=kube-scheduler` starts Kubernetes' own scheduler under
the controls' name, which knows nothing of these gangs. Not a scheduler for anybody's cluster.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.adapters import hosting
from harness.adapters.base import Adapter, Box, Installed, Object, Settings, by_label
from harness.adapters.render import parse, render
from harness.box.data import data_root
from harness.box.process import Command, Probe
from harness.core.gang import Gang

NAME = "control-scheduler"
READY = "the first round is made"  # what a control writes once it is at work
STYLES = ("annotations", "nonstrict", "soft")
FEATURES = frozenset({
    "gang", "quorum", "roles", "role-minima", "group-object", "group-first", "quorum-edit", "timeout",
    "timeout-fails-gang", "priority", "preemption", "gang-disruption", "queue", "annotations", "gang-group", "topology",
    "soft", "nonstrict", "restart-safe", "starts-anew", "total", "pod-terms",
})  # fmt: skip


def install(box: Box, settings: Settings) -> Installed:
    """Start the chosen control as a process of the box."""
    sin = settings.options.get("sin", "")
    kubeconfig = box.identity(NAME)
    command, probe = _kube_scheduler(box, kubeconfig) if sin == "kube-scheduler" else _control(box, kubeconfig, sin)
    box.run(command, probe).wait_ready(hosting.START_TIMEOUT)
    return Installed(version="1", schedulers=(NAME,))


def mutants_root() -> Path:
    """Where the control schedulers' own code is: beside the tests in a checkout, in the data of an installed muster."""
    root = data_root()
    return root / "tests" / "mutants" if (root / "tests").is_dir() else root / "mutants"


def _control(box: Box, kubeconfig: Path, sin: str) -> tuple[Command, Probe]:
    argv = (sys.executable, str(mutants_root()), *(("--sin", sin) if sin else ()))
    command = Command(NAME, argv, {"KUBECONFIG": str(kubeconfig)}, role="scheduler")
    return command, lambda: bool(box.processes[NAME].said(READY))


def _kube_scheduler(box: Box, kubeconfig: Path) -> tuple[Command, Probe]:
    port = box.reserve_port()
    config = box.directory / f"{NAME}.json"
    config.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False}, "clientConnection": {"kubeconfig": str(kubeconfig)},
        "profiles": [{"schedulerName": NAME}],
    }))  # fmt: skip
    binary = box.artifacts["kubernetes"].binaries["kube-scheduler"]
    flags = (f"--config={config}", "--bind-address=127.0.0.1", f"--secure-port={port}")
    return Command(NAME, (str(binary), *flags), role="scheduler"), hosting.tcp_probe(port)


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    """`terms` is what the gang asks for beside its quorum, in words that a ConfigMap can hold."""
    style = hosting.styles(gang, STYLES)
    terms = {"disruption": gang.disruption, "topology": gang.topology, "timeout": gang.timeout,
             "total": gang.total_gpus}  # fmt: skip
    terms["style"] = "+".join(sorted(style - {"annotations"})) or None
    terms["roles"] = json.dumps({role.name: role.minimum for role in gang.roles}) if gang.roles else None
    return {
        "by_annotations": "annotations" in style,
        "terms": {term: value for term, value in terms.items() if value is not None},
        "queue": {"muster.dev/queue": gang.queue} if gang.queue else {},
        "together": together,
    }


def together(gang: Gang, namespace: str) -> str:
    """The gangs that start together; a name without a slash is in the same namespace."""
    return " ".join(name if "/" in name else f"{namespace}/{name}" for name in (gang.name, *gang.group))


def make_queue(box: Box, name: str, limits: Mapping[str, str]) -> None:
    """A queue is a ConfigMap as well: its label is its name, its data are its limits."""
    box.api.apply(parse(render("control/queue.yaml.j2", name=name, limits=dict(limits)))[0])


def read_group(obj: Object) -> tuple[str, int | None]:
    name = (obj["metadata"].get("labels") or {}).get("muster.dev/gang", "")
    quorum = (obj.get("data") or {}).get("quorum")
    return name, int(quorum) if quorum else None


def classify(pod: Object) -> tuple[str, str, str]:
    gang, part, role = by_label(pod)
    return gang, (pod["metadata"].get("labels") or {}).get("muster.dev/part", part), role


def edit_quorum(gang: Gang, quorum: int) -> Sequence[tuple[tuple[str, str], str, Object]]:
    return [(("v1", "ConfigMap"), gang.name, {"data": {"quorum": str(quorum)}})]


ADAPTER = Adapter(
    name="control",
    title="muster's control schedulers",
    organization="muster",
    url="",
    component="control",
    scheduler=NAME,
    features=lambda version, kubernetes: FEATURES,
    install=install,
    values=values,
    groups=lambda kubernetes: (("v1", "ConfigMap"),),
    read_group=read_group,
    classify=classify,
    edit_quorum=edit_quorum,
    options={"sin": "the law to break, as muster prove names it; none by default"},
    queue=make_queue,
)
