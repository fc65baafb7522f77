"""What one walk over a history leaves behind for the checks: the course of every gang, and what happened to whom.

These are plain values with small questions answered next to them (how long may this take when the scheduler was down,
which life of the gang is meant). `harness.core.walk` fills them; checks only read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from harness.core.gang import Gang
from harness.core.history import History, Record, gang_keys

Spans = list[tuple[float, float]]
THE_SCHEDULER = ("scheduler", "apiserver", "etcd")  # while one of these is down no scheduler can keep a promise


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
    who: str


class Overflow(NamedTuple):
    pos: int  # of the record in the history
    now: float
    pod: str
    node: str
    resource: str
    used: int
    room: int


class Refusal(NamedTuple):
    """What a scheduler said of a gang that it did not place."""

    pos: int  # of the record in the history
    born: int  # the record in which the pod that it speaks of came into being; -1: it speaks of no pod
    words: str


class Life:
    """A gang from one submission to its deletion by the case, or to the next submission."""

    __slots__ = (
        "arrivals", "begun", "begun_at", "binds", "ended", "ended_at", "gang", "gpus", "held", "jolts", "key", "later",
        "left", "members", "pending", "placed", "quorum", "refusals", "replaced", "roles", "schedulers", "standing",
        "started", "steps",
    )  # fmt: skip

    def __init__(self, key: str, index: int, now: float) -> None:
        self.key = key
        self.gang: Gang | None = None  # None: never submitted by the case, only seen
        self.quorum: int | None = None
        self.begun, self.begun_at = index, now
        self.ended, self.ended_at = -1, inf
        self.replaced = False  # it ended because the gang was submitted anew
        self.placed = self.held = self.standing = self.left = self.members = 0
        self.gpus = 0.0
        self.roles: dict[str, int] = {}
        self.steps: list[Step] = []
        self.binds: list[Bind] = []
        self.refusals: list[Refusal] = []
        self.arrivals: list[int] = []  # when each member came into being
        self.later: list[tuple[int, int]] = []  # when the case created further members, and how many
        self.schedulers: set[str] = set()
        self.jolts: list[float] = []
        self.started = False  # quorum was reached at least once
        self.pending = index  # since when it waits for its quorum

    @property
    def full(self) -> bool:
        if self.quorum is None or self.placed < self.quorum:
            return False
        roles = self.gang.roles if self.gang is not None else ()
        return all(self.roles.get(role.name, 0) >= role.minimum for role in roles)

    @property
    def size(self) -> int:
        return self.gang.size if self.gang is not None else self.members

    def become(self, gang: Gang, index: int, now: float) -> None:
        """This is the life of that gang, submitted now."""
        self.gang, self.quorum = gang, gang.minimum
        self.begun, self.begun_at, self.pending = index, now, index
        self.step(index, now)

    def end(self, index: int, now: float, *, replaced: bool = False) -> None:
        if self.ended < 0:
            self.ended, self.ended_at, self.replaced = index, now, replaced

    def place(self, role: str, change: int) -> None:
        if change > 0 and not self.placed:
            self.started = False  # all of it was gone: what begins now may be taken back as at first
        self.placed += change
        if role:
            self.roles[role] = self.roles.get(role, 0) + change

    def step(self, index: int, now: float) -> bool:
        """Write the counters down; True if quorum is reached with this record."""
        before = bool(self.steps) and self.steps[-1].full
        full = self.full
        self.steps.append(Step(index, now, self.placed, full, self.held, self.gpus, self.standing, self.left))
        if full:
            self.started = True
        elif before:
            self.pending = index
        return full and not before

    def whole(self, index: int) -> float:
        """The record with which all members were there that the case had created at `index`; infinite if it never came.

        None at all is as it was submitted too: a job may not be let in yet.
        """
        if self.gang is None or not self.arrivals:
            return -1
        wanted = self.gang.size - self.gang.missing + sum(count for pos, count in self.later if pos <= index)
        return self.arrivals[max(wanted, 1) - 1] if len(self.arrivals) >= wanted else inf

    def evident(self, index: int) -> Refusal | None:
        """The first refusal by a scheduler that, when it spoke, knew the whole gang as it was created up to `index`.

        A scheduler learns of pods in the order of their creation, and what it writes down it may have decided some
        time ago. So it must speak of the member that came last, or of a pod that came later still: what it says of
        another may be about a part of the gang, and it may well place the whole a moment later.
        """
        whole = self.whole(index)
        return next((one for one in self.refusals if one.born >= whole), None)

    def at(self, index: int) -> Step:
        """The counters after record `index`."""
        place = bisect_right(self.steps, index, key=lambda step: step.pos)
        return self.steps[place - 1] if place else Step(index, self.begun_at, 0, False, 0, 0.0, 0, 0)

    def since(self, index: int) -> list[Step]:
        """The counters at record `index` and every later change of them."""
        place = bisect_right(self.steps, index, key=lambda step: step.pos)
        return [self.at(index), *self.steps[place:]]

    def course(self) -> list[Step]:
        """The steps while the case wants the gang; after its deletion nothing of it is judged but what is left."""
        if self.ended < 0:
            return self.steps
        place = bisect_left(self.steps, self.ended, key=lambda step: step.pos)
        return [*self.steps[:place], Step(self.ended, self.ended_at, 0, False, 0, 0.0, 0, 0)]


@dataclass(slots=True)
class Pod:
    """A pod as the walk knows it."""

    name: str  # namespace/name
    uid: str
    part: str
    role: str
    life: Life | None
    born: int
    request: Mapping[str, int]
    gpus: float
    scheduler: str
    node: str = ""
    placed: bool = False
    held: bool = False
    standing: bool = False
    gone: bool = False
    terminal: bool = False
    evicted: bool = False
    taken: int = -1  # the record in which the case deleted it

    def spared(self) -> bool:
        """It cannot be a victim any more: never bound, no workload, finished, or the case itself removes it."""
        ours = self.taken >= 0 or (self.life is not None and self.life.ended >= 0)
        rolled_back = self.life is not None and self.life.quorum is not None and not self.life.started
        return self.evicted or not self.node or self.part == "placeholder" or self.terminal or ours or rolled_back


class Eviction(NamedTuple):
    pos: int  # of the record in the history
    now: float
    pod: str
    uid: str
    life: Life | None
    how: str


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
        given = self.record.state.get("within")
        return default if given is None else float(given)


@dataclass(slots=True)
class Timeline:
    """Everything the checks read."""

    complete: bool
    lives: dict[str, list[Life]] = field(default_factory=dict)
    promises: list[Promise] = field(default_factory=list)
    lifts: list[tuple[int, float, Record]] = field(default_factory=list)
    claims: list[tuple[int, Record]] = field(default_factory=list)
    gaps: list[tuple[str, float, float]] = field(default_factory=list)  # kind ("" is every), from, to
    evictions: list[Eviction] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    fences: list[tuple[int, int, str, str]] = field(default_factory=list)  # bound at, created at, scheduler, pod
    overflows: list[Overflow] = field(default_factory=list)
    unseen: dict[str, int] = field(default_factory=dict)  # nodes that pods were bound to and no record shows
    raced: int = 0  # binds that no longer fit because the node had just shrunk
    loads: int = 0  # binds whose node was looked at
    refused_binds: int = 0
    jolts: list[float] = field(default_factory=list)  # times at which the case took nodes away
    downs: list[tuple[float, float, str]] = field(default_factory=list)  # from, to, role
    end: float = 0.0

    def life(self, key: str, index: int) -> Life | None:
        """The life of the gang that is meant at record `index`: the current one, else the next."""
        lives = self.lives.get(key, [])
        return next((life for life in reversed(lives) if life.begun <= index), lives[0] if lives else None)

    def promised(self, *what: str) -> list[Promise]:
        return [promise for promise in self.promises if promise.what in what]

    def lifted(self, promise: Promise, key: str) -> tuple[float, float]:
        """Record and time at which the promise to this gang ended: lifted, or the gang deleted; infinite if never."""
        life = self.life(key, promise.pos)
        ended = (life.ended, life.ended_at) if life is not None and life.ended >= 0 else (inf, inf)
        for index, now, record in self.lifts:
            if index > promise.pos and (not record.state.get("gangs") or key in gang_keys(record)):
                return min(ended, (index, now))
        return ended

    def spans(self, lives: Iterable[Life] = (), roles: tuple[str, ...] = THE_SCHEDULER) -> Spans:
        """When no progress could be asked for: processes down, nodes taken, the gang changed by the case."""
        found = [(start, stop) for start, stop, role in self.downs if not roles or role in roles]
        found += [(time, time) for time in self.jolts]
        found += [(time, time) for life in lives for time in life.jolts]
        return sorted(found)


def patience(since: float, allowed: float, spans: Spans) -> float:
    """Until when something begun at `since` may take: the time allowed, anew after each span it falls into."""
    until = since + allowed
    for start, stop in spans:
        if stop >= since and start <= until:
            until = max(until, stop + allowed)
    return until


def gap_spans(history: History, lost: list[tuple[Record, float]]) -> list[tuple[str, float, float]]:
    """The times between which changes may be missing, from the revisions the gap records name."""
    if not lost:
        return []
    revs, clock, now = [], [], 0.0
    for record in history.records:
        now = max(now, record.at)
        if record.rev is not None:
            revs.append(record.rev)
            clock.append(now)
    found = []
    for record, seen in lost:
        if record.source == "audit":  # an accepted bind that the watch never showed: nothing after it is sure
            found.append(("Pod", seen, inf))
            continue
        first = bisect_right(revs, record.state.get("from") or 0) - 1
        last = bisect_left(revs, record.state["to"]) if record.state.get("to") else len(revs)
        found.append((record.kind, clock[first] if first >= 0 else -inf, clock[last] if last < len(revs) else inf))
    return found


def details(promise: Promise, name: str, default: Any = None) -> Any:
    """A detail of the promise."""
    return promise.record.state.get(name, default)
