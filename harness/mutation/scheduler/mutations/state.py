"""Mutations of state: what the scheduler remembers wrongly, and what it leaves behind."""

from __future__ import annotations

from typing import ClassVar

from harness.adapters.reference import NAME
from harness.box.api import Object
from harness.core.errors import ApiError
from harness.core.kinds import NODE, POD
from harness.mutation.base import Mutation
from harness.mutation.scheduler.reference import GROUP, Placement, Reference
from harness.mutation.scheduler.room import Room
from harness.mutation.scheduler.units import GANG, PART, Unit


class KeepsHolds(Mutation, Reference):
    """Puts placeholders where a refused gang's members would go, and never takes them away."""

    killed_by = (
        "refused-gang-keeps-nothing-from-others",
        "small-gang-passes-a-gang-that-cannot-fit",
        "gang-out-of-time-gives-back-what-it-holds",
    )
    breaks = ("GANG-23", "WL-42", "WL-43", "WL-54", "KOORD-37")
    quick = True
    held: ClassVar[set[str]] = set()

    def refuse(self, unit: Unit, message: str) -> None:
        super().refuse(unit, message)
        if not unit.is_gang or unit.key in self.held:
            return
        self.held.add(unit.key)
        for pod, node in self.place(unit, self.room(self.api.list(NODE), self.api.list(POD))):
            self._hold(unit, pod, node)

    def _hold(self, unit: Unit, pod: Object, node: str) -> None:
        meta = {
            "name": f"hold-{pod['metadata']['name']}",
            "namespace": unit.namespace,
            "labels": {GANG: unit.name, PART: "placeholder"},
        }
        containers = [{key: part[key] for key in ("name", "image", "resources")} for part in pod["spec"]["containers"]]
        spec = {"schedulerName": NAME, "terminationGracePeriodSeconds": 0, "nodeName": node}
        spec["containers"] = containers
        self.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})


class LeavesNominations(Mutation, Reference):
    """Nominates the members of a refused gang to a node, and never takes that back."""

    breaks = ("WL-53",)
    survives = "only a case of the native API looks at nominations"

    def refuse(self, unit: Unit, message: str) -> None:
        super().refuse(unit, message)
        names = [node["metadata"]["name"] for node in self.api.list(NODE)]
        for pod in unit.pending if names and unit.is_gang else ():
            if not pod["status"].get("nominatedNodeName"):
                self._status(pod, {"nominatedNodeName": names[0]})


class LeavesGroups(Mutation, Reference):
    """Puts a finalizer on every group and never removes it."""

    killed_by = (
        "waiting-gang-is-bound-when-room-appears",
        "deleted-running-gang-leaves-nothing",
        "deleted-waiting-gang-leaves-nothing",
        "removed-jobs-leave-a-clean-cluster",
        "gangs-deleted-while-being-placed-leave-no-phantom",
    )
    breaks = ("GANG-13", "KAR-0053-3")
    quick = True

    def round(self) -> None:
        super().round()
        for group in self.api.list(GROUP, labelSelector=GANG):
            if not group["metadata"].get("finalizers") and "deletionTimestamp" not in group["metadata"]:
                change = {"metadata": {"finalizers": ["muster.dev/left-behind"]}}
                try:
                    self.api.patch(GROUP, group["metadata"]["namespace"], group["metadata"]["name"], change)
                except ApiError as error:
                    print(error, flush=True)


class TidiesUp(Mutation, Reference):
    """Deletes what looks unused: groups without pods, and members without group."""

    killed_by = ("group-object-in-use-outlives-its-deletion", "group-object-stays-when-its-pods-are-gone")
    breaks = ("GANG-35", "KOORD-16")
    complete: ClassVar[set[str]] = set()  # gangs that were once complete: what is new may still be on its way

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        self.complete.add(unit.key)

    def round(self) -> None:
        super().round()
        groups, pods = self.api.list(GROUP, labelSelector=GANG), self.api.list(POD, labelSelector=GANG)
        declared, manned = {_gang(group): group for group in groups}, {_gang(pod) for pod in pods}
        for key in (declared.keys() - manned) & self.complete:
            self.api.delete(GROUP, declared[key]["metadata"]["namespace"], declared[key]["metadata"]["name"])
        for pod in pods:
            if _gang(pod) in self.complete - declared.keys():
                self.api.delete(POD, pod["metadata"]["namespace"], pod["metadata"]["name"], grace=0)
        self.complete.update(declared.keys() & manned)


class RemovesUnusedGroups(Mutation, Reference):
    """Deletes the group of a gang that has started and has no pods any more."""

    killed_by = ("group-object-stays-when-its-pods-are-gone",)
    breaks = ("KOORD-16",)
    started: ClassVar[set[str]] = set()

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        self.started.add(unit.key)

    def round(self) -> None:
        super().round()
        manned = {_gang(pod) for pod in self.api.list(POD, labelSelector=GANG)}
        for group in self.api.list(GROUP, labelSelector=GANG):
            if _gang(group) in self.started - manned:
                self.api.delete(GROUP, group["metadata"]["namespace"], group["metadata"]["name"])


class ForgetsTheDead(Mutation, Reference):
    """Remembers members that were deleted as if they were still there."""

    killed_by = ("deleted-member-of-a-waiting-gang-no-longer-counts",)
    breaks = ("GANG-09", "WL-29", "KOORD-46")
    quick = True
    members: ClassVar[dict[str, set[str]]] = {}

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        names = self.members.setdefault(unit.key, set())
        names |= {pod["metadata"]["uid"] for pod in (*unit.pending, *unit.bound)}
        ghosts = len(names) - len(unit.pending) - len(unit.bound)
        return max(0, unit.quorum - len(unit.bound) - ghosts)


class PlacesTheDeleted(Mutation, Reference):
    """Goes on giving places to members that were deleted while their gang waited, so that others find none."""

    killed_by = ("deleted-member-of-a-waiting-gang-no-longer-counts",)
    breaks = ("KOORD-46",)
    waited: ClassVar[dict[str, dict[str, Object]]] = {}  # gang -> members that have waited, by uid

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        for key in self.waited.keys() - {unit.key for unit in units}:
            del self.waited[key]
        self.there = {pod["metadata"]["uid"] for pod in pods}
        for unit in units:
            if unit.is_gang and not unit.bound:
                self.waited.setdefault(unit.key, {}).update({pod["metadata"]["uid"]: pod for pod in unit.pending})
        return units

    def place(self, unit: Unit, space: Room) -> Placement:
        trial = space.copy()
        deleted = [pod for uid, pod in self.waited.get(unit.key, {}).items() if uid not in self.there]
        for pod, node in self.fill(deleted, trial, sorted(trial.nodes)):
            trial.take(pod, node)
        return super().place(unit, trial)


class SatisfiedForGood(Mutation, Reference):
    """Places the members of a gang that has started once one by one, even if none of it is left."""

    killed_by = ("gang-scaled-to-zero-starts-whole-again", "suspended-job-starts-whole-again")
    breaks = ("GANG-39",)
    started: ClassVar[set[str]] = set()

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        self.started.add(unit.key)
        super().start(unit, placement, space)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return 0 if unit.key in self.started else super().missing(unit, units)


class KeepsTheRoomOfTheGone(Mutation, Reference):
    """Takes the room of members for used after they were deleted, for as long as others of their gang run."""

    killed_by = ("members-above-the-quorum-can-go",)
    breaks = ("GANG-38",)
    running: ClassVar[dict[str, Object]] = {}

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        self.running.update({pod["metadata"]["uid"]: pod for pod in pods if pod["spec"].get("nodeName")})
        there = {pod["metadata"]["uid"] for pod in pods}
        left = {_gang(pod) for pod in pods if pod["spec"].get("nodeName") and _is_member(pod)}
        gone = [pod for uid, pod in self.running.items() if uid not in there and _is_member(pod) and _gang(pod) in left]
        return super().room(nodes, [*pods, *gone])


class RemembersTheQuorum(Mutation, Reference):
    """Goes by the quorum that a gang of this name had first."""

    killed_by = (
        "quorum-lowered-while-waiting-starts-the-gang",
        "quorum-raised-while-waiting-holds-the-gang",
        "gang-submitted-again-with-another-quorum-follows-it",
    )
    breaks = ("GANG-27", "WL-34")
    first: ClassVar[dict[str, int]] = {}

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return max(0, self.first.setdefault(unit.key, unit.quorum) - len(unit.bound))


class RemembersTheQuorumOfObjects(Mutation, Reference):
    """Goes by the quorum that the object of a gang had first, and reads that of another object anew."""

    killed_by = ("quorum-lowered-while-waiting-starts-the-gang", "quorum-raised-while-waiting-holds-the-gang")
    breaks = ("GANG-27",)
    first: ClassVar[dict[str, int]] = {}

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        uid = unit.group["metadata"]["uid"] if unit.group else ""
        if not uid:
            return super().missing(unit, units)
        return max(0, self.first.setdefault(uid, unit.quorum) - len(unit.bound))


class RemembersTheQuorumOfNames(Mutation, Reference):
    """Goes by the quorum of an earlier object of the same name."""

    killed_by = ("gang-submitted-again-with-another-quorum-follows-it",)
    breaks = ("WL-34",)
    first: ClassVar[dict[str, tuple[str, int]]] = {}

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        uid = unit.group["metadata"]["uid"] if unit.group else ""
        first, quorum = self.first.setdefault(unit.key, (uid, unit.quorum))
        return super().missing(unit, units) if first == uid else max(0, quorum - len(unit.bound))


class CountsTheFinished(Mutation, Reference):
    """Keeps the room of pods that have ended."""

    killed_by = ("gang-that-completes-frees-its-room",)
    breaks = ("GANG-26", "WL-65")

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        return super().room(nodes, [{**pod, "status": {**pod["status"], "phase": "Running"}} for pod in pods])


class RemembersNodes(Mutation, Reference):
    """Takes every node for what it was when it first saw it."""

    killed_by = (
        "node-cordoned-while-a-gang-waits-is-not-used",
        "node-lost-while-a-gang-waits-is-not-used",
        "node-removed-while-a-gang-waits-keeps-it-waiting",
        "node-shrunk-while-a-gang-waits-keeps-it-waiting",
    )
    breaks = ("GANG-17",)
    first: ClassVar[dict[str, Object]] = {}

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        for node in nodes:
            self.first.setdefault(node["metadata"]["name"], node)
        return super().room(list(self.first.values()), pods)


class OverlooksTheEarly(Mutation, Reference):
    """Never looks at what was waiting when it started."""

    killed_by = ("gang-waiting-for-a-dead-scheduler-is-bound", "scheduler-killed-while-a-gang-waits")
    breaks = ("GANG-16", "WL-78")
    first: set[str] | None = None

    def mine(self, pod: Object) -> bool:
        return super().mine(pod) and pod["metadata"]["uid"] not in (self.first or ())

    def round(self) -> None:
        if self.first is None:
            self.first = {pod["metadata"]["uid"] for pod in self.api.list(POD) if not pod["spec"].get("nodeName")}
        super().round()


class HurriesAfterRestart(Mutation, Reference):
    """Places what was waiting when it started pod by pod."""

    killed_by = ("scheduler-restarted-while-a-gang-waits-still-refuses-it",)
    breaks = ("GANG-16",)
    first: set[str] | None = None

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        if self.first is None:
            self.first = {unit.key for unit in units if unit.pending}
        return units

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        return 0 if unit.key in (self.first or ()) else super().missing(unit, units)


class CountsTwiceAfterRestart(Mutation, Reference):
    """After a restart counts what it finds bound once more, both as members and as used room."""

    killed_by = ("replacement-after-a-restart-joins-the-running-gang", "scheduler-killed-between-first-and-last-bind")
    breaks = ("GANG-16", "WL-78", "KOORD-35")
    quick = True
    first: set[str] | None = None

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        space = super().room(nodes, pods)
        if self.first is None:
            self.first = {pod["metadata"]["uid"] for pod in pods if pod["spec"].get("nodeName")}
        for pod in pods:
            if pod["metadata"]["uid"] in self.first and pod["spec"]["nodeName"] in space.nodes:
                space.take(pod, pod["spec"]["nodeName"])
        return space

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        again = [pod for pod in unit.bound if pod["metadata"]["uid"] in (self.first or ())]
        return max(0, unit.quorum - len(unit.bound) - len(again))


class ForgetsTheSatisfied(Mutation, Reference):
    """After a restart counts the quorum of the gangs that it finds bound, whatever their match policy says."""

    killed_by = ("satisfied-gang-is-refilled-pod-by-pod-after-a-restart",)
    breaks = ("KOORD-33", "KOORD-35")
    first: set[str] | None = None

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        units = super().units(pods, groups)
        if self.first is None:
            self.first = {unit.key for unit in units if unit.bound}
        return units

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        if unit.key in (self.first or ()):
            return max(0, unit.quorum - len(unit.bound))
        return super().missing(unit, units)


class ForgetsAfterRestart(Mutation, Reference):
    """After a restart takes the room of what already runs for free."""

    killed_by = ("restarted-scheduler-knows-what-runs",)
    breaks = ("GANG-04", "GANG-16", "WL-78")
    quick = True
    first: set[str] | None = None

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        if self.first is None:
            self.first = {pod["metadata"]["uid"] for pod in pods if pod["spec"].get("nodeName")}
        return super().room(nodes, [pod for pod in pods if pod["metadata"]["uid"] not in (self.first or ())])


def _is_member(pod: Object) -> bool:
    return GANG in (pod["metadata"].get("labels") or {})


def _gang(obj: Object) -> str:
    return f"{obj['metadata']['namespace']}/{obj['metadata']['labels'][GANG]}"
