"""The one reader of histories: fed record by record, it keeps the state that everybody else asks.

What is a member, bound, refused, evicted, at quorum is decided here and nowhere else. Checks judge the state after the
last record, a case waits on the state of the records that have arrived, a witness is the state at one record, and a
picture is drawn from it. So feeding is cheap (counters, never a second look at earlier records), and nothing waits for
an end of the history: after every record the state is what a replay of just these records gives.

Time along a timeline never goes back: `now` is the latest `at` so far, since records in revision order may carry times
a few milliseconds out of order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import Any

from harness.core.deadlines import seconds
from harness.core.gang import gang_from_record, gpus_of
from harness.core.history.records import MARKER, PLAIN_KINDS, History, Record, gang_key, gang_keys, pod_key
from harness.core.oracle.capacity import Capacity
from harness.core.oracle.constraints import Constraints
from harness.core.oracle.facts import Action, Bind, Down, Moment, Promise, Refusal, Stall, Start
from harness.core.oracle.incarnation import Container, Eviction, Group, Incarnation, Pod, Removal
from harness.core.oracle.timeline import Node, Timeline
from harness.core.oracle.vocabulary import vocabulary_of

_TERMINAL = ("Succeeded", "Failed")
_PROCESS = ("kill", "pause", "restart", "resume", "ready")
_DISTURBANCES = ("node-remove", "node-change")
_CHANGES = frozenset(("node-add", "node-remove", "node-change", "create", "edit", "delete", "resume", "ready"))
_TRIED = frozenset(("condition", "nominated"))  # what changes in a pod that the scheduler tries to place
GroupStatus = tuple[str, Mapping[str, Any]]  # phase and conditions
_ACCEPTED = 400  # HTTP status codes below mean that it happened


class Replay:
    """Feed it the records of one history in order; `timeline` is the state so far."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.timeline = Timeline(vocabulary_of(header))
        self._capacity = Capacity(self.timeline)
        self._constraints = Constraints(self.timeline, seconds(header, "window"))
        self._now, self._index = 0.0, -1
        self._pods = self.timeline.pods
        self._groups: dict[str, Group] = {}  # those that exist
        self._victim_conditions = frozenset(self.timeline.vocabulary.victim_conditions)
        self._fences: set[tuple[str, str]] = set()
        self._subjects: dict[str, Pod | None] = {}  # of events: the pod that had the name when the event appeared
        self._kinds: dict[str, Callable[[Record], None]] = {
            "Pod": self._pod,
            "Node": self._node,
            "Event": self._event,
            "Namespace": self._constraints.namespace,
            "PersistentVolume": self._constraints.allocations.volume,
            "PersistentVolumeClaim": self._constraints.allocations.volume_claim,
            "ResourceClaim": self._constraints.allocations.resource_claim,
        }

    def feed(self, record: Record) -> None:
        """Take the next record into the state."""
        line = self.timeline
        self._index = line.last = self._index + 1
        if record.at > self._now:
            if not self._now:
                line.begin = record.at
            self._now = line.end = record.at
        source = record.source
        if source == "watch":
            reader = self._kinds.get(record.kind)
            if reader is not None:
                reader(record)
            elif record.kind not in PLAIN_KINDS:
                line.kinds.add(record.kind)
                self._group(record)
        elif source == "action":
            self._action(record)
        elif source == "audit":
            self._audit(record)
        else:
            line.lost.append(Action(self._index, self._now, record))
            line.kinds |= {record.kind} - PLAIN_KINDS - {""}

    # -- what the API server committed

    def _pod(self, record: Record) -> None:
        state = record.state
        pod = self._pods.get(record.uid) or self._pods.get(pod_key(record)) or self._first_seen(record)
        if pod.standing and state.get("labels") != pod.record.state.get("labels"):
            self._constraints.relabelled(Moment(self._index, self._now))
        pod.record = record
        gone = record.verb == "deleted"
        node = state.get("node", "")
        if (gates := state.get("gates", 0)) != pod.gates:
            pod.openings += ((self._index, record.rev or 0),) if gates < pod.gates else ()
            pod.gates = gates
        phase = state.get("phase", "")
        if phase == "Failed" and not pod.terminal and (who := state.get("failed_by")):
            self._remove(pod, f"failed by {who}", who)
        pod.phase, pod.terminal = phase, phase in _TERMINAL
        standing = bool(node) and not gone and not pod.terminal
        held = standing and not state.get("deleting", False)
        placed = held or (bool(node) and phase == "Succeeded")
        request = state.get("request") or {}
        newly = bool(node) and not pod.node
        if standing != pod.standing or (standing and request != pod.request):
            self._capacity.load(pod, node or pod.node, standing, request)
            self._resize(pod, request)
        if newly:
            self._bound(pod, record, node, standing)
        pod.node = node or pod.node
        if placed != pod.placed or standing != pod.standing or held != pod.held or gone != pod.gone:
            self._count(pod, placed, standing, held, gone)
        if conditions := state.get("conditions"):
            self._conditions(pod, conditions)
        running = state.get("running")
        if running or pod.containers:
            self._containers(pod, running or {}, state.get("exited") or {})
        if not node:
            pod.nominated = state.get("nominated") or pod.nominated
            if pod.incarnation is not None and not _TRIED.isdisjoint(record.changed):
                pod.incarnation.tried = self._index

    def _first_seen(self, record: Record) -> Pod:
        """A new pod; it belongs to the incarnation that its gang has now."""
        state = record.state
        name = (record.namespace, record.name)
        part = "fence" if name in self._fences else state.get("part", "plain")
        of_gang = part in ("member", "placeholder") and "gang" in state
        incarnation = self._incarnation(state["gang"]) if of_gang else None
        request = state.get("request") or {}
        pod = Pod(
            gang_key(*name),
            pod_key(record),
            part,
            state.get("role", ""),
            incarnation,
            self._index,
            request,
            gpus_of(request),
            state.get("scheduler", ""),
            record,
        )
        self.timeline.pods[pod.uid] = self.timeline.names[name] = pod
        if incarnation is not None:
            incarnation.left += 1
            incarnation.pods.append(pod)
            incarnation.arrivals += [self._index] if part == "member" else []
            incarnation.schedulers.add(pod.scheduler)
            incarnation.step(self._index, self._now)
        return pod

    def _count(self, pod: Pod, placed: bool, standing: bool, held: bool, gone: bool) -> None:
        """Bring the counters of the pod's gang up to date and write the step down."""
        incarnation = pod.incarnation
        if gone and not pod.gone:
            pod.deleted = self._index
        if pod.held and not held:
            pod.leave(Moment(self._index, self._now), self.timeline.has_no_node(pod))
        if incarnation is not None:
            if pod.part == "member" and placed != pod.placed:
                incarnation.place(pod.role, 1 if placed else -1)
            if held != pod.held:
                incarnation.held += 1 if held else -1
                incarnation.gpus += pod.gpus if held else -pod.gpus
            incarnation.standing += standing - pod.standing
            if pod.part == "member" and standing != pod.standing:
                incarnation.stand(pod.role, 1 if standing else -1)
            incarnation.left += pod.gone - gone
            self._step(incarnation)
        if standing and not pod.standing:
            pod.since = Moment(self._index, self._now)
        elif pod.standing and not standing:
            pod.until = Moment(self._index, self._now)
            pod.end = "deleted" if gone else str(pod.record.state.get("phase", "")).lower()
        if standing != pod.standing:
            self._constraints.stand(pod, standing, self._now)
        elif pod.held and not held:
            self._constraints.leave(pod, self._now)
        if placed != pod.placed:
            pod.placements += (self._index,)
        pod.placed, pod.held, pod.standing, pod.gone = placed, held, standing, gone

    def _step(self, incarnation: Incarnation) -> None:
        """Write the counters of the gang down, and that it has started, if it has with this record."""
        waited = incarnation.pending
        if incarnation.step(self._index, self._now) and incarnation.ended < 0:
            self.timeline.starts.append(Start(self._index, self._now, waited, f"gang {incarnation.key}"))

    def _resize(self, pod: Pod, request: Mapping[str, int]) -> None:
        gpus = gpus_of(request)
        if pod.held and pod.incarnation is not None:
            pod.incarnation.gpus += gpus - pod.gpus
        pod.request, pod.gpus = request, gpus

    def _bound(self, pod: Pod, record: Record, node: str, standing: bool) -> None:
        line = self.timeline
        if record.by:
            line.binders.add(program(record.by))
        if standing and pod.born != self._index:  # else nobody was seen to decide it: it was there, or made there
            self._capacity.judge(pod, node, self._index, self._now)
            self._constraints.judge(pod, node, self._index, self._now)
        if pod.incarnation is not None:
            if pod.part == "member":
                pod.incarnation.binds.append(Bind(self._index, self._now, pod.name, node))
                if pod.incarnation.full and pod.incarnation.ended < 0:  # it joins a gang that runs
                    line.starts.append(Start(self._index, self._now, pod.born, f"member {pod.name}"))
        elif pod.part == "fence":
            line.fences.append((self._index, pod.born, pod.scheduler, pod.name))
        elif pod.part == MARKER:
            line.markers.append((self._index, pod.born, pod.scheduler))
        else:
            line.starts.append(Start(self._index, self._now, pod.born, f"pod {pod.name}"))

    def _conditions(self, pod: Pod, conditions: Mapping[str, Any]) -> None:
        status: Sequence[str] | None = conditions.get("PodScheduled")
        if status != pod.status:  # what is merely repeated is no new evidence
            pod.status = status
            pod.refusal = self.timeline.vocabulary.refusal_of_pod(conditions)
            if pod.refusal and pod.incarnation is not None and not pod.node:
                sentence = f"pod {pod.name} has PodScheduled=False ({pod.refusal})"
                self._refuse(pod.incarnation, pod.born, sentence, pod.refusal, (*(status or ()), "", "")[2])
        if self._victim_conditions.isdisjoint(conditions):
            return
        how = self.timeline.vocabulary.eviction_of_pod(conditions)
        if how and not pod.disruption and pod.born != self._index:  # what only stands there names nobody
            self._evict(pod, f"condition {how}")
        pod.disruption = how

    def _containers(self, pod: Pod, begun: Mapping[str, float], exited: Mapping[str, int]) -> None:
        """Take in which containers have begun, those that have ended since among them, and which have ended."""
        if pod.containers is None:
            pod.containers = {}
        for name, began in begun.items():
            if name not in pod.containers:
                pod.containers[name] = Container(self._index, began, False)
        for name, container in pod.containers.items():
            container.runs = name in begun and name not in exited

    def _node(self, record: Record) -> None:
        state, gone = record.state, record.verb == "deleted"
        room: Mapping[str, int] = state.get("allocatable") or {}
        self._capacity.node(record.name, None if gone else room, self._index, self._now)
        self._constraints.node(record, self._index, self._now)
        node = self.timeline.nodes.get(record.name)
        if node is None:
            node = self.timeline.nodes[record.name] = Node(record.name, Moment(self._index, self._now))
        node.gpus = max(node.gpus, gpus_of(room))
        ready = bool(state.get("ready"))
        node.ready |= ready
        node.trouble("gone", gone, self._now)
        node.trouble("unready", node.ready and not ready and not gone, self._now)
        node.trouble("cordoned", bool(state.get("unschedulable")), self._now)

    def _event(self, record: Record) -> None:
        state, vocabulary = record.state, self.timeline.vocabulary
        reason = state.get("reason", "")
        victim = reason in vocabulary.victim_events and state.get("component") != "kubelet"
        if record.verb == "deleted" or not (victim or vocabulary.refuses_by_event(state)):
            return
        kind, namespace, name = (*state.get("about", "").split("/", 2), "", "")[:3]
        present = self.timeline.names.get((namespace, name)) if kind == "Pod" else None
        pod = self._subjects.setdefault(record.uid or gang_key(record.namespace, record.name), present)
        if victim:
            if pod is not None:
                self._evict(pod, f"event {reason}")
            return
        incarnation = pod.incarnation if pod is not None else self._last(state.get("gang", ""))
        if incarnation is not None:
            born, of_all = (pod.born, False) if pod is not None else self._born_of_group(kind)
            sentence = f"event {reason} about {state.get('about', '')}"
            if pod is not None or kind != "Pod":
                self._refuse(incarnation, born, sentence, reason, state.get("message", ""), of_all=of_all)
            incarnation.tried = self._index

    def _group(self, record: Record) -> None:
        key = record.uid or f"{record.kind}/{record.namespace}/{record.name}"
        group = self._groups.get(key)
        if group is None:
            if "gang" not in record.state or record.verb == "deleted":
                return
            group = self._groups[key] = Group(self._incarnation(record.state["gang"]), record)
            group.incarnation.groups.append(group)
            group.incarnation.left += 1
        group.record, incarnation = record, group.incarnation
        if record.verb == "deleted":
            incarnation.left -= 1
            group.gone = True
            del self._groups[key]
        elif incarnation.gang is None and record.state.get("quorum"):
            incarnation.quorum = record.state["quorum"]
        incarnation.step(self._index, self._now)
        status = (record.state.get("phase", ""), record.state.get("conditions") or {})
        if status != group.status:
            refusal = self.timeline.vocabulary.refusal_of_group(_news(group.status, status))
            group.status, group.refusal = status, self.timeline.vocabulary.refusal_of_group(record.state)
            if refusal:
                sentence = f"{record.kind} {record.name} says {refusal}"
                born, of_all = self._born_of_group(record.kind)
                self._refuse(incarnation, born, sentence, refusal, of_all=of_all)
            if (admits := self.timeline.vocabulary.admits(record.state)) != group.admits:
                group.admits = admits
                incarnation.admissions.append((self._index, admits, record.rev or 0))
            self._evict_group(group, self.timeline.vocabulary.eviction_of_group(record.state))
        if "condition" in record.changed and (group.refusal or not self.timeline.vocabulary.group_admits):
            incarnation.tried = self._index

    def _evict_group(self, group: Group, eviction: str) -> None:
        """Every bound member is a victim when the group's object begins to say that the gang is evicted."""
        if eviction and not group.eviction:
            for pod in group.incarnation.pods:
                if pod.held:
                    self._evict(pod, f"{group.record.kind} {group.record.name} says {eviction}")
        group.eviction = eviction

    def _born_of_group(self, kind: str) -> tuple[int, bool]:
        """What words about a group object of this kind are about: no pod, or (True) all members of the gang."""
        of_all = kind != "Pod" and self.timeline.vocabulary.group_tells_of_members
        return (self._index, True) if of_all else (-1, False)

    def _refuse(
        self,
        incarnation: Incarnation,
        born: int,
        sentence: str,
        reason: str,
        message: str = "",
        *,
        of_all: bool = False,
    ) -> None:
        if incarnation.gang is not None:
            incarnation.refuse(Refusal(self._index, self._now, born, sentence, reason, message, of_all))

    # -- what the audit log adds

    def _audit(self, record: Record) -> None:
        line = self.timeline
        accepted = record.state.get("code", 0) < _ACCEPTED
        who = program(record.by)
        if record.verb == "bind":
            line.binders |= {who} - {""}
            (line.lost if accepted else line.refused_binds).append(Action(self._index, self._now, record))
            return
        pod = line.pods.get(record.uid) or line.names.get((record.namespace, record.name))
        if accepted and pod is not None:
            self._remove(pod, f"{record.verb} by {who}", who)

    def _remove(self, pod: Pod, how: str, who: str) -> None:
        """Note that a program took a pod away."""
        self.timeline.removals.append(Removal(self._eviction(pod, how), who, pod.spared()))

    def _evict(self, pod: Pod, how: str) -> None:
        """Note a victim that the scheduler names, once."""
        if not pod.spared():
            pod.evicted = True
            self.timeline.named_victims.append(self._eviction(pod, how))

    def _eviction(self, pod: Pod, how: str) -> Eviction:
        pos, now = pod.left or Moment(self._index, self._now)  # what is written about it may be late
        return Eviction(pos, now, pod.name, pod.uid, pod.incarnation, how)

    # -- what the case did

    def _action(self, record: Record) -> None:
        line, verb = self.timeline, record.verb
        action = Action(self._index, self._now, record)
        line.actions.append(action)
        if verb in _CHANGES:
            line.last_change = self._index
        key = gang_key(record.namespace, record.name)
        if verb == "submit":
            self._submitted(record, key)
        elif verb == "delete" and record.state.get("what", "gang") == "gang":
            if incarnation := self._last(key):
                incarnation.end(self._index, self._now)
        elif verb in ("edit", "create", "delete"):
            self._touched(record, key)
        elif verb == "note":
            self._take(record.state.get("deleted") or ())
        elif verb == "fence":
            self._fences.add((record.namespace, record.name))
        elif verb == MARKER:
            line.marker_nodes.add(str(record.state.get("node", "")))
        elif verb == "stalled":
            since, until = float(record.state["from"]), float(record.state["to"])
            line.stalls.append(Stall(since, until, record.name))
        elif verb in _DISTURBANCES:
            line.disturbances.append(self._now)
        elif verb == "crash":
            line.crashes.append(action)
        elif verb in _PROCESS:
            self._process(verb, record.name, record.state.get("role", ""))
        elif verb == "expect":
            line.promises.append(Promise(*action))
            line.last_promise |= dict.fromkeys(gang_keys(record), self._index)
        elif verb == "lift":
            line.lifts.append(action)
        elif verb == "claim":
            line.claims.append((self._index, record))

    def _submitted(self, record: Record, key: str) -> None:
        """A new incarnation of the gang; what was seen of it before its first submission is adopted."""
        incarnations = self.timeline.incarnations.setdefault(key, [])
        if not incarnations or incarnations[-1].gang is not None:
            if incarnations:
                incarnations[-1].end(self._index, self._now, replaced=True)
            incarnations.append(Incarnation(key, self._index, self._now))
        gang = gang_from_record({"name": record.name, **(record.state.get("gang") or {})})
        incarnations[-1].become(gang, self._index, self._now)

    def _touched(self, record: Record, key: str) -> None:
        """The case itself changed the gang: whatever the scheduler was doing begins anew."""
        incarnation = self._last(key)
        if incarnation is None:
            return
        incarnation.disturbances.append(self._now)
        if record.verb == "edit" and record.state.get("quorum"):
            incarnation.quorum = int(record.state["quorum"])
        if record.verb == "create" and record.state.get("count"):
            incarnation.later.append((self._index, record.state["count"]))
        if record.verb == "delete":
            self._take(gang_key(record.namespace, name) for name in record.state.get("members") or ())
        self._step(incarnation)

    def _take(self, names: Iterable[str]) -> None:
        """The case itself deletes these pods, each given as "namespace/name"."""
        for namespace, _, name in (text.partition("/") for text in names):
            pod = self.timeline.names.get((namespace, name))
            if pod is not None and not pod.gone:
                pod.taken = self._index

    def _process(self, verb: str, name: str, role: str) -> None:
        """Keep when a process was down: until it is ready, or was restarted if nothing says ready."""
        line = self.timeline
        down = line.open_downs.pop(name, None)
        if verb in ("resume", "ready"):
            if down is not None:
                line.past_downs.append(down._replace(until=self._now))
        elif verb == "restart":
            down = down or Down(self._now, self._now, role, name, verb)
            line.open_downs[name] = down._replace(until=self._now, role=down.role or role)
        else:
            if down is not None and down.until < inf:  # it was restarted meanwhile
                line.past_downs.append(down)
                down = None
            down = down or Down(self._now, inf, role, name, verb)
            line.open_downs[name] = down._replace(role=role or down.role)

    def _incarnation(self, key: str) -> Incarnation:
        return self._last(key) or self._new(key)

    def _last(self, key: str) -> Incarnation | None:
        incarnations = self.timeline.incarnations.get(key)
        return incarnations[-1] if incarnations else None

    def _new(self, key: str) -> Incarnation:
        incarnation = Incarnation(key, self._index, self._now, pending=self._index)
        self.timeline.incarnations[key] = [incarnation]
        return incarnation


def replay(header: Mapping[str, Any], records: Sequence[Record]) -> Timeline:
    """The state after these records."""
    reader = Replay(header)
    for record in records:
        reader.feed(record)
    return reader.timeline


def timeline(history: History) -> Timeline:
    """The state after the whole history, made once."""
    if "timeline" not in history.derived:
        history.derived["timeline"] = replay(history.header, history.records)
    state: Timeline = history.derived["timeline"]
    return state


def _news(before: GroupStatus | None, after: GroupStatus) -> dict[str, Any]:
    """The phase and the conditions of a group object that it did not have before: what only stands there is no news."""
    phase, conditions = before or ("", {})
    news = {kind: condition for kind, condition in after[1].items() if condition != conditions.get(kind)}
    return {"phase": after[0] if after[0] != phase else "", "conditions": news}


def program(agent: str) -> str:
    """The program of a user agent: `kube-scheduler/v1.36.0 (linux/amd64) .../scheduler` is `kube-scheduler`."""
    return agent.partition("/")[0]
