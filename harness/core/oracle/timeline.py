"""The state of a replay: the course of every gang, pod and node, and what happened to them.

These are plain values with small questions answered next to them (until when may this take when the scheduler was down,
which incarnation of the gang is meant). `harness.core.oracle.replay` fills them record by record, and everything here
may be read after any record: checks read it at the end of a history, a case reads it while it waits, a picture is drawn
from it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from harness.core.history.records import Record, gang_keys
from harness.core.oracle.facts import (
    Action,
    Breach,
    Down,
    Moment,
    Overflow,
    Promise,
    Spans,
    Stall,
    Start,
    Stray,
    Unmet,
    patience,
    stretched,
)
from harness.core.oracle.incarnation import Eviction, Incarnation, Pod, Removal
from harness.core.oracle.vocabulary import Vocabulary

Gap = tuple[str, float, float]  # kind ("" is every), and the times between which changes of it may be missing
THE_SCHEDULER = ("scheduler", "apiserver", "etcd")  # while one of these is down no scheduler can keep a promise


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
    markers: list[tuple[int, int, str]] = field(default_factory=list)  # bound at, created at, scheduler
    marker_nodes: set[str] = field(default_factory=set)  # nodes that are there for a marker alone
    stalls: list[Stall] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    unmet: list[Unmet] = field(default_factory=list)
    constrained: int = 0  # binds whose constraints were looked at
    refused_binds: list[Action] = field(default_factory=list)  # binds that the API server refused
    named_victims: list[Eviction] = field(default_factory=list)  # by a condition or an event
    removals: list[Removal] = field(default_factory=list)
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

    def was_bound(self, namespace: str, name: str) -> bool:
        """Whether the latest pod of that name was ever bound, though it may be gone by now."""
        pod = self.names.get((namespace, name))
        return pod is not None and bool(pod.placements)

    def has_no_node(self, pod: Pod) -> bool:
        """Whether the node of the pod was removed under it: it takes no room, and no kubelet is left to end it."""
        node = self.nodes.get(pod.node)
        return node is not None and any(trouble.why == "gone" and trouble.until == inf for trouble in node.troubles)

    def has_ended(self, namespace: str, name: str) -> bool:
        """Whether the pod of that name takes no room any more and never will, though its object may still be there."""
        pod = self.names.get((namespace, name))
        if pod is None or pod.gone:
            return True
        return bool(pod.record.state.get("deleting")) and (not pod.standing or self.has_no_node(pod))

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

    def knew(self, scheduler: str, change: int, index: int) -> bool:
        """Whether a marker shows that the scheduler had seen a change of nodes, record `change`, before record `index`.

        A marker is a pod that fits only a node which was created after the change. Watches of nodes are ordered, so
        the scheduler that binds it has seen what was before.
        """
        return any(created > change and bound < index and by == scheduler for bound, created, by in self.markers)

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

        A deletion is an eviction if a program did it that also makes binds, before or after. Requests are in order of
        time and changes in that of revisions, so the moment is the change that shows the deletion, where one does. The
        words are those of an event or a condition, where one names the pod as a victim.
        """
        victims = {eviction.uid: eviction for eviction in self.named_victims}
        for removal in self.removals:
            request, pod = removal.request, self.pods[removal.request.uid]
            pos, now = pod.left or Moment(request.pos, request.now)
            spared = pod.excused if pos > request.pos else removal.spared
            if not spared and (removal.program in self.binders or self.vocabulary.evicts(removal.program)):
                eviction = victims.setdefault(request.uid, request._replace(pos=pos, now=now))
                if pos < eviction.pos:
                    victims[request.uid] = eviction._replace(pos=pos, now=now)
        return sorted(victims.values(), key=lambda eviction: eviction.pos)

    @property
    def downs(self) -> list[Down]:
        """When processes were down; those that are down still are so until they were restarted, or for ever."""
        return [*self.past_downs, *self.open_downs.values()]

    def spans(self, incarnations: Iterable[Incarnation] = (), roles: tuple[str, ...] = THE_SCHEDULER) -> Spans:
        """When no progress could be asked for: processes down or starved, nodes taken, the gang changed by the case."""
        restarts = [(down.since, down.until) for down in self.downs if not roles or down.role in roles]
        restarts += [(time, time) for time in self.disturbances]
        restarts += [(time, time) for incarnation in incarnations for time in incarnation.disturbances]
        return Spans(sorted(restarts), sorted(self.stalls))


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
