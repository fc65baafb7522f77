"""The recorder: everything the API server commits, seen once, in order, without a gap that goes unnoticed.

One thread per kind lists and then watches from the list's revision. A broken connection is resumed from the last
revision seen, so nothing is missed; if the API server says that revision is gone, an explicit gap is recorded and the
list starts over. A recorder lives as long as its box; each case cuts its own history out of it. `settle` proves that
the recorder has caught up by comparing what it has seen with a fresh, consistent list.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import urllib3

from harness.box.api import EVENT, NAMESPACE, NODE, POD, Api, Object, Resource
from harness.core import observe
from harness.core.errors import ApiError, HarnessError
from harness.core.history import History, Record, gang_key, header
from harness.core.merge import merge

RESUME_PAUSE = 0.1  # seconds between tries to reach an API server that is down

ReadGroup = Callable[[Object], tuple[str, int | None]]


class Recorder:
    """Watches one box on behalf of the cases that run in it."""

    def __init__(
        self, api: Api, *, groups: Sequence[Resource] = (), read_group: ReadGroup | None = None,
        classify: Callable[[Object], tuple[str, str, str]] | None = None, audit_log: Path | None = None,
    ) -> None:  # fmt: skip
        self.changed = threading.Condition()
        self._api = api
        self._kinds = {"Pod": POD, "Node": NODE, "Event": EVENT, "Namespace": NAMESPACE}
        self._kinds |= {group_kind(resource): resource for resource in groups}
        self._read_group = read_group
        self._classify = classify
        self._audit_log = audit_log
        self._records: list[Record] = []
        self._versions: dict[str, dict[str, int]] = {kind: {} for kind in self._kinds}
        self._gangs: dict[str, str] = {}  # "namespace/name" of a pod or group object -> its gang
        self._audit_offset = 0
        self._audit_end = 0  # how far the audit log is covered by what the watches have delivered
        self._started = 0.0
        self._stop = threading.Event()
        self._listed = {kind: threading.Event() for kind in self._kinds}
        self.live: dict[str, dict[str, Record]] = {kind: {} for kind in self._kinds}  # kind -> uid -> latest

    def start(self) -> None:
        """Begin to watch every kind; returns when each has its first list."""
        for kind, resource in self._kinds.items():
            threading.Thread(target=self._follow, args=(kind, resource), name=f"watch {kind}", daemon=True).start()
        for kind, listed in self._listed.items():
            if not listed.wait(20):
                raise HarnessError(
                    f"the API server did not list {kind} objects within 20 s, so nothing can be recorded"
                )

    def stop(self) -> None:
        self._stop.set()

    # -- one case -----------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a new history; what exists now is its first part."""
        with self.changed:
            known = [record for kind in self.live.values() for record in kind.values() if record.kind != "Event"]
            self._records = known
            self._started = time.time()
        self._audit_offset = self._audit_size()

    def act(self, verb: str, name: str = "", namespace: str = "", **state: Any) -> Record:
        """Write down what the case does, before it does it."""
        record = Record(None, time.time(), "action", verb, namespace=namespace, name=name, state=state)
        with self.changed:
            self._records.append(record)
            self.changed.notify_all()
        return record

    def records(self, start: int = 0) -> list[Record]:
        """What this case has seen so far, in the order it arrived, from this place on."""
        with self.changed:
            return self._records[start:]

    def history(self, case: str, namespaces: Sequence[str], *, closing: bool = True, **more: Any) -> History:
        """The history of the case up to now: its namespaces, the nodes and its own actions.

        `closing`: its last record is a note, whose time says how long was watched: that nothing happened is a finding.
        """
        if closing:
            self.act("note", text="the history was taken here")
        with self.changed:
            records = list(self._records)
        mine = [record for record in records if not record.namespace or record.namespace in namespaces]
        watch = [record for record in mine if record.source == "watch"]
        actions = [record for record in mine if record.source == "action"]
        gaps = [record for record in mine if record.source == "gap"]
        audit = [event for event in self._audit() if (event.get("objectRef") or {}).get("namespace") in namespaces]
        return History(header(case, started=self._started, **more), merge(watch, audit, actions, gaps))

    def latest(self, kind: str) -> list[Record]:
        """The latest record of every object of a kind that exists: a copy, since records come at any moment."""
        return list(self.live[kind].values())

    def wait(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Whether the condition came true in time; it is looked at after every record."""
        with self.changed:
            return self.changed.wait_for(condition, seconds)

    def settle(self, seconds: float = 10.0) -> None:
        """Return once everything the API server had committed when this was called has been recorded."""
        self._audit_end = self._audit_size()  # a bind that is audited later may not have been watched yet
        for kind, resource in self._kinds.items():
            listed = self._api.request("GET", resource.path())
            wanted = {obj["metadata"]["uid"]: int(obj["metadata"]["resourceVersion"]) for obj in listed["items"]}
            at = int(listed["metadata"]["resourceVersion"])
            if not self.wait(partial(self._has, kind, wanted, at), seconds):
                raise HarnessError(f"the watch of {kind} did not catch up within {seconds:.0f} s")

    def _has(self, kind: str, wanted: Mapping[str, int], at: int) -> bool:
        """Whether every object of a list taken at a revision was seen, and every deletion before it too."""
        seen = self._versions[kind]
        arrived = all(seen.get(uid, -1) >= version for uid, version in wanted.items())
        return arrived and all(uid in wanted or seen[uid] > at for uid in self.live[kind])

    # -- watching -----------------------------------------------------------------------------------------------------

    def _follow(self, kind: str, resource: Resource) -> None:
        version, lost = "", ""
        while not self._stop.is_set():
            try:
                if not version:
                    version, lost = self._list(kind, resource, lost), ""
                for event in self._api.watch(resource, version):
                    if self._stop.is_set():
                        return
                    obj = event["object"]
                    if event["type"] == "ERROR":
                        raise ApiError(str(obj.get("message")), status=int(obj.get("code") or 0))
                    version = obj["metadata"]["resourceVersion"]
                    if event["type"] != "BOOKMARK":
                        self._see(kind, event["type"].lower(), obj)
            except ApiError as error:
                if error.status == 410:
                    version, lost = "", version
                else:
                    self._stop.wait(RESUME_PAUSE)
            except (urllib3.exceptions.HTTPError, OSError, ValueError):
                self._stop.wait(RESUME_PAUSE)  # a cut stream; the next watch resumes from the last revision

    def _list(self, kind: str, resource: Resource, lost: str = "") -> str:
        """List everything; `lost` is the revision after which a watch could not go on."""
        listed = self._api.request("GET", resource.path())
        there = {obj["metadata"]["uid"]: int(obj["metadata"]["resourceVersion"]) for obj in listed["items"]}
        if lost:
            self._mind_the_gap(kind, there, int(lost), int(listed["metadata"]["resourceVersion"]))
        for obj in listed["items"]:
            if self._versions[kind].get(obj["metadata"]["uid"], -1) < there[obj["metadata"]["uid"]]:
                self._see(kind, "added", obj)
        with self.changed:
            for uid in [uid for uid in self.live[kind] if uid not in there]:
                self.live[kind].pop(uid)
        self._listed[kind].set()
        return str(listed["metadata"]["resourceVersion"])

    def _mind_the_gap(self, kind: str, there: Mapping[str, int], since: int, until: int) -> None:
        """Record a gap, unless the list accounts for every revision since: then nothing was missed.

        An API server that was restarted has forgotten every revision before its start, whether or not anything
        happened. If all is as it was last seen there is no gap either: what came and went unseen meanwhile is no
        danger, for a bind of it would be in the audit log.
        """
        with self.changed:
            new = {version for uid, version in there.items() if self._versions[kind].get(uid) != version}
            if set(self.live[kind]) <= set(there) and len(new) in (0, until - since):
                return
            span = {"from": since, "to": until}
            self._records.append(Record(None, time.time(), "gap", "lost", kind=kind, state=span))

    def _see(self, kind: str, verb: str, obj: Object) -> None:
        meta = obj["metadata"]
        uid = meta["uid"]
        state = self._state(kind, obj)
        with self.changed:
            before = self.live[kind].get(uid)
            record = Record(
                int(meta["resourceVersion"]), time.time(), "watch", verb, kind, meta.get("namespace", ""), meta["name"],
                uid, observe.changes(before.state if before else None, state, verb), "", state,
            )  # fmt: skip
            self._versions[kind][uid] = record.rev or 0
            if kind != "Event" and "gang" in state:
                self._gangs[f"{record.namespace}/{record.name}"] = state["gang"]
            if verb == "deleted":
                self.live[kind].pop(uid, None)
            else:
                self.live[kind][uid] = record
            self._records.append(record)
            self.changed.notify_all()

    def _state(self, kind: str, obj: Object) -> dict[str, Any]:
        if kind == "Pod":
            return observe.pod_state(obj, self._gang_of_pod) if self._classify else observe.pod_state(obj)
        if kind == "Node":
            return observe.node_state(obj)
        if kind == "Event":
            return observe.event_state(obj, self._gang_of)
        if kind == "Namespace":
            return observe.namespace_state(obj)
        gang, quorum = self._read_group(obj) if self._read_group else ("", None)
        return observe.group_state(obj, gang_key(obj["metadata"].get("namespace", ""), gang) if gang else "", quorum)

    def _gang_of_pod(self, pod: Mapping[str, Any]) -> tuple[str, str, str]:
        assert self._classify is not None
        gang, part, role = self._classify(dict(pod))
        return (gang_key(pod["metadata"].get("namespace", ""), gang) if gang else ""), part, role

    def _gang_of(self, about: str) -> str:
        """The gang that the object "Kind/namespace/name" belongs to, if it is known."""
        return self._gangs.get(about.partition("/")[2], "")

    # -- audit log ----------------------------------------------------------------------------------------------------

    def _audit_size(self) -> int:
        return self._audit_log.stat().st_size if self._audit_log is not None and self._audit_log.exists() else 0

    def _audit(self) -> list[Object]:
        if self._audit_log is None or not self._audit_log.exists():
            return []
        with self._audit_log.open("rb") as file:
            file.seek(self._audit_offset)
            lines = file.read(max(0, self._audit_end - self._audit_offset)).split(b"\n")
        found = []
        for line in lines[:-1]:  # what follows the last newline is still being written
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return found


def group_kind(resource: Resource) -> str:
    """How a gang's own kind is called in a history: `PodGroup.scheduling.k8s.io`."""
    group = resource.api_version.partition("/")[0] if "/" in resource.api_version else "core"
    return f"{resource.kind}.{group}"
