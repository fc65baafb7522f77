"""The law of refusals once more: a gang without room binds nothing, and the scheduler is seen to have looked at it.

What counts as a word of the scheduler stands in the header of the history; it is read here a second time. For each
promise all evidence is collected from the records, and the first of it is compared with the first bind.
"""

from __future__ import annotations

from harness.core.history.records import Record, gang_keys
from harness.core.second.facts import Facts, PodCourse
from harness.core.second.fences import fences
from harness.core.second.incarnations import (
    Incarnation,
    TermTable,
    before,
    bound_at,
    end_of,
    group_records,
    incarnation_at,
    is_member,
    names_condition,
    pods_of,
    previous_record,
    spec_of,
    subject_of,
    term_table,
)
from harness.core.verdict import Outcome, worst


def refused(facts: Facts) -> Outcome:
    """The worst of all promises of a refusal, and of all that a gang stays unbound."""
    outcomes = [Outcome.PASS]
    for promise in facts.actions("expect"):
        record = facts.history.records[promise]
        for gang in gang_keys(record):
            if record.state["what"] in ("refused", "unbound"):
                outcomes.append(_promised(facts, gang, promise))
    return worst(outcomes)


def _promised(facts: Facts, gang: str, promise: int) -> Outcome:
    incarnation = incarnation_at(facts, gang, promise)
    if incarnation is None:
        return Outcome.UNKNOWN
    is_unbound = facts.history.records[promise].state["what"] == "unbound"
    return (stays_unbound if is_unbound else is_refused)(facts, incarnation, promise)


# -- promises


def stays_unbound(facts: Facts, incarnation: Incarnation, promise: int) -> Outcome:
    end = end_of_promise(facts, incarnation, promise)
    binds = [i for i in member_binds(facts, incarnation) if promise < i < end]
    return Outcome.VIOLATED if binds or facts.placed(incarnation.gang, promise) else Outcome.PASS


def is_refused(facts: Facts, incarnation: Incarnation, promise: int) -> Outcome:
    if facts.placed(incarnation.gang, promise):
        return Outcome.VIOLATED
    start, end = last_creation(facts, incarnation, promise), end_of_promise(facts, incarnation, promise)
    evidence = [i for i in all_evidence(facts, incarnation, promise) if start < i < end]
    binds = [i for i in member_binds(facts, incarnation) if start < i < min([*evidence, end])]
    if binds:
        return Outcome.VIOLATED
    return Outcome.PASS if evidence else Outcome.UNKNOWN


def end_of_promise(facts: Facts, incarnation: Incarnation, promise: int) -> int:
    """Where the promise is lifted, or ends with its gang."""
    ends = [end_of(facts, incarnation)]
    for i in facts.actions("lift"):
        record = facts.history.records[i]
        if i > promise and (not record.state.get("gangs") or incarnation.gang in gang_keys(record)):
            ends.append(i)
    return min(ends)


def member_binds(facts: Facts, incarnation: Incarnation) -> list[int]:
    positions = [bound_at(facts, pod) for pod in pods_of(facts, incarnation) if is_member(pod)]
    return [i for i in positions if i is not None]


# -- what the case created


def creations(facts: Facts, incarnation: Incarnation, promise: int) -> list[int]:
    """Where the case created further members, up to the promise."""
    return [
        i
        for i in facts.actions("create", gang=incarnation.gang)
        if incarnation.begun < i <= promise and facts.history.records[i].state.get("count")
    ]


def last_creation(facts: Facts, incarnation: Incarnation, promise: int) -> int:
    return max([incarnation.begun, *creations(facts, incarnation, promise)])


def created(facts: Facts, incarnation: Incarnation, promise: int) -> int:
    """How many members the case had created when it made the promise."""
    spec = spec_of(facts, incarnation, incarnation.begun)
    count = spec.size - spec.missing if spec is not None else 0
    return max(
        1, count + sum(int(facts.history.records[i].state["count"]) for i in creations(facts, incarnation, promise))
    )


def complete_at(facts: Facts, incarnation: Incarnation, promise: int) -> int | None:
    """The first record of the last of these members; None if they did not all come, and if none ever came."""
    members = [pod for pod in pods_of(facts, incarnation) if is_member(pod)]
    count = created(facts, incarnation, promise)
    return members[count - 1].places[0] if len(members) >= count else None


# -- evidence


def all_evidence(facts: Facts, incarnation: Incarnation, promise: int) -> list[int]:
    """Every record that shows that the scheduler looked at the whole gang."""
    terms, pods = term_table(facts), pods_of(facts, incarnation)
    members = [pod for pod in pods if is_member(pod)]
    complete = complete_at(facts, incarnation, promise)
    groups = reports_of_group(facts, incarnation, terms)
    if not members:  # a queue may not have let the gang in
        fence_after = pods[0].places[0] if pods else None
        late = pods
    else:
        fence_after = complete
        late = [pod for pod in pods if complete is not None and pod.places[0] >= complete]
        is_part = range(members[0].places[0], facts.last + 1 if complete is None else complete)
        groups = [i for i in groups if terms["group_tells_of_members"] and i not in is_part]
    positions = [i for pod in late for i in reports_of_pod(facts, pod, terms)] + groups
    if fence_after is not None:
        since = max(fence_after, last_creation(facts, incarnation, promise))
        positions += fences(facts, incarnation, since, terms)
    return positions


def reports_of_pod(facts: Facts, pod: PodCourse, terms: TermTable) -> list[int]:
    records = facts.history.records
    conditions = [i for i in pod.places if is_refusal_of_pod(records[i], before(facts, pod, i), terms)]
    events = [i for i, record in enumerate(records) if is_refusal_event(record, terms) and subject_of(facts, i) is pod]
    return conditions + events


def is_refusal_of_pod(record: Record, previous: Record | None, terms: TermTable) -> bool:
    """Whether the scheduler has written just now that the pod is not scheduled."""
    condition = (record.state.get("conditions") or {}).get("PodScheduled")
    if not condition or condition[0] != "False" or "node" in record.state:
        return False
    if condition[1] == "SchedulingGated" and not terms["gates_refuse"]:
        return False
    return previous is None or condition != (previous.state.get("conditions") or {}).get("PodScheduled")


def is_refusal_event(record: Record, terms: TermTable) -> bool:
    if record.source != "watch" or record.kind != "Event" or record.verb == "deleted":
        return False
    reason = record.state.get("reason", "")
    if reason in terms["refusal_events"]:
        return True
    is_other = any(reason.startswith(beginning) for beginning in terms["other_warnings"])
    return record.state.get("type") == "Warning" and not is_other


def reports_of_group(facts: Facts, incarnation: Incarnation, terms: TermTable) -> list[int]:
    records = facts.history.records
    positions = [
        i
        for i in group_records(facts, incarnation)
        if is_refusal_of_group(records[i], previous_record(facts, i), terms)
    ]
    for i, record in enumerate(records):
        is_about_group = (
            not record.state.get("about", "").startswith("Pod/") and record.state.get("gang") == incarnation.gang
        )
        if is_about_group and is_refusal_event(record, terms):
            positions.append(i)
    return positions


def is_refusal_of_group(record: Record, previous: Record | None, terms: TermTable) -> bool:
    """Whether the group object says something new that means that there is no room."""
    if record.verb == "deleted":
        return False
    had = previous.state if previous is not None else {}
    phase, conditions = record.state.get("phase", ""), record.state.get("conditions") or {}
    if no_room(phase, terms) and phase != had.get("phase"):
        return True
    news = [kind for kind in conditions if conditions[kind] != (had.get("conditions") or {}).get(kind)]
    return any(refuses(kind, conditions[kind][0], conditions[kind][1], terms) for kind in news)


def refuses(kind: str, status: str, reason: str, terms: TermTable) -> bool:
    if names_condition(terms["group_conditions"], kind, status, reason):
        return True
    if status == "True":
        return "unschedulable" in kind.lower()
    return status == "False" and (kind.lower().endswith("scheduled") or no_room(reason, terms))


def no_room(text: str, terms: TermTable) -> bool:
    return any(part in text.lower() for part in terms["group_words"])
