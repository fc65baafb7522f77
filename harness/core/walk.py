"""One walk over a history, from which every check reads.

Checks ask the same things: who was bound when, who held what, who was thrown out. Answering each from the records again
would cost a walk per check and per question, so this walks once, keeps cheap current state (counters, never rescans)
and writes down only what changed.

Time along a timeline never goes back: `now` is the latest `at` seen so far, since records in revision order may carry
times a few milliseconds out of order.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from harness.core.capacity import Capacity
from harness.core.deadlines import seconds
from harness.core.evidence import VICTIM_EVENTS, event_refuses, group_refused, pod_refused, preempted, program
from harness.core.gang import GPU, gang_from_record
from harness.core.history import PLAIN_KINDS, History, Record, gang_key, pod_key
from harness.core.timeline import Bind, Eviction, Life, Pod, Promise, Refusal, Start, Timeline, gap_spans

_TERMINAL = ("Succeeded", "Failed")
_PROCESS = ("kill", "pause", "restart", "resume", "ready")
_JOLTS = ("node-remove", "node-change")
_ACCEPTED = 400  # HTTP status codes below mean that it happened


class Walk:
    """The state of one walk; one method per kind of record."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.line = Timeline(complete=history.complete)
        self.capacity = Capacity(self.line, seconds(history.header, "window"))
        self.now, self.index = 0.0, 0
        self.pods: dict[str, Pod] = {}
        self.names: dict[tuple[str, str], Pod] = {}  # the latest pod of that name, also after its deletion
        self.groups: dict[str, Life] = {}
        self.said: dict[str, Any] = {}  # object -> what it said last of being refused
        self.fences: set[tuple[str, str]] = set()
        self.binders: set[str] = set()  # programs that made binds
        self.removals: list[tuple[Pod, Eviction, str]] = []  # deletions that are evictions if a binder did them
        self.lost: list[tuple[Record, float]] = []
        self.open: dict[str, tuple[float, str, float]] = {}  # process that is down: since, role, restarted at

    def walk(self) -> Timeline:
        readers = {"Pod": self.pod, "Node": self.node, "Event": self.event}
        others = {"action": self.action, "audit": self.audit}
        for index, record in enumerate(self.history.records):
            self.index = index
            if record.at > self.now:
                self.now = record.at
            if record.source == "watch":
                reader = readers.get(record.kind)
                if reader is not None:
                    reader(record)
                elif record.kind not in PLAIN_KINDS:
                    self.group(record)
            elif (other := others.get(record.source)) is not None:
                other(record)
            else:
                self.lost.append((record, self.now))
        return self.finish()

    # -- what the API server committed

    def pod(self, record: Record) -> None:
        state = record.state
        pod = self.pods.get(record.uid) or self.pods.get(pod_key(record)) or self.born(record)
        gone = record.verb == "deleted"
        node = state.get("node", "")
        phase = state.get("phase", "")
        pod.terminal = phase in _TERMINAL
        standing = bool(node) and not gone and not pod.terminal
        held = standing and not state.get("deleting", False)
        placed = held or (bool(node) and phase == "Succeeded")
        request = state.get("request") or {}
        newly = bool(node) and not pod.node
        if standing != pod.standing or (standing and request != pod.request):
            self.capacity.load(pod, node or pod.node, standing, request)
            self.resize(pod, request)
        if newly:
            self.bound(pod, record, node, standing)
        if placed != pod.placed or standing != pod.standing or held != pod.held or gone != pod.gone:
            self.count(pod, placed, standing, held, gone)
        pod.node = node or pod.node
        conditions = state.get("conditions")
        if conditions:
            self.conditions(pod, conditions)

    def born(self, record: Record) -> Pod:
        """A pod seen for the first time; it belongs to the life its gang has then."""
        state = record.state
        part = "fence" if (record.namespace, record.name) in self.fences else state.get("part", "plain")
        life = self.life(state["gang"]) if part in ("member", "placeholder") and "gang" in state else None
        request = state.get("request") or {}
        pod = Pod(
            gang_key(record.namespace, record.name), pod_key(record), part, state.get("role", ""), life, self.index,
            request, request.get(GPU, 0) / 1000, state.get("scheduler", ""),
        )  # fmt: skip
        self.pods[pod.uid] = self.names[record.namespace, record.name] = pod
        if life is not None:
            life.left += 1
            life.members += part == "member"
            life.arrivals += [self.index] if part == "member" else []
            life.schedulers.add(pod.scheduler)
            life.step(self.index, self.now)
        return pod

    def count(self, pod: Pod, placed: bool, standing: bool, held: bool, gone: bool) -> None:
        """Bring the counters of the pod's gang up to date and write the step down."""
        life = pod.life
        if life is not None:
            if pod.part == "member" and placed != pod.placed:
                life.place(pod.role, 1 if placed else -1)
            if held != pod.held:
                life.held += 1 if held else -1
                life.gpus += pod.gpus if held else -pod.gpus
            life.standing += standing - pod.standing
            life.left += pod.gone - gone
            waited = life.pending
            if life.step(self.index, self.now):
                self.line.starts.append(Start(self.index, self.now, waited, f"gang {life.key}"))
        pod.placed, pod.held, pod.standing, pod.gone = placed, held, standing, gone

    def resize(self, pod: Pod, request: Mapping[str, int]) -> None:
        gpus = request.get(GPU, 0) / 1000
        if pod.held and pod.life is not None:
            pod.life.gpus += gpus - pod.gpus
        pod.request, pod.gpus = request, gpus

    def bound(self, pod: Pod, record: Record, node: str, standing: bool) -> None:
        if record.by:
            self.binders.add(program(record.by))
        if standing:
            self.capacity.judge(pod, node, self.index, self.now)
        if pod.life is not None:
            if pod.part == "member":
                pod.life.binds.append(Bind(self.index, self.now, pod.name, node))
        elif pod.part == "fence":
            self.line.fences.append((self.index, pod.born, pod.scheduler, pod.name))
        else:
            self.line.starts.append(Start(self.index, self.now, pod.born, f"pod {pod.name}"))

    def conditions(self, pod: Pod, conditions: Mapping[str, Any]) -> None:
        new = self.news(pod.uid, conditions.get("PodScheduled"))
        if new and pod.life is not None and not pod.node and (reason := pod_refused(conditions)):
            self.refused(pod.life, pod.born, f"pod {pod.name} has PodScheduled=False ({reason})")
        if "DisruptionTarget" in conditions and (reason := preempted(conditions)):
            self.evicted(pod, f"condition DisruptionTarget ({reason})")

    def node(self, record: Record) -> None:
        room = None if record.verb == "deleted" else record.state.get("allocatable") or {}
        self.capacity.node(record.name, room, self.now)

    def event(self, record: Record) -> None:
        state = record.state
        victim = state.get("reason") in VICTIM_EVENTS and state.get("component") != "kubelet"
        if not victim and not event_refuses(state):
            return
        kind, namespace, name = (*state.get("about", "").split("/", 2), "", "")[:3]
        pod = self.names.get((namespace, name)) if kind == "Pod" else None
        if victim:
            if pod is not None:
                self.evicted(pod, f"event {state['reason']}")
            return
        life = pod.life if pod is not None else next(iter(self.line.lives.get(state.get("gang", ""), [])[-1:]), None)
        if life is not None:
            born = pod.born if pod is not None else -1
            self.refused(life, born, f"event {state.get('reason', '')} about {state.get('about', '')}")

    def group(self, record: Record) -> None:
        key = record.uid or f"{record.kind}/{record.namespace}/{record.name}"
        life = self.groups.get(key)
        if life is None:
            if "gang" not in record.state or record.verb == "deleted":
                return
            life = self.groups[key] = self.life(record.state["gang"])
            life.left += 1
        if record.verb == "deleted":
            life.left -= 1
            del self.groups[key]
        elif life.gang is None and record.state.get("quorum"):
            life.quorum = record.state["quorum"]
        life.step(self.index, self.now)
        new = self.news(key, (record.state.get("phase"), record.state.get("conditions")))
        if new and (words := group_refused(record.state)):
            self.refused(life, -1, f"{record.kind} {record.name} says {words}")

    def refused(self, life: Life, born: int, words: str) -> None:
        if life.gang is not None:
            life.refusals.append(Refusal(self.index, born, words))

    def news(self, uid: str, said: Any) -> bool:
        """Whether an object says something else than before: words that only stand there still are no new evidence."""
        before, self.said[uid] = self.said.get(uid), said
        return bool(before != said)

    # -- what the audit log adds

    def audit(self, record: Record) -> None:
        accepted = record.state.get("code", 0) < _ACCEPTED
        if record.verb == "bind":
            self.binders |= {program(record.by)} - {""}
            if accepted:
                self.lost.append((record, self.now))
            else:
                self.line.refused_binds += 1
            return
        pod = self.pods.get(record.uid) or self.names.get((record.namespace, record.name))
        if accepted and pod is not None and not pod.spared():
            who = program(record.by)
            how = f"{record.verb} by {who}"
            self.removals.append((pod, Eviction(self.index, self.now, pod.name, pod.uid, pod.life, how), who))

    def evicted(self, pod: Pod, how: str) -> None:
        """Note a victim of the scheduler, once."""
        if not pod.spared():
            pod.evicted = True
            self.line.evictions.append(Eviction(self.index, self.now, pod.name, pod.uid, pod.life, how))

    # -- what the case did

    def action(self, record: Record) -> None:
        verb = record.verb
        key = gang_key(record.namespace, record.name)
        if verb == "submit":
            self.submitted(record, key)
        elif verb == "delete" and record.state.get("what", "gang") == "gang":
            for life in self.line.lives.get(key, [])[-1:]:
                life.end(self.index, self.now)
        elif verb in ("edit", "create", "delete"):
            self.touched(record, key)
        elif verb == "fence":
            self.fences.add((record.namespace, record.name))
        elif verb in _JOLTS:
            self.line.jolts.append(self.now)
        elif verb in _PROCESS:
            self.process(verb, record.name, record.state.get("role", ""))
        elif verb == "expect":
            self.line.promises.append(Promise(self.index, self.now, record))
        elif verb == "lift":
            self.line.lifts.append((self.index, self.now, record))
        elif verb == "claim":
            self.line.claims.append((self.index, record))

    def submitted(self, record: Record, key: str) -> None:
        """A new life of the gang; what was seen of it before its first submission is adopted."""
        lives = self.line.lives.setdefault(key, [])
        if not lives or lives[-1].gang is not None:
            if lives:
                lives[-1].end(self.index, self.now, replaced=True)
            lives.append(Life(key, self.index, self.now))
        gang = gang_from_record({"name": record.name, **(record.state.get("gang") or {})})
        lives[-1].become(gang, self.index, self.now)

    def touched(self, record: Record, key: str) -> None:
        """The case itself changed the gang: whatever the scheduler was doing begins anew."""
        for life in self.line.lives.get(key, [])[-1:]:
            life.jolts.append(self.now)
            if record.verb == "edit" and record.state.get("quorum"):
                life.quorum = int(record.state["quorum"])
            if record.verb == "create":
                life.later.append((self.index, record.state.get("count", 0)))
            if record.verb == "delete":
                for name in record.state.get("members") or ():
                    if pod := self.names.get((record.namespace, name)):
                        pod.taken = self.index
            life.step(self.index, self.now)

    def process(self, verb: str, name: str, role: str) -> None:
        """Keep the spans in which a process was down: until it is ready, or was restarted if nobody says ready."""
        since, known, restarted = self.open.pop(name, (inf, role, inf))
        if verb in ("resume", "ready"):
            if since < inf:
                self.line.downs.append((since, self.now, known))
        elif verb == "restart":
            self.open[name] = (min(since, self.now), known or role, self.now)
        else:
            if restarted < inf:
                self.line.downs.append((since, restarted, known))
                since = inf
            self.open[name] = (min(since, self.now), role or known, inf)

    def life(self, key: str) -> Life:
        lives = self.line.lives.get(key)
        if not lives:
            lives = self.line.lives[key] = [Life(key, self.index, self.now)]
        return lives[-1]

    def finish(self) -> Timeline:
        line = self.line
        line.end = self.now
        for since, role, restarted in self.open.values():
            line.downs.append((since, restarted, role))
        for pod, eviction, who in self.removals:
            if not pod.evicted and (who in self.binders or "scheduler" in who):
                pod.evicted = True
                line.evictions.append(eviction)
        line.evictions.sort(key=lambda eviction: eviction.pos)
        line.gaps = gap_spans(self.history, self.lost)
        self.capacity.finish()
        return line
