"""JobSets as a case speaks of them: what a user writes, the gangs it stands for, and what a controller made of it.

A JobSet submitted here is known to the history as the gangs that its gangConfig means, worked out from what the case
asked for and not from what a controller did; so all checks judge them like any other gang.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from harness.adapters.jobset import INDEX_LABEL, JOB, JOB_LABEL, JOBSET, SET_LABEL
from harness.adapters.jobset_gang import NAME, Job
from harness.adapters.render import parse, render
from harness.core.gang import Gang, Role
from harness.core.verdict import Verdict
from harness.livegang import LiveGang
from harness.native import Native
from harness.world import Object, World

POD = ("v1", "Pod")
OFF, GANG, REPLICATED = "Off", "Gang", "ReplicatedGang"


def job(name: str = "worker", *, pods: int = 2, replicas: int = 1, gpus: int = 1, **more: Any) -> Job:
    """A replicated job: so many replicas of so many pods, each with these GPUs."""
    return Job(name, Role(name, pods, gpus=gpus).request, replicas=replicas, pods=pods, **more)


def jobset(
    world: World, *jobs: Job, name: str = "train", mode: str = "", in_order: bool = False, apart: bool = False
) -> Object:
    """A JobSet with these jobs; its pods carry the names of the gangs that they are meant to be in.

    `apart`: whatever the JobSet says, its pods are expected to be placed one by one.
    """
    written = list(jobs) if apart else labelled(name, mode, jobs)
    text = render(
        f"{NAME}/gang.yaml.j2", name=name, namespace=world.namespace, mode=mode, in_order=in_order, jobs=written,
        scheduler=world.lab.adapter.scheduler,
    )  # fmt: skip
    return parse(text)[0]


def submit(
    world: World, *jobs: Job, name: str = "train", mode: str = "", in_order: bool = False, apart: bool = False,
    quorum: int | None = None, alter: Callable[[Object], None] | None = None,
) -> LiveJobSet:  # fmt: skip
    """Create a JobSet; `alter` changes it before it is created, `quorum` is for one that starts with fewer pods."""
    obj = jobset(world, *jobs, name=name, mode=mode, in_order=in_order, apart=apart)
    if alter is not None:
        alter(obj)
    gangs = [] if apart else meant(labelled(name, mode, jobs))
    return LiveJobSet(world, obj, gangs if quorum is None else [gang.but(quorum=quorum) for gang in gangs])


class LiveJobSet:
    """A JobSet in the world."""

    def __init__(self, world: World, obj: Object, gangs: Sequence[Gang]) -> None:
        self.world = world
        self.native = Native(world)
        self.name: str = obj["metadata"]["name"]
        self.namespace: str = obj["metadata"]["namespace"]
        self.gangs = {gang.name: world.submit(gang, self.namespace, objects=[]) for gang in gangs}
        assert world.accepts(obj, f"JobSet {self.name} is accepted")
        self.object = self.stored()

    @property
    def gang(self) -> LiveGang:
        """Its only gang."""
        (only,) = self.gangs.values()
        return only

    # -- what a controller made of it ---------------------------------------------------------------------------------

    def workloads(self) -> list[Object]:
        """Every Workload of the namespace."""
        return self.world.all_of((self.native.version, "Workload"), namespace=self.namespace)

    def workload(self) -> Object:
        """The Workload called after the JobSet; KeyError if there is none."""
        return self.world.existing((self.native.version, "Workload"), f"w-{self.name}", self.namespace)

    def groups(self) -> dict[str, Object]:
        """The gang policies in its Workload, by the name of the group."""
        spec = self.workload()["spec"]
        return {entry["name"]: entry[self.native.policy_field] for entry in spec[self.native.groups_field]}

    def objects(self) -> dict[str, Object]:
        """The specs of its PodGroups by name; none where gangs are no objects."""
        return {one["metadata"]["name"]: one["spec"] for one in self._pod_groups()}

    def owners(self) -> dict[str, list[str]]:
        """The uids of whoever controls its PodGroups, by their names."""
        owners = {one["metadata"]["name"]: one["metadata"].get("ownerReferences") or () for one in self._pod_groups()}
        return {name: [one["uid"] for one in listed if one.get("controller")] for name, listed in owners.items()}

    def _pod_groups(self) -> list[Object]:
        if self.native.inline:
            return []
        found = self.world.all_of((self.native.version, "PodGroup"), namespace=self.namespace)
        return [one for one in found if self._is_mine(one["metadata"]["name"])]

    def pods(self, job: str = "", index: int | None = None) -> list[Object]:
        """Its pods, those of one job, or those of one replica of it."""
        chosen = f"{SET_LABEL}={self.name}" + (f",{JOB_LABEL}={job}" if job else "")
        chosen += "" if index is None else f",{INDEX_LABEL}={index}"
        return self.world.all_of(POD, chosen, self.namespace)

    def jobs(self) -> list[Object]:
        return self.world.all_of(JOB, f"{SET_LABEL}={self.name}", self.namespace)

    def references(self, job: str = "", index: int | None = None) -> list[Object]:
        """What these pods say about their gang, each once; an empty one for pods that say nothing."""
        said = [pod["spec"].get(self.native.reference_field) or {} for pod in self.pods(job, index)]
        return [one for place, one in enumerate(said) if one not in said[:place]]

    def reference(self, group: str, instance: str, replica: str = "") -> Object:
        """What pods of this group ought to say."""
        return self.native.reference(f"w-{self.name}", group, instance, replica)

    def stored(self) -> Object:
        return self.world.existing(JOBSET, self.name, self.namespace)

    def events(self) -> list[Object]:
        """What was said about the JobSet."""
        found = self.world.all_of(("v1", "Event"), namespace=self.namespace)
        uid = self.object["metadata"]["uid"]
        return [event for event in found if event["involvedObject"].get("uid") == uid]

    def _is_mine(self, name: str) -> bool:
        return name == f"pg-{self.name}" or name.startswith(f"pg-{self.name}.")

    # -- what it is held to -------------------------------------------------------------------------------------------

    def has_pods(self, count: int, job: str = "") -> Verdict:
        """So many pods of it come to be."""
        return self.world.sees(
            f"JobSet {self.name} has {count} pods{' of ' + job if job else ''}", lambda: len(self.pods(job)) == count
        )

    def is_prepared(self) -> Verdict:
        """Its Workload and all its gang objects come to be: the controller has been past everything before it."""
        wanted = len(self.gangs)

        def there() -> bool:
            return bool(self.workload()) and (self.native.inline or len(self.objects()) == wanted)

        return self.world.sees(f"JobSet {self.name} has its Workload and {wanted} gangs", there)

    def is_gone(self) -> Verdict:
        """Of the JobSet, its Jobs, pods, Workload and gang objects nothing is left."""

        def gone() -> bool:
            there = self.world.find(JOBSET, self.name, self.namespace)
            made = self.world.find((self.native.version, "Workload"), f"w-{self.name}", self.namespace)
            return not there and not made and not self.objects() and not self.jobs() and not self.pods()

        return self.world.sees(f"nothing of JobSet {self.name} is left", gone, "gone")

    # -- what can be done to it ---------------------------------------------------------------------------------------

    def remove(self) -> None:
        """Delete it; its gangs have to go with it."""
        for gang in self.gangs.values():
            self.world.recorder.act("delete", gang.gang.name, gang.namespace, what="gang")
        self.world.remove(JOBSET, self.name)


def labelled(name: str, mode: str, jobs: Sequence[Job]) -> list[Job]:
    """The jobs of a JobSet with the gangs that their pods are meant to be in, where its gangConfig asks for any."""
    if mode == GANG:
        return [replace(one, gang=name, role=one.name if len(jobs) > 1 else "") for one in jobs]
    asking = (GANG, REPLICATED)
    shared = [one.gang for one in jobs]
    return [
        replace(one, gang=f"{name}-{one.name}", each=one.mode == REPLICATED) if one.mode in asking
        else replace(one, role=one.name if one.gang and shared.count(one.gang) > 1 else "")
        for one in jobs
    ]  # fmt: skip


def meant(jobs: Sequence[Job]) -> list[Gang]:
    """The gangs that labelled jobs are meant to be."""
    found: dict[str, list[Role]] = {}
    for one in jobs:
        gpus = int(one.request.get("nvidia.com/gpu", 0))
        names = [f"{one.gang}-{index}" for index in range(one.replicas)] if one.each else [one.gang]
        for name in names if one.gang else ():
            size = one.pods if one.each else one.pods * one.replicas
            found.setdefault(name, []).append(Role(one.name, size, gpus=gpus))
    return [
        Gang(name, roles=tuple(roles)) if len(roles) > 1 else Gang(name, size=roles[0].size, gpus=roles[0].gpus)
        for name, roles in found.items()
    ]
