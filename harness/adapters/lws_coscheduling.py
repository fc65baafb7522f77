"""LeaderWorkerSet with gangs on Coscheduling, by a reference provider: PodGroups called as the design calls them."""

from __future__ import annotations

from harness.adapters import coscheduling
from harness.adapters.common.base import Limit
from harness.adapters.common.lws_controller import DOCS, lws_adapter

ADAPTER = lws_adapter(
    coscheduling.ADAPTER,
    name="lws-coscheduling",
    title="LeaderWorkerSet on Coscheduling (reference provider)",
    organization="muster",
    released_provider=False,
    limits=(
        Limit(
            "leader-worker-set",
            ">=0.9",
            "No release of LeaderWorkerSet makes gangs for Coscheduling; a reference of muster's own does here.",
            f"{DOCS}/",
        ),
    ),
)
