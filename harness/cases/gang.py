"""A submitted gang: what there is of it, what it is held to, and what can be done to it.

What there is comes from the recorder's timeline, the state that the checks judge too. Methods that promise
(`is_bound_whole`, `is_refused`, ...) write the promise down, wait until that state fulfils it and return a `Verdict`;
see `harness.cases.world`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from harness.adapters.common.render import gang_objects
from harness.box.api import PATCH_MERGE, Object
from harness.cases import claims
from harness.cases.context import Alter, Context
from harness.core.errors import HarnessError
from harness.core.gang import Gang
from harness.core.history.records import Record, gang_key
from harness.core.kinds import POD
from harness.core.labels import GANG_LABEL
from harness.core.oracle.checks.held_resources import is_free
from harness.core.oracle.checks.refused import evidence
from harness.core.oracle.incarnation import Group, Incarnation, Pod
from harness.core.verdict import Verdict
from harness.testbed.objects import create_all


class SubmittedGang:
    """A gang in the world. From its submission on, pods of its name are its own, and not of an earlier gang."""

    def __init__(
        self,
        context: Context,
        gang: Gang,
        namespace: str,
        alter: Alter | None = None,
        objects: list[Object] | None = None,
    ) -> None:
        self._context = context
        self._recorder = context.recorder
        self.gang = gang
        self.namespace = namespace
        self.key = f"{namespace}/{gang.name}"
        self._alter = alter
        self.objects = self._render(gang) if objects is None else objects
        self._recorder.act("submit", gang.name, namespace, gang=gang.as_record())
        self.incarnation: Incarnation = self._recorder.timeline.incarnations[self.key][-1]  # the state of its replay

    def _render(self, gang: Gang) -> list[Object]:
        testbed = self._context.testbed
        objects = gang_objects(testbed.adapter, gang, self.namespace, testbed.box.kubernetes)
        for obj in objects:
            if obj["kind"] == "Pod" and self._alter is not None:
                self._alter(obj)
        testbed.adapter.finish(objects)
        return objects

    # -- what there is ------------------------------------------------------------------------------------------------

    def pods(self) -> list[Record]:
        """The latest record of every member that exists."""
        return [pod.record for pod in self.members()]

    def members(self) -> list[Pod]:
        """What the timeline knows of every member that exists."""
        return [pod for pod in self.incarnation.pods if pod.part == "member" and not pod.gone]

    def phases(self) -> list[str]:
        """The phase of every member that exists."""
        return [pod.phase for pod in self.members()]

    def running(self) -> bool:
        """Whether every member runs, or has run."""
        return bool(self.pods()) and all(phase in ("Running", "Succeeded", "Failed") for phase in self.phases())

    @property
    def bound(self) -> int:
        """Members that are bound and neither failed nor going away."""
        return self.incarnation.placed

    @property
    def at_quorum(self) -> bool:
        """Whether its quorum is bound, and the minimum of every role."""
        return self.incarnation.full

    @property
    def nodes(self) -> set[str]:
        """The nodes its members are on."""
        return {pod.node for pod in self.members() if pod.node}

    def groups(self) -> list[Record]:
        """The latest record of every object that stands for the gang."""
        return [group.record for group in self._groups()]

    def _groups(self) -> list[Group]:
        return [group for group in self.incarnation.groups if not group.gone]

    def refused_members(self) -> list[str]:
        """Members of which the scheduler has written in their status that they were not placed."""
        return [pod.record.name for pod in self.members() if pod.refusal]

    def refusals(self) -> list[str]:
        """What the scheduler has written in the status of members that it did not place, each text once."""
        conditions: list[Sequence[str]] = [pod.status or () for pod in self.members()]
        return sorted({str(fields[2]) for fields in conditions if len(fields) > 2 and fields[0] == "False"})

    def nominations(self) -> dict[str, str]:
        """The node to which each member was nominated last before it was bound; no entry: to none."""
        return {pod.record.name: pod.nominated for pod in self.incarnation.pods if pod.nominated}

    @property
    def last_try(self) -> int:
        """The last record that shows the scheduler at work on one of its members."""
        return self.incarnation.tried

    def refused_groups(self) -> list[str]:
        """Objects that stand for the gang whose status says that it was not placed."""
        return [group.record.name for group in self._groups() if group.refusal]

    def _is_known_refused(self) -> bool:
        """Whether there is evidence that the scheduler refused the gang as it is, by the rule of the check."""
        timeline = self._recorder.timeline
        return evidence(timeline, self.incarnation, timeline.last) is not None

    def _is_complete(self) -> bool:
        """Whether everything that the case created of it has arrived: then a fence is later than all of it."""
        timeline = self._recorder.timeline
        return max(self.incarnation.present, self.incarnation.whole(timeline.last)) <= timeline.last

    def _send_fence(self) -> None:
        """Have a fence pass, unless it is known already whether the gang is refused."""
        context = self._context
        if not self._is_known_refused() and not self.bound:
            fence = context.fence()
            context.until(lambda: self._is_known_refused() or self.bound > 0 or self._is_passed(fence), "refused")

    def _is_passed(self, fence: str) -> bool:
        """Whether the fence was bound and proves nothing, for a queue has let the gang in since."""
        timeline = self._recorder.timeline
        return self._context.is_through(fence) and 0 <= self.incarnation.handed_over(timeline.last) < inf

    # -- promises -----------------------------------------------------------------------------------------------------

    def is_bound_whole(self, deadline: str = "bound") -> Verdict:
        """Every member that was created is bound within the deadline."""
        here = self.gang.size - self.gang.missing
        return self._promise("bound", "liveness", deadline, lambda: self.bound >= here, all=not self.gang.missing)

    def reaches_quorum(self) -> Verdict:
        """At least the quorum is bound within the deadline."""
        return self._promise("bound", "liveness", "bound", lambda: self.at_quorum)

    def is_refused(self) -> Verdict:
        """Nothing of it is bound, and there is evidence that the scheduler has looked at it."""
        context = self._context
        context.expect("refused", [self], context.deadline("refused"))
        context.until(lambda: self._is_known_refused() or self._is_complete(), "refused")
        self._send_fence()
        self._send_fence()  # if a queue has let the gang in meanwhile, the first one was too early
        return context.verdict("refused", self._is_known_refused() and self.bound == 0)

    def stays_pending(self) -> Verdict:
        """Nothing of it is bound until the scheduler has been past it once more.

        A scheduler may keep even a tiny pod off the nodes that it has in mind for the gang. Then the whole deadline
        passes, and its refusal of the fence shows that it was there.
        """
        context = self._context
        changed = context.recorder.timeline.unpromised_change(self.key)
        context.expect("unbound", [self], 0.0)
        fence = context.fence()
        passed = context.passes(fence, lambda: self.bound > 0)
        passed |= context.recorder.timeline.is_refused(context.namespace, fence)
        if changed is not None:  # what was refused before is tried again after a backoff, and the fence at once
            context.until(lambda: self.bound > 0 or self.incarnation.tried > changed, "retried")
        verdict = context.verdict("refused", passed and self.bound == 0)
        self.lift()
        return verdict

    def must_stay_unbound(self) -> Verdict:
        """From now on nothing of it may be bound, until `lift`; holds so far."""
        self._context.expect("unbound", [self], 0.0)
        return self._context.verdict("refused", self.bound == 0)

    def is_released(self, deadline: str = "released") -> Verdict:
        """No placeholder of it is bound within the deadline, and no member unless it has its quorum."""
        return self._promise("released", "held-resources", deadline, lambda: is_free(self.incarnation.latest))

    def is_gone(self, *members: str) -> Verdict:
        """Nothing of it is left within the deadline; with names, none of these members takes or will take room.

        Of a member a scheduler may keep the object, until it knows what to do about it.
        """
        if members:
            line = self._recorder.timeline
            gone = self._context.until(lambda: all(line.has_ended(self.namespace, name) for name in members), "gone")
            return self._context.claim(f"{', '.join(members)} went when deleted", gone)
        return self._promise("gone", "cleanup", "gone", lambda: self.incarnation.left == 0)

    def is_marked_late(self) -> Verdict:
        """Every member carries the annotation by which this integration marks gangs whose time is over."""
        context = self._context
        name, value = context.testbed.adapter.late_mark
        selector = f"{GANG_LABEL}={self.gang.name}"

        def marks() -> dict[str, Any]:
            pods = context.api.list(POD, self.namespace, labelSelector=selector)
            return {pod["metadata"]["name"]: (pod["metadata"].get("annotations") or {}).get(name) for pod in pods}

        sentence = f"every member has the annotation {name}={value}"
        return claims.sees(context, sentence, lambda: list(marks().values()), "released", within=[value])

    def takes_in(self, member: str) -> Verdict:
        """A member that came later is bound within the deadline."""
        return claims.stand(self._context, f"{member} joins the gang", [self._named(member)], least=1, deadline="bound")

    def keeps_waiting(self, member: str) -> Verdict:
        """A member that came later is not bound once the scheduler has tried everything, and has had time to retry."""
        context = self._context
        fence = context.fence()
        context.passes(fence, lambda: self._is_bound(member))
        if not context.until(lambda: self._is_bound(member), "retried") and not context.is_through(fence):
            return context.claim(f"{member} waits", None, "the scheduler placed nothing at all")
        return claims.stand(context, f"{member} waits", [self._named(member)], most=0)

    def _is_bound(self, member: str) -> bool:
        return bool(self._recorder.timeline.node_of(self.namespace, member))

    def _named(self, member: str) -> str:
        return gang_key(self.namespace, member)

    def must_stay_untouched(self) -> None:
        """From now on no member of it may be evicted, until `lift`."""
        self._context.expect("untouched", [self], 0.0)

    def lift(self) -> None:
        """End the promises about it that were to hold until further notice."""
        self._context.lift(self)

    def is_being_bound(self) -> Verdict:
        """A first member is bound within the deadline; the case goes on at that very record."""
        self._context.until(lambda: self.bound > 0, "bound")
        return claims.stand(self._context, f"gang {self.gang.name} began to be bound", [self], least=1)

    def is_tried_again(self) -> bool:
        """Whether the scheduler writes about one of its members within the deadline; for cases that need it to try."""
        now = self._recorder.timeline.last
        return self._context.until(lambda: self.incarnation.tried > now, "refused")

    def _promise(self, what: str, check: str, deadline: str, goal: Callable[[], bool], **details: Any) -> Verdict:
        self._context.expect(what, [self], self._context.deadline(deadline), **details)
        return self._context.verdict(check, self._context.until(goal, deadline))

    # -- changes ------------------------------------------------------------------------------------------------------

    def create_group(self) -> None:
        """Create the gang's own objects, left out at submission."""
        self._recorder.act("create", self.gang.name, self.namespace)
        create_all(self._context.api, [obj for obj in self.objects if obj["kind"] != "Pod"])

    def create_missing(self, count: int | None = None) -> None:
        """Create members that were left out at submission."""
        created = {obj["metadata"]["name"] for obj in self.objects if obj["kind"] == "Pod"}
        objects = self._render(self.gang.but(missing=0))
        late = [obj for obj in objects if obj["kind"] == "Pod" and obj["metadata"]["name"] not in created][:count]
        self._create(late)
        self.gang = self.gang.but(missing=self.gang.missing - len(late))

    def create_again(self, *names: str, suffix: str = "") -> None:
        """Create members again under the names that they had, or under these names with a suffix."""
        self._create([self._copy(name, f"{name}{suffix}") for name in names])

    def delete(self, *members: str, only: str = "") -> None:
        """Delete the gang with everything that belongs to it, these members, or (`only="group"`) its own objects."""
        if members:
            self._recorder.act("delete", self.gang.name, self.namespace, what="members", members=list(members))
            for name in members:
                self._context.api.delete(POD, self.namespace, name, grace=0)
            return
        self._recorder.act("delete", self.gang.name, self.namespace, what=only or "gang")
        if only != "group":
            selector = f"{GANG_LABEL}={self.gang.name}"
            self._context.api.delete_all(POD, self.namespace, grace=0, labelSelector=selector)
        for obj in self.objects:
            if obj["kind"] != "Pod":
                resource = self._context.api.resource(obj["apiVersion"], obj["kind"])
                self._context.api.delete(resource, self.namespace, obj["metadata"]["name"])
        if only != "group":
            for kind, name in self._context.testbed.adapter.made_groups(self.gang):
                self._context.api.delete(kind, self.namespace, name)

    def ends(self, phase: str, *members: str) -> Verdict:
        """Have running members end with this phase, as their kubelet would report it; holds once that is recorded.

        A controller may replace them at once: what counts is how the pods ended that were there.
        """
        context = self._context
        context.need_simulation("the case has members end when it wants")

        def phases() -> dict[str, str]:
            return {pod.record.name: pod.phase for pod in self.members()}

        context.until(lambda: all(phases().get(name) == "Running" for name in members), "started")
        ending = [pod for pod in self.members() if pod.record.name in members]
        context.recorder.act("note", text=f"{', '.join(members)} end: {phase}")
        for name in members:
            context.api.patch(POD, self.namespace, name, {"status": {"phase": phase}}, subresource="status")
        ended = context.until(lambda: all(pod.end == phase.lower() for pod in ending), "started")
        return context.claim(f"{', '.join(members)} end with the phase {phase}", ended or None, str(phases()))

    def open_gates(self) -> None:
        """Remove the scheduling gates of all members."""
        names = [pod.record.name for pod in self.members() if pod.gates]
        self._recorder.act("edit", self.gang.name, self.namespace, ungated=names)
        for name in names:
            self._context.api.patch(
                POD, self.namespace, name, {"spec": {"schedulingGates": []}}, content_type=PATCH_MERGE
            )

    def edit_quorum(self, quorum: int) -> None:
        """Change the quorum in the gang's own object."""
        edit = self._context.testbed.adapter.edit_quorum
        if edit is None:
            raise HarnessError(f"{self._context.testbed.adapter.title} has no way to edit a quorum")
        self._recorder.act("edit", self.gang.name, self.namespace, quorum=quorum)
        for kind, name, change in edit(self.gang, quorum, self._context.testbed.box.kubernetes):
            self._context.api.patch(kind, self.namespace, name, change, content_type=PATCH_MERGE)
        self.gang = self.gang.but(quorum=quorum)

    def _create(self, pods: list[Object]) -> None:
        """Create further members: a refusal counts from then on if it is about them too."""
        names = [pod["metadata"]["name"] for pod in pods]
        self._recorder.act("create", self.gang.name, self.namespace, count=len(pods), members=names)
        create_all(self._context.api, pods)
        self.objects += pods

    def _copy(self, name: str, newcomer: str) -> Object:
        for obj in self._render(self.gang.but(missing=0)):
            if obj["kind"] == "Pod" and obj["metadata"]["name"] == name:
                obj["metadata"]["name"] = newcomer
                return obj
        raise HarnessError(f"gang {self.gang.name} has no member {name!r}")


def submit_gang(
    context: Context,
    gang: Gang,
    namespace: str,
    *,
    alter: Alter | None = None,
    without: str = "",
    objects: list[Object] | None = None,
) -> SubmittedGang:
    """Let the history know the gang, and create it as the integration declares it, or as these objects."""
    if gang.lifetime is not None:
        context.need_simulation("members end after a time that the case states")
    submitted = SubmittedGang(context, gang, namespace, alter, objects)
    create_all(context.api, [obj for obj in submitted.objects if without != "group" or obj["kind"] == "Pod"])
    return submitted
