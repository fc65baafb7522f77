"""A submitted gang as the recorder sees it: what there is of it, what it is held to, and what can be done to it.

Words that promise (`is_bound_whole`, `is_refused`, ...) write the promise down, wait for the records that decide it and
return a `Verdict`; see `harness.world`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from harness.adapters.render import gang_objects
from harness.box.api import PATCH_MERGE, POD, Object
from harness.core.errors import HarnessError
from harness.core.evidence import Words, change_since_a_promise, noticed, pod_refused
from harness.core.gang import Gang
from harness.core.history import PLAIN_KINDS, Record, pod_key
from harness.core.verdict import Verdict
from harness.lab import create_all

if TYPE_CHECKING:
    from harness.world import World

Alter = Callable[[Object], None]  # changes a member's pod before it is created


class LiveGang:
    """A gang in the world."""

    def __init__(
        self, world: World, gang: Gang, namespace: str, alter: Alter | None = None, objects: list[Object] | None = None
    ) -> None:
        self.world = world
        self.gang = gang
        self.namespace = namespace
        self.key = f"{namespace}/{gang.name}"
        self._alter = alter
        self.objects = self._render(gang) if objects is None else objects
        self._words = Words(self.key, gang.size - gang.missing)
        self._read = len(world.recorder.records())  # records of this case that are read already
        self._former: frozenset[str] = frozenset()  # pods of an earlier gang of this name, which may be slow to go
        self._former = frozenset(pod_key(record) for record in self._pods())

    def _render(self, gang: Gang) -> list[Object]:
        lab = self.world.lab
        objects = gang_objects(lab.adapter, gang, self.namespace, lab.box.kubernetes)
        for obj in objects:
            if obj["kind"] == "Pod" and self._alter is not None:
                self._alter(obj)
        lab.adapter.finish(objects)
        return objects

    # -- what there is ------------------------------------------------------------------------------------------------

    def members(self) -> list[Record]:
        """The latest record of every member that exists."""
        return [record for record in self._pods() if record.state.get("part") == "member"]

    def running(self) -> bool:
        """Whether every member runs, or has run."""
        phases = [record.state.get("phase") for record in self.members()]
        return bool(phases) and all(phase in ("Running", "Succeeded", "Failed") for phase in phases)

    @property
    def bound(self) -> int:
        return sum(1 for record in self.members() if record.state.get("node"))

    @property
    def holds(self) -> int:
        """Pods bound for the gang, members or placeholders."""
        return sum(1 for record in self._pods() if record.state.get("node"))

    @property
    def nodes(self) -> set[str]:
        """The nodes its members are on."""
        return {record.state["node"] for record in self.members() if record.state.get("node")}

    def groups(self) -> list[Record]:
        """The latest record of every object that stands for the gang."""
        recorder = self.world.recorder
        kinds = [kind for kind in recorder.live if kind not in PLAIN_KINDS]
        return [record for kind in kinds for record in recorder.latest(kind) if record.state.get("gang") == self.key]

    def _pods(self) -> list[Record]:
        """The latest record of every pod of it that exists."""
        named = [record for record in self.world.recorder.latest("Pod") if record.state.get("gang") == self.key]
        return [record for record in named if pod_key(record) not in self._former]

    def refused_members(self) -> list[str]:
        """Members of which the scheduler has said in their status that they were not placed."""
        return [one.name for one in self.members() if pod_refused(one.state.get("conditions") or {})]

    def _refused(self) -> bool:
        """Whether the scheduler has said no to the gang as a whole, by the rule of the check `refused`."""
        records = self.world.recorder.records(self._read)
        self._read += len(records)
        for record in records:
            if record.kind != "Pod" or pod_key(record) not in self._former:
                self._words.hear(record)
        return self._words.heard

    # -- promises -----------------------------------------------------------------------------------------------------

    def is_bound_whole(self, deadline: str = "bound") -> Verdict:
        """Every member that was created is bound within the deadline."""
        here = self.gang.size - self.gang.missing
        return self._promise("bound", "live", deadline, lambda: self.bound >= here, all=not self.gang.missing)

    def reaches_quorum(self) -> Verdict:
        """At least the quorum is bound within the deadline."""
        return self._promise("bound", "live", "bound", lambda: self.bound >= self.gang.minimum)

    def is_refused(self) -> Verdict:
        """Nothing of it is bound, and there is evidence that the scheduler has looked at it."""
        world = self.world
        world.expect("refused", [self], world.deadline("refused"))
        shown = self._shows_refusal(words=True)
        if not shown and not self.bound:  # the check does not take that word for evidence: only a new fence counts
            shown = self._shows_refusal(words=False)
        return world.verdict("refused", shown and self.bound == 0)

    def _shows_refusal(self, *, words: bool) -> bool:
        """Whether there is evidence of a refusal, once a word is heard (if those count) or a later pod is bound."""
        world = self.world

        def heard() -> bool:
            return self._refused() and words

        world.until(lambda: heard() or self._words.arrived, "refused")
        fence = world.fence()
        world.until(lambda: heard() or world.is_bound(fence) or self.bound > 0, "refused")
        return world.shows_refusal(self)

    def still_waits(self) -> Verdict:
        """Nothing of it is bound until the scheduler has been past it once more.

        A scheduler may keep even a tiny pod off the nodes that it has in mind for the gang. Then the whole deadline
        passes, and its word about the fence shows that it was there.
        """
        world = self.world
        changed = change_since_a_promise(world.recorder.records(), self.key)
        world.expect("unbound", [self], 0.0)
        fence = world.fence()
        seen = world.until(lambda: world.is_bound(fence) or self.bound > 0, "refused") or world.is_put_off(fence)
        if changed is not None:  # what was refused before is tried again after a backoff, and the fence at once
            world.until(lambda: self.bound > 0 or noticed(world.recorder.records(changed), self.key), "retried")
        verdict = world.verdict("refused", seen and self.bound == 0)
        world.lift(self)
        return verdict

    def stays_unbound(self) -> Verdict:
        """From now on nothing of it may be bound, until `world.lift`; holds so far."""
        self.world.expect("unbound", [self], 0.0)
        return self.world.verdict("refused", self.bound == 0)

    def is_released(self) -> Verdict:
        """Nothing is held for it within the deadline."""
        return self._promise("released", "hostage", "released", lambda: self.holds == 0)

    def is_gone(self) -> Verdict:
        """Nothing of it is left within the deadline."""
        return self._promise("gone", "clean", "gone", lambda: not self._pods() and not self.groups())

    def is_evicted(self, *, whole: bool = False) -> Verdict:
        """It loses members to the scheduler within the deadline; `whole`: all of them."""
        size = self.gang.size - self.gang.missing
        goal = (lambda: self.bound == 0) if whole else (lambda: self.bound < size)
        return self._promise("evicted", "victims", "evicted", goal, all=whole)

    def stays_untouched(self) -> None:
        """From now on no member of it may be evicted, until `world.lift`."""
        self.world.expect("untouched", [self], 0.0)

    def begins(self) -> Verdict:
        """A first member is bound within the deadline; the case goes on at that very record."""
        self.world.until(lambda: self.bound > 0, "bound")
        return self.world.claim(f"gang {self.gang.name} began to be bound", self.bound > 0, f"{self.bound} are bound")

    def _promise(self, what: str, check: str, deadline: str, goal: Callable[[], bool], **details: Any) -> Verdict:
        self.world.expect(what, [self], self.world.deadline(deadline), **details)
        return self.world.verdict(check, self.world.until(goal, deadline))

    # -- changes ------------------------------------------------------------------------------------------------------

    def create_group(self) -> None:
        """Create the gang's own objects, left out at submission."""
        self.world.recorder.act("create", self.gang.name, self.namespace)
        create_all(self.world.api, [obj for obj in self.objects if obj["kind"] != "Pod"])

    def create_missing(self, count: int | None = None) -> None:
        """Create members that were left out at submission."""
        known = {obj["metadata"]["name"] for obj in self.objects if obj["kind"] == "Pod"}
        every = self._render(self.gang.but(missing=0))
        late = [obj for obj in every if obj["kind"] == "Pod" and obj["metadata"]["name"] not in known][:count]
        self._create(late)
        self.gang = self.gang.but(missing=self.gang.missing - len(late))

    def replace(self, name: str) -> str:
        """A new member in the place of the one of this name; the newcomer's name."""
        newcomer = f"{name}-again"
        self._create([self._copy(name, newcomer)])
        return newcomer

    def create_again(self, *names: str) -> None:
        """Create members anew under the names that they had."""
        self._create([self._copy(name, name) for name in names])

    def delete_members(self, *names: str) -> None:
        self.world.recorder.act("delete", self.gang.name, self.namespace, what="members", members=list(names))
        for name in names:
            self.world.api.delete(POD, self.namespace, name, grace=0)

    def lose(self, *names: str) -> Verdict:
        """Delete members and see them go."""
        self.delete_members(*names)
        gone = self.world.until(lambda: not {one.name for one in self.members()} & set(names), "gone")
        return self.world.claim(f"{', '.join(names)} went when deleted", gone)

    def delete_group(self) -> None:
        """Delete only the gang's own objects; the members stay."""
        self.world.recorder.act("delete", self.gang.name, self.namespace, what="group")
        for obj in self.objects:
            if obj["kind"] != "Pod":
                resource = self.world.api.resource(obj["apiVersion"], obj["kind"])
                self.world.api.delete(resource, self.namespace, obj["metadata"]["name"])

    def open_gates(self) -> None:
        """Remove the scheduling gates of all members."""
        names = [one.name for one in self.members() if one.state.get("gates")]
        self.world.recorder.act("edit", self.gang.name, self.namespace, ungated=names)
        for name in names:
            self.world.api.patch(POD, self.namespace, name, {"spec": {"schedulingGates": []}}, content_type=PATCH_MERGE)

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

    def await_more(self, count: int, **told: Any) -> None:
        """Further members are created: a refusal counts from then on if it is about them too."""
        self._refused()  # what is there already is not about them
        self.world.recorder.act("create", self.gang.name, self.namespace, count=count, **told)
        self._words.await_more(count)

    def _create(self, pods: list[Object]) -> None:
        self.await_more(len(pods), members=[pod["metadata"]["name"] for pod in pods])
        create_all(self.world.api, pods)
        self.objects += pods

    def _copy(self, name: str, newcomer: str) -> Object:
        for obj in self._render(self.gang.but(missing=0)):
            if obj["kind"] == "Pod" and obj["metadata"]["name"] == name:
                obj["metadata"]["name"] = newcomer
                return obj
        raise HarnessError(f"gang {self.gang.name} has no member {name!r}")
