"""What cases import besides `harness`: workloads that controllers make gangs of, and names for annotations."""

from __future__ import annotations

from harness.adapters.common.jobset import ReplicatedJob
from harness.adapters.common.lws_controller import INDEX_LABEL
from harness.box.api import Object
from harness.cases.barrier import SubmittedBarrier, barrier_map, container, lasted, template
from harness.cases.gang import SubmittedGang
from harness.cases.jobset import SubmittedJobSet
from harness.cases.lws import SubmittedLWS, owner
from harness.cases.owners import SubmittedOwner
from harness.cases.values import (
    GANG,
    LEADER_CREATED,
    LEADER_READY,
    LWS,
    OFF,
    REPLICATED,
    BarrierJobSet,
    Deployment,
    Job,
    JobSet,
    StatefulSet,
)
from harness.controllers.jobset_barrier.spec import INIT, VOLUME
from harness.core.kinds import CONFIG_MAP, JOBSET

__all__ = [
    "CONFIG_MAP",
    "GANG",
    "INDEX_LABEL",
    "INIT",
    "JOBSET",
    "LEADER_CREATED",
    "LEADER_READY",
    "LWS",
    "OFF",
    "REPLICATED",
    "VOLUME",
    "BarrierJobSet",
    "Deployment",
    "Job",
    "JobSet",
    "Object",
    "ReplicatedJob",
    "StatefulSet",
    "SubmittedBarrier",
    "SubmittedGang",
    "SubmittedJobSet",
    "SubmittedLWS",
    "SubmittedOwner",
    "barrier_map",
    "container",
    "lasted",
    "owner",
    "template",
]
