"""Schedulers that remember what they should not, or leave behind what is not theirs; see `sins.py`."""

from __future__ import annotations

from typing import ClassVar

from honest import GROUP, SCHEDULER, Honest, Placement
from room import Room
from units import GANG, PART, Unit

from harness.box.api import NODE, POD, Object
from harness.core.errors import ApiError


class KeepsHolds(Honest):
    """Puts placeholders where a refused gang's members would go, and never takes them away."""

    caught_by = (
        "refused-gang-keeps-nothing-from-others",
        "small-gang-passes-a-gang-that-cannot-fit", "gang-out-of-time-gives-back-what-it-holds",
    )  # fmt: skip
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
        meta = {"name": f"hold-{pod['metadata']['name']}", "namespace": unit.namespace,
                "labels": {GANG: unit.name, PART: "placeholder"}}  # fmt: skip
        wanted = [{key: one[key] for key in ("name", "image", "resources")} for one in pod["spec"]["containers"]]
        spec = {"schedulerName": SCHEDULER, "terminationGracePeriodSeconds": 0, "nodeName": node, "containers": wanted}
        self.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})


class LeavesGroups(Honest):
    """Puts a finalizer on every group and never removes it."""

    caught_by = (
        "waiting-gang-is-bound-when-room-appears", "deleted-running-gang-leaves-nothing",
        "deleted-waiting-gang-leaves-nothing", "removed-jobs-leave-a-clean-cluster",
        "gangs-deleted-while-being-placed-leave-no-phantom",
    )  # fmt: skip
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


class TidiesUp(Honest):
    """Deletes what looks unused: groups without pods, and members without group."""

    caught_by = ("group-object-in-use-outlives-its-deletion", "group-object-stays-when-its-pods-are-gone")
    known: ClassVar[set[str]] = set()  # gangs that were once complete: what is new may still be on its way

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        super().start(unit, placement, space)
        self.known.add(unit.key)

    def round(self) -> None:
        super().round()
        groups, pods = self.api.list(GROUP, labelSelector=GANG), self.api.list(POD, labelSelector=GANG)
        declared, manned = {_gang(one): one for one in groups}, {_gang(one) for one in pods}
        for key in (declared.keys() - manned) & self.known:
            self.api.delete(GROUP, declared[key]["metadata"]["namespace"], declared[key]["metadata"]["name"])
        for pod in pods:
            if _gang(pod) in self.known - declared.keys():
                self.api.delete(POD, pod["metadata"]["namespace"], pod["metadata"]["name"], grace=0)
        self.known |= declared.keys() & manned


class ForgetsTheDead(Honest):
    """Remembers members that were deleted as if they were still there."""

    caught_by = ("deleted-member-of-a-waiting-gang-no-longer-counts",)
    quick = True
    seen: ClassVar[dict[str, set[str]]] = {}

    def missing(self, unit: Unit, found: list[Unit]) -> int:
        names = self.seen.setdefault(unit.key, set())
        names |= {pod["metadata"]["uid"] for pod in (*unit.pending, *unit.bound)}
        ghosts = len(names) - len(unit.pending) - len(unit.bound)
        return max(0, unit.quorum - len(unit.bound) - ghosts)


class SatisfiedForGood(Honest):
    """Places the members of a gang that has started once one by one, even if none of it is left."""

    caught_by = ("gang-scaled-to-zero-starts-whole-again", "suspended-job-starts-whole-again")
    started: ClassVar[set[str]] = set()

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        self.started.add(unit.key)
        super().start(unit, placement, space)

    def missing(self, unit: Unit, found: list[Unit]) -> int:
        return 0 if unit.key in self.started else super().missing(unit, found)


class KeepsTheRoomOfTheGone(Honest):
    """Takes the room of running members for used after they were deleted."""

    caught_by = ("members-above-the-quorum-can-go",)
    running: ClassVar[dict[str, Object]] = {}

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        self.running.update({pod["metadata"]["uid"]: pod for pod in pods if pod["spec"].get("nodeName")})
        there = {pod["metadata"]["uid"] for pod in pods}
        gone = [pod for uid, pod in self.running.items() if uid not in there]
        return super().room(nodes, [*pods, *gone])


class RemembersTheQuorum(Honest):
    """Goes by the quorum that a gang of this name had first."""

    caught_by = (
        "quorum-lowered-while-waiting-starts-the-gang", "quorum-raised-while-waiting-holds-the-gang",
        "gang-submitted-again-with-another-quorum-follows-it",
    )  # fmt: skip
    first: ClassVar[dict[str, int]] = {}

    def missing(self, unit: Unit, found: list[Unit]) -> int:
        return max(0, self.first.setdefault(unit.key, unit.quorum) - len(unit.bound))


class CountsTheFinished(Honest):
    """Keeps the room of pods that have ended."""

    caught_by = ("gang-that-completes-frees-its-room",)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        return super().room(nodes, [{**pod, "status": {**pod["status"], "phase": "Running"}} for pod in pods])


class RemembersNodes(Honest):
    """Takes every node for what it was when it first saw it."""

    caught_by = (
        "node-cordoned-while-a-gang-waits-is-not-used", "node-lost-while-a-gang-waits-is-not-used",
        "node-removed-while-a-gang-waits-keeps-it-waiting", "node-shrunk-while-a-gang-waits-keeps-it-waiting",
    )  # fmt: skip
    first: ClassVar[dict[str, Object]] = {}

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        for node in nodes:
            self.first.setdefault(node["metadata"]["name"], node)
        return super().room(list(self.first.values()), pods)


class OverlooksTheEarly(Honest):
    """Never looks at what was waiting when it started."""

    caught_by = ("gang-waiting-for-a-dead-scheduler-is-bound", "scheduler-killed-while-a-gang-waits")
    first: set[str] | None = None

    def mine(self, pod: Object) -> bool:
        return super().mine(pod) and pod["metadata"]["uid"] not in (self.first or ())

    def round(self) -> None:
        if self.first is None:
            self.first = {pod["metadata"]["uid"] for pod in self.api.list(POD) if not pod["spec"].get("nodeName")}
        super().round()


class HurriesAfterRestart(Honest):
    """Places what was waiting when it started pod by pod."""

    caught_by = ("scheduler-restarted-while-a-gang-waits-still-refuses-it",)
    first: set[str] | None = None

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        found = super().units(pods, groups)
        if self.first is None:
            self.first = {unit.key for unit in found if unit.pending}
        return found

    def missing(self, unit: Unit, found: list[Unit]) -> int:
        return 0 if unit.key in (self.first or ()) else super().missing(unit, found)


class CountsTwiceAfterRestart(Honest):
    """After a restart counts what it finds bound once more, both as members and as used room."""

    caught_by = ("replacement-after-a-restart-joins-the-running-gang", "scheduler-killed-between-first-and-last-bind")
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

    def missing(self, unit: Unit, found: list[Unit]) -> int:
        again = [pod for pod in unit.bound if pod["metadata"]["uid"] in (self.first or ())]
        return max(0, unit.quorum - len(unit.bound) - len(again))


class ForgetsAfterRestart(Honest):
    """After a restart takes the room of what already runs for free."""

    caught_by = ("restarted-scheduler-knows-what-runs",)
    quick = True
    first: set[str] | None = None

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        if self.first is None:
            self.first = {pod["metadata"]["uid"] for pod in pods if pod["spec"].get("nodeName")}
        return super().room(nodes, [pod for pod in pods if pod["metadata"]["uid"] not in (self.first or ())])


def _gang(obj: Object) -> str:
    return f"{obj['metadata']['namespace']}/{obj['metadata']['labels'][GANG]}"
