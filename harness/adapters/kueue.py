"""Kueue: gangs wait for quota as a whole, and kube-scheduler places their pods one by one.

A gang is a group of plain pods that names its size, or a suspended Job. Kueue holds the pods by a scheduling gate until
the whole gang has its quota, and does no more then: it does not check whether there is a place for every pod.
`common/kueue_queues.py` says what quota means here and how queues are made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.adapters.common import kueue_gangs
from harness.adapters.common.base import Limit
from harness.core.gang import Gang

DOCS = "https://kueue.sigs.k8s.io/docs"


def values(gang: Gang, kubernetes: str) -> Mapping[str, Any]:
    return kueue_gangs.values(gang)


ADAPTER = kueue_gangs.kueue_adapter(
    name="kueue",
    title="Kueue with kube-scheduler",
    values=values,
    limits=(
        Limit(
            "gang",
            ">=0.1",
            "Quota does not confirm placement: a gang that has its quota is placed pod by pod, and what fits "
            "of it holds its room for as long as waitForPodsReady allows, 30 minutes as shipped.",
            f"{DOCS}/tasks/manage/setup_wait_for_pods_ready/",
        ),
    ),
)
