"""What must come to an end, once more: what a waiting gang holds, and what is left of a deleted one. And what must not:
the programs of the integration.

Written from the documentation, and as slowly as it can be: each question looks at all records up to a moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from harness.core.history.records import PLAIN_KINDS, Record, gang_keys
from harness.core.second.constraints import stands
from harness.core.second.facts import Facts, Span
from harness.core.verdict import Outcome, worst

STORE = ("apiserver", "etcd")
PARTS = ("member", "placeholder")


def held_resources(facts: Facts) -> Outcome:
    """Of all promises that something is released, and of every gang with a timeout."""
    promised = [released(facts, i, gang) for i, gang in promises(facts, "released")]
    holds = [
        outcome
        for gang in facts.gangs()
        for submit in facts.actions("submit", gang=gang)
        for outcome in held_too_long(facts, gang, submit)
    ]
    return worst([Outcome.PASS, *promised, *holds])


def cleanup(facts: Facts) -> Outcome:
    """Of all promises that a gang is gone, and of every gang that the case deletes."""
    promised = [gone(facts, gang, i, due(facts, i, "gone")) for i, gang in promises(facts, "gone")]
    deleted = [deleted_in_time(facts, gang, i) for gang, i in first_deletions(facts)]
    return worst([Outcome.PASS, *promised, *deleted])


def crash(facts: Facts) -> Outcome:
    """Of all programs that ended."""
    return worst([Outcome.PASS, *(crashed(facts, i) for i in facts.actions("crash"))])


def promises(facts: Facts, what: str) -> list[tuple[int, str]]:
    """The promises of that kind, each with each of its gangs."""
    records = facts.history.records
    places = [i for i in facts.actions("expect") if records[i].state["what"] == what]
    return [(i, gang) for i in places for gang in gang_keys(records[i])]


def due(facts: Facts, promise: int, deadline: str) -> float:
    within = facts.history.records[promise].state.get("within")
    return facts.stretched(facts.clock[promise], facts.deadline(deadline) if within is None else float(within))


def deletions(facts: Facts, gang: str) -> list[int]:
    """Where the case deletes the whole gang."""
    records = facts.history.records
    return [i for i in facts.actions("delete", gang=gang) if records[i].state.get("what", "gang") == "gang"]


def end_of(facts: Facts, gang: str, submit: int) -> int | None:
    """Where the gang that was submitted there is deleted by the case, or submitted again."""
    ends = [i for i in (*deletions(facts, gang), *facts.actions("submit", gang=gang)) if i > submit]
    return min(ends, default=None)


# -- held resources: below quorum nothing is held for long


def held(facts: Facts, gang: str, i: int, is_started: bool) -> list[Record]:
    """The pods that hold something for the gang after record i; one that is going away still does."""
    parts = ("placeholder",) if is_started else ("placeholder", "member")
    return [record for record in facts.pods(gang, i, *parts) if stands(record)]


def released(facts: Facts, promise: int, gang: str) -> Outcome:
    """Whether there is a moment in time at which nothing is held below quorum."""
    begun, until = facts.begun(gang, promise), due(facts, promise, "released")
    if begun is None:
        return Outcome.UNKNOWN
    start, end = max(promise, begun), end_of(facts, gang, begun)
    if end is not None and end <= start:
        return Outcome.UNKNOWN
    for i in [start, *(i for i in facts.changes(gang) if i > start)]:
        if facts.clock[i] > until:
            return Outcome.VIOLATED
        if i == end:
            return Outcome.UNKNOWN
        if not held(facts, gang, i, facts.is_full(gang, i)):
            return Outcome.PASS
    return Outcome.VIOLATED if facts.clock[facts.last] > until else Outcome.UNKNOWN


def held_too_long(facts: Facts, gang: str, submit: int) -> list[Outcome]:
    """Of each hold of a gang with a timeout that has not started since it last held nothing."""
    spec, end = facts.spec(gang, submit), end_of(facts, gang, submit)
    if spec is None or spec.timeout is None:
        return []
    steps = [i for i in facts.changes(gang) if facts.begun(gang, i) == submit or i == end]
    allowed = spec.timeout + facts.deadline("released")
    outcomes, since, is_started = [], None, False
    for i in [*steps, facts.last]:
        until = inf if since is None else facts.patience(since, allowed, gang)
        if facts.clock[i] > until:
            outcomes.append(Outcome.VIOLATED)
        pods = held(facts, gang, i, False) if end is None or i < end else []
        is_started = bool(pods) and (is_started or facts.is_full(gang, i))
        is_waiting = bool(pods) and not is_started
        since = None if not is_waiting else facts.clock[i] if since is None else since
    if since is not None and facts.patience(since, allowed, gang) == inf:
        outcomes.append(Outcome.UNKNOWN)
    return outcomes


# -- cleanup: nothing of the gang is left


def deleted_in_time(facts: Facts, gang: str, deletion: int) -> Outcome:
    """Of a gang that the case deletes: whether it is gone in time, in which every component was there.

    If the history ends before that, nothing was promised and nothing broken.
    """
    spans = [*spans_of(facts, gang, deletion), *facts.downs(())]
    until = facts.patience_over(facts.clock[deletion], facts.deadline("gone"), spans)
    outcome = gone(facts, gang, deletion, until)
    return Outcome.PASS if outcome is Outcome.UNKNOWN and until < inf else outcome


def first_deletions(facts: Facts) -> list[tuple[str, int]]:
    """Each gang that the case deletes, once for each submission of it."""
    records = facts.history.records
    gangs = {f"{records[i].namespace}/{records[i].name}" for i in facts.actions("delete")}
    firsts: dict[tuple[str, int | None], int] = {}
    for gang in sorted(gangs):
        for i in deletions(facts, gang):
            firsts.setdefault((gang, facts.begun(gang, i)), i)
    return [(gang, i) for (gang, _), i in firsts.items()]


def spans_of(facts: Facts, gang: str, i: int) -> list[Span]:
    """Time that does not count, without what the case changed when the gang was submitted again."""
    spans = [*facts.downs()]
    for n in facts.actions("node-remove", "node-change", "edit", "create", "delete"):
        record = facts.history.records[n]
        is_whole = record.verb == "delete" and record.state.get("what", "gang") == "gang"
        is_mine = f"{record.namespace}/{record.name}" == gang and facts.begun(gang, n) == facts.begun(gang, i)
        if record.verb.startswith("node-") or (is_mine and not is_whole):
            spans.append((facts.clock[n], facts.clock[n]))
    return spans


def gone(facts: Facts, gang: str, start: int, until: float) -> Outcome:
    """Whether there is a moment until then at which nothing is left of the gang that was there at the start."""
    begun = facts.begun(gang, start)
    objects = [places for places in things(facts, gang) if facts.begun(gang, places[0]) == begun]
    begin = max(start, begun or 0)
    for i in [begin, *sorted(i for places in objects for i in places if i > begin)]:
        if facts.clock[i] > until:
            break
        if not any(exists(facts, places, i) for places in objects):
            return Outcome.PASS
    return Outcome.VIOLATED if facts.clock[facts.last] > until else Outcome.UNKNOWN


def things(facts: Facts, gang: str) -> list[tuple[int, ...]]:
    """The positions of all records of each member, placeholder and group object of the gang, of any submission."""
    pods = [pod.places for pod in facts.members.get(gang, []) if pod.first.state.get("part") in PARTS]
    groups: dict[str, list[int]] = {}
    for i, record in enumerate(facts.history.records):
        if record.source == "watch" and record.kind not in PLAIN_KINDS:
            groups.setdefault(record.uid or f"{record.kind}/{record.namespace}/{record.name}", []).append(i)
    mine = [places for places in groups.values() if facts.history.records[places[0]].state.get("gang") == gang]
    return [*pods, *(tuple(places) for places in mine)]


def exists(facts: Facts, places: Sequence[int], i: int) -> bool:
    earlier = [n for n in places if n <= i]
    return bool(earlier) and facts.history.records[earlier[-1]].verb != "deleted"


# -- crash: no program ends by itself, unless the API server was away


def crashed(facts: Facts, i: int) -> Outcome:
    """Of one program that ended."""
    now, state = facts.clock[i], facts.history.records[i].state
    for since, back in facts.downs(STORE):
        is_some_time_ago = "restarts" in state  # a kubelet counts, and does not tell when
        if since <= now and (is_some_time_ago or now <= facts.stretched(back, facts.deadline("reconnected"))):
            return Outcome.PASS
    is_doubtful = "SIGKILL" in state.get("ending", "") or starved(facts, now - 30, now) >= 5
    return Outcome.UNKNOWN if is_doubtful else Outcome.VIOLATED


def starved(facts: Facts, since: float, until: float) -> float:
    """For how long all stood still between these times."""
    return sum(max(0.0, min(end, until) - max(begin, since)) for begin, end in facts.stalls())
