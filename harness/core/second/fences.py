"""Evidence by fences: plain pods, submitted after a gang, that the same scheduler has bound.

A queue may let a gang in before a scheduler places it. Then a fence may pass the gang between the two, and proves
nothing.
"""

from __future__ import annotations

from itertools import pairwise

from harness.core.history.records import Record
from harness.core.second.facts import Facts, PodCourse
from harness.core.second.incarnations import (
    Incarnation,
    TermTable,
    bound_at,
    exists,
    group_records,
    names_condition,
    pods_of,
    previous_record,
)


def fences(facts: Facts, incarnation: Incarnation, since: int, terms: TermTable) -> list[int]:
    """Where fences were bound that came after record `since`, to the scheduler of the gang."""
    schedulers = {pod.first.state.get("scheduler") for pod in pods_of(facts, incarnation)}
    positions = []
    for fence in facts.courses.values():
        bound, submitted = bound_at(facts, fence), fence.places[0]
        is_fence = fence.first.state.get("part") == "fence" and fence.first.state.get("scheduler") in schedulers
        if not is_fence or bound is None or submitted <= since:
            continue
        if not passed_between(facts, incarnation, submitted, bound, terms):
            positions.append(bound)
    return positions


def passed_between(facts: Facts, incarnation: Incarnation, submitted: int, bound: int, terms: TermTable) -> bool:
    """Whether a fence may have passed a gang that a queue had let in and had not handed over to the scheduler."""
    let_in = let_in_since(facts, incarnation, bound, terms)
    if let_in is None:
        return False
    pods = [pod for pod in pods_of(facts, incarnation) if exists(facts, pod, bound)]
    return not pods or any(handed_over(facts, pod, let_in, bound) >= submitted for pod in pods)


def handed_over(facts: Facts, pod: PodCourse, let_in: int, bound: int) -> float:
    """Where a pod was created, or lost a gate, after its gang was let in; infinite if nothing of that happened."""
    records = facts.history.records
    places = [
        after
        for former, after in pairwise(pod.places)
        if let_in < after <= bound
        if records[after].state.get("gates", 0) < records[former].state.get("gates", 0)
    ]
    places += [pod.places[0]] if pod.places[0] > let_in else []
    return max(places, default=float("inf"))


def let_in_since(facts: Facts, incarnation: Incarnation, i: int, terms: TermTable) -> int | None:
    """Where a group object last began to say that the gang is let in; None if it did not, or took it back."""
    since = None
    for n in group_records(facts, incarnation):
        previous, records = previous_record(facts, n), facts.history.records
        admitted = previous is not None and says_let_in(previous, terms)
        if n <= i and says_let_in(records[n], terms) != admitted:
            since = None if admitted else n
    return since


def says_let_in(record: Record, terms: TermTable) -> bool:
    conditions = (record.state.get("conditions") or {}).items()
    return any(names_condition(terms["group_admits"], kind, values[0], values[1]) for kind, values in conditions)
