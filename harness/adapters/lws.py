"""LeaderWorkerSet with gangs on Volcano: the release's own gang provider, the only one it has.

Volcano is installed as its own integration does it; LeaderWorkerSet then makes a PodGroup for each replica and names it
in an annotation of the replica's pods. The set's templates must ask for Volcano's scheduler themselves.
"""

from __future__ import annotations

from harness.adapters import volcano
from harness.adapters.common.base import Limit
from harness.adapters.common.lws_controller import DOCS, lws_adapter

ADAPTER = lws_adapter(
    volcano.ADAPTER,
    name="lws",
    title="LeaderWorkerSet on Volcano",
    organization="Kubernetes SIG Apps",
    released_provider=True,
    limits=(
        Limit(
            "leader-worker-set",
            ">=0.7",
            "The name of a PodGroup carries the hash of the template besides the set and the index of the replica.",
            f"{DOCS}/examples/",
        ),
        Limit("leader-worker-set", ">=0.7", "It makes gangs for Volcano and no other scheduler.", f"{DOCS}/examples/"),
    ),
)
