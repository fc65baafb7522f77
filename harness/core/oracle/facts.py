"""Single facts of a replay: plain values, each with the record that shows it.

`harness.core.oracle.replay` writes them down, and checks, witnesses and pictures read them from the timeline. The two
rules on time that all of them share are here too: how long something may take, and how much longer after a stall.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from harness.core.history.records import Record, gang_keys


class Moment(NamedTuple):
    """A place in a history."""

    pos: int  # of the record
    now: float  # the latest time up to it


class Step(NamedTuple):
    """A gang's counters from this record on."""

    pos: int  # of the record in the history
    now: float
    placed: int  # members that are bound and neither deleted, deleting nor failed; finished ones count
    full: bool  # quorum is placed, and every role's minimum
    held: int  # pods, placeholders too, that occupy a node and are not going away
    gpus: float  # what those occupy
    standing: int  # as `held`, with those that are going away
    left: int  # objects that exist: members, placeholders, groups
    members: int = 0  # those of `standing` that are no placeholders
    stands: bool = False  # these members are a quorum, and every role's minimum; finished ones do not count


class Bind(NamedTuple):
    pos: int  # of the record in the history
    now: float
    pod: str
    node: str


class Start(NamedTuple):
    """A gang reached quorum or a pod of no gang was bound, having waited since record `since`."""

    pos: int  # of the record in the history
    now: float
    since: int
    name: str


class Overflow(NamedTuple):
    pos: int  # of the record in the history
    now: float
    pod: str
    node: str
    resource: str
    used: int
    room: int
    allowed: float  # until when there was room; minus infinity: never


class Stray(NamedTuple):
    """A bind to a node that had been removed."""

    pos: int  # of the record in the history
    now: float
    pod: str
    node: str
    removed: Moment
    is_informed: bool  # a marker shows that the scheduler had seen the removal
    gang: str  # of the pod; empty if it has none
    is_evidence: bool  # the pod is a fence or a marker, which nothing but its bind is asked of


class Stall(NamedTuple):
    """muster, or the API server with its store, did not run between these times, or a watch was broken."""

    since: float
    until: float
    who: str


class Spans(NamedTuple):
    """Times in which no progress could be asked for."""

    restarts: Sequence[tuple[float, float]] = ()  # after each of them a deadline begins anew
    stalls: Sequence[Stall] = ()  # a deadline is longer by each of them


class Breach(NamedTuple):
    """A bind that a hard constraint forbids."""

    pos: int  # of the record in the history
    now: float
    pod: str
    node: str
    why: str
    allowed: float  # until when it would have been right; minus infinity: never


@dataclass(slots=True, eq=False)
class Unmet:
    """A demand for other pods that did not hold at the bind."""

    breach: Breach
    over: float = inf  # when later binds met it, or the pod itself was taken back


class Refusal(NamedTuple):
    """What a scheduler wrote of a gang that it did not place."""

    pos: int  # of the record in the history
    now: float
    born: int  # the record in which the pod that it is about was first seen; -1: it is about no pod
    sentence: str
    reason: str
    message: str = ""
    of_all: bool = False  # it is about all members, those too that are not there yet


class Down(NamedTuple):
    """A process did not run between these times."""

    since: float
    until: float
    role: str
    process: str
    verb: str  # of the action that began it: kill, pause or restart


class Action(NamedTuple):
    """What the case did, or an answer of the API server."""

    pos: int  # of the record in the history
    now: float
    record: Record


class Promise(NamedTuple):
    """An `expect` of the case."""

    pos: int  # of the record in the history
    now: float
    record: Record

    @property
    def what(self) -> str:
        return str(self.record.state.get("what", ""))

    @property
    def gangs(self) -> tuple[str, ...]:
        return gang_keys(self.record)

    def within(self, default: float) -> float:
        seconds = self.record.state.get("within")
        return default if seconds is None else float(seconds)


def details(promise: Promise, name: str, default: Any = None) -> Any:
    """A detail of the promise."""
    return promise.record.state.get(name, default)


def patience(since: float, allowed: float, spans: Spans) -> float:
    """Until when something begun at `since` may take: the time allowed, anew after each restart that it falls into.

    A stall is only added. If the time began anew after each of them, on a busy machine it would never be over, and no
    gang could be seen to be late.
    """
    until = stretched(since, allowed, spans.stalls)
    for start, stop in spans.restarts:
        if stop >= since and start <= until:
            until = max(until, stretched(stop, allowed, spans.stalls))
    return until


def stretched(since: float, allowed: float, stalls: Iterable[Stall]) -> float:
    """Until when something begun at `since` may take: the time allowed, without the times in which all stood still."""
    until, counted = since + allowed, since
    for stall in sorted(stalls):
        begin, end = max(stall.since, counted), stall.until
        if begin < until and end > begin:
            until += end - begin
            counted = end
    return until
