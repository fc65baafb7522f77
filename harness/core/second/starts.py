"""How gangs start, once more: of those that compete one wins, and no main container runs before all members wait.

Written from the documentation, and as slowly as it can be: each question looks at all records up to a moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, inf

from harness.core.history.records import gang_keys
from harness.core.second.constraints import stands
from harness.core.second.facts import Facts, PodCourse
from harness.core.second.laws import due
from harness.core.verdict import Outcome, worst


def competed(facts: Facts) -> list[Outcome]:
    """Of each promise that one of some gangs wins."""
    return [one_of(facts, i) for i in facts.actions("expect") if facts.history.records[i].state["what"] == "one-of"]


def barrier(facts: Facts) -> Outcome:
    """Of all promises that main containers wait for the init containers of a gang."""
    promises = [i for i in facts.actions("expect") if facts.history.records[i].state["what"] == "barrier"]
    outcomes = [waited(facts, i, gang) for i in promises for gang in gang_keys(facts.history.records[i])]
    return worst([Outcome.PASS, *outcomes])


# -- one-of: a gang reaches quorum, and while it stands no member of another is bound


def one_of(facts: Facts, promise: int) -> Outcome:
    gangs = gang_keys(facts.history.records[promise])
    until, winner = due(facts, promise), ""
    for i in sorted({promise, *(i for gang in gangs for i in facts.changes(gang) if i > promise)}):
        if facts.clock[i] > until:
            break
        judged = [gang for gang in gangs if is_judged(facts, promise, gang, i)]
        full = [gang for gang in judged if facts.is_full(gang, i)]
        winner = winner or (full[0] if full else "")
        if winner and (winner not in judged or not stands_at_quorum(facts, winner, i)):
            return Outcome.PASS
        if winner and any(facts.placed(gang, i) for gang in judged if gang != winner):
            return Outcome.VIOLATED
    if winner:
        return Outcome.PASS
    if facts.clock[facts.last] <= until:
        return Outcome.UNKNOWN
    left = [gang for gang in gangs if is_judged(facts, promise, gang, last_within(facts, until))]
    return Outcome.VIOLATED if left else Outcome.UNKNOWN


def last_within(facts: Facts, until: float) -> int:
    return max(i for i in range(len(facts.clock)) if facts.clock[i] <= until)


def is_judged(facts: Facts, promise: int, gang: str, i: int) -> bool:
    """Whether the gang of that promise is still there: neither deleted by the case, nor submitted again."""
    return facts.begun(gang, i) == facts.begun(gang, promise) and not facts.is_ended(gang, i)


def stands_at_quorum(facts: Facts, gang: str, i: int) -> bool:
    """Whether a quorum of the gang takes room: members that are going away do, those that have finished do not."""
    spec = facts.spec(gang, i)
    members = [record for record in facts.pods(gang, i, "member") if stands(record)]
    if spec is None or len(members) < spec.minimum:
        return False
    return all(sum(r.state.get("role") == role.name for r in members) >= role.minimum for role in spec.roles)


# -- barrier: by the second at which a main container started, enough members had begun to wait


def waited(facts: Facts, promise: int, gang: str) -> Outcome:
    begun = facts.begun(gang, promise)
    spec = None if begun is None else facts.spec(gang, max(begun, promise))
    if begun is None or spec is None:
        return Outcome.UNKNOWN
    details = facts.history.records[promise].state
    init, count = details.get("init", ""), details.get("count") or spec.size
    pods = [pod for pod in facts.members.get(gang, []) if pod.first.state.get("part") == "member"]
    pods = [pod for pod in pods if facts.begun(gang, pod.places[0]) == begun]
    ends = [i for i in facts.changes(gang) if i > begun and not is_judged(facts, begun, gang, i)]
    for pod in pods:
        for name, second in starts(facts, pod, min(ends, default=facts.last)).items():
            if name == init or name in inits(facts, pod) or name != details.get("main", name):
                continue
            if sum(is_waiting(facts, other, init, second) for other in pods) < count:
                return Outcome.VIOLATED
    return Outcome.PASS


def starts(facts: Facts, pod: PodCourse, end: int) -> Mapping[str, float]:
    """The second at which each container of the pod started first, by what was reported up to record `end`."""
    seconds: dict[str, float] = {}
    for i in (i for i in pod.places if i <= end):
        for name, time in (facts.history.records[i].state.get("running") or {}).items():
            seconds.setdefault(name, floor(time))
    return seconds


def inits(facts: Facts, pod: PodCourse) -> set[str]:
    return {name for i in pod.places for name in facts.history.records[i].state.get("inits", [])}


def is_waiting(facts: Facts, pod: PodCourse, init: str, second: float) -> bool:
    """Whether the pod had begun its init container by that second, and was not gone before."""
    records = [facts.history.records[i] for i in pod.places]
    is_gone = any(record.verb == "deleted" and record.at < second for record in records)
    return starts(facts, pod, facts.last).get(init, inf) <= second and not is_gone
