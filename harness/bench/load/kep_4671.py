"""The two benchmarks that KEP-4671 asks for.

One is throughput by kind of workload: pods of no group, groups of the basic policy, gangs, and gangs that preempt. The
other is what nominations cost those who have nothing to do with them: single pods, in a cluster where none, a thousand
or five thousand pods of higher priority have a nominated node. Clause WL-80 says that this is measured; here it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.bench.load.shapes import Load
from harness.core.measure.model import BenchRun
from harness.core.measure.stats import spread
from harness.core.measure.summary import values

NODES, GANGS, SIZE = 500, 250, 4
NOMINATED = (0, 1000, 5000)
CLAUSE = "WL-80"
WORKLOADS = {"plain": "plain", "basic": "basic", "gang": "fit", "preemption": "preemption"}


def points(nodes: int, gangs: int, nominated: Sequence[int]) -> tuple[tuple[Mapping[str, Any], Load], ...]:
    """All loads: the workloads first, then single pods beside nominations."""
    kinds = [({"workload": name}, Load(shape, nodes, gangs, SIZE)) for name, shape in WORKLOADS.items()]
    beside = [({"nominated": count}, Load("plain", nodes, gangs, SIZE, nominated=count)) for count in nominated]
    return (*kinds, *beside)


def observed(run: BenchRun) -> dict[str, str]:
    """What is to be said of the clause: an observation, never a verdict about a scheduler."""
    sentences = [text for integration in run.integrations if (text := _sentence(run, integration))]
    return {CLAUSE: f"OBSERVE: {'; '.join(sentences)}"} if sentences else {}


def _sentence(run: BenchRun, integration: str) -> str:
    speeds = []
    for point in run.points:
        measured = values(run, integration, point, "pods_per_second")
        if measured:
            ((name, value),) = point.items()
            label = value if name == "workload" else f"beside {value} nominated pods"
            speeds.append(f"{label} {spread(measured).middle:.1f}")
    return f"{integration}, pods bound per second: {', '.join(speeds)}" if speeds else ""
