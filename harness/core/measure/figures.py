"""The figures of a measurement: what each is called, means, and how it is compared and held.

One table, for the terminal, the pages, the limits and docs/reference/figures.md. Where the field has a definition it
is used: gang latency is that of Kubernetes' own collector, from the first pod created to the bind that makes quorum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LESS, MORE, NEITHER = "less", "more", ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a round."""

    title: str
    unit: str
    about: str
    better: str = LESS  # LESS, MORE or NEITHER
    noise: float = 0.0  # a change that is smaller than this comes from the machine
    is_held: bool = False  # whether limits are made of it

    def worse(self, value: float, limit: float) -> bool:
        """Whether the value is beyond the limit."""
        return value < limit if self.better == MORE else value > limit


_ROLES = {
    "scheduler": "the schedulers under test",
    "controller": "the controllers of the integration",
    "apiserver": "the API server",
    "etcd": "etcd",
    "nodes": "KWOK, which plays the nodes",
    "muster": "muster itself: creating, recording, judging",
}
_RANKS = {"p50": "half", "p90": "90 %", "p99": "99 %", "max": "all"}


def _ranked(name: str, title: str, about: str, held: tuple[str, ...], noise: float) -> dict[str, Figure]:
    return {
        f"{name}_{rank}": Figure(
            f"{title}, {rank}",
            "ms",
            f"{about} {meaning.capitalize()} of the gangs need no longer.",
            LESS,
            noise,
            rank in held,
        )
        for rank, meaning in _RANKS.items()
    }


FIGURES: Mapping[str, Figure] = {
    "pods_per_second": Figure(
        "Pods bound",
        "1/s",
        "Bound pods, divided by the time from the first pod created to the last bind; with --paused from the "
        "resume of the scheduler.",
        MORE,
        is_held=True,
    ),
    **_ranked(
        "latency_ms",
        "Gang latency",
        "From the first pod of a gang created to the bind that makes its quorum; with --paused at the earliest from "
        "the resume of the scheduler.",
        ("p50", "p99"),
        50.0,
    ),
    **_ranked("skew_ms", "Skew", "From the first bind of a gang to the bind that makes its quorum.", ("p99",), 50.0),
    "gangs_started": Figure("Gangs started", "", "Gangs that reached their quorum.", MORE, is_held=True),
    "gangs_waiting": Figure("Gangs waiting", "", "Gangs that were submitted and had no quorum at the end.", NEITHER),
    "attempts_per_gang": Figure(
        "Attempts", "1/gang", "From a first bind to quorum, or back to zero; 1 is a gang that was placed at once.", LESS
    ),
    "refusals_per_gang": Figure(
        "Refusals", "1/gang", "How often the scheduler wrote that it did not place a gang.", LESS
    ),
    "calls_per_gang": Figure(
        "API calls", "1/gang", "Requests of the integration to the API server.", LESS, 0.5, is_held=True
    ),
    "held_gpu_seconds": Figure(
        "Held below quorum", "GPU·s", "GPUs held by gangs below quorum, times the duration.", LESS, 1.0, True
    ),
    "placement_percent": Figure(
        "Placement",
        "%",
        "Most GPUs in use at one time, of those that any scheduler could have used: of the optimum, or a bound of it.",
        MORE,
        0.5,
        True,
    ),
    "created_per_second": Figure(
        "Objects created", "1/s", "How fast muster submitted; no scheduler can bind faster than that.", NEITHER
    ),
    "backlog_most": Figure(
        "Longest queue",
        "pods",
        "Most pods that were created and not bound; few: the scheduler waited for muster.",
        NEITHER,
    ),
    **{
        f"cpu_seconds_{role}": Figure(
            f"CPU, {role}", "s", f"Processor time of {meaning}.", LESS, 1.0, role == "scheduler"
        )
        for role, meaning in _ROLES.items()
    },
    **{
        f"memory_mb_{role}": Figure(
            f"Memory, {role}", "MB", f"The most memory of {meaning}.", LESS, 16.0, role == "scheduler"
        )
        for role, meaning in _ROLES.items()
    },
    "muster_percent": Figure(
        "muster's share", "%", "Share of muster in the processor time of all programs; the aim is 10 %.", LESS
    ),
    "records": Figure("Records", "", "Records of the history that was judged.", NEITHER),
    "record_bytes": Figure("Bytes per record", "B", "Size of the stored history, by its records.", LESS),
    "stalled_seconds": Figure(
        "Stalls",
        "s",
        "Time in which muster, the scheduler or the API server did not run: how disturbed the machine was.",
        NEITHER,
    ),
    "seconds": Figure("Seconds", "s", "From the first creation to the last bind.", LESS),
}
CALLS = "calls_per_gang_"  # begins the figures of one verb


def figure_of(name: str) -> Figure:
    """The figure of this name; those by verb are made as they come."""
    if name.startswith(CALLS):
        verb = name.removeprefix(CALLS)
        return Figure(f"API calls, {verb}", "1/gang", f"Requests of the integration with the verb {verb}.", LESS)
    return FIGURES.get(name, Figure(name, "", "", NEITHER))
