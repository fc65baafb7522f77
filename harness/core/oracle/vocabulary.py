"""The words in which a scheduler refuses a gang or names a victim, as data.

A gang that no scheduler looked at binds nothing either, so silence is not refusal: the checks need a sign that the
scheduler looked. Which signs those are depends on the scheduler, so an adapter states them as a `Vocabulary`, the
recorder writes them into the header of every history, and every reader of the history uses these words. What a
controller, a webhook or a kubelet may write before a scheduler has looked is never a sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from harness.core.history.terms import TERMS_ONCE_SHARED, Terms

_GATED = "SchedulingGated"  # reason of PodScheduled=False that the API server writes, whatever the gate


@dataclass(frozen=True, slots=True)
class Vocabulary(Terms):
    """What counts as a refusal and what as an eviction, by these terms."""

    def refuses_by_event(self, state: Mapping[str, Any]) -> bool:
        """The event says that what it is about was not placed."""
        reason = state.get("reason", "")
        warning = state.get("type") == "Warning" and not reason.startswith(self.other_warnings)
        return reason in self.refusal_events or warning

    def refusal_of_pod(self, conditions: Mapping[str, Any]) -> str:
        """The reason in a pod's PodScheduled=False; "" if the scheduler did not refuse it."""
        scheduled = conditions.get("PodScheduled")
        if scheduled and scheduled[0] == "False" and (self.gates_refuse or scheduled[1] != _GATED):
            return str(scheduled[1] or "no reason")
        return ""

    def refusal_of_group(self, state: Mapping[str, Any]) -> str:
        """The words in which a group object says that its gang has no room; "" if it does not.

        A phase `Pending` is no evidence: controllers and webhooks write it before any scheduler has looked.
        """
        phase = state.get("phase", "")
        if self._means_no_room(phase):
            return f"phase {phase}"
        for kind, (status, reason, _) in (state.get("conditions") or {}).items():
            name = kind.lower()
            unschedulable = status == "True" and "unschedulable" in name
            not_scheduled = status == "False" and (name.endswith("scheduled") or self._means_no_room(reason))
            if unschedulable or not_scheduled or _is_named(self.group_conditions, kind, status, reason):
                return f"{kind}={status} ({reason})"
        return ""

    def admits(self, state: Mapping[str, Any]) -> bool:
        """The group object says that its gang was let in."""
        conditions = (state.get("conditions") or {}).items()
        return any(_is_named(self.group_admits, kind, status, reason) for kind, (status, reason, _) in conditions)

    def eviction_of_group(self, state: Mapping[str, Any]) -> str:
        """The condition, with its reason, by which a group object says that its gang is evicted; "" if it does not."""
        for kind, (status, reason, _) in (state.get("conditions") or {}).items():
            if _is_named(self.group_victims, kind, status, reason):
                return f"{kind}={status} ({reason})"
        return ""

    def _means_no_room(self, text: str) -> bool:
        return any(word in text.lower() for word in self.group_words)

    def eviction_of_pod(self, conditions: Mapping[str, Any]) -> str:
        """The condition, with its reason, by which the scheduler evicts the pod; "" if it does not."""
        for kind in self.victim_conditions:
            if kind in conditions:
                status, reason, *_ = conditions[kind]
                if status == "True" and reason not in self.other_disruptions:
                    return f"{kind} ({reason or 'no reason'})"
        return ""

    def evicts(self, program: str) -> bool:
        """Deletions of pods by this program are evictions, even if it was not seen to bind any."""
        return any(part in program for part in self.evictors)

    def as_data(self) -> dict[str, Any]:
        """What the header of a history keeps: all of it, so that later defaults do not change old verdicts."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _is_named(conditions: tuple[str, ...], kind: str, status: str, reason: str) -> bool:
    return f"{kind}={status}" in conditions or f"{kind}={status} ({reason})" in conditions


COMMON = Vocabulary()

BEFORE_VOCABULARIES = Vocabulary(**asdict(TERMS_ONCE_SHARED))


def vocabulary_of(header: Mapping[str, Any]) -> Vocabulary:
    """The words by which a history with this header is read; words that a newer muster added are passed over."""
    data = header.get("vocabulary")
    if data is None:
        return BEFORE_VOCABULARIES
    names = {item.name for item in fields(Vocabulary)}
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in data.items() if name in names}
    return Vocabulary(**values)
