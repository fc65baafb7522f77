"""Does every bound pod go where it may? The incremental half of the constraints check.

A bind is judged by what was committed before it, and a scheduler decides by what it has seen, a moment earlier. So a
breach says until when the bind would have been right (`Breach.allowed`), and the check excuses what was right recently:

- A node that changed or came is also taken as it was before. A watch is ordered: a scheduler that has used a node knows
  every change of nodes that was committed before that node came. So what a marker showed it before a pod was created
  excuses no bind of that pod.
- A pod that another scheduler bound may be taken as not there, and one that ended as there still. The watch of pods is
  ordered, too: what happened before a pod was created is known to whoever binds it.
- A scheduler commits in any order what it has decided. So a demand for other pods (affinity, spread) that does not
  hold at the bind may be met by binds that follow it; `Unmet` keeps when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from math import inf
from typing import NamedTuple

from harness.core.history.constraints import NAME_LABEL
from harness.core.history.records import Record
from harness.core.oracle.allocations import Allocations
from harness.core.oracle.facts import Breach, Moment, Unmet, patience
from harness.core.oracle.incarnation import Pod
from harness.core.oracle.matching import UNSCHEDULABLE, Labels, clash
from harness.core.oracle.neighbours import Facts, View, demands, forbids, lonely, repelled, uneven
from harness.core.oracle.timeline import Timeline

Demand = Callable[[View], str]  # why it does not hold in this view


class _Change(NamedTuple):
    """A node was another one before this record; None: it was not there."""

    pos: int
    now: float
    name: str
    before: Facts | None


@dataclass(slots=True, eq=False)
class _Open:
    """A demand for other pods that is not met yet, and the views in which it may be."""

    pod: Pod
    unmet: Unmet
    demand: Demand
    views: list[View]

    def is_met(self) -> bool:
        return any(not self.demand(view) for view in self.views)


class Constraints:
    """Nodes and the pods on them after the latest record, as constraints see them."""

    __slots__ = (
        "_changes",
        "_ended",
        "_grace",
        "_line",
        "_namespaces",
        "_newest",
        "_nodes",
        "_open",
        "_relabelled",
        "_repelling",
        "_standing",
        "allocations",
    )

    def __init__(self, line: Timeline, grace: float) -> None:
        self._line = line
        self._grace = grace  # seconds in which a scheduler may not have learnt of a change
        self._nodes: dict[str, Facts] = {}
        self._changes: list[_Change] = []
        self._namespaces: dict[str, Labels] = {}
        self._standing: dict[str, Pod] = {}  # pods that occupy a node, by uid
        self._repelling: dict[str, Pod] = {}  # those of them with anti-affinity
        self._ended: list[Pod] = []
        self._newest: dict[str, int] = {}  # scheduler -> it knows nodes at least up to this record
        self._open: list[_Open] = []
        self.allocations = Allocations()
        self._relabelled = Moment(-1, -inf)  # when labels of a pod on a node changed last

    # -- what there is

    def node(self, record: Record, index: int, now: float) -> None:
        """The node is like this from now on, or gone."""
        before, state = self._nodes.get(record.name), record.state
        after = None
        if record.verb != "deleted":
            taints = (*(state.get("taints") or ()), *((UNSCHEDULABLE,) if state.get("unschedulable") else ()))
            after = Facts(index if before is None else before.came, state.get("labels") or {}, taints)
        if after == before:
            return
        self._changes.append(_Change(index, now, record.name, before))
        if after is None:
            del self._nodes[record.name]
        else:
            self._nodes[record.name] = after

    def namespace(self, record: Record) -> None:
        """The namespace has these labels; its own name is always one of them."""
        labels = record.state.get("labels") or {}
        self._namespaces[record.name] = {NAME_LABEL: record.name, **labels}

    def relabelled(self, moment: Moment) -> None:
        """Labels of a pod changed: who keeps whom off may have been otherwise a moment ago."""
        self._relabelled = moment

    def _relabelled_unseen(self, pod: Pod) -> float:
        return self._relabelled.now if self._relabelled.pos > pod.born else -inf

    def stand(self, pod: Pod, standing: bool, now: float) -> None:
        """The pod occupies its node from now on, or no longer."""
        if not standing:
            self.leave(pod, now)
            self._ended += [pod] if self._standing.pop(pod.uid, None) else []
            self._repelling.pop(pod.uid, None)
            return
        self._standing[pod.uid] = pod
        if demands(pod).get("apart"):
            self._repelling[pod.uid] = pod
        for waiting in [waiting for waiting in self._open if waiting.is_met()]:
            waiting.unmet.over = now
            self._open.remove(waiting)

    def leave(self, pod: Pod, now: float) -> None:
        """The pod is on its way out: what it demanded of others does not matter any more."""
        for waiting in [waiting for waiting in self._open if waiting.pod is pod]:
            waiting.unmet.over = now
            self._open.remove(waiting)

    # -- a bind

    def judge(self, pod: Pod, node: str, index: int, now: float) -> None:
        """The pod is bound to the node by this record: note what must not be."""
        if "constraints" not in pod.record.state or node not in self._nodes:
            return
        line = self._line
        line.constrained += 1
        self._newest[pod.scheduler] = max(self._newest.get(pod.scheduler, -1), self._nodes[node].came)
        unclaimed = self.allocations.missing(pod, node, self._nodes[node].labels, self._standing.values())
        for why, allowed in (*self._by_node(pod, node), *self._by_pods(pod, node), *unclaimed):
            line.breaches.append(Breach(index, now, pod.name, node, why, allowed))
        if demands(pod).get("near") or demands(pod).get("spread"):
            self._judge_demands(pod, node, index, now)

    def _judge_demands(self, pod: Pod, node: str, index: int, now: float) -> None:
        """Note what the pod asks of others and does not have; binds that follow may bring it."""
        current = View(dict(self._nodes), self._namespaces)
        for demand in self._demands(pod, node, now):
            if why := demand(current):
                former = list(self._former(pod.scheduler))
                allowed = next((until for until, view in former if not demand(view)), -inf)
                unmet = Unmet(Breach(index, now, pod.name, node, why, max(allowed, self._relabelled_unseen(pod))))
                self._line.unmet.append(unmet)
                recent = [view for until, view in former if self._is_recent(until, now)]
                self._open.append(_Open(pod, unmet, demand, [current, *recent]))

    def _by_node(self, pod: Pod, node: str) -> Iterator[tuple[str, float]]:
        """Why the node is none for the pod, and until when it was one."""
        if why := forbids(demands(pod), node, self._nodes[node]):
            former = (change for change in reversed(self._changes) if change.name == node)
            unseen = takewhile(lambda change: not self._line.knew(pod.scheduler, change.pos, pod.born), former)
            right = (c.now for c in unseen if c.before and not forbids(demands(pod), node, c.before))
            yield why, next(right, -inf)

    def _by_pods(self, pod: Pod, node: str) -> Iterator[tuple[str, float]]:
        """Why the pod must not be beside pods that are there, and until when they were not there for its scheduler."""
        ports, apart = demands(pod).get("ports") or (), demands(pod).get("apart")
        view = View(self._nodes, self._namespaces)
        for other in (self._standing if apart or ports else self._repelling).values():
            theirs = demands(other)
            why = ""
            if ports and other.node == node and (port := clash(ports, theirs.get("ports") or ())):
                why = f"the host port {port} is taken there by {other.name}"
            elif apart and (key := repelled(pod, node, other, other.node, view)):
                why = f"its anti-affinity keeps it off the {key} of {other.name}"
            elif theirs.get("apart") and (key := repelled(other, other.node, pod, node, view)):
                why = f"the anti-affinity of {other.name} keeps it off the same {key}"
            if why:
                yield why, max(other.came_unseen(pod), self._relabelled_unseen(pod))

    def _demands(self, pod: Pod, node: str, now: float) -> Iterator[Demand]:
        """What must hold with other pods. Those that are bound later may make it true, so each asks who stands then."""
        gone = list(takewhile(lambda other: self._ended_unseen(other, pod, now), reversed(self._ended)))
        leaving = [other for other in self._standing.values() if other.record.state.get("deleting")]
        neighbours = [
            o for o in self._standing.values() if o not in leaving and not self._is_recent(o.came_unseen(pod), now)
        ]

        def others() -> list[Pod]:
            return [*self._standing.values(), *gone]

        for term in demands(pod).get("near") or ():
            yield partial(lambda view, term: lonely(pod, node, term, others(), view), term=term)
        for spread in demands(pod).get("spread") or ():
            yield partial(lambda view, spread: uneven(pod, node, spread, neighbours, others(), view), spread=spread)

    # -- what a scheduler may not know

    def _former(self, scheduler: str) -> Iterator[tuple[float, View]]:
        """The nodes as they were before each change that this scheduler may not know, with its time, backwards."""
        nodes = dict(self._nodes)
        for change in reversed(self._changes):
            if change.pos <= self._newest[scheduler]:
                return
            if change.before is None:
                nodes.pop(change.name, None)
            else:
                nodes[change.name] = change.before
            yield change.now, View(dict(nodes), self._namespaces)

    def _ended_unseen(self, other: Pod, pod: Pod, now: float) -> bool:
        """Whether the pod's scheduler may not know yet that the other has ended."""
        return other.until is not None and other.until.pos > pod.born and self._is_recent(other.until.now, now)

    def _is_recent(self, then: float, now: float) -> bool:
        if then == -inf:
            return False
        return now <= then + self._grace or now <= patience(then, self._grace, self._line.spans())
