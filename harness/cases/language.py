"""The language of cases in one place: what a case imports that needs more than `harness` exports.

Workloads that controllers make gangs of, demands of members, and the names that these need.
"""

from __future__ import annotations

from harness.adapters.common.jobset import ReplicatedJob
from harness.adapters.common.lws_controller import INDEX_LABEL
from harness.adapters.volcano import JOB as VCJOB
from harness.box.api import Object
from harness.box.nodes import ZONE, Taint
from harness.cases.barrier import SubmittedBarrier, barrier_map, container, lasted, template
from harness.cases.declare import case
from harness.cases.demands import (
    HOSTNAME,
    all_of,
    apart,
    host_port,
    labelled,
    members_of,
    near,
    only_nodes,
    spread,
    tolerates,
)
from harness.cases.gang import SubmittedGang
from harness.cases.jobset import SubmittedJobSet
from harness.cases.lws import SubmittedLWS, owner
from harness.cases.owners import SubmittedOwner
from harness.cases.storage import ONE_POD
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
from harness.cases.world import World
from harness.controllers.jobset_barrier.spec import INIT, VOLUME
from harness.core.gang import Gang, Role
from harness.core.kinds import CONFIG_MAP, JOBSET

__all__ = [
    "CONFIG_MAP",
    "GANG",
    "HOSTNAME",
    "INDEX_LABEL",
    "INIT",
    "JOBSET",
    "LEADER_CREATED",
    "LEADER_READY",
    "LWS",
    "OFF",
    "ONE_POD",
    "REPLICATED",
    "VCJOB",
    "VOLUME",
    "ZONE",
    "BarrierJobSet",
    "Deployment",
    "Gang",
    "Job",
    "JobSet",
    "Object",
    "ReplicatedJob",
    "Role",
    "StatefulSet",
    "SubmittedBarrier",
    "SubmittedGang",
    "SubmittedJobSet",
    "SubmittedLWS",
    "SubmittedOwner",
    "Taint",
    "World",
    "all_of",
    "apart",
    "barrier_map",
    "case",
    "container",
    "host_port",
    "labelled",
    "lasted",
    "members_of",
    "near",
    "only_nodes",
    "owner",
    "spread",
    "template",
    "tolerates",
]
