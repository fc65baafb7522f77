"""Every time limit of muster, in one table, each with its reason.

A time limit inside a case makes the case flaky. Cases name a deadline of this table. The values of a run, scaled by
`--timeout-factor`, are in the header of the history, so `muster recheck` judges with the same numbers years later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Deadline:
    """A number of seconds, and the reason for it."""

    seconds: float
    reason: str


DEADLINES: Mapping[str, Deadline] = {
    "window": Deadline(2.0, "first to quorum bind of one gang: 100 binds at 50 a second, kube-scheduler's default"),
    "bound": Deadline(30.0, "a gang that fits: a cycle is 1 s in the slowest scheduler, its backoff 10 s"),
    "permit": Deadline(360.0, "kube-scheduler 1.35 holds a partial gang for five minutes, which cannot be configured"),
    "quarter": Deadline(1000.0, "Kubernetes ends every wait at Permit after 15 minutes, and some margin"),
    "reconnected": Deadline(90.0, "a gang that fits, after an API server was away: clients try again after up to 30 s"),
    "drained": Deadline(180.0, "a hundred gangs take turns: each waits for free resources, then up to 10 s of backoff"),
    "retried": Deadline(
        1.5, "a refused gang is tried again: kube-scheduler's first backoff of a second, and some margin"
    ),
    "refused": Deadline(20.0, "the scheduler reports a refusal: two cycles and the 10 s backoff"),
    "released": Deadline(60.0, "a refused gang holds nothing any more: after its own timeout, one resync period"),
    "stale": Deadline(
        90.0, "a gang below its quorum is evicted: KAI waits for a minute, then one cycle, and some margin"
    ),
    "gone": Deadline(30.0, "deleted objects are gone: the default grace period of a pod"),
    "evicted": Deadline(30.0, "a victim has ended: the default grace period of a pod"),
    "start_after_eviction": Deadline(30.0, "the preemptor starts: the grace period of its victims, then one cycle"),
    "started": Deadline(5.0, "a bound pod runs: KWOK sets its status within milliseconds"),
    "recounted": Deadline(
        3.0, "a controller that waits for more pods looks again: its interval of a second, and some margin"
    ),
    "projected": Deadline(120.0, "a kubelet notices a changed ConfigMap: it syncs every 60 to 90 s, and may be busy"),
    "synced": Deadline(
        90.0, "a kubelet has a changed ConfigMap in its pods: a sync period of a minute, half more at most"
    ),
    "reset": Deadline(30.0, "the box is empty again between two cases: KWOK ends pods at once, Jobs theirs in turn"),
    "ready": Deadline(60.0, "a process answers after start: etcd and the API server need 5 s on a busy machine"),
}

NEVER_SHORTENED = frozenset(("window", "started", "retried", "recounted", "reset", "ready"))


def scaled(factor: float = 1.0) -> dict[str, float]:
    """The table as the header keeps it: seconds by name, times the factor.

    A factor below one shortens only waits for what does not happen. It never shortens the window of a gang, nor the
    time that muster's own processes and resets need.
    """
    return {name: deadline.seconds * max(factor, name in NEVER_SHORTENED) for name, deadline in DEADLINES.items()}


def seconds(header: Mapping[str, Any], name: str) -> float:
    """The deadline of the history with this header; the value of the table where the header has none."""
    overrides = header.get("deadlines") or {}
    return float(overrides.get(name, DEADLINES[name].seconds))
