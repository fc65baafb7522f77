"""The law of preemption once more: what started for each victim, and what became of the gangs of victims.

Nothing is counted on the way: at each moment that matters, the state of a gang is made again from its records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from harness.core.history.records import Record, gang_key, gang_keys
from harness.core.labels import PART_LABEL
from harness.core.second.evidence import end_of_promise
from harness.core.second.facts import ENDED, Facts, PodCourse, Span
from harness.core.second.incarnations import (
    Incarnation,
    bound_at,
    end_of,
    exists,
    incarnation_at,
    incarnation_of,
    incarnations,
    is_full,
    is_member,
    placed,
    pods_of,
    spec_of,
    term_table,
)
from harness.core.second.victims import Victim, can_be_victim, is_own_end, leaves_at, shown_by, victims
from harness.core.verdict import Outcome, worst


def preemption(facts: Facts) -> Outcome:
    """The worst of all victims, of promises about them, and of pods of which nobody knows who took them."""
    evicted = victims(facts)
    outcomes = [Outcome.PASS]
    departing = [span for victim in evicted for span in departure(facts, victim.pod)]
    outcomes += [something_starts(facts, victim, departing) for victim in evicted]
    outcomes += [falls_whole(facts, gang, evicted) for gang in facts.gangs()]
    for promise in facts.actions("expect"):
        record = facts.history.records[promise]
        if record.state["what"] == "untouched":
            outcomes += [stays_untouched(facts, gang, promise, evicted) for gang in gang_keys(record)]
    if facts.history.header.get("audit") is False:
        outcomes += unexplained(facts, evicted)
    return worst(outcomes)


def is_understood(facts: Facts) -> bool:
    """Not if pods of gangs that the case did not submit are there, whose quorum it does not know, and one was taken."""
    if not any(gang in facts.members for gang in facts.others()):
        return True
    terms, is_audited = term_table(facts), facts.history.header.get("audit") is not False
    return is_audited and not any(shown_by(facts, i, terms) for i in range(facts.last + 1))


# -- for each victim something starts


def departure(facts: Facts, pod: PodCourse) -> list[Span]:
    """From the moment at which the pod begins to go until its room is free; infinite if it never is."""
    left = leaves_at(facts, pod)
    if left is None:
        return []
    freed = [i for i in pod.places if i >= left and is_free_of(facts.history.records[i])]
    return [(facts.clock[left], facts.clock[freed[0]] if freed else inf)]


def is_free_of(record: Record) -> bool:
    return record.verb == "deleted" or record.state.get("phase") in ENDED


def something_starts(facts: Facts, victim: Victim, departing: Sequence[Span]) -> Outcome:
    until = facts.patience(
        facts.clock[victim.moment], facts.deadline("start_after_eviction"), standstills=[*facts.stalls(), *departing]
    )
    starts = [*gang_starts(facts, victim.moment), *pod_starts(facts, victim.moment)]
    if any(facts.clock[i] <= until for i in starts):
        return Outcome.PASS
    is_open = facts.clock[facts.last] <= until
    return Outcome.UNKNOWN if is_open or is_withdrawn(facts, victim, until) else Outcome.VIOLATED


def waiting_gangs(facts: Facts, moment: int) -> Iterator[Incarnation]:
    """The gangs that were submitted by then, and had not their quorum."""
    for gang in facts.gangs():
        for incarnation in incarnations(facts, gang):
            if incarnation.begun < moment < end_of(facts, incarnation) and not is_full(facts, incarnation, moment - 1):
                yield incarnation


def waiting_pods(facts: Facts, moment: int) -> Iterator[PodCourse]:
    """The pods of no gang that were created by then and not bound; a fence counts for nothing."""
    for pod in facts.courses.values():
        bound = bound_at(facts, pod)
        is_single = not pod.first.state.get("gang") and pod.first.state.get("part", "plain") == "plain"
        if is_single and pod.places[0] < moment and (bound is None or bound >= moment):
            yield pod


def gang_starts(facts: Facts, moment: int) -> Iterator[int]:
    """Where gangs reached their quorum that were waiting for it, or were joined by members that were waiting."""
    for waiting in waiting_gangs(facts, moment):
        yield from (i for i in facts.changes(waiting.gang) if i >= moment and is_full(facts, waiting, i))
    for gang in facts.gangs():
        for incarnation in incarnations(facts, gang):
            for member in pods_of(facts, incarnation):
                bound = bound_at(facts, member)
                if bound is None or not is_member(member) or not member.places[0] < moment <= bound:
                    continue
                if is_full(facts, incarnation, bound - 1):
                    yield bound


def pod_starts(facts: Facts, moment: int) -> Iterator[int]:
    positions = [bound_at(facts, pod) for pod in waiting_pods(facts, moment)]
    yield from (i for i in positions if i is not None)


def is_withdrawn(facts: Facts, victim: Victim, until: float) -> bool:
    """Whether the case deleted something that was waiting, before it had to start."""
    ends = [end_of(facts, incarnation) for incarnation in waiting_gangs(facts, victim.moment)]
    records = facts.history.records
    for pod in waiting_pods(facts, victim.moment):
        name = gang_key(pod.first.namespace, pod.first.name)
        notes = [i for i in facts.actions("note") if name in records[i].state.get("deleted", ()) and i > victim.moment]
        ends += [i for i in notes if exists(facts, pod, i) and bound_at(facts, pod) is None]
    return any(i <= facts.last and facts.clock[i] <= until for i in ends)


# -- victim gangs and promises


def falls_whole(facts: Facts, gang: str, evicted: list[Victim]) -> Outcome:
    """Of a gang that is disrupted as a whole: in time after its last victim it is at zero, or at its quorum."""
    outcomes = [Outcome.PASS]
    for incarnation in incarnations(facts, gang):
        spec = spec_of(facts, incarnation, incarnation.begun)
        members = [victim for victim in evicted if victim.pod in pods_of(facts, incarnation)]
        if members and spec is not None and spec.disruption == "gang":
            outcomes.append(is_whole_after(facts, incarnation, max(members, key=lambda victim: victim.moment)))
    return worst(outcomes)


def is_whole_after(facts: Facts, incarnation: Incarnation, victim: Victim) -> Outcome:
    """Whether it is whole at a moment after the victim left; if it has not left in time, when the time is over."""
    until = facts.patience(facts.clock[victim.moment], facts.deadline("evicted"), incarnation.gang)
    end, left = end_of(facts, incarnation), leaves_at(facts, victim.pod)
    is_over = facts.clock[facts.last] > until
    in_time = [i for i in range(victim.moment, min(end, facts.last + 1)) if facts.clock[i] <= until]
    if not all(placed(facts, incarnation, i) for i in in_time):
        return Outcome.PASS
    if left is not None and facts.clock[left] <= until:
        is_kept = any(is_full(facts, incarnation, i) for i in in_time if i >= left)
    else:
        is_kept = is_over and is_full(facts, incarnation, in_time[-1])
    if is_kept:
        return Outcome.PASS
    is_ended = end <= facts.last and facts.clock[end] <= until
    return Outcome.VIOLATED if is_over and not is_ended else Outcome.UNKNOWN


def stays_untouched(facts: Facts, gang: str, promise: int, evicted: list[Victim]) -> Outcome:
    incarnation = incarnation_at(facts, gang, promise)
    if incarnation is None:
        return Outcome.UNKNOWN
    end = end_of_promise(facts, incarnation, promise)
    touched = [v for v in evicted if promise < v.moment < end and v.pod in pods_of(facts, incarnation)]
    return Outcome.VIOLATED if touched else Outcome.PASS


# -- without an audit log


def unexplained(facts: Facts, evicted: list[Victim]) -> list[Outcome]:
    """`unknown` for each pod of the case that somebody took from its node, nobody knows who."""
    explained = [victim.pod for victim in evicted]
    return [
        Outcome.UNKNOWN for pod in facts.courses.values() if pod not in explained and is_taken_by_somebody(facts, pod)
    ]


def is_taken_by_somebody(facts: Facts, pod: PodCourse) -> bool:
    is_single = pod.first.state.get("part", "plain") == "plain" and PART_LABEL in (pod.first.state.get("labels") or {})
    is_of_case = incarnation_of(facts, pod) is not None or is_single
    left = leaves_at(facts, pod)
    if not is_of_case or left is None or is_own_end(facts.history.records[left]):
        return False
    return can_be_victim(facts, pod, left) and not is_node_removed(facts, pod, left)


def is_node_removed(facts: Facts, pod: PodCourse, i: int) -> bool:
    node = facts.history.records[i].state.get("node")
    removals = [
        n for n, record in enumerate(facts.history.records[:i]) if record.kind == "Node" and record.name == node
    ]
    return bool(removals) and facts.history.records[removals[-1]].verb == "deleted"
