"""The reference scheduler: a small gang scheduler that keeps every law, with one method for each decision.

It speaks to a real API server with real Bindings and keeps no state between two rounds: each round lists pods, nodes
and groups, decides, and acts. So it survives any restart, and a mutation overrides one decision (see `mutations/`). It
is slow and simple on purpose; it judges the suite, not other schedulers.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from harness.adapters.reference import LATE_MARK, NAME, READY
from harness.box.api import PATCH_STRATEGIC, Api, Object
from harness.core.errors import ApiError
from harness.core.gang import GPU
from harness.core.history.observe import pod_request
from harness.core.kinds import CONFIG_MAP, NODE, POD, Kind
from harness.mutation.scheduler.claims import Claims, read_claims
from harness.mutation.scheduler.filters import fits
from harness.mutation.scheduler.room import QUEUE, Room, carries, free_room, queue_of
from harness.mutation.scheduler.units import GANG, Unit, of_role, read_units

GROUP = CONFIG_MAP  # what stands for a gang here
BUDGET = Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets")
IDLE = 0.25  # seconds after which a round is made even if nothing changed
_LOOKING = frozenset(("affinity", "topologySpreadConstraints", "resourceClaims"))  # fields of pods that look at others

GRACE = 8.0  # seconds that a gang may stay below its quorum; a case needs one of them on a quiet machine

Placement = list[tuple[Object, str]]


class Reference:
    """Places gangs whole or not at all."""

    grace = GRACE

    def __init__(self, api: Api, wait_time: float | None = None) -> None:
        self.api = api
        self.wait_time = wait_time  # seconds that gangs wait which do not say how long; None: for ever
        self.changed = threading.Event()
        self.overdue: set[str] = set()  # units that were marked as out of time
        self.refusals: dict[str, str] = {}  # unit -> the last refusal that was written, so that it is written once
        self.broken: dict[str, float] = {}  # unit -> since when it is below its quorum

    def run(self) -> None:
        for resource in (POD, NODE, GROUP):
            threading.Thread(target=self._follow, args=(resource,), daemon=True).start()
        self.attend()
        print(READY, flush=True)
        while True:
            self.changed.wait(IDLE)
            self.changed.clear()
            self.attend()

    def attend(self) -> None:
        try:
            self.round()
        except ApiError as error:
            print(f"this round failed: {error}", flush=True)
            time.sleep(0.1)

    def round(self) -> None:
        """One look at everything, and what follows from it."""
        pods = self.api.list(POD)
        space = self.room(self.api.list(NODE), pods)
        units = self.units(pods, self.api.list(GROUP, labelSelector=GANG))
        self.dissolve(units)
        for unit in self.order(units):
            if unit.pending:
                self.attempt(unit, space, units)

    # -- decisions, each of which a mutation may override -------------------------------------------------------------

    def units(self, pods: list[Object], groups: list[Object]) -> list[Unit]:
        return read_units([pod for pod in pods if self.mine(pod)], groups)

    def mine(self, pod: Object) -> bool:
        return bool(pod["spec"].get("schedulerName") == NAME)

    def room(self, nodes: list[Object], pods: list[Object]) -> Room:
        return free_room(nodes, pods, self.api.list(GROUP, labelSelector=QUEUE), self.claims(pods))

    def claims(self, pods: list[Object]) -> Claims:
        """What there is of volumes and devices, if a pod that waits asks for any."""
        return read_claims(self.api, [pod for pod in pods if self.mine(pod)])

    def order(self, units: list[Unit]) -> list[Unit]:
        """By priority and age, surplus last; gangs before single pods of the same second: a fence comes after them."""
        return sorted(units, key=lambda u: (-u.priority, u.at_quorum, u.since, not u.is_gang, u.namespace, u.name))

    def dissolve(self, units: list[Unit]) -> None:
        """Evict gangs that ask for it and have been below their quorum for longer than the grace period."""
        broken = {
            u.key: u for u in units if "stale-eviction" in u.terms.get("style", "") and 0 < len(u.bound) < u.quorum
        }
        self.broken = {key: self.broken.get(key, time.monotonic()) for key in broken}
        for key, since in self.broken.items():
            if time.monotonic() - since > self.grace:
                for pod in broken[key].bound:
                    self.evict(pod, broken[key])

    def attempt(self, unit: Unit, space: Room, units: list[Unit]) -> None:
        late, style = self.late(unit), unit.terms.get("style", "")
        if late and "soft" not in style:
            return self.give_up(unit)
        missing = 0 if late and "soft" in style else self.missing(unit, units)
        if len(unit.pending) < missing:
            return self.refuse(unit, f"{len(unit.pending)} members are there, {missing} more are needed to start")
        if missing and not self.has_total(unit, space):
            return self.refuse(unit, f"{unit.terms['total']} GPUs are needed in total")
        placement = self.place(unit, space)
        if self.enough(unit, placement, missing):
            if self.together(unit, placement, space, units):
                return self.start(unit, placement, space)
            return self.refuse(unit, "the gangs that it starts with cannot start yet")
        if self.preempt(unit, space, units, missing) or self.consolidate(unit, space, units, missing):
            return self.refuse(unit, "waiting for victims to end")
        if "nonstrict" in style:
            self.hold(unit, placement, space)
        return self.refuse(unit, f"room for {len(placement)} members, {missing} are needed to start{self.hint(unit)}")

    def hint(self, unit: Unit) -> str:
        """What a refusal adds where not every placement was tried."""
        depends = any(not _LOOKING.isdisjoint(pod["spec"]) for pod in unit.pending)
        return "; members depend on each other, so a placement may exist that was not found" if depends else ""

    def late(self, unit: Unit) -> bool:
        return unit.is_late(self.wait_time)

    def missing(self, unit: Unit, units: list[Unit]) -> int:
        """How many members must be bound at once, for the gang to be at quorum or as its match policy says."""
        style = unit.terms.get("style", "")
        if "once-satisfied" in style and unit.bound:
            return 0
        return unit.quorum if "only-waiting" in style else max(0, unit.quorum - len(unit.bound))

    def enough(self, unit: Unit, placement: Placement, missing: int) -> bool:
        """Whether the gang may start with these members."""
        if len(placement) < max(1, missing):
            return False
        return not missing or unit.has_minima([pod for pod, _ in placement])

    def has_total(self, unit: Unit, space: Room) -> bool:
        """Whether there is as much room as the gang declares to need in total."""
        total = int(unit.terms.get("total", 0))
        return not total or sum(free.get(GPU, 0) for free in space.free.values()) >= 1000 * total

    def together(self, unit: Unit, placement: Placement, space: Room, units: list[Unit]) -> bool:
        """Whether every gang that starts with this one is there and has started, or can beside it."""
        awaited = set(unit.terms.get("together", "").split()) - {unit.key}
        trial = space.copy()
        for pod, node in placement:
            trial.take(pod, node)
        for other in [other for other in units if other.key in awaited]:
            theirs = self.place(other, trial)
            if len(other.bound) >= other.quorum or self.enough(other, theirs, self.missing(other, units)):
                awaited.remove(other.key)
            for pod, node in theirs:
                trial.take(pod, node)
        return not awaited

    def place(self, unit: Unit, space: Room) -> Placement:
        """A node for as many of the pending members as fit, within one domain if the gang or its role asks for one."""
        trial, placement = space.copy(), []
        for pods, bound, label in self.parts(unit):
            sets = trial.domains(label, bound) if label else self.domains(unit, trial)
            best: Placement = []
            for nodes in [order for domain in sets for order in self.turns(pods, domain)]:
                best = max(best, self.fill(pods, trial, nodes), key=len)
                if len(best) == len(pods):
                    break
            for pod, node in best:
                trial.take(pod, node)
            placement += best
        return placement

    def turns(self, pods: list[Object], nodes: list[str]) -> list[list[str]]:
        """The orders in which nodes are tried: where members look at each other, each node is the first once."""
        if all(_LOOKING.isdisjoint(pod["spec"]) for pod in pods):
            return [nodes]
        return [[*nodes[i:], *nodes[:i]] for i in range(len(nodes))]

    def parts(self, unit: Unit) -> list[tuple[list[Object], list[Object], str]]:
        """Members that share a domain, pending and bound, with its label: all of them, unless roles have their own."""
        roles = unit.role_topology.items()
        if not roles:
            return [(unit.pending, unit.bound, "")]
        return [(of_role(unit.pending, role), of_role(unit.bound, role), label) for role, label in roles]

    def domains(self, unit: Unit, space: Room) -> list[list[str]]:
        """The sets of nodes in which the gang may be; one that has begun stays where it is."""
        label = unit.terms.get("topology")
        return space.domains(label, unit.bound) if label else [sorted(space.nodes)]

    def fill(self, pods: list[Object], space: Room, nodes: list[str]) -> Placement:
        trial, placement = space.copy(), []
        for pod in sorted(pods, key=self.rank):
            name = next((name for name in nodes if self.fits(pod, name, trial)), None)
            if name is not None:
                trial.take(pod, name)
                placement.append((pod, name))
        return placement

    def rank(self, pod: Object) -> tuple[int, int]:
        """The order in which members are tried: by priority, then the largest first."""
        return -(pod["spec"].get("priority") or 0), -sum(pod_request(pod["spec"]).values())

    def fits(self, pod: Object, node: str, space: Room) -> bool:
        return fits(space, pod, node)

    def start(self, unit: Unit, placement: Placement, space: Room) -> None:
        self.refusals.pop(unit.key, None)
        for pod, node in placement:
            space.take(pod, node)
        for pod, node in placement:
            self.give(pod, space)
            if unit.is_gang:
                self.nominate(pod, node)
        for pod, node in placement:
            self.try_to_bind(pod, node)

    def nominate(self, pod: Object, node: str) -> None:
        self._status(pod, {"nominatedNodeName": node})

    def give(self, pod: Object, space: Room) -> None:
        """Give the pod the volumes and devices that were chosen for it."""
        space.claims.give(self.api, pod)

    def hold(self, unit: Unit, placement: Placement, space: Room) -> None:
        """Keep others off the places of a gang that is not strict."""
        for pod, node in placement:
            space.take(pod, node)

    def preempt(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        """Evict pods of lower priority if, and only if, the gang then fits. Whether anything was evicted."""
        if any(pod["spec"].get("preemptionPolicy") == "Never" for pod in unit.pending):
            return False
        trial, victims = space.copy(), []
        for pod in space.leaving:
            trial.take(pod, pod["spec"]["nodeName"], +1)
        if self.enough(unit, placement := self.place(unit, trial), missing):
            self.keep(placement, space)
            return True  # enough are on their way out already
        for chunk in [*self.victims(unit, units), *self.borrowers(unit, space, units)]:
            for pod in chunk:
                if pod["spec"]["nodeName"] in trial.free:
                    trial.take(pod, pod["spec"]["nodeName"], +1)
            victims += chunk
            if self.enough(unit, placement := self.place(unit, trial), missing):
                for victim in victims:
                    self.evict(victim, unit)
                self.keep(placement, space)
                return True
        return False

    def keep(self, placement: Placement, space: Room) -> None:
        """Keep others, such as victims that come back, off the places that the unit waits for."""
        for pod, node in placement:
            space.take(pod, node)

    def consolidate(self, unit: Unit, space: Room, units: list[Unit], missing: int) -> bool:
        """Move single pods that come back by themselves if the gang then fits, and they too. Whether any was moved."""
        trial, moved = space.copy(), []
        for pod in self.movable(units):
            trial.take(pod, pod["spec"]["nodeName"], +1)
            moved.append(pod)
            placement, after = self.place(unit, trial), trial.copy()
            for member, node in placement:
                after.take(member, node)
            if self.enough(unit, placement, missing) and len(self.fill(moved, after, sorted(after.nodes))) == len(
                moved
            ):
                for victim in moved:
                    self.evict(victim, unit)
                return True
        return False

    def movable(self, units: list[Unit]) -> list[Object]:
        """Running pods of no gang that their owner makes again."""
        return [
            pod for unit in units if not unit.is_gang for pod in unit.bound if pod["metadata"].get("ownerReferences")
        ]

    def victims(self, unit: Unit, units: list[Unit]) -> list[list[Object]]:
        """Who may be evicted for the unit, in turn: unguarded pods of low priority first, surplus before a quorum."""
        guarded = self.guarded()
        chunks: list[tuple[bool, int, bool, list[Object]]] = []
        for other in units:
            if other.bound and other.priority < unit.priority:
                rank, spare = (_guards(guarded, other.bound), other.priority), other.surplus
                core = [pod for pod in other.bound if pod not in spare]
                parts = [[*spare, *core]] if other.whole else [[pod] for pod in (*spare, *core)]
                chunks += [(*rank, any(pod in core for pod in part), part) for part in parts]
        return [chunk for *_, chunk in sorted(chunks, key=lambda entry: entry[:3])]

    def borrowers(self, unit: Unit, space: Room, units: list[Unit]) -> list[list[Object]]:
        """Gangs that use more than the share of their queue, to be taken for one that stays within its own."""
        queue = queue_of(unit.pending[0])
        asked: dict[str, int] = {}
        for pod in unit.pending:
            for resource, amount in pod_request(pod["spec"]).items():
                asked[resource] = asked.get(resource, 0) + amount
        share = space.queues.get(queue, {})
        if not space.cohorts.get(queue) or any(asked.get(resource, 0) > left for resource, left in share.items()):
            return []
        over = {name for name, left in space.queues.items() if min(left.values(), default=0) < 0}
        same = {name for name, cohort in space.cohorts.items() if cohort == space.cohorts[queue]}
        return [list(other.bound) for other in units if other.bound and queue_of(other.bound[0]) in over & same]

    def guarded(self) -> list[tuple[str, dict[str, str]]]:
        """Namespace and labels of the pods that a disruption budget protects at the moment."""
        budgets = self.api.list(BUDGET)
        full = [budget for budget in budgets if not (budget.get("status") or {}).get("disruptionsAllowed")]
        return [(spent["metadata"]["namespace"], spent["spec"]["selector"].get("matchLabels") or {}) for spent in full]

    # -- what the API server sees -------------------------------------------------------------------------------------

    def try_to_bind(self, pod: Object, node: str) -> None:
        """Bind the pod; one whose bind is refused waits for the next round, and the others of its gang do not."""
        try:
            self.bind(pod, node)
        except ApiError as error:
            if error.status not in (400, 403, 422):
                raise
            print(f"{pod['metadata']['name']} was not bound: {error}", flush=True)

    def bind(self, pod: Object, node: str) -> None:
        meta = pod["metadata"]
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": meta["name"], "uid": meta["uid"]},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        self.api.request("POST", f"{POD.path(meta['namespace'], meta['name'])}/binding", binding)

    def evict(self, pod: Object, unit: Unit) -> None:
        meta = pod["metadata"]
        self._condition(pod, "DisruptionTarget", "True", "PreemptionByScheduler", f"preempted by {unit.key}")
        self.api.delete(POD, meta["namespace"], meta["name"], grace=0)

    def refuse(self, unit: Unit, message: str) -> None:
        if self.refusals.get(unit.key) == message:
            return
        self.refusals[unit.key] = message
        for pod in unit.pending:
            self._condition(pod, "PodScheduled", "False", "Unschedulable", message)

    def give_up(self, unit: Unit) -> None:
        """Mark a gang whose time is over; a strict one fails for good."""
        if unit.key not in self.overdue:
            self.overdue.add(unit.key)
            self.mark(unit)
        if "nonstrict" in unit.terms.get("style", ""):
            return self.refuse(unit, "its time is over")
        return self.fail(unit)

    def mark(self, unit: Unit) -> None:
        for pod in unit.pending:
            change = {"metadata": {"annotations": dict([LATE_MARK])}}
            self.api.patch(POD, pod["metadata"]["namespace"], pod["metadata"]["name"], change)

    def fail(self, unit: Unit) -> None:
        for pod in unit.pending:
            self._status(pod, {"phase": "Failed", "reason": "OutOfTime"})

    def _condition(self, pod: Object, kind: str, status: str, reason: str, message: str) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        condition = {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": now}
        self._status(pod, {"conditions": [condition]})

    def _status(self, pod: Object, status: dict[str, Any]) -> None:
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        try:
            self.api.patch(POD, namespace, name, {"status": status}, subresource="status", content_type=PATCH_STRATEGIC)
        except ApiError as error:
            if error.status != 404:
                raise

    def _follow(self, resource: Kind) -> None:
        while True:
            try:
                for _ in self.api.watch(resource, "0"):
                    self.changed.set()
            except Exception as error:  # the scheduler must outlive every fault that a case injects
                print(f"watch of {resource.plural}: {error}", flush=True)
                time.sleep(0.1)


def _guards(guarded: list[tuple[str, dict[str, str]]], pods: list[Object]) -> bool:
    pairs = [(pod, home, labels) for pod in pods for home, labels in guarded]
    return any(pod["metadata"]["namespace"] == home and carries(pod, labels) for pod, home, labels in pairs)
