"""The world of a case: a few words in which every case is written.

A word that acts writes itself into the history before it acts. A word that asks (`is_bound_whole`, `is_refused`) writes
down the promise with its deadline, waits for the records that decide it, and returns a `Verdict`. No word sleeps, and
none looks at anything but what the recorder saw; so the verdict of a case can be reached again from its history alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from harness.adapters.render import gang_objects
from harness.box.api import PATCH_MERGE, POD, Object
from harness.box.nodes import Pool
from harness.core.errors import ApiError, HarnessError
from harness.core.gang import Gang
from harness.core.history import History, Record
from harness.core.judge import judge_case
from harness.core.verdict import Outcome, Verdict
from harness.lab import Lab, create_all

REFUSALS = frozenset({"FailedScheduling", "Unschedulable", "NotEnoughResources", "GangSchedulingFailed"})
FENCE_REQUEST = {"cpu": "1m", "memory": "1Mi"}


class World:
    """What a case can do and ask; one namespace of its own in an empty box."""

    def __init__(self, lab: Lab, case: str) -> None:
        self.lab = lab
        self.case = case
        self.api = lab.box.api
        self.recorder = lab.recorder
        self.recorder.begin()
        self.namespace = lab.namespace()
        self._names = itertools.count(1)

    # -- nodes --------------------------------------------------------------------------------------------------------

    def nodes(self, count: int, gpus: int = 8, **kind: Any) -> list[str]:
        """Add nodes of so many GPUs each; their names."""
        pool = Pool(count, gpus=gpus, **kind)
        self.recorder.act("node-add", count=count, gpus=gpus)
        return self.lab.box.nodes.add(pool)

    def remove_node(self, name: str) -> None:
        self.recorder.act("node-remove", nodes=[name])
        self.lab.box.nodes.remove(name)

    def change_node(self, name: str, change: str, **details: Any) -> None:
        """`change` is a word of harness.box.nodes.Nodes: cordon, uncordon, lose, recover, resize."""
        self.recorder.act("node-change", nodes=[name], change=change, **details)
        getattr(self.lab.box.nodes, change)(name, **details)

    # -- gangs --------------------------------------------------------------------------------------------------------

    def submit(self, gang: Gang, namespace: str = "") -> LiveGang:
        """Create the gang's objects and members."""
        home = namespace or self.namespace
        live = LiveGang(self, gang, home)
        self.recorder.act("submit", gang.name, home, gang=gang.as_record())
        create_all(self.api, live.objects)
        return live

    def free(self, gang: LiveGang) -> None:
        """Delete a gang with everything that belongs to it."""
        self.recorder.act("delete", gang.gang.name, gang.namespace, what="gang")
        self.api.delete_all(POD, gang.namespace, grace=0, labelSelector=f"muster.dev/gang={gang.gang.name}")
        for obj in gang.objects:
            if obj["kind"] != "Pod":
                resource = self.api.resource(obj["apiVersion"], obj["kind"])
                self.api.delete(resource, gang.namespace, obj["metadata"]["name"])

    def pod(self, gpus: int = 1, priority: str = "", name: str = "") -> str:
        """Submit a pod of no gang to the scheduler under test; its name."""
        name = name or f"pod-{next(self._names)}"
        request = {"cpu": "100m", "memory": "64Mi", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
        self.recorder.act("note", text=f"pod {name} of {gpus} GPUs submitted")
        self.api.create(self.lab.plain_pod(self.namespace, name, part="plain", request=request, priority=priority))
        return name

    def fence(self) -> str:
        """Submit a tiny pod that fits anywhere: once it is bound, the scheduler has been past everything before it."""
        name = f"fence-{next(self._names)}"
        self.recorder.act("fence", name, self.namespace)
        self.api.create(self.lab.plain_pod(self.namespace, name, part="fence", request=FENCE_REQUEST))
        return name

    def one_of(self, *gangs: LiveGang) -> tuple[Verdict, LiveGang | None]:
        """Exactly one of the gangs is bound whole and of the others nothing; the verdict and the winner."""
        within = self.deadline("bound")
        self.expect("one-of", gangs, within)
        self.recorder.wait(lambda: any(gang.bound >= gang.gang.minimum for gang in gangs), within)
        winners = [gang for gang in gangs if gang.bound >= gang.gang.minimum]
        held = len(winners) == 1 and all(gang.bound == 0 for gang in gangs if gang is not winners[0])
        return self.verdict("live", held), winners[0] if winners else None

    def priority(self, name: str, value: int) -> str:
        """A PriorityClass of this value; its name, which is unique to the case."""
        unique = f"{name}-{self.namespace.removeprefix('case-')}"
        self.api.create({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": unique}, "value": value,
        })  # fmt: skip
        return unique

    # -- faults -------------------------------------------------------------------------------------------------------

    def kill(self, role: str) -> None:
        """End every process of a role at once (scheduler, controller, apiserver, etcd)."""
        for process in self._of(role):
            self.recorder.act("kill", process.name, role=role)
            process.kill()

    def pause(self, role: str) -> None:
        for process in self._of(role):
            self.recorder.act("pause", process.name, role=role)
            process.pause()

    def resume(self, role: str) -> None:
        for process in self._of(role):
            process.resume()
            self.recorder.act("resume", process.name, role=role)

    def restart(self, role: str) -> None:
        """Start every process of a role (again) and wait until it is ready."""
        for process in self._of(role):
            self.recorder.act("restart", process.name, role=role)
            process.restart(self.deadline("ready"))
            self.recorder.act("ready", process.name, role=role)

    def _of(self, role: str) -> list[Any]:
        lab = self.lab
        names: Sequence[str] = {"scheduler": lab.installed.schedulers, "controller": lab.installed.controllers}.get(role, ())
        names = names or [name for name, process in lab.box.processes.items() if process.command.role == role]
        if not names:
            raise HarnessError(f"this box has no process of the role {role!r}")
        return [lab.box.processes[name] for name in names]

    # -- promises and verdicts ----------------------------------------------------------------------------------------

    def deadline(self, name: str) -> float:
        return self.lab.deadlines[name]

    def expect(self, what: str, gangs: Sequence[LiveGang], within: float, **details: Any) -> None:
        """Write down a promise the scheduler is held to from now on."""
        self.recorder.act("expect", what=what, gangs=[gang.key for gang in gangs], within=within, **details)

    def lift(self, *gangs: LiveGang) -> None:
        """End the promises that were to hold until further notice."""
        self.recorder.act("lift", gangs=[gang.key for gang in gangs])

    def claim(self, sentence: str, held: bool, detail: str = "") -> Verdict:
        """Something the case saw for itself, such as an answer of the API server."""
        self.recorder.act("claim", sentence=sentence, held=held, detail=detail)
        return self.verdict("claims", held)

    def rejects(self, obj: Object, sentence: str, *, mention: str = "") -> Verdict:
        """The API server refuses to create the object, for a reason that mentions this."""
        try:
            self.api.create(obj)
        except ApiError as error:
            held = error.status in (400, 403, 422) and mention.lower() in error.message.lower()
            return self.claim(sentence, held, error.message)
        return self.claim(sentence, False, "the API server accepted it")

    def history(self) -> History:
        lab = self.lab
        return self.recorder.history(
            self.case, lab.namespaces, integration=lab.integration, kubernetes=lab.box.kubernetes, box=lab.box.kind,
            deadlines=dict(lab.deadlines),
        )  # fmt: skip

    def verdict(self, check: str, held: bool) -> Verdict:
        """A pass as it is; otherwise what the check finds in the history so far, with its witness."""
        if held:
            return Verdict(check, Outcome.PASS, "held")
        self.recorder.settle()
        found = {verdict.check: verdict for verdict in judge_case(self.history())}
        fallback = Verdict(check, Outcome.UNKNOWN, "the case did not see what it waited for")
        verdict = found.get(check, fallback)
        return fallback if verdict.outcome is Outcome.PASS else verdict


class LiveGang:
    """A submitted gang, as the recorder sees it."""

    def __init__(self, world: World, gang: Gang, namespace: str) -> None:
        self.world = world
        self.gang = gang
        self.namespace = namespace
        self.key = f"{namespace}/{gang.name}"
        self.objects = gang_objects(world.lab.adapter, gang, namespace, world.lab.box.kubernetes)

    # -- what there is ------------------------------------------------------------------------------------------------

    def members(self) -> list[Record]:
        """The latest record of every member that exists."""
        return [record for record in self._pods() if record.state.get("part") == "member"]

    @property
    def bound(self) -> int:
        return sum(1 for record in self.members() if record.state.get("node"))

    @property
    def holds(self) -> int:
        """Pods bound for the gang, members or placeholders."""
        return sum(1 for record in self._pods() if record.state.get("node"))

    def _pods(self) -> list[Record]:
        return [record for record in self.world.recorder.live["Pod"].values() if record.state.get("gang") == self.key]

    def _left(self) -> int:
        live = self.world.recorder.live
        kinds = [kind for kind in live if kind not in ("Event", "Node", "Namespace")]
        return sum(1 for kind in kinds for record in live[kind].values() if record.state.get("gang") == self.key)

    def _refused(self) -> bool:
        """Whether the scheduler has said no: a member's condition, or an event about the gang."""
        for record in self.members():
            if (record.state.get("conditions") or {}).get("PodScheduled", [""])[0] == "False":
                return True
        events = self.world.recorder.live["Event"].values()
        return any(e.state.get("gang") == self.key and e.state.get("reason") in REFUSALS for e in events)

    # -- promises -----------------------------------------------------------------------------------------------------

    def is_bound_whole(self) -> Verdict:
        """Every member is bound within the deadline."""
        return self._promise("bound", "live", "bound", lambda: self.bound >= self.gang.size - self.gang.missing, all=True)

    def reaches_quorum(self) -> Verdict:
        """At least the quorum is bound within the deadline."""
        return self._promise("bound", "live", "bound", lambda: self.bound >= self.gang.minimum)

    def is_refused(self) -> Verdict:
        """Nothing of it is bound, and there is evidence that the scheduler has looked at it."""
        world = self.world
        fence = ""

        def passed() -> bool:
            pods = world.recorder.live["Pod"].values()
            return self._refused() or any(pod.name == fence and pod.state.get("node") for pod in pods)

        world.expect("refused", [self], world.deadline("refused"))
        fence = world.fence()
        seen = world.recorder.wait(lambda: passed() or self.bound > 0, world.deadline("refused"))
        return world.verdict("refused", seen and self.bound == 0)

    def stays_unbound(self) -> Verdict:
        """From now on nothing of it may be bound, until `world.lift`; holds so far."""
        self.world.expect("unbound", [self], 0.0)
        return self.world.verdict("refused", self.bound == 0)

    def is_released(self) -> Verdict:
        """Nothing is held for it within the deadline."""
        return self._promise("released", "hostage", "released", lambda: self.holds == 0)

    def is_gone(self) -> Verdict:
        """Nothing of it is left within the deadline."""
        return self._promise("gone", "clean", "gone", lambda: self._left() == 0)

    def is_evicted(self, *, whole: bool = False) -> Verdict:
        """It loses members to the scheduler within the deadline; `whole`: all of them."""
        size = self.gang.size - self.gang.missing
        goal = (lambda: self.bound == 0) if whole else (lambda: self.bound < size)
        return self._promise("evicted", "victims", "evicted", goal, all=whole)

    def stays_untouched(self) -> None:
        """From now on no member of it may be evicted, until `world.lift`."""
        self.world.expect("untouched", [self], 0.0)

    def _promise(self, what: str, check: str, deadline: str, goal: Callable[[], bool], **details: Any) -> Verdict:
        within = self.world.deadline(deadline)
        self.world.expect(what, [self], within, **details)
        return self.world.verdict(check, self.world.recorder.wait(goal, within))

    # -- changes ------------------------------------------------------------------------------------------------------

    def create_missing(self, count: int | None = None) -> None:
        """Create members that were left out at submission."""
        whole = self.gang.but(missing=0)
        known = {obj["metadata"]["name"] for obj in self.objects if obj["kind"] == "Pod"}
        every = gang_objects(self.world.lab.adapter, whole, self.namespace, self.world.lab.box.kubernetes)
        late = [obj for obj in every if obj["kind"] == "Pod" and obj["metadata"]["name"] not in known][:count]
        names = [obj["metadata"]["name"] for obj in late]
        self.world.recorder.act("create", self.gang.name, self.namespace, members=names)
        create_all(self.world.api, late)
        self.objects += late
        self.gang = self.gang.but(missing=self.gang.missing - len(late))

    def delete_members(self, *names: str) -> None:
        self.world.recorder.act("delete", self.gang.name, self.namespace, what="members", members=list(names))
        for name in names:
            self.world.api.delete(POD, self.namespace, name, grace=0)

    def edit_quorum(self, quorum: int) -> None:
        """Change the quorum in the gang's own object."""
        edit = self.world.lab.adapter.edit_quorum
        if edit is None:
            raise HarnessError(f"{self.world.lab.adapter.title} has no way to edit a quorum")
        self.world.recorder.act("edit", self.gang.name, self.namespace, quorum=quorum)
        for (version, kind), name, change in edit(self.gang, quorum):
            resource = self.world.api.resource(version, kind)
            self.world.api.patch(resource, self.namespace, name, change, content_type=PATCH_MERGE)
        self.gang = self.gang.but(quorum=quorum)
