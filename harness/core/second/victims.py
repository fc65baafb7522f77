"""Who was evicted by the scheduler, read from the records a second time.

Every record is asked whether it shows an eviction, in the terms of the header. A sign may be late (an event follows the
deletion that it is about), and requests are in order of time, not of revisions. So a victim counts from the change by
which it left its place, or from a condition or event before that.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.core.history.records import Record, gang_key
from harness.core.second.facts import ENDED, Facts, PodCourse
from harness.core.second.incarnations import (
    TermTable,
    before,
    bound_at,
    end_of,
    group_records,
    incarnation_of,
    incarnations,
    is_full,
    is_member,
    names_condition,
    placed,
    pod_named,
    pods_of,
    previous_record,
    stands,
    subject_of,
    term_table,
)


@dataclass(frozen=True, slots=True)
class Victim:
    """A pod that the scheduler evicted, and the record from which on it had lost its place, or was to lose it."""

    pod: PodCourse
    moment: int


def victims(facts: Facts) -> list[Victim]:
    """Every pod that was evicted, by the first sign of it."""
    terms = term_table(facts)
    evicted: dict[int, Victim] = {}
    for i in range(facts.last + 1):
        for pod in shown_by(facts, i, terms):
            victim = Victim(pod, moment_of(facts, pod, i))
            is_first = id(pod) not in evicted or victim.moment < evicted[id(pod)].moment
            if is_first and had_place(facts, pod, i) and can_be_victim(facts, pod, victim.moment):
                evicted[id(pod)] = victim
    return list(evicted.values())


def shown_by(facts: Facts, i: int, terms: TermTable) -> list[PodCourse]:
    """The pods whose eviction record i shows."""
    record = facts.history.records[i]
    if record.source == "audit":
        return deleted_by(facts, i, terms)
    if record.source != "watch":
        return []
    if record.kind == "Pod":
        pod = facts.courses[record.uid or f"{record.namespace}/{record.name}"]
        return [pod] if is_evicted(facts, record, before(facts, pod, i), terms) else []
    if record.kind == "Event":
        subject = subject_of(facts, i) if names_victim(record, terms) else None
        return [subject] if subject is not None else []
    return members_of_group(facts, i, terms)


def names_victim(record: Record, terms: TermTable) -> bool:
    is_reason = record.state.get("reason") in terms["victim_events"]
    return is_reason and record.verb != "deleted" and record.state.get("component") != "kubelet"


def deleted_by(facts: Facts, i: int, terms: TermTable) -> list[PodCourse]:
    """The pod that a scheduler deleted or evicted by the request in record i."""
    record = facts.history.records[i]
    is_accepted = record.verb in ("delete", "evict") and record.state.get("code", 0) < 400
    if not is_accepted or not evicts(facts, record.by, terms):
        return []
    pod = facts.courses.get(record.uid) or pod_named(facts, record.namespace, record.name, i)
    return [pod] if pod is not None else []


def program(agent: str) -> str:
    """The name of a program in its user agent."""
    return agent.split("/")[0]


def programs_that_bind(facts: Facts) -> set[str]:
    """Those that bound a pod, or asked for it and were refused."""
    records = [record for record in facts.history.records if "bound" in record.changed or record.verb == "bind"]
    return {program(record.by) for record in records if record.by}


def evicts(facts: Facts, agent: str, terms: TermTable) -> bool:
    """Whether it is a program that also makes binds, or one that the integration names."""
    name = program(agent)
    return bool(name) and (any(part in name for part in terms["evictors"]) or name in programs_that_bind(facts))


def is_evicted(facts: Facts, record: Record, previous: Record | None, terms: TermTable) -> bool:
    """Whether the pod is said just now to be evicted, or was failed by a scheduler."""
    if previous is None:
        return False
    if says_evicted(record, terms) and not says_evicted(previous, terms):
        return True
    has_failed = record.state.get("phase") == "Failed" and previous.state.get("phase") != "Failed"
    return has_failed and evicts(facts, record.state.get("failed_by", ""), terms)


def says_evicted(record: Record, terms: TermTable) -> bool:
    conditions = record.state.get("conditions") or {}
    named = [conditions[kind] for kind in terms["victim_conditions"] if kind in conditions]
    return any(status == "True" and reason not in terms["other_disruptions"] for status, reason, *_ in named)


def members_of_group(facts: Facts, i: int, terms: TermTable) -> list[PodCourse]:
    """The members of the gang whose group object says just now that it is evicted."""
    record = facts.history.records[i]
    if not says_group_evicted(record, terms):
        return []
    previous = previous_record(facts, i)
    if previous is not None and says_group_evicted(previous, terms):
        return []  # it said so before
    for incarnation in incarnations(facts, record.state.get("gang", "")):
        if i in group_records(facts, incarnation):
            return [pod for pod in pods_of(facts, incarnation) if is_member(pod) and stands(before(facts, pod, i))]
    return []


def says_group_evicted(record: Record, terms: TermTable) -> bool:
    conditions = (record.state.get("conditions") or {}).items()
    return record.verb != "deleted" and any(
        names_condition(terms["group_victims"], kind, condition[0], condition[1]) for kind, condition in conditions
    )


def leaves_at(facts: Facts, pod: PodCourse) -> int | None:
    """Where a bound pod ends, is deleted or begins to be."""
    bound, records = bound_at(facts, pod), facts.history.records
    return next((i for i in pod.places if bound is not None and i > bound and not stands(records[i])), None)


def moment_of(facts: Facts, pod: PodCourse, sign: int) -> int:
    """The moment of the eviction that record `sign` shows, by the order of revisions, in which requests are not."""
    left = leaves_at(facts, pod)
    if left is None:
        return sign
    return left if facts.history.records[sign].source == "audit" else min(left, sign)


def had_place(facts: Facts, pod: PodCourse, sign: int) -> bool:
    """Whether the pod had a place that it lost then, or could lose; what ended by itself had none any more."""
    moment = moment_of(facts, pod, sign)
    ended_by_itself = moment != sign and is_own_end(facts.history.records[moment])
    return stands(before(facts, pod, moment)) and not ended_by_itself


def is_own_end(record: Record) -> bool:
    return record.state.get("phase") in ENDED


def can_be_victim(facts: Facts, pod: PodCourse, moment: int) -> bool:
    """Whether the pod is one that can be a victim, not taken by the case and not taken back before its quorum."""
    gang = pod.first.state.get("gang")
    if gang and not is_member(pod):
        return False
    return not is_deleted_by_case(facts, pod, moment) and not is_rollback(facts, pod, moment)


def is_deleted_by_case(facts: Facts, pod: PodCourse, moment: int) -> bool:
    """Whether the case had deleted the pod by then, or its gang, or had submitted the gang again."""
    incarnation, name, records = incarnation_of(facts, pod), pod.first.name, facts.history.records
    if incarnation is not None and end_of(facts, incarnation) < moment:
        return True
    names = [i for i in facts.actions("delete") if name in records[i].state.get("members", ())]
    names = [i for i in names if records[i].namespace == pod.first.namespace]
    full_name = gang_key(pod.first.namespace, name)
    names += [i for i in facts.actions("note") if full_name in records[i].state.get("deleted", ())]
    return any(pod.places[0] < i < moment for i in names)


def is_rollback(facts: Facts, pod: PodCourse, moment: int) -> bool:
    """Whether the gang of the pod had not had its quorum since its first member was bound."""
    incarnation = incarnation_of(facts, pod)
    if incarnation is None:
        return bool(pod.first.state.get("gang"))
    for i in reversed([i for i in facts.changes(incarnation.gang) if i < moment]):
        if is_full(facts, incarnation, i):
            return False
        if not placed(facts, incarnation, i):
            return True
    return True
