"""What was recorded follows from what the case did; these rules compare the two, so that neither is edited alone.

They are about objects that muster itself makes: members by their names, nodes of its boxes, groups of the native API.
What controllers make of LeaderWorkerSets and JobSets, and the nodes of somebody's cluster, follow other rules.

    submission  a member comes to be before it is bound, there are no more of them than were created, and each requests
                the GPUs that its gang states
    quorum      an edited quorum is seen in the object of its gang, in the native API
    room        new nodes have the GPUs that the case gave them, and there are no more of them
    stall       while muster stood still the case did nothing, and no watch delivered anything
    constraints the recorder writes down for every pod what it demands, or, as it once did, for none
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from harness.core.gang import gang_from_record, gpus_of
from harness.core.history.fault import Broken, Fault, is_number
from harness.core.history.records import History, Record, gang_key

NATIVE, NATIVE_GROUP = "workload", "PodGroup.scheduling.k8s.io"
CONTROLLERS = ("lws", "jobset")  # integrations of controllers, which make the pods, begin so
LONG = 5.0  # seconds of a stall that no thread of muster can have slept through by chance
MARGIN = 1.0  # seconds at both ends of a stall: when it began is known to a second
ENDED = frozenset(("Succeeded", "Failed"))
BYSTANDERS = frozenset(("stalled", "crash"))  # actions that are written down when their time is over


class _Gang:
    """What the case submitted under one name, over all submissions."""

    def __init__(self) -> None:
        self.created = 0  # members, at most
        self.gpus: set[float] = set()
        self.names = re.compile(r"(?!)")
        self.alive: set[str] = set()  # uids of members that muster created

    def submit(self, record: Record) -> None:
        gang = gang_from_record({"name": record.name, **(record.state.get("gang") or {})})
        name, roles = re.escape(gang.name), "|".join(re.escape(role.name) for role in gang.roles)
        self.created += gang.size - gang.missing
        self.gpus |= {float(role.gpus) for role in gang.parts}
        self.names = re.compile(rf"{name}-(?:(?:{roles})-)?\d+" if roles else rf"{name}-\d+")


class Deeds:
    """What the case did, and each record held against it."""

    def __init__(self, history: History) -> None:
        self._actions = [record for record in history.records if record.source == "action"]
        self._gangs = _gangs(self._actions)
        self._integration = str(history.header.get("integration", "")).partition("@")[0]
        lost = {gap.kind for gap in history.gaps}
        self._pods_are_whole = lost.isdisjoint(("", "Pod"))
        self._groups_are_whole = lost.isdisjoint(("", NATIVE_GROUP))
        self._uids: set[str] = set()  # of pods that were recorded
        self._stalls = list(_long_stalls(self._actions))
        self._room = _Room(history, self._actions)
        self._has_constraints: bool | None = True if history.header.get("constraints") is True else None

    def faults(self, record: Record) -> Broken:
        """What of this record does not follow from what the case did."""
        yield from self._during_stall(record)
        if record.source != "watch":
            return
        if record.kind == "Pod":
            yield from self._constraints(record)
            yield from self._member(record)
        elif record.kind == "Node":
            yield from self._room.faults(record)

    def _during_stall(self, record: Record) -> Broken:
        if record.source not in ("action", "watch") or record.verb in BYSTANDERS:
            return
        if not {"created", "bound"}.isdisjoint(record.changed):
            return  # those have the time of the audit log
        for since, until in self._stalls:
            if since + MARGIN < record.at < until - MARGIN:
                what = f"{record.verb} {record.name}".rstrip()
                yield "stall", f"{what} came while muster stood still for {until - since:.1f} s"

    def _constraints(self, record: Record) -> Broken:
        has_them = "constraints" in record.state
        if self._has_constraints is None:
            self._has_constraints = has_them
        if has_them != self._has_constraints:
            rest = "others have theirs" if self._has_constraints else "others have none"
            yield "constraints", f"pod {record.name} has {'' if has_them else 'no '}constraints, and {rest}"

    def _member(self, record: Record) -> Broken:
        is_first = record.uid not in self._uids
        self._uids.add(record.uid)
        gang = self._gangs.get(record.state.get("gang", ""))
        if gang is None or record.state.get("part", "member") != "member":
            return
        if is_first and record.state.get("node") and record.verb != "deleted" and self._pods_are_whole:
            yield "submission", f"member {record.name} is on a node in its first record"
        if gang.names.fullmatch(record.name) and not self._integration.startswith(CONTROLLERS):
            yield from self._made_member(gang, record)

    def _made_member(self, gang: _Gang, record: Record) -> Broken:
        """A member that muster created, by the name that it gave."""
        gpus = gpus_of(record.state.get("request") or {})
        if gpus not in gang.gpus:
            stated = " or ".join(f"{number:g}" for number in sorted(gang.gpus))
            yield "submission", f"member {record.name} requests {gpus:g} GPUs, its gang states {stated}"
        ended = record.state.get("deleting") or record.state.get("phase") in ENDED
        if record.verb == "deleted" or ended:
            gang.alive.discard(record.uid)
        else:
            gang.alive.add(record.uid)
        if len(gang.alive) > gang.created and self._pods_are_whole:
            key = record.state["gang"]
            yield "submission", f"{len(gang.alive)} members of {key} exist, and {gang.created} were created"

    def missing(self, history: History) -> Iterator[Fault]:
        """Edits of a quorum that the object of their gang never showed, although the case went on."""
        if not self._groups_are_whole or self._integration.partition("+")[0] != NATIVE:
            return
        shown: dict[str, set[int]] = {}
        for record in history.records:
            key, quorum = record.state.get("gang"), record.state.get("quorum")
            if record.source == "watch" and record.kind == NATIVE_GROUP and quorum and isinstance(key, str):
                shown.setdefault(key, set()).add(quorum)
        for record in self._actions:
            key, quorum = _subject(record), record.state.get("quorum")
            if record.verb == "edit" and quorum and quorum not in shown.get(key, {quorum}) and self._goes_on(record):
                yield Fault("quorum", "", f"{key} was given the quorum {quorum}, which its object never shows")

    def _goes_on(self, action: Record) -> bool:
        """Whether the case did something afterwards: then what it did was not refused."""
        later = self._actions[self._actions.index(action) + 1 :]
        return any(record.verb not in ("note", *BYSTANDERS) for record in later)


class _Stall(NamedTuple):
    since: float
    until: float


def _long_stalls(actions: list[Record]) -> Iterator[_Stall]:
    for record in actions:
        if record.verb == "stalled" and record.name == "muster":
            since, until = (record.state.get(key, 0.0) for key in ("from", "to"))
            if is_number(since) and is_number(until) and until - since > LONG:
                yield _Stall(since, until)


def _gangs(actions: list[Record]) -> Mapping[str, _Gang]:
    """What was submitted and created, by gang."""
    gangs: dict[str, _Gang] = {}
    for record in actions:
        key, state = _subject(record), record.state
        if record.verb == "submit":
            with suppress(Exception):  # the rules about promises say what is wrong with it
                gangs.setdefault(key, _Gang()).submit(record)
        elif key in gangs and record.verb == "create":
            gangs[key].created += state.get("count", 0)
    return gangs


class _Room:
    """The GPUs of nodes, held against those that the case gave them."""

    def __init__(self, history: History, actions: list[Record]) -> None:
        changes = [record.state for record in actions if record.verb in ("node-add", "node-change")]
        added = [record.state for record in actions if record.verb == "node-add"]
        self._is_known = bool(added) and history.header.get("box") != "existing"
        self._sizes = {0.0, *(float(state["gpus"]) for state in changes if is_number(state.get("gpus")))}
        self._count = sum(state.get("count", 0) for state in added)
        self._since = _first_revision(history)  # what is earlier is left over from the case before
        self._gpus: dict[str, float] = {}  # by node
        self._new: set[str] = set()

    def faults(self, record: Record) -> Broken:
        gpus, before = gpus_of(record.state.get("allocatable") or {}), self._gpus.get(record.name)
        self._gpus[record.name] = gpus
        if not self._is_known or (record.rev or 0) < self._since or record.verb == "deleted" or gpus == before:
            return
        if gpus not in self._sizes:
            stated = ", ".join(f"{number:g}" for number in sorted(self._sizes))
            yield "room", f"node {record.name} has {gpus:g} GPUs, the case gave {stated}"
        if before is None and gpus:
            self._new.add(record.name)
        if len(self._new) > self._count:
            yield "room", f"node {record.name} is one more than the {self._count} that the case added"


def _first_revision(history: History) -> int:
    """The revision from which on nodes are those of this case: that of its namespace."""
    revisions = (
        record.rev or 0
        for record in history.records
        if record.kind == "Namespace" and record.source == "watch" and record.at >= history.began
    )
    return next(revisions, 0)


def _subject(record: Record) -> str:
    return gang_key(record.namespace, record.name)
