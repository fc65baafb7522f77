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

from harness.adapters.base import Adapter, Box, Installed, Object, Settings, by_label
from harness.box.data import data_root
from harness.box.process import Command
from harness.core.gang import Gang

NAME = "control-scheduler"
FEATURES = frozenset({
    "gang", "quorum", "roles", "group-object", "group-first", "quorum-edit", "timeout", "priority", "preemption",
    "gang-disruption", "restart-safe",
})  # fmt: skip


def install(box: Box, settings: Settings) -> Installed:
    """Start the chosen control as a process of the box."""
    sin = settings.options.get("sin", "")
    kubeconfig = box.identity(NAME)
    if sin == "kube-scheduler":
        command = _kube_scheduler(box, kubeconfig)
    else:
        chosen = ("--sin", sin) if sin else ()
        argv = (sys.executable, str(mutants_root()), *chosen)
        command = Command(NAME, argv, {"KUBECONFIG": str(kubeconfig)}, role="scheduler")
    box.run(command)
    return Installed(version="1", schedulers=(NAME,))


def mutants_root() -> Path:
    """Where the control schedulers' own code is: beside the tests in a checkout, in the data of an installed muster."""
    root = data_root()
    return root / "tests" / "mutants" if (root / "tests").is_dir() else root / "mutants"


def _kube_scheduler(box: Box, kubeconfig: Path) -> Command:
    port = box.reserve_port()
    config = box.directory / f"{NAME}.json"
    config.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False}, "clientConnection": {"kubeconfig": str(kubeconfig)},
        "profiles": [{"schedulerName": NAME}],
    }))  # fmt: skip
    binary = box.artifacts["kubernetes"].binaries["kube-scheduler"]
    flags = (f"--config={config}", "--bind-address=127.0.0.1", f"--secure-port={port}")
    return Command(NAME, (str(binary), *flags), role="scheduler")


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    return {}


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
)
