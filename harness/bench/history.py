"""`muster bench history`: the speed of recording, its cost for the recorded cluster, and the speed of judging.

Recording is measured on a real API server: eight clients bind pods as fast as they can, in turn with the recorder on
and off. The recorded binds are compared with the real ones, so a gap would show. Judging is measured on a generated
history of 10,000 pods on 1,000 nodes.
"""

from __future__ import annotations

import multiprocessing
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

from harness.bench import BenchResult, Report, median, ratio
from harness.bench.synthetic import history
from harness.box.api import Api, Object
from harness.box.connect import connect
from harness.box.embedded.box import EmbeddedBox
from harness.box.nodes import Pool
from harness.box.recorder import Recorder
from harness.core.errors import HarnessError
from harness.core.kinds import POD
from harness.core.labels import GANG_LABEL
from harness.core.oracle.checks import judge_all

PODS = 400  # per round; creating them takes longer than binding them
NODES = 20
CLIENTS = 8


def bench(rounds: int, report: Report) -> BenchResult:
    """Measure recording and judging."""
    recorded, alone, lags = _recording(rounds, report)
    speed, size, records = _judging(report)
    return BenchResult(
        "history",
        ratios={"bind_time_recorded_to_alone": ratio(recorded, alone)},
        figures={
            "binds_per_second_recorded": round(PODS / median(recorded)),
            "binds_per_second_alone": round(PODS / median(alone)),
            "recorder_lag_seconds": median(lags),
            "gaps": 0,
            "judged_records_per_second": round(speed),
            "bytes_per_record": round(size),
            "records": records,
            "rounds": rounds,
        },
        targets={"judged_records_per_second": 20_000, "bytes_per_record": 2048},
    )


def _recording(rounds: int, report: Report) -> tuple[list[float], list[float], list[float]]:
    recorded, alone, lags = [], [], []
    spawn = multiprocessing.get_context("spawn")  # the load comes from another process, like that of a scheduler
    with EmbeddedBox(nodes=[Pool(NODES, gpus=8)], scheduler=False) as box, ProcessPoolExecutor(1, spawn) as load:
        for number in range(rounds):
            alone.append(load.submit(_bind_all, box.kubeconfig, f"alone-{number}").result())
            recorder = Recorder(box.api, audit_log=box.audit_log)
            recorder.start()
            recorder.begin()
            recorded.append(load.submit(_bind_all, box.kubeconfig, f"recorded-{number}").result())
            began = time.monotonic()
            recorder.settle()
            lags.append(time.monotonic() - began)
            recorded_history = recorder.history("bench", [f"recorded-{number}"])
            recorder.stop()
            bound = sum("bound" in record.changed and bool(record.by) for record in recorded_history.records)
            if bound != PODS or recorded_history.gaps:
                raise HarnessError(f"the recorder saw {bound} of {PODS} binds and {len(recorded_history.gaps)} gaps")
            report(
                f"round {number + 1}/{rounds}: {PODS / recorded[-1]:.0f} binds/s recorded, "
                f"{PODS / alone[number]:.0f} alone"
            )
    return recorded, alone, lags


def _bind_all(kubeconfig: Path, namespace: str) -> float:
    """Seconds to bind all pods of a new namespace by hand."""
    api = connect(kubeconfig, agent="bench-load")
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    names = [f"pod-{number}" for number in range(PODS)]
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(lambda name: api.request("POST", POD.path(namespace), _pod(name)), names))
        began = time.monotonic()
        list(clients.map(lambda pair: _bind(api, namespace, pair[1], f"node-{pair[0] % NODES}"), enumerate(names)))
        seconds = time.monotonic() - began
    api.delete_all(POD, namespace, grace=0)
    return seconds


def _pod(name: str) -> Object:
    container = {"name": "main", "image": "pause"}
    spec = {"schedulerName": "nobody", "terminationGracePeriodSeconds": 0, "containers": [container]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {GANG_LABEL: "all"}},
        "spec": spec,
    }


def _bind(api: Api, namespace: str, name: str, node: str) -> None:
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
    api.request("POST", f"{POD.path(namespace, name)}/binding", binding)


def _judging(report: Report) -> tuple[float, float, int]:
    """Records judged a second on one core, and bytes of memory each."""
    tracemalloc.start()
    measured = history()
    judge_all(measured)
    size = tracemalloc.get_traced_memory()[0] / len(measured.records)
    tracemalloc.stop()
    fresh = history()
    began = time.monotonic()
    judge_all(fresh)
    speed = len(fresh.records) / (time.monotonic() - began)
    report(f"judged {len(fresh.records)} records at {speed:.0f} a second, {size:.0f} bytes each")
    return speed, size, len(fresh.records)
