"""Five laws, judged gang by gang and bind by bind, record after record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from harness.core.history.records import Record
from harness.core.second.facts import ENDED, Facts
from harness.core.verdict import Outcome

# -- atomic: once a member is bound, the quorum is in time, or none is left


def atomic(facts: Facts, gangs: Sequence[str]) -> Outcome:
    """The law for gangs that start together; most are alone."""
    steps = sorted({i for gang in gangs for i in facts.changes(gang)})
    if not any(facts.spec(gang, facts.last) is not None for gang in gangs):
        return Outcome.PASS
    counts = [sum(len(facts.placed(gang, i)) for gang in gangs) for i in steps]
    outcome = Outcome.PASS
    for at, i in enumerate(steps):
        if not counts[at] or (at and counts[at - 1]):
            continue  # no attempt begins here
        deadline = facts.patience(facts.clock[i], facts.deadline("window"), *gangs)
        for j, count in zip(steps[at:], counts[at:], strict=True):
            if facts.clock[j] > deadline and j > i:
                return Outcome.VIOLATED
            if not count or all(facts.is_full(gang, j) for gang in gangs):
                break
        else:
            if facts.clock[facts.last] > deadline:
                return Outcome.VIOLATED
            outcome = Outcome.UNKNOWN
    return outcome


# -- overbooking: at every bind the node has room, and is there


def binds(facts: Facts) -> list[int]:
    """The records in which a pod that stands is bound; one that is first seen on its node was bound by nobody here."""
    places = []
    for course in facts.courses.values():
        bound = [i for i in course.places if "node" in facts.history.records[i].state]
        if bound and bound[0] != course.places[0] and _stands(facts.history.records[bound[0]]):
            places.append(bound[0])
    return sorted(places)


def overbooked(facts: Facts, i: int) -> bool:
    """Whether the bind in record i made its node exceed what it has, and that was so a moment ago too."""
    record = facts.history.records[i]
    node = record.state["node"]
    rooms = [(n, room) for n, room in _rooms(facts, node) if n < i]
    if not rooms or rooms[-1][1].verb == "deleted":
        return False
    room, there = rooms[-1][1].state.get("allocatable") or {}, _on_node(facts, i, node)
    if not _too_much(record, there, room):
        return False
    shrinks = [
        (n, before.state["allocatable"])
        for (_, before), (n, after) in pairwise(rooms)
        if before.verb != "deleted" and after.verb != "deleted" and _smaller(before, after)
    ]
    created = facts.courses[record.uid or f"{record.namespace}/{record.name}"].places[0]
    if shrinks and not knew(facts, i, shrinks[-1][0], created) and not _too_much(record, there, shrinks[-1][1]):
        return not _recent(facts, shrinks[-1][0], i)
    return _too_much(record, [other for other in there if not _news(facts, i, other)], room)


def knew(facts: Facts, i: int, change: int, moment: int) -> bool:
    """Whether a marker made after a change of nodes was bound, before this moment, by the scheduler of record i."""
    scheduler = facts.history.records[i].state.get("scheduler", "")
    markers = [course for course in facts.courses.values() if course.first.state.get("part") == "marker"]
    later = [course for course in markers if course.places[0] > change]
    mine = [course for course in later if course.first.state.get("scheduler", "") == scheduler]
    return any("node" in facts.history.records[n].state for course in mine for n in course.places if n < moment)


def _recent(facts: Facts, then: int, i: int) -> bool:
    return facts.clock[i] <= facts.patience(facts.clock[then], facts.deadline("window"))


def _news(facts: Facts, i: int, other: Record) -> bool:
    """Whether the scheduler of the bind in record i need not know yet that this pod is on the node."""
    pod = facts.history.records[i]
    course, mine = (facts.courses[record.uid or f"{record.namespace}/{record.name}"] for record in (other, pod))
    came = next(n for n in course.places if "node" in facts.history.records[n].state)
    is_own = course.first.state.get("scheduler") == mine.first.state.get("scheduler") and came != course.places[0]
    return not is_own and came >= mine.places[0] and other.uid != pod.uid and _recent(facts, came, i)


def stray(facts: Facts, i: int) -> Outcome:
    """Of a bind to a node that was removed: violated if the scheduler had seen that, or had time to; else unknown.

    Of a fence nothing is asked but to be bound.
    """
    rooms = [(n, room) for n, room in _rooms(facts, facts.history.records[i].state["node"]) if n < i]
    if not rooms or rooms[-1][1].verb != "deleted":
        return Outcome.PASS
    removed = rooms[-1][0]
    if knew(facts, i, removed, i):
        return Outcome.VIOLATED
    until = facts.patience(facts.clock[removed], facts.deadline("window"))
    if facts.clock[i] > until:
        return Outcome.VIOLATED
    pod = facts.history.records[i]
    is_fence = any(facts.actions("fence", gang=f"{pod.namespace}/{pod.name}"))
    return Outcome.PASS if is_fence or pod.state.get("part") in ("fence", "marker") else Outcome.UNKNOWN


def is_unseen(facts: Facts, i: int) -> bool:
    """Whether no record shows the node of the bind: not before it, and not after it either."""
    rooms = list(_rooms(facts, facts.history.records[i].state["node"]))
    return not [n for n, _ in rooms if n < i] and all(room.verb == "deleted" for _, room in rooms)


def _rooms(facts: Facts, node: str) -> list[tuple[int, Record]]:
    return [
        (n, record)
        for n, record in enumerate(facts.history.records)
        if record.source == "watch" and record.kind == "Node" and record.name == node
    ]


def _smaller(before: Record, after: Record) -> bool:
    had, has = before.state.get("allocatable") or {}, after.state.get("allocatable") or {}
    return any(has.get(name, 0) < had[name] for name in had)


def _stands(record: Record) -> bool:
    return "node" in record.state and record.verb != "deleted" and record.state.get("phase") not in ENDED


def _on_node(facts: Facts, i: int, node: str) -> list[Record]:
    latest = [facts.state(course, i) for course in facts.courses.values() if course.places[0] <= i]
    return [record for record in latest if record and _stands(record) and record.state["node"] == node]


def _too_much(bound: Record, there: Sequence[Record], room: Mapping[str, int]) -> bool:
    for name, amount in (bound.state.get("request") or {}).items():
        if amount and sum((record.state.get("request") or {}).get(name, 0) for record in there) > room.get(name, 0):
            return True
    return len(there) * 1000 > room.get("pods", len(there) * 1000)


# -- liveness: what was promised to start has started in time


def bound(facts: Facts, promise: int, gang: str) -> Outcome:
    """Of one gang that was promised to be bound."""
    state = facts.history.records[promise].state
    until = due(facts, promise)
    begun = facts.begun(gang, promise)
    if begun is None:
        return Outcome.UNKNOWN
    start = max(promise, begun)
    for i in [start, *(i for i in facts.changes(gang) if i > start)]:
        if facts.clock[i] > until:
            break
        if facts.begun(gang, i) != begun:
            break  # it was submitted again
        spec = facts.spec(gang, i)
        if spec is not None and (
            len(facts.placed(gang, i)) >= spec.size if state.get("all") else facts.is_full(gang, i)
        ):
            return Outcome.PASS
    ends = [i for i in facts.changes(gang) if i > begun and (facts.is_ended(gang, i) or facts.begun(gang, i) != begun)]
    if ends and facts.clock[ends[0]] <= until:
        return Outcome.UNKNOWN
    return Outcome.UNKNOWN if facts.clock[facts.last] <= until else Outcome.VIOLATED


def due(facts: Facts, promise: int) -> float:
    within = facts.history.records[promise].state.get("within")
    return facts.stretched(facts.clock[promise], facts.deadline("bound") if within is None else float(within))


# -- order: no member of a later gang before the quorum of an earlier one


def in_order(facts: Facts, promise: int, gangs: Sequence[str]) -> Outcome:
    quorums = [next((i for i in facts.changes(gang) if facts.is_full(gang, i)), float("inf")) for gang in gangs]
    firsts = [next((i for i in binds(facts) if _gang(facts, i) == gang), float("inf")) for gang in gangs]
    early = any(firsts[n] < quorums[m] and firsts[n] < float("inf") for n in range(len(gangs)) for m in range(n))
    return Outcome.VIOLATED if early else Outcome.PASS


def _gang(facts: Facts, i: int) -> str:
    state = facts.history.records[i].state
    return str(state.get("gang", "")) if state.get("part") == "member" else ""
