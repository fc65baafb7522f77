"""What a history tells of a load: latencies, skews, throughput, and what was used when.

Times are those of the records themselves, which for creations and binds come from the audit log. The clock of the
replay is no measure here: it never goes back, so a record that arrived late would move everything after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.measure.stats import percentile
from harness.core.oracle.attempts import attempts
from harness.core.oracle.facts import Spans, Stall
from harness.core.oracle.figures import gang_figures
from harness.core.oracle.incarnation import Incarnation
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Timeline

GANG, POD = "gang-", "pod-"  # begin the names of what is measured
MOST_POINTS = 200  # of a curve over time
QUANTILES = 100  # a distribution is kept as so many equal parts


@dataclass(frozen=True, slots=True)
class Course:
    """How a load went."""

    begin: float  # the first pod was created, or the scheduler went on
    end: float  # the last bind
    latencies: tuple[float, ...]  # milliseconds, of each gang that started
    skews: tuple[float, ...]
    bound: int  # pods
    gangs: int
    attempts: int
    refusals: int
    held_gpu_seconds: float
    backlog: int
    used: tuple[tuple[float, float], ...]  # seconds since `begin`, and GPUs in use from then on

    @property
    def seconds(self) -> float:
        return max(0.0, self.end - self.begin)

    def figures(self) -> dict[str, float]:
        """Those that follow from this alone."""
        values: dict[str, float] = {"backlog_most": self.backlog, "seconds": round(self.seconds, 3)}
        if self.bound and self.seconds:
            values["pods_per_second"] = round(self.bound / self.seconds, 2)
        if self.gangs:
            values["gangs_started"] = len(self.latencies)
            values["gangs_waiting"] = self.gangs - len(self.latencies)
            values["held_gpu_seconds"] = round(self.held_gpu_seconds, 3)
            values["attempts_per_gang"] = round(self.attempts / self.gangs, 3)
            values["refusals_per_gang"] = round(self.refusals / self.gangs, 3)
        for name, measured in (("latency_ms", self.latencies), ("skew_ms", self.skews)):
            if measured:
                for rank, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)):
                    values[f"{name}_{rank}"] = round(percentile(measured, share), 3)
        return values

    def distribution(self) -> list[float]:
        """The latencies that no more than 0, 1, ... 100 % of the gangs had, in milliseconds."""
        if not self.latencies:
            return []
        return [round(percentile(self.latencies, share / QUANTILES), 3) for share in range(QUANTILES + 1)]


def course_of(history: History) -> Course:
    """The course of the load that a bench submitted, told by the names it gives and by when the scheduler went on.

    So the figures of a stored history can be made again.
    """
    line = timeline(history)
    resumed = [action.record.at for action in line.actions if action.record.verb == "resume"]
    return course(
        history,
        [key for key in line.incarnations if key.partition("/")[2].startswith(GANG)],
        [pod.name for pod in line.pods.values() if pod.part == "plain" and f"/{POD}" in pod.name],
        resumed[-1] if resumed else 0.0,
    )


def course(history: History, gangs: Collection[str], plain: Collection[str] = (), since: float = 0.0) -> Course:
    """The course of these gangs and pods of no gang (`namespace/name`); what was before `since` does not count."""
    line = timeline(history)
    rows = gang_figures(history)
    incarnations = [line.incarnations[key][0] for key in gangs if key in line.incarnations]
    measured = [_latency(history, incarnation, since) for incarnation in incarnations]
    pods = [pod for incarnation in incarnations for pod in incarnation.pods if pod.part == "member"]
    names = set(plain)
    pods += [pod for pod in line.pods.values() if pod.name in names]
    created = [max(since, history.records[pod.born].at) for pod in pods]
    bound = [history.records[pod.since.pos].at for pod in pods if pod.since is not None]
    begin = min(created, default=since)
    return Course(
        begin,
        max(bound, default=begin),
        tuple(latency for latency in measured if latency is not None),
        tuple(float(rows[i.key]["skew_ms"]) for i in incarnations if rows[i.key]["skew_ms"] is not None),
        len(bound),
        len(incarnations),
        sum(_attempts(history, line, incarnation) for incarnation in incarnations),
        sum(len(incarnation.refusals) for incarnation in incarnations),
        sum(float(rows[incarnation.key]["held_gpu_seconds"]) for incarnation in incarnations),
        _backlog(created, bound),
        _used(history, line, begin),
    )


def _latency(history: History, incarnation: Incarnation, since: float) -> float | None:
    """Milliseconds from the first member to the bind that made quorum; None if there was none."""
    full = next((step for step in incarnation.steps if step.full), None)
    if full is None or not incarnation.arrivals:
        return None
    first = max(since, history.records[incarnation.arrivals[0]].at)
    return max(0.0, (history.records[full.pos].at - first) * 1000)


def _attempts(history: History, line: Timeline, incarnation: Incarnation) -> int:
    window = seconds(history.header, "window")
    return len(attempts(incarnation.steps_while_wanted(), window, Spans(), line.end))


def _backlog(created: Iterable[float], bound: Iterable[float]) -> int:
    """The most pods that were created and not bound at the same time."""
    most = waiting = 0
    for _, change in sorted([*((at, 1) for at in created), *((at, -1) for at in bound)]):
        waiting += change
        most = max(most, waiting)
    return most


def _used(history: History, line: Timeline, begin: float) -> tuple[tuple[float, float], ...]:
    """GPUs in use over time, at so many moments as a curve shows."""
    changes: list[tuple[float, float]] = []
    for pod in line.pods.values():
        if pod.since is not None and pod.gpus:
            changes.append((history.records[pod.since.pos].at, pod.gpus))
            if pod.until is not None:
                changes.append((history.records[pod.until.pos].at, -pod.gpus))
    curve: list[tuple[float, float]] = []
    used = 0.0
    for at, change in sorted(changes):
        used += change
        moment = round(max(0.0, at - begin), 3)
        if curve and curve[-1][0] == moment:
            curve.pop()
        curve.append((moment, used))
    return tuple(thinned(curve))


def thinned(curve: Sequence[tuple[float, float]], most: int = MOST_POINTS) -> list[tuple[float, float]]:
    """The curve with so many points at most: of equal parts of the time the highest, and always the last."""
    if len(curve) <= most or curve[-1][0] <= curve[0][0]:
        return list(curve)
    first, width = curve[0][0], (curve[-1][0] - curve[0][0]) / (most - 1)
    highest: dict[int, tuple[float, float]] = {}
    for point in curve[:-1]:
        part = int((point[0] - first) / width)
        if part not in highest or point[1] > highest[part][1]:
            highest[part] = point
    return [*highest.values(), curve[-1]]


def lost(stalls: Iterable[Stall]) -> float:
    """The seconds in which something stood still; what stood still at the same time counts once."""
    seconds_lost, end = 0.0, 0.0
    for stall in sorted(stalls):
        seconds_lost += max(0.0, stall.until - max(stall.since, end))
        end = max(end, stall.until)
    return seconds_lost


def peak(curve: Sequence[tuple[float, float]]) -> float:
    """The most that was in use."""
    return max((used for _, used in curve), default=0.0)
