"""A measurement as real ones look: two integrations, three sizes, three rounds; one splits a gang."""

from __future__ import annotations

import math
from typing import Any

from harness.core.measure.model import BenchRun, CheckFinding, Missing, Sample
from harness.core.verdict import Outcome

NATIVE, OTHER = "workload@1.37.1", "volcano@1.14.1"


def sample(integration: str, number: int, nodes: int, factor: float, outcome: Outcome = Outcome.PASS) -> Sample:
    slower = 1 + number / 20
    figures = {
        "pods_per_second": 40 / factor / slower,
        "latency_ms_p50": 5.0 * nodes * factor * slower,
        "latency_ms_p99": 20.0 * nodes * factor * slower,
        "skew_ms_p99": 300.0,
        "gangs_started": 250,
        "held_gpu_seconds": 12.5 * factor,
        "cpu_seconds_scheduler": 0.1 * nodes * slower,
        "memory_mb_scheduler": 60 + nodes / 10,
        "calls_per_gang": 12.0,
        "calls_per_gang_create": 8.0,
        "seconds": 20.0 * factor,
    }
    latencies = tuple(5.0 * nodes * factor * (0.2 + share / 50) for share in range(101))
    used = tuple((float(n), 80 * (1 - math.exp(-n / 5))) for n in range(30))
    reason = "gang ns/gang-00007 stood at 2 of 4 members when its window of 2 s was over"
    finding = CheckFinding("atomic", outcome, "every gang was bound whole" if outcome is Outcome.PASS else reason)
    history = f"history/{integration}/nodes-{nodes}-round-{number}.jsonl.zst"
    return Sample(
        integration,
        "1.37.1",
        number,
        {"nodes": nodes},
        figures,
        outcome,
        (finding,),
        latencies,
        used,
        100.0,
        True,
        history,
        "",
        1_790_000_000.0 + number,
    )


def bench_run(**changes: Any) -> BenchRun:
    samples = [
        sample(name, number, nodes, factor, Outcome.VIOLATED if (name, number) == (OTHER, 2) else Outcome.PASS)
        for number in (1, 2, 3)
        for nodes in (100, 500, 1000)
        for name, factor in ((NATIVE, 1.0), (OTHER, 0.5))
    ]
    fields: dict[str, Any] = {
        "bench": "gangs",
        "name": "20260921T000000Z-bench-gangs",
        "started": 1_790_000_000.0,
        "finished": 1_790_001_000.0,
        "muster": "0.1.0",
        "box": "embedded",
        "parameters": {"shape": "fit", "gangs": 250, "size": 4, "waiting": 0, "nominated": 0, "paused": False},
        "axis": "nodes",
        "points": tuple({"nodes": nodes} for nodes in (100, 500, 1000)),
        "integrations": (NATIVE, OTHER),
        "baseline": NATIVE,
        "samples": tuple(samples),
        "planned": len(samples),
        "missing": (Missing("yunikorn", {"nodes": 100}, "it does not claim <preemption>"),),
        "machine": {"processors": 2, "memory_gb": 24.0},
    }
    return BenchRun(**{**fields, **changes})
