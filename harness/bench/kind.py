"""`muster bench kind`: a kind box compared with plain kind, and the time that a ConfigMap needs to open a barrier.

Both clusters are made from the same image with the same number of workers, in turn; the measurement ends when every
node is ready. A barrier is a pod whose init container waits for a key of a ConfigMap. The delay comes from the kubelet,
which updates mounted ConfigMaps once per sync period, by default a minute.
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

from harness.bench import BenchResult, Report, median, ratio
from harness.box.api import Object
from harness.box.connect import connect
from harness.box.data import data_root
from harness.box.kind import docker
from harness.box.kind.box import READY_TIMEOUT, KindBox
from harness.box.kind.nodes import wait_all_ready
from harness.core.errors import HarnessError
from harness.core.kinds import CONFIG_MAP, POD
from harness.core.waiting import until

WORKERS = 2
SHORT = "2s"
HELD = 15.0  # seconds a pod waits before its barrier opens: a kubelet syncs a new pod all the time
TIMEOUT = 180.0  # seconds for a barrier to open; a sync period and the kubelet's cache make two minutes at most


def bench(rounds: int, report: Report) -> BenchResult:
    """Measure both, in turn."""
    ours, started, plain, stops = [], [], [], []
    opened: dict[str, list[float]] = {"": [], SHORT: []}
    for number in range(rounds):
        sync = SHORT if number % 2 else ""
        box = KindBox(workers=WORKERS, sync=sync)
        box.start()
        try:
            ours.append(box.timings["ready"])
            started.append(box.timings["start"])
            opened[sync].append(_barrier(box))
        finally:
            began = time.monotonic()
            box.stop()
        stops.append(time.monotonic() - began)
        plain.append(_plain(box))
        took = f"box {ours[-1]:.1f} s, kind {plain[-1]:.1f} s, barrier {opened[sync][-1]:.1f} s"
        report(f"round {number + 1}/{rounds}: {took}{f' (sync {sync})' if sync else ''}")
    return BenchResult(
        "kind",
        ratios={"ready_to_plain_kind": ratio(ours, plain)},
        figures={
            "box_ready_seconds": median(ours),
            "plain_kind_ready_seconds": median(plain),
            "box_start_seconds": median(started),
            "stop_seconds": median(stops),
            "workers": WORKERS,
            "rounds": rounds,
            "image": box.image.reference,
            **{
                f"barrier_seconds_sync_{sync or 'default'}": median(seconds)
                for sync, seconds in opened.items()
                if seconds
            },
        },
        targets={"ready_to_plain_kind": 1.1},
    )


def _plain(box: KindBox) -> float:
    """Seconds until all nodes of a plain kind cluster with the same image are ready."""
    name = f"{docker.PREFIX}plain-{secrets.token_hex(3)}"
    kind = str(box.artifacts["kind"].binaries["kind"])
    template = data_root() / "clusters" / "kind" / "plain.yaml.j2"
    with tempfile.TemporaryDirectory(prefix="muster-plain-") as folder:
        config, kubeconfig = Path(folder) / "config.yaml", Path(folder) / "kubeconfig"
        rendered = jinja2.Template(template.read_text(), undefined=jinja2.StrictUndefined)
        config.write_text(rendered.render(workers=WORKERS, own=box.image.is_own, versions=box.versions))
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
    return any("running" in status["state"] for status in pod["status"].get(statuses) or ())


def _wait(box: KindBox, condition: Callable[[Object], bool]) -> None:
    until(lambda: condition(box.api.get(POD, "default", "barrier")), TIMEOUT, "the pod at the barrier starts")
