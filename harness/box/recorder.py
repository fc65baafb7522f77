"""The recorder: everything the API server commits, seen once, in order, without a gap that goes unnoticed.

One thread per kind lists and then watches from the list's revision. A broken connection is resumed from the last
revision seen, so nothing is missed; if the API server says that revision is gone, an explicit gap is recorded and the
list starts over. A recorder lives as long as its box; each case cuts its own history out of it. `settle` proves that
the recorder has caught up by comparing what it has seen with a fresh, consistent list.

Every record is fed to a replay as it arrives, and a case waits on its state (`timeline`). Records of different kinds
arrive a little out of order, which is good enough to wait; the verdict is made from the ordered history.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import urllib3

from harness.box.api import Api, Object
from harness.box.audit import AuditLog
from harness.box.base import Process
from harness.box.heartbeat import Heartbeat, elapsed
from harness.box.lag import Lag
from harness.box.starvation import Starvation
from harness.core.errors import ApiError, HarnessError
from harness.core.history import allocations, observe
from harness.core.history.merge import audit_record, merge
from harness.core.history.records import History, Record, gang_key, header
from harness.core.history.sharing import SharedValues
from harness.core.kinds import EVENT, NAMESPACE, NODE, POD, Kind
from harness.core.labels import by_label
from harness.core.oracle.facts import Stall, stretched
from harness.core.oracle.replay import Replay
from harness.core.oracle.timeline import Timeline
from harness.core.oracle.vocabulary import COMMON, Vocabulary

MOST_REMOVED = 4096  # nodes that are remembered after their deletion
RESUME_PAUSE = 0.1  # seconds between tries to reach an API server that is down

ReadGroup = Callable[[Object], tuple[str, int | None]]


class Recorder:
    """Watches one box on behalf of the cases that run in it."""

    def __init__(
        self,
        api: Api,
        *,
        groups: Sequence[Kind] = (),
        claims: Sequence[Kind] = (),
        read_group: ReadGroup | None = None,
        classify: Callable[[Object], tuple[str, str, str]] = by_label,
        vocabulary: Vocabulary = COMMON,
        audit_log: Path | None = None,
        selectors: Mapping[str, str] | None = None,
        programs: Callable[[], Iterable[Process]] = tuple,
    ) -> None:
        """`groups` are the kinds of the gangs' own objects, `claims` those that give volumes and devices to pods.

        `selectors` narrow what is watched of a kind by labels, where a cluster has more than the cases' own. `programs`
        are processes of this machine without which no scheduler can keep a promise."""
        self.changed = threading.Condition()
        self._api = api
        self._kinds = {"Pod": POD, "Node": NODE, "Event": EVENT, "Namespace": NAMESPACE}
        self._kinds |= {kind.kind: kind for kind in claims}
        self._kinds |= {group_kind(resource): resource for resource in groups}
        self._read_group = read_group
        self._classify = classify
        self._audit = AuditLog(audit_log)
        self._selectors = dict(selectors or {})
        self._header_fields: dict[str, Any] = {
            "vocabulary": vocabulary.as_data(),
            "constraints": True,
        }  # of every header
        self._header_fields |= {"audit": False} if audit_log is None else {}
        self._records: list[Record] = []
        self._replay = Replay(self._header_fields)
        self._versions: dict[str, dict[str, int]] = {kind: {} for kind in self._kinds}
        self._gangs: dict[str, str] = {}  # "namespace/name" of a pod or group object -> its gang
        self._shared = SharedValues()
        self._started = 0.0
        self._stop = threading.Event()
        self._removed: dict[str, Record] = {}  # the nodes that were deleted last, by name: no name is given twice
        self._heartbeat = Heartbeat(self._ask, self._stalled)
        self._starvation = Starvation(programs, self._heartbeat.note)
        self._listed = {kind: threading.Event() for kind in self._kinds}
        self.live: dict[str, dict[str, Record]] = {kind: {} for kind in self._kinds}  # kind -> uid -> latest

    def start(self) -> None:
        """Begin to watch every kind; returns when each has its first list."""
        self._heartbeat.start()
        self._starvation.start()
        for kind, resource in self._kinds.items():
            threading.Thread(target=self._follow, args=(kind, resource), name=f"watch {kind}", daemon=True).start()
        for kind, listed in self._listed.items():
            if not listed.wait(20):
                raise HarnessError(
                    f"the API server did not list {kind} objects within 20 s, so nothing can be recorded"
                )

    def stop(self) -> None:
        """Watch no more, and give back the memory of what was recorded."""
        self._heartbeat.stop()
        self._starvation.stop()
        self._stop.set()
        with self.changed:
            self._records, self._replay = [], Replay(self._header_fields)
            for kind in self._kinds:
                self.live[kind], self._versions[kind] = {}, {}

    # -- one case -----------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a new history; what exists now is its first part."""
        with self.changed:
            self._records, self._replay = [], Replay(self._header_fields)
            for record in [record for kind in self.live.values() for record in kind.values()]:
                if record.kind != "Event":  # the first record of what is there shows all of it, as a list would
                    self._keep(replace(record, verb="added", changed=observe.changes(None, record.state, "added")))
            self._started = _now()
        self._audit.begin()

    def act(self, verb: str, name: str = "", namespace: str = "", **state: Any) -> Record:
        """Write down what the case does, before it does it."""
        record = Record(None, _now(), "action", verb, namespace=namespace, name=name, state=state)
        with self.changed:
            self._keep(record)
        return record

    def _ask(self) -> None:
        """A read that reaches the store; a refusal to let us read is an answer too."""
        try:
            self._api.request("GET", NAMESPACE.path("", "default"))
        except ApiError as error:
            if error.status not in (401, 403, 404):
                raise

    def _stalled(self, stall: Stall) -> None:
        state = {"from": round(stall.since, 6), "to": round(stall.until, 6)}
        with self.changed:
            self._keep(Record(None, _now(), "action", "stalled", name=stall.who, state=state))

    def _keep(self, record: Record) -> None:
        """Add a record to the history of this case, and wake those that wait; the lock is held."""
        self._records.append(record)
        self._replay.feed(record)
        self.changed.notify_all()

    def records(self) -> list[Record]:
        """What this case has recorded so far, in the order it arrived."""
        with self.changed:
            return list(self._records)

    @property
    def timeline(self) -> Timeline:
        """The state of this case after the records that have arrived; conditions given to `wait` read it safely."""
        return self._replay.timeline

    def history(self, case: str, namespaces: Sequence[str], **more: Any) -> History:
        """The history of the case up to now: its namespaces, the nodes and its own actions.

        Pods of other namespaces are in it if they were on a node, because they take room there.
        Its last record is a note, whose time says how long was watched: that nothing happened is a finding.
        """
        self._heartbeat.look()
        self._starvation.look(final=True)
        self.act("note", text="the history was taken here")
        records = self.records()
        nodes = {record.name for record in records if record.kind == "Node"}
        on_nodes = {record.uid for record in records if record.kind == "Pod" and record.state.get("node") in nodes}
        spaces = {"", *namespaces}
        of_case = [record for record in records if record.namespace in spaces or record.uid in on_nodes]
        watch = [record for record in of_case if record.source == "watch"]
        watch += self._removed_before(watch)
        actions = [record for record in of_case if record.source == "action"]
        gaps = [record for record in of_case if record.source == "gap"]
        audit, late = self._audit.events(namespaces)
        merged = merge(watch, audit, actions, gaps, late)
        return History(header(case, started=self._started, **self._header_fields, **more), merged)

    def requests(self) -> Iterator[Object]:
        """What the audit log has of this case, request by request; the log of a box for measurements has them all."""
        return self._audit.all_events()

    def _removed_before(self, watch: Sequence[Record]) -> list[Record]:
        """The removals of nodes that a pod of this history was bound to, and that were gone when it began."""
        nodes = {record.name for record in watch if record.kind == "Node"}
        bound = {str(record.state["node"]) for record in watch if record.kind == "Pod" and "bound" in record.changed}
        return [self._removed[name] for name in sorted(bound - nodes) if name in self._removed]

    def audited(self, namespace: str) -> set[tuple[str, str]]:
        """What the audit log says was done to pods of a namespace since the case began: verb and pod.

        A bind of which it does not say the node is of no use.
        """
        events = chain.from_iterable(self._audit.events([namespace]))
        records = [record for event in events if (record := audit_record(event)) is not None]
        useful = [record for record in records if record.verb != "bind" or record.state.get("node")]
        return {(record.verb, record.name) for record in useful}

    def latest(self, kind: str) -> list[Record]:
        """The latest record of every object of a kind that exists: a copy, since records come at any moment."""
        return list(self.live[kind].values())

    def wait(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Whether the condition came true in time; it is looked at after every record.

        Time in which muster or the API server stood still does not count.
        """
        left = self.countdown(seconds)
        with self.changed:
            while not self.changed.wait_for(condition, left()):
                if left() <= 0:
                    return False
        return True

    def countdown(self, seconds: float) -> Callable[[], float]:
        """How many seconds are left of so many, asked again and again; those in which something stood still come back.

        Whoever asks for the last time must have been told of every stall: so each question looks at the heartbeat.
        """
        began, now = elapsed(), time.time()

        def left() -> float:
            self._heartbeat.look()
            return max(0.0, stretched(now, seconds, self._heartbeat.stalls) - now - (elapsed() - began))

        return left

    def await_nodes(self, names: Sequence[str], seconds: float = 10.0) -> None:
        """Return once these nodes have been recorded; the last one is looked for first, as it comes last."""
        if not self.wait(lambda: all(name in self.timeline.nodes for name in reversed(names)), seconds):
            raise HarnessError(f"the watch of Node did not show new nodes within {seconds:.0f} s")

    def settle(self, seconds: float = 10.0) -> None:
        """Return once everything the API server had committed when this was called has been recorded."""
        self._audit.settle()  # a bind that is audited later may not have been watched yet
        for kind, resource in self._kinds.items():
            try:
                has_arrived = self._caught_up(kind, resource)
            except ApiError as error:
                if error.status != 404:
                    raise
                self._note_withdrawn(kind)
                continue
            if not self.wait(has_arrived, seconds):
                raise HarnessError(f"the watch of {kind} did not catch up within {seconds:.0f} s")

    def _note_withdrawn(self, kind: str) -> None:
        """The API server does not serve the kind any more: what it did with it last may not have arrived."""
        with self.changed:
            since = max(self._versions[kind].values(), default=0)
            self._keep(Record(None, _now(), "gap", "lost", kind=kind, state={"from": since, "to": None}))

    def _caught_up(self, kind: str, resource: Kind) -> Callable[[], bool]:
        """Take a list; the condition that all of it has arrived by the watch."""
        versions, at = self._api.versions(resource, self._selectors.get(kind, ""))
        return partial(self._has, kind, versions, at)

    def _has(self, kind: str, versions: Mapping[str, int], at: int) -> bool:
        """Whether every object of a list taken at a revision has arrived, and every deletion before it too."""
        latest = self._versions[kind]
        arrived = all(latest.get(uid, -1) >= version for uid, version in versions.items())
        return arrived and all(uid in versions or latest[uid] > at for uid in self.live[kind])

    # -- watching -----------------------------------------------------------------------------------------------------

    def _follow(self, kind: str, resource: Kind) -> None:
        version, lost = "", ""
        lag = Lag(self._heartbeat.note)

        def opened() -> None:
            if lag.is_behind:
                lag.resume(self._caught_up(kind, resource))

        while not self._stop.is_set():
            try:
                if not version:
                    version, lost = self._list(kind, resource, lost), ""
                selector = self._selectors.get(kind, "")
                for event in self._api.watch(resource, version, selector=selector, opened=opened):
                    if self._stop.is_set():
                        return
                    obj = event["object"]
                    if event["type"] == "ERROR":
                        raise ApiError(str(obj.get("message")), status=int(obj.get("code") or 0))
                    version = obj["metadata"]["resourceVersion"]
                    if event["type"] != "BOOKMARK":
                        self._see(kind, event["type"].lower(), obj)
                        lag.look()
                lag.begin()
            except ApiError as error:
                lag.begin(is_served=error.status != 404)
                if error.status == 410:
                    version, lost = "", version
                else:
                    self._stop.wait(RESUME_PAUSE)
            except (urllib3.exceptions.HTTPError, OSError, ValueError):
                lag.begin()
                self._stop.wait(RESUME_PAUSE)  # a cut stream; the next watch resumes from the last revision

    def _list(self, kind: str, resource: Kind, lost: str = "") -> str:
        """List everything; `lost` is the revision after which a watch could not go on."""
        listed = self._list_now(kind, resource)
        there = {obj["metadata"]["uid"]: int(obj["metadata"]["resourceVersion"]) for obj in listed["items"]}
        if lost:
            self._mind_the_gap(kind, there, int(lost), int(listed["metadata"]["resourceVersion"]))
        for obj in listed["items"]:
            if self._versions[kind].get(obj["metadata"]["uid"], -1) < there[obj["metadata"]["uid"]]:
                self._see(kind, "added", {"apiVersion": resource.api_version, "kind": resource.kind, **obj})
        with self.changed:
            for uid in [uid for uid in self.live[kind] if uid not in there]:
                self.live[kind].pop(uid)
        self._listed[kind].set()
        return str(listed["metadata"]["resourceVersion"])

    def _list_now(self, kind: str, resource: Kind) -> Object:
        selector = self._selectors.get(kind)
        return self._api.request("GET", resource.path(), params={"labelSelector": selector} if selector else None)

    def _mind_the_gap(self, kind: str, there: Mapping[str, int], since: int, until: int) -> None:
        """Record a gap, unless the list accounts for every revision since: then nothing was missed.

        An API server that was restarted has forgotten every revision before its start, whether or not anything
        happened. If all is as it was last seen there is no gap either, where there is an audit log: what came and went
        unseen meanwhile is no danger, for a bind of it would be in there.
        """
        with self.changed:
            new = {version for uid, version in there.items() if self._versions[kind].get(uid) != version}
            harmless = (0, until - since) if self._audit.is_there else (until - since,)
            if set(self.live[kind]) <= set(there) and len(new) in harmless:
                return
            span = {"from": since, "to": until}
            self._keep(Record(None, _now(), "gap", "lost", kind=kind, state=span))

    def _see(self, kind: str, verb: str, obj: Object) -> None:
        if self._stop.is_set():
            return
        meta = obj["metadata"]
        uid = meta["uid"]
        state = self._state(kind, obj)
        with self.changed:
            before = self.live[kind].get(uid)
            record = self._shared.record(
                Record(
                    int(meta["resourceVersion"]),
                    _now(),
                    "watch",
                    verb,
                    kind,
                    meta.get("namespace", ""),
                    meta["name"],
                    uid,
                    observe.changes(before.state if before else None, state, verb),
                    "",
                    state,
                ),
                before,
            )
            self._versions[kind][uid] = record.rev or 0
            if kind != "Event" and "gang" in state:
                self._gangs[f"{record.namespace}/{record.name}"] = state["gang"]
            if verb == "deleted":
                self.live[kind].pop(uid, None)
                if kind == "Node":
                    self._removed[record.name] = record
                    if len(self._removed) > MOST_REMOVED:
                        del self._removed[next(iter(self._removed))]
            else:
                self.live[kind][uid] = record
            self._keep(record)

    def _state(self, kind: str, obj: Object) -> dict[str, Any]:
        if kind == "Pod":
            return observe.pod_state(obj, self._classify)
        if kind == "Node":
            return observe.node_state(obj)
        if kind == "Event":
            return observe.event_state(obj, self._gang_of)
        if kind == "Namespace":
            return observe.namespace_state(obj)
        if (state := allocations.KINDS.get(self._kinds[kind])) is not None:
            return state(obj)
        gang, quorum = self._read_group(obj) if self._read_group else ("", None)
        return observe.group_state(obj, gang_key(obj["metadata"].get("namespace", ""), gang) if gang else "", quorum)

    def _gang_of(self, about: str) -> str:
        """The gang that the object "Kind/namespace/name" belongs to, if it is known."""
        return self._gangs.get(about.partition("/")[2], "")


def kinds_of_claims(api: Api) -> list[Kind]:
    """The kinds that give volumes and devices to pods, as far as this API server has them."""
    return [kind for kind in allocations.KINDS if _is_served(api, kind)]


def _is_served(api: Api, kind: Kind) -> bool:
    try:
        return bool(api.resource(kind.api_version, kind.kind))
    except ApiError as error:
        if error.status != 404:
            raise
        return False


def group_kind(resource: Kind) -> str:
    """How a gang's own kind is called in a history: `PodGroup.scheduling.k8s.io`."""
    group = resource.api_version.partition("/")[0] if "/" in resource.api_version else "core"
    return f"{resource.kind}.{group}"


def _now() -> float:
    """The time as a history stores it, so that a stored history gives the same figures as the one that was judged."""
    return round(time.time(), 6)
