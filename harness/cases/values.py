"""What controllers make gangs of, as values: LeaderWorkerSets, JobSets, Jobs and sets, written as a user writes them.

A value knows its manifest and the gangs that it is meant to be, worked out from what the case asked for and not from
what a controller did; so all checks judge these gangs like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from harness.adapters.common.jobset import ReplicatedJob
from harness.adapters.common.lws_controller import gang_name
from harness.adapters.common.render import parse, render
from harness.adapters.jobset_barrier import render_jobset
from harness.adapters.jobset_gang import NAME as JOBSET_GANG
from harness.box.api import Object
from harness.core.gang import Gang, Role
from harness.core.kinds import DEPLOYMENT, JOB, STATEFUL_SET, Kind

LEADER_READY, LEADER_CREATED = "LeaderReady", "LeaderCreated"  # startup policies
OFF, GANG, REPLICATED = "Off", "Gang", "ReplicatedGang"  # gang modes


@dataclass(frozen=True, slots=True)
class LWS:
    """A LeaderWorkerSet: each of its replicas is a gang of a leader and workers."""

    name: str = "serve"
    replicas: int = 1
    size: int = 2  # pods of a replica, with its leader
    gpus: int = 1  # of each pod
    leader: int | None = None  # GPUs of a leader that asks for something else than the workers
    startup: str = ""
    surge: int = 0
    subdomain: str = ""
    quorum: int | None = None  # of a replica, where another one is expected than its startup policy says

    @property
    def replica(self) -> Gang:
        """The gang that a replica is; where the leader goes first, its workers are missing at first."""
        if self.startup == LEADER_READY:
            gang = Gang(self.name, size=self.size, quorum=1, missing=self.size - 1, gpus=self.gpus)
        elif self.leader is None:
            gang = Gang(self.name, size=self.size, gpus=self.gpus)
        else:
            workers = Role("worker", self.size - 1, gpus=self.gpus)
            gang = Gang(self.name, roles=(Role("leader", 1, gpus=self.leader), workers))
        return gang if self.quorum is None else gang.but(quorum=self.quorum)

    def gang(self, index: int) -> Gang:
        """The gang that the replica of this index is."""
        return self.replica.but(name=gang_name(self.name, index))

    def manifest(self, namespace: str, scheduler: str) -> Object:
        text = render(
            "lws/gang.yaml.j2",
            gang=self.replica,
            namespace=namespace,
            scheduler=scheduler,
            replicas=self.replicas,
            startup=self.startup,
            surge=self.surge,
            subdomain=self.subdomain,
        )
        return parse(text)[0]


@dataclass(frozen=True, slots=True, init=False)
class JobSet:
    """A JobSet with a gangConfig, or without one."""

    jobs: tuple[ReplicatedJob, ...]
    name: str
    mode: str  # of the JobSet as a whole
    in_order: bool
    apart: bool  # whatever the JobSet says, its pods are expected to be placed one by one
    quorum: int | None  # of its gangs, where they are expected to start with fewer pods

    def __init__(
        self,
        *jobs: ReplicatedJob,
        name: str = "train",
        mode: str = "",
        in_order: bool = False,
        apart: bool = False,
        quorum: int | None = None,
    ) -> None:
        _set(self, jobs=jobs, name=name, mode=mode, in_order=in_order, apart=apart, quorum=quorum)

    def gangs(self) -> list[Gang]:
        """The gangs that the JobSet is meant to be."""
        gangs = [] if self.apart else gangs_of(label(self.name, self.mode, self.jobs))
        return gangs if self.quorum is None else [gang.but(quorum=self.quorum) for gang in gangs]

    def groups(self) -> dict[str, int]:
        """The groups that its Workload has to have, by the names of the design, with the minCount of each."""
        if self.mode == GANG:
            return {f"pg-{self.name}": sum(job.replicas * job.pods for job in self.jobs)}
        return {
            f"pg-{job.name}": job.pods if job.mode == REPLICATED else job.replicas * job.pods
            for job in self.jobs
            if job.mode in (GANG, REPLICATED)
        }

    def manifest(self, namespace: str, scheduler: str) -> Object:
        """The JobSet; its pods carry the names of the gangs that they are meant to be in."""
        text = render(
            f"{JOBSET_GANG}/gang.yaml.j2",
            name=self.name,
            namespace=namespace,
            mode=self.mode,
            in_order=self.in_order,
            jobs=list(self.jobs) if self.apart else label(self.name, self.mode, self.jobs),
            scheduler=scheduler,
        )
        return parse(text)[0]


@dataclass(frozen=True, slots=True, init=False)
class BarrierJobSet:
    """A JobSet whose pods wait for each other in an init container, or (`asks=False`) one without that barrier."""

    jobs: tuple[ReplicatedJob, ...]
    name: str
    config: Mapping[str, Any] | None  # its groupSchedulingConfig; None: it asks for no barrier
    options: Mapping[str, Any] = field(default_factory=dict)

    def __init__(
        self,
        *jobs: ReplicatedJob,
        name: str,
        timeout: int | None = None,
        targets: Any = None,
        config: Mapping[str, Any] | None = None,
        asks: bool = True,
        **options: Any,
    ) -> None:
        """`config` is the whole groupSchedulingConfig; without it, it is made of `timeout` and `targets`."""
        fields = {"timeoutAfterSeconds": timeout, "targetReplicatedJobs": targets}
        stated = {key: value for key, value in fields.items() if value is not None}
        barrier = (config if config is not None else stated) if asks else None
        _set(self, jobs=jobs, name=name, config=barrier, options=options)

    @property
    def targets(self) -> list[str]:
        """The replicated jobs whose pods wait."""
        named = (self.config or {}).get("targetReplicatedJobs")
        return [job.name for job in self.jobs if self.config is not None and (not named or job.name in named)]

    @property
    def expected(self) -> int:
        """How many pods wait for each other."""
        return sum(job.replicas * job.pods for job in self.jobs if job.name in self.targets)

    @property
    def gang(self) -> Gang:
        """Its pods as a gang with a quorum of one: a scheduler that knows no gangs places them one by one."""
        return Gang(self.name, size=max(1, self.expected), quorum=1)

    def manifest(self, namespace: str, scheduler: str) -> Object:
        return render_jobset(self.gang, namespace, self.jobs, self.config, **self.options)


@dataclass(frozen=True, slots=True)
class Owner:
    """An object of Kubernetes itself whose pods are a gang, if the documentation of the integration says so."""

    KIND: ClassVar[Kind]
    name: str
    size: int
    gpus: int = 1  # of each pod
    apart: bool = False  # whatever it asks for, its pods are judged one by one
    by_pods: bool = False  # it asks as pods without an owner do, whatever the documentation says of owners

    @property
    def gang(self) -> Gang:
        """What it asks for."""
        return Gang(self.name, size=self.size, gpus=self.gpus)

    @property
    def judged(self) -> Gang:
        """What it is held to."""
        return self.gang.but(quorum=1) if self.apart else self.gang


class Job(Owner):
    """A Job with so many pods at once."""

    KIND = JOB


class Deployment(Owner):
    """A Deployment with so many replicas."""

    KIND = DEPLOYMENT


class StatefulSet(Owner):
    """A StatefulSet whose pods are made in parallel."""

    KIND = STATEFUL_SET


def label(name: str, mode: str, jobs: Sequence[ReplicatedJob]) -> list[ReplicatedJob]:
    """The jobs of a JobSet with the gangs that their pods are meant to be in, where its gangConfig asks for any."""
    if mode == GANG:
        return [replace(job, gang=name, role=job.name if len(jobs) > 1 else "") for job in jobs]
    shared = [job.gang for job in jobs]
    return [
        replace(job, gang=f"{name}-{job.name}", each=job.mode == REPLICATED)
        if job.mode in (GANG, REPLICATED)
        else replace(job, role=job.name if job.gang and shared.count(job.gang) > 1 else "")
        for job in jobs
    ]


def gangs_of(jobs: Sequence[ReplicatedJob]) -> list[Gang]:
    """The gangs that labelled jobs are meant to be."""
    roles: dict[str, list[Role]] = {}
    for job in jobs:
        names = [f"{job.gang}-{index}" for index in range(job.replicas)] if job.each else [job.gang]
        for name in names if job.gang else ():
            size = job.pods if job.each else job.pods * job.replicas
            roles.setdefault(name, []).append(Role(job.name, size, gpus=job.gpus))
    return [
        Gang(name, roles=tuple(several)) if len(several) > 1 else Gang(name, size=several[0].size, gpus=several[0].gpus)
        for name, several in roles.items()
    ]


def _set(value: object, **fields: Any) -> None:
    """Fill in a frozen value from its own __init__."""
    for name, content in fields.items():
        object.__setattr__(value, name, content)
