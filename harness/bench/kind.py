"""`muster bench kind`: what a kind box costs beside plain kind, and how long a ConfigMap takes to open a barrier.

Both clusters are made of the same image with the same number of workers, in turn; the clock stops when every node is
ready. A barrier is a pod whose init container waits for a key of a ConfigMap: the delay is the kubelet's, which looks
after mounted ConfigMaps once per sync period, a minute unless told otherwise.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import jinja2

from harness.bench import Outcome, Say, median, ratio
from harness.box.api import POD, Object, Resource
from harness.box.connect import connect
from harness.box.data import data_root
from harness.box.kind import docker
from harness.box.kind.box import READY_TIMEOUT, KindBox
from harness.box.kind.nodes import wait_all_ready
from harness.core.errors import HarnessError

WORKERS = 2
SHORT = "2s"
HELD = 15.0  # seconds a pod waits before its barrier opens: right after its start a kubelet looks at it all the time
PATIENCE = 180.0  # seconds for a barrier to open; a sync period and the kubelet's cache make two minutes at most
CONFIG_MAP = Resource("v1", "ConfigMap", "configmaps", True)


def bench(rounds: int, say: Say) -> Outcome:
    """Measure both, in turn."""
    ours, furnished, plain, stops = [], [], [], []
    opened: dict[str, list[float]] = {"": [], SHORT: []}
    for number in range(rounds):
        sync = SHORT if number % 2 else ""
        box = KindBox(workers=WORKERS, sync=sync)
        box.start()
        try:
            ours.append(box.timings["ready"])
            furnished.append(box.timings["start"])
            opened[sync].append(_barrier(box))
        finally:
            began = time.monotonic()
            box.stop()
        stops.append(time.monotonic() - began)
        plain.append(_plain(box))
        took = f"box {ours[-1]:.1f} s, kind {plain[-1]:.1f} s, barrier {opened[sync][-1]:.1f} s"
        say(f"round {number + 1}/{rounds}: {took}{f' (sync {sync})' if sync else ''}")
    return Outcome(
        "kind",
        ratios={"ready_to_plain_kind": ratio(ours, plain)},
        figures={
            "box_ready_seconds": median(ours), "plain_kind_ready_seconds": median(plain),
            "box_start_seconds": median(furnished), "stop_seconds": median(stops), "workers": WORKERS, "rounds": rounds,
            "image": box.image.reference,
            **{f"barrier_seconds_sync_{sync or 'default'}": median(found) for sync, found in opened.items() if found},
        },
        targets={"ready_to_plain_kind": 1.1},
    )  # fmt: skip


def _plain(box: KindBox) -> float:
    """Seconds until all nodes of a cluster are ready that kind makes by itself, from the same image."""
    name = f"{docker.PREFIX}plain-{secrets.token_hex(3)}"
    kind = str(box.artifacts["kind"].binaries["kind"])
    template = data_root() / "clusters" / "kind" / "plain.yaml.j2"
    with tempfile.TemporaryDirectory(prefix="muster-plain-") as folder:
        config, kubeconfig = Path(folder) / "config.yaml", Path(folder) / "kubeconfig"
        made = jinja2.Template(template.read_text(), undefined=jinja2.StrictUndefined)
        config.write_text(made.render(workers=WORKERS, own=box.image.own, versions=box.versions))
        command = [kind, "create", "cluster", "--name", name, "--image", box.image.reference, "--config", config]
        try:
            began = time.monotonic()
            _run([*map(str, command), "--kubeconfig", str(kubeconfig)])
            names = [f"{name}-control-plane", f"{name}-worker"] + [f"{name}-worker{n}" for n in range(2, WORKERS + 1)]
            wait_all_ready(connect(kubeconfig), names, READY_TIMEOUT)
            return time.monotonic() - began
        finally:
            _run([kind, "delete", "cluster", "--name", name, "--kubeconfig", str(kubeconfig)])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode != 0:
        raise HarnessError(f"{' '.join(command[1:3])} failed:\n{done.stderr.strip()[-800:]}")


def _barrier(box: KindBox) -> float:
    """Seconds from writing the key until the main container runs."""
    meta = {"name": "barrier", "namespace": "default"}
    box.api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})
    box.api.create(_pod(meta, box.shell or "busybox:1"))
    _wait(box, lambda pod: _running(pod, "initContainerStatuses"))
    time.sleep(HELD)
    began = time.monotonic()
    box.api.patch(CONFIG_MAP, "default", "barrier", {"data": {"started": "yes"}})
    _wait(box, lambda pod: _running(pod, "containerStatuses"))
    return time.monotonic() - began


def _pod(meta: dict[str, str], shell: str) -> Object:
    mount = {"name": "signal", "mountPath": "/signal"}
    script = "until [ -s /signal/started ]; do sleep 0.2; done"
    image = {"image": shell, "imagePullPolicy": "IfNotPresent"}
    wait = {"name": "wait", **image, "command": ["sh", "-c", script], "volumeMounts": [mount]}
    main = {"name": "main", **image, "command": ["sleep", "600"]}
    volume = {"name": "signal", "configMap": {"name": meta["name"], "optional": True}}
    spec = {"initContainers": [wait], "containers": [main], "volumes": [volume], "terminationGracePeriodSeconds": 0}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def _running(pod: Object, statuses: str) -> bool:
    return any("running" in one["state"] for one in pod["status"].get(statuses) or ())


def _wait(box: KindBox, condition: Callable[[Object], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition(box.api.get(POD, "default", "barrier")):
        if time.monotonic() > deadline:
            raise HarnessError(f"the pod at the barrier did not go on within {PATIENCE:.0f} s")
        time.sleep(0.05)
