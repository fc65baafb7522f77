"""A gang from its submission to its end, with its pods and the objects that stand for it.

An incarnation keeps the counters of the gang after every record that changed them, and answers small questions about
them: was quorum reached since then, which refusal shows that the scheduler knew the whole gang.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import Any, NamedTuple

from harness.core.gang import Gang
from harness.core.history.records import Record
from harness.core.oracle.facts import Bind, Moment, Refusal, Step


@dataclass(slots=True, eq=False)
class Incarnation:
    """A gang from one submission to its deletion by the case, or to the next submission."""

    key: str
    begun: int
    begun_at: float
    gang: Gang | None = None  # None: never submitted by the case, only seen
    quorum: int | None = None
    ended: int = -1
    ended_at: float = inf
    replaced: bool = False  # it ended because the gang was submitted again
    placed: int = 0
    held: int = 0
    standing: int = 0
    left: int = 0
    gpus: float = 0.0
    members: int = 0  # that occupy a node, those going away too
    roles: dict[str, int] = field(default_factory=dict)  # placed members of each role
    roles_standing: dict[str, int] = field(default_factory=dict)  # members of each role that occupy a node
    pods: list[Pod] = field(default_factory=list)  # members and placeholders, also those that are gone
    groups: list[Group] = field(default_factory=list)  # objects that stand for it, also those that are gone
    steps: list[Step] = field(default_factory=list)
    binds: list[Bind] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    admissions: list[tuple[int, bool, int]] = field(default_factory=list)
    # ^ records in which a group object let it in, or no longer did, with their revisions
    held_back: Refusal | None = None  # the first of all members, written before there was any
    arrivals: list[int] = field(default_factory=list)  # when each member was first seen
    later: list[tuple[int, int]] = field(default_factory=list)  # when the case created further members, and how many
    schedulers: set[str] = field(default_factory=set)
    disturbances: list[float] = field(default_factory=list)
    started: bool = False  # quorum was reached since the first of the members that are placed
    pending: int = -1  # since when it waits for its quorum
    quorum_at: int = -1  # the last record after which quorum stood
    present: float = inf  # the first record since the submission after which something of it existed
    tried: int = -1  # the last record that shows the scheduler at work on one of its pods
    _newest: list[int] = field(default_factory=list)  # for each refusal the largest `born` up to it

    @property
    def full(self) -> bool:
        return self._is_quorum(self.placed, self.roles)

    def _is_quorum(self, members: int, of_role: Mapping[str, int]) -> bool:
        if self.quorum is None or members < self.quorum:
            return False
        roles = self.gang.roles if self.gang is not None else ()
        return all(of_role.get(role.name, 0) >= role.minimum for role in roles)

    @property
    def size(self) -> int:
        return self.gang.size if self.gang is not None else len(self.arrivals)

    @property
    def latest(self) -> Step:
        """The counters after the last record."""
        return self.steps[-1] if self.steps else self._before()

    def become(self, gang: Gang, index: int, now: float) -> None:
        """This is an incarnation of that gang, submitted now."""
        self.gang, self.quorum = gang, gang.minimum
        self.begun, self.begun_at, self.pending = index, now, index
        self.present = inf
        self.step(index, now)

    def end(self, index: int, now: float, *, replaced: bool = False) -> None:
        if self.ended < 0:
            self.ended, self.ended_at, self.replaced = index, now, replaced

    def place(self, role: str, change: int) -> None:
        if change > 0 and not self.placed:
            self.started = False  # no member was left: what begins now may be taken back as at first
        self.placed += change
        if role:
            self.roles[role] = self.roles.get(role, 0) + change

    def stand(self, role: str, change: int) -> None:
        self.members += change
        self.roles_standing[role] = self.roles_standing.get(role, 0) + change

    def step(self, index: int, now: float) -> bool:
        """Write the counters down; True if quorum is reached with this record."""
        before = bool(self.steps) and self.steps[-1].full
        full = self.full
        stands = self._is_quorum(self.members, self.roles_standing)
        counters = (self.placed, full, self.held, self.gpus, self.standing, self.left, self.members, stands)
        self.steps.append(Step(index, now, *counters))
        if self.left and index < self.present:
            self.present = index
        if full:
            self.started, self.quorum_at = True, index
        elif before:
            self.pending = index
        return full and not before

    def refuse(self, refusal: Refusal) -> None:
        """A scheduler wrote this about the gang."""
        if refusal.of_all and not self.arrivals and self.held_back is None:
            self.held_back = refusal
        self.refusals.append(refusal)
        self._newest.append(max(refusal.born, self._newest[-1]) if self._newest else refusal.born)

    def whole(self, index: int) -> float:
        """The record with which all members were there that the case had created at `index`; infinite if it never came.

        None at all is as it was submitted too: a job may not be let in yet.
        """
        if self.gang is None or not self.arrivals:
            return -1
        members = self.gang.size - self.gang.missing + sum(count for pos, count in self.later if pos <= index)
        return self.arrivals[max(members, 1) - 1] if len(self.arrivals) >= members else inf

    def handed_over(self, index: int) -> float:
        """Where a queue lets gangs in before they are placed: the record with which all members were handed over.

        Each is created, or freed of a gate, once the gang is let in.

        -1 if it had not been let in at record `index`, infinite if a member was still held back. While a case runs the
        watch of groups may lag behind that of pods, so revisions say what was first.
        """
        place = bisect_right(self.admissions, index, key=lambda admission: admission[0])
        if not place or not self.admissions[place - 1][1]:
            return -1
        since, _, revision = self.admissions[place - 1]
        free = []
        for pod in (pod for pod in self.pods if pod.born <= index < pod.deleted):
            pos, opened = pod.opened(index)
            is_handed_over = opened > revision or pod.born > since
            free.append(float(max(pod.born, pos)) if is_handed_over else inf)
        return max(free, default=inf)

    def created(self, index: int) -> int:
        """Where the case created it, or further members of it, for the last time before `index`."""
        return max((pos for pos, _ in self.later if pos <= index), default=self.begun)

    def evident(self, index: int) -> Refusal | None:
        """The first refusal by a scheduler that, when it wrote, knew the whole gang as it was created up to `index`.

        A scheduler learns of pods in the order of their creation, and what it writes down it may have decided some
        time ago. So it must write of the member that came last, or of a pod that came later still: what it writes of
        another may be about a part of the gang, and it may well place the whole a moment later. A queue may hold back a
        gang before it has any pod: what its object then says is about all of it, until the case creates more.
        """
        since, whole = self.created(index), self.whole(index)
        if self.held_back is not None and self.held_back.pos > since:
            return self.held_back
        place = bisect_left(self._newest, whole)
        place = max(place, bisect_right(self.refusals, since, key=lambda refusal: refusal.pos))
        return next((refusal for refusal in islice(self.refusals, place, None) if refusal.born >= whole), None)

    def at(self, index: int) -> Step:
        """The counters after record `index`."""
        place = bisect_right(self.steps, index, key=lambda step: step.pos)
        return self.steps[place - 1] if place else self._before(index)

    def since(self, index: int) -> list[Step]:
        """The counters at record `index` and every later change of them."""
        place = bisect_right(self.steps, index, key=lambda step: step.pos)
        return [self.at(index), *self.steps[place:]]

    def has_started_since(self, index: int) -> bool:
        """Quorum stood at record `index` or at a later moment."""
        return self.quorum_at > index or self.at(index).full

    def steps_while_wanted(self) -> list[Step]:
        """The steps while the case wants the gang; after its deletion nothing of it is judged but what is left."""
        if self.ended < 0:
            return self.steps
        place = bisect_left(self.steps, self.ended, key=lambda step: step.pos)
        return [*self.steps[:place], Step(self.ended, self.ended_at, 0, False, 0, 0.0, 0, 0)]

    def quorum_spans(self) -> Iterator[tuple[float, float]]:
        """The times between which quorum stood while the case wanted the gang; infinite: until the end."""
        since: float | None = None
        for step in self.steps_while_wanted():
            if step.full and since is None:
                since = step.now
            elif not step.full and since is not None:
                yield since, step.now
                since = None
        if since is not None:
            yield since, inf

    def _before(self, index: int = -1) -> Step:
        return Step(index, self.begun_at, 0, False, 0, 0.0, 0, 0)


@dataclass(slots=True, eq=False)
class Container:
    """A container of a pod, from the record on that first shows it as started."""

    pos: int  # of that record
    began: float  # its start time, as the kubelet reported it then
    runs: bool  # it runs, as the latest record of the pod has it


@dataclass(slots=True, eq=False)
class Pod:
    """A pod from its first record on."""

    name: str  # namespace/name
    uid: str
    part: str
    role: str
    incarnation: Incarnation | None
    born: int  # the record in which it was first seen
    request: Mapping[str, int]
    gpus: float
    scheduler: str
    record: Record  # its latest
    node: str = ""
    nominated: str = ""  # the node to which it was nominated last before it was bound
    phase: str = ""
    placed: bool = False
    held: bool = False
    standing: bool = False
    gone: bool = False
    deleted: float = inf  # the record with which it was gone
    terminal: bool = False
    evicted: bool = False  # an event or a condition names it as a victim
    disruption: str = ""  # the condition that names it, as its latest record has it
    left: Moment | None = None  # since when it has ended, or its deletion has begun
    excused: bool = False  # it was spared when it left
    homeless: bool = False  # its node was gone when it left
    taken: int = -1  # the record in which the case deleted it
    refusal: str = ""  # why the scheduler says it is not placed
    gates: int = 0
    openings: tuple[tuple[int, int], ...] = ()  # records in which a gate of it was removed, with their revisions
    since: Moment | None = None  # it occupies its node from here
    until: Moment | None = None  # to here
    placements: tuple[int, ...] = ()  # the records with which it was placed and, in turn, was not any more
    end: str = ""  # how that ended: deleted, succeeded, failed
    status: Any = None  # its PodScheduled condition
    containers: dict[str, Container] | None = None  # those that have started, by name

    @property
    def gang(self) -> str:
        """The key of its gang; "" if it has none."""
        return self.incarnation.key if self.incarnation is not None else ""

    @property
    def deleting(self) -> bool:
        """Its deletion has begun."""
        return bool(self.record.state.get("deleting"))

    @property
    def awaits_kubelet(self) -> bool:
        """It is bound, and its kubelet has not reported yet that it runs."""
        return self.standing and self.phase == "Pending"

    def has_begun(self, container: str) -> bool:
        """Whether the container of this name was ever seen to run."""
        return container in (self.containers or {})

    def runs(self, container: str) -> bool:
        """Whether the container of this name runs, and the pod is to stay."""
        return self.has_begun(container) and not self.deleting and (self.containers or {})[container].runs

    def opened(self, index: int) -> tuple[int, int]:
        """The last record up to this one in which a scheduling gate of it was removed, and its revision; -1 if none."""
        place = bisect_right(self.openings, index, key=lambda opening: opening[0])
        return self.openings[place - 1] if place else (-1, -1)

    def came_unseen(self, pod: Pod) -> float:
        """When it came to its node, if the scheduler of that other pod may not know it yet; else minus infinity.

        A scheduler knows what it does itself. A watch is ordered, so it also knows what was before a pod that it binds.
        """
        if self.since is None or self.since.pos < pod.born:
            return -inf
        return -inf if self.scheduler == pod.scheduler and self.since.pos != self.born else self.since.now

    def leave(self, moment: Moment, homeless: bool) -> None:
        """It loses its place now; who took it may be told later, and is asked of this moment."""
        self.excused, self.homeless, self.left = self.spared(), homeless, moment

    def spared(self) -> bool:
        """It cannot be a victim any more: never bound, no workload, finished, or the case itself removes it."""
        if self.left is not None:
            return self.evicted or self.excused
        by_case = self.taken >= 0 or (self.incarnation is not None and self.incarnation.ended >= 0)
        rolled_back = (
            self.incarnation is not None and self.incarnation.quorum is not None and not self.incarnation.started
        )
        return self.evicted or not self.node or self.part == "placeholder" or self.terminal or by_case or rolled_back


@dataclass(slots=True, eq=False)
class Group:
    """An object that stands for a gang."""

    incarnation: Incarnation
    record: Record  # its latest
    gone: bool = False
    status: Any = None  # its phase and conditions
    refusal: str = ""  # the words in which it says that its gang has no room
    eviction: str = ""  # the words in which it says that its gang is evicted
    admits: bool = False  # it says that its gang was let in


class Removal(NamedTuple):
    """A program deleted a pod, or failed it."""

    request: Eviction  # if it is one
    program: str
    spared: bool  # the pod could be no victim then


class Eviction(NamedTuple):
    pos: int  # of the record in the history
    now: float
    pod: str
    uid: str
    incarnation: Incarnation | None
    how: str
