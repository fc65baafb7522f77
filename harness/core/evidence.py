"""What counts as a scheduler's own word that it looked at a gang and had no room for it.

A gang nobody looked at binds nothing either, so silence is not refusal. These are the words of the schedulers we know,
in one place; anything that a controller or a webhook may write before a scheduler has looked is left out on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.history import Record, gang_keys

NOT_THE_SCHEDULER = frozenset(
    ("EvictionByEvictionAPI", "DeletionByTaintManager", "DeletionByPodGC", "TerminationByKubelet")
)  # reasons of the DisruptionTarget condition that name somebody else (KEP-3329)
VICTIM_EVENTS = frozenset(("Preempted", "Evict"))  # kube-scheduler and its plugins; Volcano

_REFUSAL_EVENTS = frozenset(("FailedScheduling", "Unschedulable", "NotEnoughResources", "GangUnschedulable"))
_OTHER_WARNINGS = (
    "FailedCreate", "FailedMount", "FailedKill", "FailedAttach", "FailedDelete", "BackOff", "Unhealthy", "NodeNotReady",
)  # fmt: skip  # warnings of controllers and kubelets
_CHANGES = ("node-add", "node-remove", "node-change", "create", "edit", "delete", "resume", "ready")  # by a case
_TRIED = frozenset(("condition", "nominated"))  # what is new of a pod that was tried
_WORDS = ("unschedulable", "insufficient", "notenough", "timeout")


def event_refuses(state: Mapping[str, Any]) -> bool:
    """The event says that what it is about was not placed."""
    reason = state.get("reason", "")
    return reason in _REFUSAL_EVENTS or (state.get("type") == "Warning" and not reason.startswith(_OTHER_WARNINGS))


def pod_refused(conditions: Mapping[str, Any]) -> str:
    """The reason in a pod's PodScheduled=False; "" if there is none. A scheduling gate is the API server's word."""
    scheduled = conditions.get("PodScheduled")
    if scheduled and scheduled[0] == "False" and scheduled[1] != "SchedulingGated":
        return str(scheduled[1] or "no reason")
    return ""


def preempted(conditions: Mapping[str, Any]) -> str:
    """The reason in a pod's DisruptionTarget=True, if it may be the scheduler's; "" if not."""
    target = conditions.get("DisruptionTarget")
    if target and target[0] == "True" and target[1] not in NOT_THE_SCHEDULER:
        return str(target[1] or "no reason")
    return ""


def group_refused(state: Mapping[str, Any]) -> str:
    """The words in which a group object says that its gang has no room; "" if it does not.

    A phase `Pending` is no evidence: controllers and webhooks write it before any scheduler has looked.
    """
    phase = state.get("phase", "")
    if any(word in phase.lower() for word in _WORDS):
        return f"phase {phase}"
    for kind, (status, reason, _) in (state.get("conditions") or {}).items():
        name = kind.lower()
        if status == "True" and "unschedulable" in name:
            return f"{kind}=True ({reason})"
        if status == "False" and (name.endswith("scheduled") or any(word in reason.lower() for word in _WORDS)):
            return f"{kind}=False ({reason})"
    return ""


class Words:
    """Listens for a scheduler's word about one gang, record by record, by the rule of the check `refused`."""

    def __init__(self, key: str, size: int) -> None:
        self.key = key
        self.size = size  # members that are submitted
        self._heard = self._heard_of_none = False  # a word about the gang as it is, or about one without members
        self._members: set[str] = set()
        self._telling: set[str] = set()  # names of pods that came when all members were there, the last one among them
        self._said: dict[str, Any] = {}  # what each object said last: words that only stand there still are not new

    @property
    def arrived(self) -> bool:
        """All members are there, or none is."""
        return not self._members or len(self._members) >= self.size

    @property
    def heard(self) -> bool:
        return self._heard or (self._heard_of_none and not self._members)

    def await_more(self, count: int) -> None:
        """The case creates further members: what was said before is not about them."""
        self.size += count
        self._heard = self._heard_of_none = False
        self._telling.clear()

    def hear(self, record: Record) -> None:
        state = record.state
        if record.source != "watch" or state.get("gang") != self.key:
            return
        if record.kind == "Event":
            kind, _, name = state.get("about", "").partition("/")
            refused, new, about = event_refuses(state), True, name.rpartition("/")[2] if kind == "Pod" else ""
        elif record.kind == "Pod":
            self._meet(record)
            conditions = state.get("conditions") or {}
            refused, about = bool(pod_refused(conditions)), record.name
            new = self._news(record.uid, conditions.get("PodScheduled"))
        else:
            refused, about = bool(group_refused(state)), ""
            new = self._news(record.uid, (state.get("phase"), state.get("conditions")))
        self._heard |= refused and new and about in self._telling
        self._heard_of_none |= refused and new and not self._members

    def _meet(self, pod: Record) -> None:
        if pod.uid in self._said:
            return
        if pod.state.get("part") == "member":
            self._members.add(pod.uid)
        if self._members and self.arrived:
            self._telling.add(pod.name)

    def _news(self, uid: str, said: Any) -> bool:
        before, self._said[uid] = self._said.get(uid), said
        return bool(before != said)


def change_since_a_promise(records: Sequence[Record], key: str) -> int | None:
    """The place of the last change that a case made, if it has promised nothing of this gang since; None if it has."""
    for place in range(len(records) - 1, -1, -1):
        record = records[place]
        if record.source == "action" and record.verb in _CHANGES:
            return place
        if record.source == "action" and record.verb == "expect" and key in gang_keys(record):
            return None
    return None


def noticed(records: Sequence[Record], key: str) -> bool:
    """Whether a scheduler has said or done something about a pod of the gang in these records."""
    mine = [record for record in records if record.state.get("gang") == key]
    return any(event_refuses(one.state) if one.kind == "Event" else _TRIED & {*one.changed} for one in mine)


def program(agent: str) -> str:
    """The program of a user agent: `kube-scheduler/v1.36.0 (linux/amd64) .../scheduler` is `kube-scheduler`."""
    return agent.partition("/")[0]
