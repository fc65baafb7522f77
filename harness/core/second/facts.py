"""What the records of a history say, asked anew each time: who is placed, what runs, how late it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf

from harness.core.deadlines import seconds
from harness.core.gang import Gang, gang_from_record
from harness.core.history.records import History, Record

ENDED = ("Succeeded", "Failed")
NEEDED = ("scheduler", "apiserver", "etcd")  # while one of these is down nobody can keep a promise
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PodCourse:
    """One pod: the positions of its records."""

    first: Record
    places: tuple[int, ...]


@dataclass(slots=True)
class Facts:
    """A history, with the positions of what is asked for most."""

    history: History
    clock: list[float] = field(default_factory=list)  # the latest time up to each record
    courses: dict[str, PodCourse] = field(default_factory=dict)  # by uid
    acts: list[int] = field(default_factory=list)  # what the case did
    members: dict[str, list[PodCourse]] = field(
        default_factory=dict
    )  # the pods of each gang, also of its former submissions

    def __post_init__(self) -> None:
        places: dict[str, list[int]] = {}
        now = 0.0
        for i, record in enumerate(self.history.records):
            now = max(now, record.at)
            self.clock.append(now)
            if record.source == "watch" and record.kind == "Pod":
                places.setdefault(record.uid or f"{record.namespace}/{record.name}", []).append(i)
        self.acts = [i for i, record in enumerate(self.history.records) if record.source == "action"]
        self.courses = {
            uid: PodCourse(self.history.records[positions[0]], tuple(positions)) for uid, positions in places.items()
        }
        for course in self.courses.values():
            if gang := course.first.state.get("gang"):
                self.members.setdefault(gang, []).append(course)

    @property
    def last(self) -> int:
        return len(self.history.records) - 1

    def deadline(self, name: str) -> float:
        return seconds(self.history.header, name)

    def actions(self, *verbs: str, gang: str = "") -> Iterator[int]:
        """The positions of what the case did, to this gang if one is named."""
        for i in self.acts:
            record = self.history.records[i]
            if record.verb in verbs and (not gang or f"{record.namespace}/{record.name}" == gang):
                yield i

    def state(self, course: PodCourse, i: int) -> Record | None:
        """The latest record of the pod up to record i."""
        positions = [n for n in course.places if n <= i]
        return self.history.records[positions[-1]] if positions else None

    # -- gangs

    def gangs(self) -> list[str]:
        """Every gang that the case submitted."""
        records = self.history.records
        return list(dict.fromkeys(f"{records[i].namespace}/{records[i].name}" for i in self.actions("submit")))

    def others(self) -> set[str]:
        """Gangs that were only seen, as controllers make them."""
        names = {
            str(record.state["gang"]) for record in self.history.records if record.state.get("gang") and record.kind
        }
        return names - set(self.gangs())

    def begun(self, gang: str, i: int) -> int | None:
        """The submission that counts at record i: the last one before it, else the first of all."""
        submits = list(self.actions("submit", gang=gang))
        return max((n for n in submits if n <= i), default=submits[0] if submits else None)

    def spec(self, gang: str, i: int) -> Gang | None:
        """The gang as it was submitted and edited up to record i; None before its first submission."""
        submit = self.begun(gang, i)
        if submit is None or submit > i:
            return None
        record = self.history.records[submit]
        spec = gang_from_record({"name": record.name, **(record.state.get("gang") or {})})
        for n in self.actions("edit", gang=gang):
            if submit < n <= i and self.history.records[n].state.get("quorum"):
                spec = spec.but(quorum=int(self.history.records[n].state["quorum"]))
        return spec

    def is_ended(self, gang: str, i: int) -> bool:
        """Whether the case has deleted the gang as a whole since it was submitted."""
        submit = self.begun(gang, i)
        return any(
            submit is not None and submit < n <= i and self.history.records[n].state.get("what", "gang") == "gang"
            for n in self.actions("delete", gang=gang)
        )

    def pods(self, gang: str, i: int, *parts: str) -> list[Record]:
        """The latest records up to i of the pods that belong to the gang as it was submitted last."""
        submits = [n for n in self.actions("submit", gang=gang) if n <= i]
        records = []
        for course in self.members.get(gang, []):
            if course.first.state.get("part", "plain") not in parts or course.places[0] > i:
                continue
            if len(submits) > 1 and course.places[0] < submits[-1]:
                continue  # of the gang's former life
            record = self.state(course, i)
            if record is not None:
                records.append(record)
        return records

    def placed(self, gang: str, i: int) -> list[Record]:
        """The members that are bound, and neither deleted, deleting nor failed; those that succeeded count."""
        if self.is_ended(gang, i):
            return []
        return [record for record in self.pods(gang, i, "member") if is_placed(record)]

    def is_full(self, gang: str, i: int) -> bool:
        """Whether the quorum of the gang is placed, and that of each role."""
        spec = self.spec(gang, i)
        if spec is None:
            return False
        members = self.placed(gang, i)
        roles = {role.name: role.minimum for role in spec.roles}
        enough = all(sum(r.state.get("role") == name for r in members) >= least for name, least in roles.items())
        return len(members) >= spec.minimum and enough

    def changes(self, gang: str) -> list[int]:
        """The records at which something of the gang may have changed."""
        positions = {n for course in self.members.get(gang, []) for n in course.places}
        return sorted({*positions, *self.actions("submit", "edit", "create", "delete", gang=gang)})

    # -- time that does not count, and moments after which a deadline begins anew

    def stalls(self) -> list[Span]:
        records = self.history.records
        return [(float(records[i].state["from"]), float(records[i].state["to"])) for i in self.actions("stalled")]

    def downs(self, roles: Sequence[str] = NEEDED) -> Iterator[Span]:
        """When a process of these roles (none: any) was down: until it is ready, else until it was restarted."""
        records = self.history.records
        acts = list(self.actions("kill", "pause", "restart", "resume", "ready"))
        for name in {records[i].name for i in acts}:
            since = restarted = None
            role = ""
            for i in (i for i in acts if records[i].name == name):
                verb, now = records[i].verb, self.clock[i]
                if verb in ("resume", "ready"):
                    if since is not None and (not roles or role in roles):
                        yield since, now
                    since = restarted = None
                    continue
                if verb != "restart" and restarted is not None and since is not None:
                    if not roles or role in roles:
                        yield since, restarted
                    since = restarted = None
                role = (
                    (role if verb == "restart" and role and since is not None else "")
                    or str(records[i].state.get("role", ""))
                    or role
                )
                since = now if since is None else since
                restarted = now if verb == "restart" else restarted
            if since is not None and (not roles or role in roles):
                yield since, float("inf") if restarted is None else restarted

    def spans(self, *gangs: str) -> list[Span]:
        """When a process was down, and the moments at which the case took nodes away or changed one of the gangs."""
        moments = [self.clock[i] for i in self.actions("node-remove", "node-change")]
        for gang in gangs:
            for i in self.actions("edit", "create", "delete", gang=gang):
                record = self.history.records[i]
                if record.verb != "delete" or record.state.get("what", "gang") != "gang":
                    moments.append(self.clock[i])
        return [*self.downs(), *((moment, moment) for moment in moments)]

    def patience(self, since: float, allowed: float, *gangs: str, standstills: Sequence[Span] | None = None) -> float:
        """Until when: the time allowed, without standstills, and all of it anew after each span that it runs into."""
        return self.patience_over(since, allowed, self.spans(*gangs), standstills)

    def patience_over(
        self, since: float, allowed: float, spans: Sequence[Span], standstills: Sequence[Span] | None = None
    ) -> float:
        """The same, with these spans."""
        until = self.stretched(since, allowed, standstills)
        for _ in range(len(spans) + 1):
            for start, stop in spans:
                if start <= until and stop >= since:
                    until = max(until, self.stretched(stop, allowed, standstills))
        return until

    def stretched(self, since: float, allowed: float, standstills: Sequence[Span] | None = None) -> float:
        """Until when: the time allowed, without any moment at which all stood still."""
        standstills = self.stalls() if standstills is None else standstills
        until = since + allowed
        moments = sorted({since, *(time for span in standstills for time in span if time > since)})
        for begin, end in zip(moments, [*moments[1:], inf], strict=True):
            if begin < until and any(start <= begin and stop >= end for start, stop in standstills):
                until += end - begin
        return until


def is_placed(record: Record) -> bool:
    state = record.state
    if "node" not in state:
        return False
    if state.get("phase") == "Succeeded":
        return True
    return record.verb != "deleted" and not state.get("deleting") and state.get("phase") != "Failed"
