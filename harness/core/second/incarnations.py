"""One submission of a gang and what belongs to it: pods and group objects that appear before the next submission.

A gang that is submitted again begins anew. What the judge asks about refusals and victims is about one submission.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from harness.core.gang import Gang
from harness.core.history.records import PLAIN_KINDS, Record
from harness.core.history.terms import TERMS_ONCE_SHARED, Terms
from harness.core.second.facts import ENDED, Facts, PodCourse

TermTable = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Incarnation:
    """A gang from one submission to the next one."""

    gang: str
    begun: int  # its submission
    until: int  # the next one, else the end of the history
    first: int  # what appears from here on belongs to it; of the first incarnation also what came before it


def incarnations(facts: Facts, gang: str) -> list[Incarnation]:
    begins = list(facts.actions("submit", gang=gang))
    ends = [*begins[1:], facts.last + 1]
    return [Incarnation(gang, begins[n], ends[n], begins[n] if n else 0) for n in range(len(begins))]


def incarnation_at(facts: Facts, gang: str, i: int) -> Incarnation | None:
    """The one that counts at record i; before the first submission that is the first one."""
    return next(
        (incarnation for incarnation in incarnations(facts, gang) if incarnation.begun == facts.begun(gang, i)), None
    )


def pods_of(facts: Facts, incarnation: Incarnation) -> list[PodCourse]:
    """Its pods in the order of their creation."""
    courses = [
        pod for pod in facts.members.get(incarnation.gang, []) if incarnation.first <= pod.places[0] < incarnation.until
    ]
    return sorted(courses, key=lambda pod: pod.places[0])


def incarnation_of(facts: Facts, pod: PodCourse) -> Incarnation | None:
    candidates = incarnations(facts, pod.first.state.get("gang", ""))
    return next((incarnation for incarnation in candidates if pod in pods_of(facts, incarnation)), None)


def is_member(pod: PodCourse) -> bool:
    return bool(pod.first.state.get("part", "plain") == "member")


def end_of(facts: Facts, incarnation: Incarnation) -> int:
    """Where the case deletes it whole, else where it is submitted again, else the end of the history."""
    deletions = [
        i
        for i in facts.actions("delete", gang=incarnation.gang)
        if facts.history.records[i].state.get("what", "gang") == "gang" and incarnation.begun < i
    ]
    return min([*deletions, incarnation.until])


def spec_of(facts: Facts, incarnation: Incarnation, i: int) -> Gang | None:
    return facts.spec(incarnation.gang, min(i, incarnation.until - 1))


def before(facts: Facts, pod: PodCourse, i: int) -> Record | None:
    """The last record of the pod before record i."""
    return facts.state(pod, i - 1)


def exists(facts: Facts, pod: PodCourse, i: int) -> bool:
    record = facts.state(pod, i)
    return record is not None and record.verb != "deleted"


def bound_at(facts: Facts, pod: PodCourse) -> int | None:
    return next((i for i in pod.places if "node" in facts.history.records[i].state), None)


def pod_named(facts: Facts, namespace: str, name: str, i: int) -> PodCourse | None:
    """The pod of this name at record i: the last that came under it."""
    pods = [pod for pod in facts.courses.values() if (pod.first.namespace, pod.first.name) == (namespace, name)]
    pods = [pod for pod in pods if pod.places[0] <= i]
    return max(pods, key=lambda pod: pod.places[0]) if pods else None


def subject_of(facts: Facts, i: int) -> PodCourse | None:
    """The pod that the event in record i is about: the one that had the name when the event first appeared."""
    record = facts.history.records[i]
    kind, namespace, name = record.state.get("about", "//").split("/", 2)
    return pod_named(facts, namespace, name, first_record(facts, i)) if kind == "Pod" else None


def first_record(facts: Facts, i: int) -> int:
    """Where the object of record i appeared first."""
    return next(n for n, record in enumerate(facts.history.records) if _is_same(record, facts.history.records[i]))


def previous_record(facts: Facts, i: int) -> Record | None:
    """The record of the same object before record i."""
    records = facts.history.records
    return next((records[n] for n in range(i - 1, -1, -1) if _is_same(records[n], records[i])), None)


def group_records(facts: Facts, incarnation: Incarnation) -> list[int]:
    """The records of its group objects."""
    return [
        i
        for i, record in enumerate(facts.history.records)
        if record.source == "watch" and record.kind not in PLAIN_KINDS and record.state.get("gang") == incarnation.gang
        if incarnation.first <= first_record(facts, i) < incarnation.until
    ]


def _is_same(record: Record, other: Record) -> bool:
    return record.source == "watch" == other.source and _object(record) == _object(other)


def _object(record: Record) -> tuple[str, ...]:
    return (record.kind, record.uid) if record.uid else (record.kind, record.namespace, record.name)


# -- the terms of the integration


def term_table(facts: Facts) -> TermTable:
    """The terms of the integration, by the header; those that the header leaves out are the usual ones."""
    stated = facts.history.header.get("vocabulary")
    return asdict(TERMS_ONCE_SHARED) if stated is None else {**asdict(Terms()), **stated}


def names_condition(terms: tuple[str, ...] | list[str], kind: str, status: str, reason: str) -> bool:
    """Whether the terms have this condition: "Type=Status", or "Type=Status (Reason)"."""
    return any(term in (f"{kind}={status}", f"{kind}={status} ({reason})") for term in terms)


# -- who is placed


def stands(record: Record | None) -> bool:
    """Whether a pod is bound, has not ended, and is not about to go."""
    return (
        record is not None
        and "node" in record.state
        and record.verb != "deleted"
        and not record.state.get("deleting")
        and record.state.get("phase") not in ENDED
    )


def placed(facts: Facts, incarnation: Incarnation, i: int) -> list[Record]:
    """The members that count at record i."""
    if i >= end_of(facts, incarnation):
        return []
    latest = [facts.state(pod, i) for pod in pods_of(facts, incarnation) if is_member(pod) and pod.places[0] <= i]
    return [record for record in latest if stands(record) or has_succeeded(record) if record is not None]


def has_succeeded(record: Record | None) -> bool:
    return record is not None and "node" in record.state and record.state.get("phase") == "Succeeded"


def is_full(facts: Facts, incarnation: Incarnation, i: int) -> bool:
    spec, members = spec_of(facts, incarnation, i), placed(facts, incarnation, i)
    if spec is None or len(members) < spec.minimum:
        return False
    return all(sum(r.state.get("role") == role.name for r in members) >= role.minimum for role in spec.roles)
