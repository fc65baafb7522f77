"""Every time limit of muster, in one table, each with its reason.

A deadline hidden in a case is a flaky case. Cases name a deadline from this table; the values in force, scaled by
`--timeout-factor`, are written into the header of the history, so a recheck years later judges with the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Deadline:
    """So many seconds, and why so many."""

    seconds: float
    reason: str


DEADLINES: Mapping[str, Deadline] = {
    "window": Deadline(2.0, "first to quorum bind of one gang: 100 binds at 50 a second, kube-scheduler's default"),
    "bound": Deadline(30.0, "a gang that fits: a cycle is 1 s in the slowest scheduler, its backoff 10 s"),
    "permit": Deadline(360.0, "kube-scheduler 1.35 holds a partial gang for five minutes, which nobody can change"),
    "reconnected": Deadline(90.0, "a gang that fits, after an API server was away: clients try again after up to 30 s"),
    "drained": Deadline(180.0, "a hundred gangs take turns: each waits for its room, then for up to 10 s of backoff"),
    "retried": Deadline(1.5, "what was refused is tried again: kube-scheduler's first backoff of a second, and some"),
    "refused": Deadline(20.0, "the scheduler says no: two cycles and the 10 s backoff"),
    "released": Deadline(60.0, "what a refused gang holds is free again: after its own timeout, one resync period"),
    "gone": Deadline(30.0, "nothing left after deletion: the default grace period of a pod"),
    "evicted": Deadline(30.0, "a victim is down: the default grace period of a pod"),
    "start_after_eviction": Deadline(30.0, "whoever victims fell for starts: their grace period, then one cycle"),
    "started": Deadline(5.0, "a bound pod runs: KWOK plays it within milliseconds"),
    "recounted": Deadline(3.0, "a controller that waits for more pods looks again: its interval of a second, and some"),
    "projected": Deadline(120.0, "a kubelet notices a changed ConfigMap: it syncs every 60 to 90 s, and may be busy"),
    "reset": Deadline(30.0, "the box is empty again between two cases: KWOK ends pods at once, Jobs theirs in turn"),
    "ready": Deadline(60.0, "a process answers after start: etcd and the API server need 5 s on a busy machine"),
}  # fmt: skip

UNHURRIED = frozenset(("window", "started", "retried", "reset", "ready"))


def scaled(factor: float = 1.0) -> dict[str, float]:
    """The table as the header keeps it: seconds by name, times the factor.

    A factor below one only shortens waiting for what will not come: it never makes the window of a gang, nor the time
    that our own processes and resets need, any shorter.
    """
    return {name: one.seconds * max(factor, name in UNHURRIED) for name, one in DEADLINES.items()}


def seconds(header: Mapping[str, Any], name: str) -> float:
    """The deadline in force in the history with this header; the table's own where the header has none."""
    given = header.get("deadlines") or {}
    return float(given.get(name, DEADLINES[name].seconds))
