"""How much memory a load needs, asked before it is started.

A machine that runs out of memory kills some process of the box, and the figures of an hour are gone. So the need is
estimated from what was measured with Kubernetes 1.37 and its native scheduler, and what cannot fit is refused.
"""

from __future__ import annotations

import psutil

from harness.bench.load.shapes import Load
from harness.core.errors import UsageError

BASE = 900  # megabytes of an idle control plane with KWOK, and of muster
NODE = 0.30  # of each node: in the API server and its store, in schedulers and controllers
POD = 0.11  # of each pod, the same with its events and the records of its history
SHARE = 0.9  # of the memory that is free


def need(load: Load) -> int:
    """Megabytes that everything together needs at the most."""
    return round(BASE + NODE * load.nodes + POD * load.pods)


def check(load: Load) -> None:
    """UsageError with the estimate if this machine has not enough free memory."""
    free, needed = psutil.virtual_memory().available / 1e6, need(load)
    if needed > SHARE * free:
        raise UsageError(
            f"{load.nodes} nodes and {load.pods} pods need about {needed / 1000:.1f} GB of memory, and this machine "
            f"has {free / 1000:.1f} GB free",
            hint="Give fewer --nodes, --gangs or a smaller --size, or use a larger machine.",
        )
