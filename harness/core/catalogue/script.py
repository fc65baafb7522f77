"""What the code of a case says about the histories of its runs, and where a history says something else.

A history whose promises, gangs or actions were edited may well be possible. But a case is code: it submits gangs of
certain names and sizes, it can only do what it calls, and what it asks on every way to its end is in every history that
passes. `harness.cases.declared_script` reads this from the code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.core.gang import Gang, gang_from_record
from harness.core.history.records import History, Record, gang_keys

ALWAYS = frozenset(("submit", "expect", "claim", "note", "fence", "marker", "stalled", "crash"))  # of any case
OF_MUSTER = frozenset(("member", "marker", "fence"))  # parts of pods that are for the scheduler under test


@dataclass(frozen=True, slots=True)
class StatedGang:
    """A gang that stands in the code."""

    name: str  # a regular expression, which is the name itself where that is known
    size: int | None = None  # None: not known
    quorum: int | None = None
    gpus: int | None = None
    fields: tuple[str, ...] = ()  # everything that the code sets; empty: not known

    def fits(self, gang: Gang) -> bool:
        numbers = ((self.size, gang.size), (self.quorum, gang.minimum), (self.gpus, gang.gpus))
        is_same = all(stated in (None, number) for stated, number in numbers)
        is_all = not self.fields or set(gang.as_record()) <= {"name", "size", *self.fields}
        return is_same and is_all and bool(re.fullmatch(self.name, gang.name))


@dataclass(frozen=True, slots=True)
class StatedPromise:
    """A promise that stands in the code."""

    what: str
    gang: str = ""  # its name; empty: not known
    deadline: str = ""  # the name of the deadline; empty: none, or not known


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim that stands in the code."""

    sentence: str = ""  # empty: not known
    evidence: str = ""  # the key of the state that has its evidence, from which it is judged again


@dataclass(frozen=True, slots=True)
class Script:
    """What a case can do, and what it does whenever it runs to its end."""

    verbs: tuple[str, ...] = ()  # of actions that it can make; empty: nothing is known
    most: Mapping[str, int] = field(default_factory=dict)  # how many of some of them it makes at most
    gangs: tuple[StatedGang, ...] = ()  # every gang that it submits; empty: not known
    promises: tuple[StatedPromise, ...] = ()  # that it makes in any case
    longest: tuple[StatedPromise, ...] = ()  # the kinds of promises with the deadlines that they can have
    claims: tuple[StatedClaim, ...] = ()  # that it makes in any case
    schedulers: bool = False  # it gives pods to other schedulers, too


def script_from_data(data: Mapping[str, Any]) -> Script:
    """The script that `asdict` described."""
    listed = {
        "verbs": tuple(data["verbs"]),
        "gangs": tuple(StatedGang(**{**gang, "fields": tuple(gang["fields"])}) for gang in data["gangs"]),
        "promises": tuple(StatedPromise(**promise) for promise in data["promises"]),
        "claims": tuple(StatedClaim(**claim) for claim in data["claims"]),
        "longest": tuple(StatedPromise(**promise) for promise in data["longest"]),
    }
    return Script(**{**data, **listed})


def departures(history: History, script: Script) -> Iterator[str]:
    """What a passing history has that the code cannot do, or lacks that it does."""
    if not script.verbs:
        return
    actions = [record for record in history.records if record.source == "action"]
    for verb in sorted({record.verb for record in actions} - ALWAYS - set(script.verbs)):
        yield f"has the action {verb}, which its case cannot make"
    for verb, most in script.most.items():
        if (number := sum(record.verb == verb for record in actions)) > most:
            yield f"has the action {verb} {number} times, its case makes it {most} times at most"
    for record in actions:
        if record.verb == "submit" and script.gangs and (gang := _unstated(record, script)):
            yield f"submits {gang}, which its case does not"
        if record.verb == "expect" and (text := _late(record, script, history)):
            yield text
    yield from _lacking(actions, script)
    yield from _unlike_recorder(history, script)


def _unstated(record: Record, script: Script) -> str:
    gang = gang_from_record({"name": record.name, **(record.state.get("gang") or {})})
    if any(stated.fits(gang) for stated in script.gangs):
        return ""
    return f"a gang {record.name} of {gang.size} with a quorum of {gang.minimum} ({', '.join(gang.as_record())})"


def _late(record: Record, script: Script, history: History) -> str:
    """A promise with more time than the deadlines that its case names for it."""
    what, within = record.state.get("what"), record.state.get("within") or 0.0
    names = [promise.deadline for promise in script.longest if promise.what == what]
    table = history.header.get("deadlines") or {}
    if not names or any(name not in table for name in names if name):
        return ""
    longest = max((float(table[name]) for name in names if name), default=0.0)
    if within <= longest * 1.000001:
        return ""
    return f"promises {what} within {within:g} s, its case within {longest:g} s"


def _lacking(actions: list[Record], script: Script) -> Iterator[str]:
    promised = {
        (record.state.get("what"), key.partition("/")[2])
        for record in actions
        if record.verb == "expect"
        for key in gang_keys(record)
    }
    for promise in script.promises:
        if (promise.what, promise.gang) not in promised:
            yield f"passes without the promise {promise.what} of {promise.gang}, which its case makes"
    claims = [record.state for record in actions if record.verb == "claim"]
    if len(claims) < len(script.claims):
        yield f"passes with {len(claims)} claims, and its case makes {len(script.claims)}"
    sentences = {str(claim.get("sentence", "")) for claim in claims}
    for claim in script.claims:
        if claim.sentence and claim.sentence not in sentences:
            yield f"passes without the claim {claim.sentence!r}, which its case makes"
    stated = Counter(claim.evidence for claim in script.claims if claim.evidence)
    for evidence, number in stated.items():
        if sum(evidence in claim for claim in claims) < number:
            yield f"passes with fewer claims that have their evidence ({evidence}) than its case makes: {number}"


def _unlike_recorder(history: History, script: Script) -> Iterator[str]:
    """What the recorder of this muster always writes, and the one scheduler to which all of the case's pods belong."""
    if history.header.get("constraints") is not True:
        yield "does not have what its pods demand, which this muster records"
    pods = [record.state for record in history.records if record.source == "watch" and record.kind == "Pod"]
    names = {str(state.get("scheduler", "")) for state in pods if state.get("part") in OF_MUSTER}
    if len(names) > 1 and not script.schedulers:
        yield f"has pods for the schedulers {', '.join(sorted(names))}, its case for one"
