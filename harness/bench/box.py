"""`muster bench box`: the start and stop of a box, compared with kwokctl and with the lower bound.

The lower bound (`floor`) is the start of the API server alone on a snapshot of etcd: nothing that serves a Kubernetes
API can be faster. kwokctl's binary runtime is similar to a box; it runs the same executables here, with the same gates
and the same number of nodes.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from harness.adapters import adapter
from harness.adapters.common.base import Settings
from harness.bench import BenchResult, Report, median, ratio
from harness.box.artifacts import Artifact, resolve
from harness.box.base import Command, Probe
from harness.box.connect import connect
from harness.box.embedded.box import EmbeddedBox
from harness.box.minor import minor_of
from harness.box.nodes import Pool
from harness.box.spec import BoxSpec
from harness.box.warm_box import WarmBox
from harness.cases.world import World
from harness.core.errors import HarnessError
from harness.core.gang import Gang
from harness.core.waiting import until
from harness.testbed.testbed import open_testbed

NODES = 8
RESETS = 10
TIMEOUT = 120.0  # seconds for anything that kwokctl does
READY = "the nodes that kwokctl made are ready"


class _Floor(EmbeddedBox):
    """Only etcd and the API server."""

    def _start_rest(self, rest: Sequence[tuple[Command, Probe | None]]) -> None:
        pass


def bench(rounds: int, report: Report) -> BenchResult:
    """Measure everything, in turn."""
    with EmbeddedBox(nodes=[Pool(NODES)]):
        pass  # builds what is missing, outside of the measurement
    floor, ours, kwokctl, stops, memory = [], [], [], [], []
    for number in range(rounds):
        floor.append(_start(_Floor())[0])
        seconds, stop, used = _start(EmbeddedBox(nodes=[Pool(NODES)]))
        ours.append(seconds)
        stops.append(stop)
        memory.append(used)
        kwokctl.append(_kwokctl())
        report(
            f"round {number + 1}/{rounds}: floor {floor[-1]:.2f} s, box {ours[-1]:.2f} s, kwokctl {kwokctl[-1]:.2f} s"
        )
    warm = _warm(report)
    resets = _resets(report)
    return BenchResult(
        "box",
        ratios={"start_to_kwokctl": ratio(ours, kwokctl), "start_to_floor": ratio(ours, floor)},
        figures={
            "box_seconds": median(ours),
            "kwokctl_seconds": median(kwokctl),
            "floor_seconds": median(floor),
            "stop_seconds": median(stops),
            "warm_take_seconds": round(warm, 4),
            "reset_seconds": median(resets),
            "idle_memory_mb": round(median(memory)),
            "rounds": rounds,
            "nodes": NODES,
        },
        targets={
            "start_to_kwokctl": 0.8,
            "start_to_floor": 1.15,
            "reset_seconds": 0.3,
            "stop_seconds": 1.0,
            "idle_memory_mb": 600,
        },
    )


def _start(box: EmbeddedBox) -> tuple[float, float, float]:
    """Seconds to start, seconds to stop, megabytes in use when idle."""
    began = time.monotonic()
    box.start()
    started = time.monotonic() - began
    used = sum(psutil.Process(process.pid).memory_info().rss for process in box.processes.values()) / 1e6
    began = time.monotonic()
    box.stop()
    return started, time.monotonic() - began, used


def _warm(report: Report) -> float:
    """Seconds to take a box that was started in advance."""
    with WarmBox(lambda: EmbeddedBox(nodes=[Pool(NODES)])) as warm:
        first = warm.take()
        try:
            warm.wait()
            began = time.monotonic()
            second = warm.take()
            seconds = time.monotonic() - began
            second.stop()
        finally:
            first.stop()
    report(f"taking a warm box: {seconds * 1000:.1f} ms")
    return seconds


def _resets(report: Report) -> list[float]:
    """Seconds to empty a box after a case with two gangs on eight nodes."""
    testbed = open_testbed(adapter("workload"), BoxSpec(), Settings())
    try:
        seconds = []
        for _ in range(RESETS):
            world = World(testbed, "bench")
            world.nodes(NODES, gpus=8)
            for gang in world.gangs.submit_in_turns(Gang("one", size=16, gpus=2), Gang("two", size=16, gpus=2)):
                gang.is_bound_whole()
            seconds.append(testbed.reset())
    finally:
        testbed.close()
    report(f"reset between cases: {median(seconds) * 1000:.0f} ms")
    return seconds


def _kwokctl() -> float:
    """Seconds until kwokctl's cluster is ready with its nodes, from the same binaries."""
    kubernetes, etcd, kwok = resolve("kubernetes"), resolve("etcd"), resolve("kwok")
    with tempfile.TemporaryDirectory(prefix="muster-kwokctl-") as folder:
        tool = _Kwokctl(kwok, Path(folder))
        began = time.monotonic()
        try:
            tool.call(
                "create", "cluster", "--runtime", "binary", "--wait", "60s", *_flags(kubernetes, etcd, kwok, folder)
            )
            tool.call("scale", "node", "--replicas", str(NODES))
            api = connect(Path(folder) / "kubeconfig")
            until(lambda: _all_ready(api.request("GET", "/api/v1/nodes")["items"]), TIMEOUT, READY, poll=0.02)
            return time.monotonic() - began
        finally:
            tool.call("delete", "cluster")


class _Kwokctl:
    def __init__(self, kwok: Artifact, folder: Path) -> None:
        self._program = str(kwok.binaries["kwokctl"])
        self._environment = {**os.environ, "KWOK_WORKDIR": str(folder / "work")}

    def call(self, *arguments: str) -> None:
        try:
            done = subprocess.run(
                [self._program, "--name", "bench", *arguments],
                env=self._environment,
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise HarnessError(f"kwokctl {' '.join(arguments[:2])} took more than {TIMEOUT:.0f} s") from error
        if done.returncode != 0:
            raise HarnessError(f"kwokctl {' '.join(arguments[:2])} failed:\n{done.stderr[-800:]}")


def _flags(kubernetes: Artifact, etcd: Artifact, kwok: Artifact, folder: str) -> list[str]:
    about = minor_of(kubernetes.version)
    gates = ",".join(f"{gate}=true" for gate in sorted(set(about.gates["apiserver"])))
    served = ",".join(f"{group}=true" for group in about.runtime_config)
    binaries = {"etcd": etcd.binaries["etcd"], "kwok-controller": kwok.binaries["kwok"], **kubernetes.binaries}
    return [
        "--kubeconfig",
        f"{folder}/kubeconfig",
        "--kube-feature-gates",
        gates,
        "--kube-runtime-config",
        served,
        *(f"--{name}-binary={path}" for name, path in binaries.items()),
    ]


def _all_ready(nodes: list[dict[str, dict[str, list[dict[str, str]]]]]) -> bool:
    def ready(node: dict[str, dict[str, list[dict[str, str]]]]) -> bool:
        return any(
            condition["type"] == "Ready" and condition["status"] == "True"
            for condition in node["status"].get("conditions", [])
        )

    return len(nodes) == NODES and all(ready(node) for node in nodes)
