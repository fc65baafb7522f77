"""The state of a replay: the course of every gang, pod and node, and what happened to them.

These are plain values with small questions answered next to them (until when may this take when the scheduler was down,
which incarnation of the gang is meant). `harness.core.oracle.replay` fills them record by record, and everything here
may be read after any record: checks read it at the end of a history, a case reads it while it waits, a picture is drawn
from it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from harness.core.gang import Gang
from harness.core.history.records import Record, gang_keys
from harness.core.oracle.vocabulary import Vocabulary

Spans = list[tuple[float, float]]
Gap = tuple[str, float, float]  # kind ("" is every), and the times between which changes of it may be missing
THE_SCHEDULER = ("scheduler", "apiserver", "etcd")  # while one of these is down no scheduler can keep a promise


class Moment(NamedTuple):
    """A place in a history."""

    pos: int  # of the record
    now: float  # the latest time up to it


class Step(NamedTuple):
    """A gang's counters from this record on."""

    pos: int  # of the record in the history
    now: float
    placed: int  # members that are bound and neither deleted, deleting nor failed; finished ones count
    full: bool  # quorum is placed, and every role's minimum
    held: int  # pods, placeholders too, that occupy a node and are not going away
    gpus: float  # what those occupy
    standing: int  # as `held`, with those that are going away
    left: int  # objects that exist: members, placeholders, groups


class Bind(NamedTuple):
    pos: int  # of the record in the history
    now: float
    pod: str
    node: str


class Start(NamedTuple):
    """A gang reached quorum or a pod of no gang was bound, having waited since record `since`."""

    pos: int  # of the record in the history
    now: float
    since: int
    name: str


class Overflow(NamedTuple):
    pos: int  # of the record in the history
    now: float
    pod: str
    node: str
    resource: str
    used: int
    room: int
    allowed: float  # until when there was room; minus infinity: never


class Stray(NamedTuple):
    """A bind to a node that had been removed."""

    pos: int  # of the record in the history
    now: float
    pod: str
    node: str
    removed: Moment
    is_informed: bool  # a marker shows that the scheduler had seen the removal
    gang: str  # of the pod; empty if it has none
    is_evidence: bool  # the pod is a fence or a marker, which nothing but its bind is asked of


class Stall(NamedTuple):
    """muster, or the API server with its store, did not run between these times, or a watch was broken."""

    since: float
    until: float
    who: str


class Breach(NamedTuple):
    """A bind that a hard constraint forbids."""

    pos: int  # of the record in the history
    now: float
    pod: str
    node: str
    why: str
    allowed: float  # until when it would have been right; minus infinity: never


@dataclass(slots=True, eq=False)
class Unmet:
    """A demand for other pods that did not hold at the bind."""

    breach: Breach
    over: float = inf  # when later binds met it, or the pod itself was taken back


class Refusal(NamedTuple):
    """What a scheduler wrote of a gang that it did not place."""

    pos: int  # of the record in the history
    now: float
    born: int  # the record in which the pod that it is about was first seen; -1: it is about no pod
    sentence: str
    reason: str
    message: str = ""
    of_all: bool = False  # it is about all members, those too that are not there yet


class Down(NamedTuple):
    """A process did not run between these times."""

    since: float
    until: float
    role: str
    process: str
    verb: str  # of the action that began it: kill, pause or restart


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
    roles: dict[str, int] = field(default_factory=dict)  # placed members of each role
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
        if self.quorum is None or self.placed < self.quorum:
            return False
        roles = self.gang.roles if self.gang is not None else ()
        return all(self.roles.get(role.name, 0) >= role.minimum for role in roles)

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

    def step(self, index: int, now: float) -> bool:
        """Write the counters down; True if quorum is reached with this record."""
        before = bool(self.steps) and self.steps[-1].full
        full = self.full
        self.steps.append(Step(index, now, self.placed, full, self.held, self.gpus, self.standing, self.left))
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
        """Where a queue lets gangs in before they are placed: the record with which all of its members could be placed.

        -1 if it had not been let in at record `index`, infinite if a member was still held back. While a case runs the
        watch of groups may lag behind that of pods, so revisions say what was first.
        """
        place = bisect_right(self.admissions, index, key=lambda admission: admission[0])
        if not place or not self.admissions[place - 1][1]:
            return -1
        since, _, revision = self.admissions[place - 1]
        free = []
        for pod in (pod for pod in self.pods if pod.born <= index):
            pos, opened = pod.opened(index)
            if opened > revision or (pod.born > since and not pod.gone):
                free.append(float(max(pod.born, pos)))
            elif not pod.gone:
                free.append(inf)
        return max(free, default=inf)

    def evident(self, index: int) -> Refusal | None:
        """The first refusal by a scheduler that, when it wrote, knew the whole gang as it was created up to `index`.

        A scheduler learns of pods in the order of their creation, and what it writes down it may have decided some
        time ago. So it must write of the member that came last, or of a pod that came later still: what it writes of
        another may be about a part of the gang, and it may well place the whole a moment later. A queue may hold back a
        gang before it has any pod: what its object then says is about all of it, until the case creates more.
        """
        if self.held_back is not None and not any(self.held_back.pos < pos <= index for pos, _ in self.later):
            return self.held_back
        place = bisect_left(self._newest, self.whole(index))
        return self.refusals[place] if place < len(self.refusals) else None

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
    placed: bool = False
    held: bool = False
    standing: bool = False
    gone: bool = False
    terminal: bool = False
    evicted: bool = False  # an event or a condition names it as a victim
    taken: int = -1  # the record in which the case deleted it
    refusal: str = ""  # why the scheduler says it is not placed
    gates: int = 0
    openings: tuple[tuple[int, int], ...] = ()  # records in which a gate of it was removed, with their revisions
    since: Moment | None = None  # it occupies its node from here
    until: Moment | None = None  # to here
    placements: tuple[int, ...] = ()  # the records with which it was placed and, in turn, was not any more
    end: str = ""  # how that ended: deleted, succeeded, failed
    status: Any = None  # its PodScheduled condition
    containers: dict[str, Moment] | None = None  # record that first shows each as started, and its start time

    @property
    def gang(self) -> str:
        """The key of its gang; "" if it has none."""
        return self.incarnation.key if self.incarnation is not None else ""

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

    def spared(self) -> bool:
        """It cannot be a victim any more: never bound, no workload, finished, or the case itself removes it."""
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


@dataclass(slots=True, eq=False)
class NodeSpan:
    """A node was gone, unready or cordoned between these times."""

    why: str
    since: float
    until: float = inf


@dataclass(slots=True, eq=False)
class Node:
    """A node from its first record on."""

    name: str
    since: Moment
    gpus: float = 0.0  # the most that it ever had
    ready: bool = False  # it was ready at least once
    troubles: list[NodeSpan] = field(default_factory=list)

    def trouble(self, why: str, holds: bool, now: float) -> None:
        """The node is in this trouble from now on, or no longer."""
        last = next((span for span in reversed(self.troubles) if span.why == why and span.until == inf), None)
        if holds and last is None:
            self.troubles.append(NodeSpan(why, now))
        elif not holds and last is not None:
            last.until = now


class Eviction(NamedTuple):
    pos: int  # of the record in the history
    now: float
    pod: str
    uid: str
    incarnation: Incarnation | None
    how: str


class Action(NamedTuple):
    """What the case did, or an answer of the API server."""

    pos: int  # of the record in the history
    now: float
    record: Record


class Promise(NamedTuple):
    """An `expect` of the case."""

    pos: int  # of the record in the history
    now: float
    record: Record

    @property
    def what(self) -> str:
        return str(self.record.state.get("what", ""))

    @property
    def gangs(self) -> tuple[str, ...]:
        return gang_keys(self.record)

    def within(self, default: float) -> float:
        seconds = self.record.state.get("within")
        return default if seconds is None else float(seconds)


@dataclass(slots=True, eq=False)
class Timeline:
    """Everything that a replay knows after the records it was fed."""

    vocabulary: Vocabulary
    incarnations: dict[str, list[Incarnation]] = field(default_factory=dict)
    pods: dict[str, Pod] = field(default_factory=dict)  # by uid, also those that are gone
    names: dict[tuple[str, str], Pod] = field(default_factory=dict)  # the latest pod of a namespace and name
    nodes: dict[str, Node] = field(default_factory=dict)  # also those that are gone
    kinds: set[str] = field(default_factory=set)  # of group objects
    actions: list[Action] = field(default_factory=list)
    promises: list[Promise] = field(default_factory=list)
    lifts: list[Action] = field(default_factory=list)
    claims: list[tuple[int, Record]] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    fences: list[tuple[int, int, str, str]] = field(default_factory=list)  # bound at, created at, scheduler, pod
    overflows: list[Overflow] = field(default_factory=list)
    unseen: dict[str, int] = field(default_factory=dict)  # nodes that pods were bound to and no record shows
    loads: int = 0  # binds whose node was looked at
    strays: list[Stray] = field(default_factory=list)
    markers: list[tuple[int, int]] = field(default_factory=list)  # bound at, created at
    marker_nodes: set[str] = field(default_factory=set)  # nodes that are there for a marker alone
    stalls: list[Stall] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    unmet: list[Unmet] = field(default_factory=list)
    constrained: int = 0  # binds whose constraints were looked at
    refused_binds: list[Action] = field(default_factory=list)  # binds that the API server refused
    named_victims: list[Eviction] = field(default_factory=list)  # by a condition or an event
    removals: list[tuple[Eviction, str]] = field(default_factory=list)  # deletions of pods, with the program
    binders: set[str] = field(default_factory=set)  # programs that made binds
    disturbances: list[float] = field(default_factory=list)  # times at which the case took nodes away
    past_downs: list[Down] = field(default_factory=list)
    open_downs: dict[str, Down] = field(default_factory=dict)  # process -> since when it is down
    crashes: list[Action] = field(default_factory=list)  # programs of the integration that ended by themselves
    lost: list[Action] = field(default_factory=list)  # gaps, and accepted binds that no watch showed
    last_change: int = -1  # the last record in which the case changed what a scheduler decides by
    last_promise: dict[str, int] = field(default_factory=dict)  # gang -> the last record that promises something of it
    last: int = -1  # the last record
    begin: float = 0.0
    end: float = 0.0

    def incarnation(self, key: str, index: int) -> Incarnation | None:
        """The incarnation of the gang that is meant at record `index`: the current one, else the next."""
        incarnations = self.incarnations.get(key, [])
        return next(
            (incarnation for incarnation in reversed(incarnations) if incarnation.begun <= index),
            incarnations[0] if incarnations else None,
        )

    def node_of(self, namespace: str, name: str) -> str:
        """The node of the pod of that name; empty if there is no such pod, or if it has none."""
        pod = self.names.get((namespace, name))
        return pod.node if pod is not None and not pod.gone else ""

    def has_no_node(self, pod: Pod) -> bool:
        """Whether the node of the pod was removed under it: it takes no room, and no kubelet is left to end it."""
        node = self.nodes.get(pod.node)
        return node is not None and any(trouble.why == "gone" and trouble.until == inf for trouble in node.troubles)

    def is_refused(self, namespace: str, name: str) -> bool:
        """Whether the scheduler says of the pod of that name that it was not placed."""
        pod = self.names.get((namespace, name))
        return pod is not None and bool(pod.refusal) and not pod.gone

    def promised(self, *what: str) -> list[Promise]:
        return [promise for promise in self.promises if promise.what in what]

    def lifted(self, promise: Promise, key: str) -> tuple[float, float]:
        """Record and time at which the promise to this gang ended: lifted, or the gang deleted; infinite if never."""
        incarnation = self.incarnation(key, promise.pos)
        ended = (
            (incarnation.ended, incarnation.ended_at)
            if incarnation is not None and incarnation.ended >= 0
            else (inf, inf)
        )
        for lift in self.lifts:
            if lift.pos > promise.pos and (not lift.record.state.get("gangs") or key in gang_keys(lift.record)):
                return min(ended, (lift.pos, lift.now))
        return ended

    def knew(self, change: int, bind: int) -> bool:
        """Whether a marker shows that the scheduler had seen a change of nodes, record `change`, before record `bind`.

        A marker is a pod that fits only a node which was created after the change. Watches of nodes are ordered, so
        the scheduler that binds it has seen what was before.
        """
        return any(created > change and bound < bind for bound, created in self.markers)

    def due(self, promise: Promise, default: float) -> float:
        """Until when the promise must be kept; time in which muster or the API server stood still does not count."""
        return stretched(promise.now, promise.within(default), self.stalls)

    def excused(self, stray: Stray, grace: float) -> bool:
        """Whether the scheduler may not have known that the node of this bind was gone."""
        return not stray.is_informed and stray.now <= patience(stray.removed.now, grace, self.spans())

    def unpromised_change(self, key: str) -> int | None:
        """The last change that the case made, if it has promised nothing of this gang since; None if it has."""
        return self.last_change if self.last_change > self.last_promise.get(key, -1) else None

    @property
    def evictions(self) -> list[Eviction]:
        """The victims of the scheduler, in order; each pod once.

        A deletion is an eviction if a program did it that also makes binds, before or after, and if no event or
        condition names the pod as a victim.
        """
        if not self.removals:
            return self.named_victims
        named = {eviction.uid for eviction in self.named_victims}
        removed: dict[str, Eviction] = {}
        for eviction, program in self.removals:
            if eviction.uid not in named and (program in self.binders or self.vocabulary.evicts(program)):
                removed.setdefault(eviction.uid, eviction)
        return sorted((*self.named_victims, *removed.values()), key=lambda eviction: eviction.pos)

    @property
    def downs(self) -> list[Down]:
        """When processes were down; those that are down still are so until they were restarted, or for ever."""
        return [*self.past_downs, *self.open_downs.values()]

    def spans(self, incarnations: Iterable[Incarnation] = (), roles: tuple[str, ...] = THE_SCHEDULER) -> Spans:
        """When no progress could be asked for: processes down or starved, nodes taken, the gang changed by the case."""
        spans = [(down.since, down.until) for down in self.downs if not roles or down.role in roles]
        spans += [(stall.since, stall.until) for stall in self.stalls]
        spans += [(time, time) for time in self.disturbances]
        spans += [(time, time) for incarnation in incarnations for time in incarnation.disturbances]
        return sorted(spans)


def gap_spans(records: Sequence[Record], lost: Sequence[Action]) -> list[Gap]:
    """The times between which changes may be missing, from the revisions that gap records name."""
    if not lost:
        return []
    revisions, clock, now = [], [], 0.0
    for record in records:
        now = max(now, record.at)
        if record.rev is not None:
            revisions.append(record.rev)
            clock.append(now)
    gaps: list[Gap] = []
    for action in lost:
        kind, state = action.record.kind, action.record.state
        if action.record.source == "audit":  # an accepted bind that the watch never showed: nothing after it is sure
            gaps.append(("Pod", action.now, inf))
            continue
        first = bisect_right(revisions, state.get("from") or 0) - 1
        last = bisect_left(revisions, state["to"]) if state.get("to") else len(revisions)
        gaps.append((kind, clock[first] if first >= 0 else -inf, clock[last] if last < len(revisions) else inf))
    return gaps


def patience(since: float, allowed: float, spans: Spans) -> float:
    """Until when something begun at `since` may take: the time allowed, anew after each span it falls into."""
    until = since + allowed
    for start, stop in spans:
        if stop >= since and start <= until:
            until = max(until, stop + allowed)
    return until


def stretched(since: float, allowed: float, stalls: Iterable[Stall]) -> float:
    """Until when something begun at `since` may take: the time allowed, without the times in which all stood still."""
    until, counted = since + allowed, since
    for stall in sorted(stalls):
        begin, end = max(stall.since, counted), stall.until
        if begin < until and end > begin:
            until += end - begin
            counted = end
    return until


def details(promise: Promise, name: str, default: Any = None) -> Any:
    """A detail of the promise."""
    return promise.record.state.get(name, default)
