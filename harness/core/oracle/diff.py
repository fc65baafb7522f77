"""Where two histories of a case part: the same happenings under other names, up to the first that is another one.

No two runs of a case have the same namespaces, uids, nodes, times and revisions, and which member is bound first, to
which of two equal nodes, means nothing. So each record that tells something becomes a line without all of that. What
components do between two actions of the case they do side by side, in any order: two histories part at the first
action, or between the first two actions, where not the same things happened.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.core.history.records import ALLOCATIONS, MARKER, History, Record

_UNIQUE = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}(?![0-9a-z])")  # the end of a name that is used once
_LABELS = ("created", "bound", "nominated", "evicted", "deleted", "resized")
_ENDS = ("Succeeded", "Failed")
_SILENT = ("note", MARKER)  # actions that decide nothing
_CONTEXT = 6  # lines that are shown before the place where two histories part


@dataclass(frozen=True, slots=True)
class Line:
    """One happening: as it is compared, and when it was."""

    text: str
    at: float  # seconds since the case began
    is_action: bool  # of the case; everything else follows from one


@dataclass(frozen=True, slots=True)
class Parting:
    """Two histories around the place where they part."""

    before: tuple[Line, ...]  # the last lines that both have, with the times of the left one
    left: tuple[Line, ...]  # what only this one has, and what happened beside it
    right: tuple[Line, ...]
    only_left: Counter[str]
    only_right: Counter[str]


def part(left: History, right: History, context: int = _CONTEXT) -> Parting | None:
    """Where the two part; None if the same happened in both."""
    first, second = _steps(left), _steps(right)
    for number in range(max(len(first), len(second))):
        ours, theirs = (steps[number] if number < len(steps) else () for steps in (first, second))
        counts = Counter(line.text for line in ours), Counter(line.text for line in theirs)
        if counts[0] != counts[1]:
            before = [line for step in first[:number] for line in step][-context:]
            return Parting(tuple(before), tuple(ours), tuple(theirs), counts[0] - counts[1], counts[1] - counts[0])
    return None


def _steps(history: History) -> list[Sequence[Line]]:
    """The lines of a history, from one action of the case to the next."""
    steps: list[list[Line]] = [[]]
    for line in lines(history):
        if line.is_action:
            steps.append([])
        steps[-1].append(line)
    return [*steps]


def lines(history: History) -> Iterator[Line]:
    """What happened in the history, without what no two runs have in common."""
    names: dict[str, str] = {}
    states: dict[str, str] = {}  # what was last told of an object: a status that is written twice is told once
    for record in history.records:
        if record.source == "watch" and record.at < history.began:
            continue  # what was there when the case began
        text = _UNIQUE.sub(lambda match: names.setdefault(match[0], f"#{len(names) + 1}"), _text(record))
        if text and (record.source != "watch" or states.get(record.uid) != text):
            yield Line(text, record.at - history.began, record.source == "action" and record.verb != "stalled")
        states[record.uid] = text or states.get(record.uid, "")


def _text(record: Record) -> str:
    """The record in labels; "" if it tells nothing that could decide a verdict."""
    if record.source == "action":
        return _action(record)
    if record.source == "audit":
        code = record.state.get("code", 0)
        return f"{record.verb} of {_who(record)} refused with {code}" if code >= 400 else ""
    if record.source == "gap":
        return f"the watch of {record.kind or 'everything'} was lost"
    if record.kind in ("Event", "Namespace", *ALLOCATIONS) or record.state.get("part") == MARKER:
        return ""
    if record.kind == "Node":
        labels = [label for label in record.changed if label not in ("condition", "phase")]
        is_marker = f"muster.dev/{MARKER}" in (record.state.get("labels") or {})
        return f"a node {', '.join(labels)}" if labels and not is_marker else ""
    labels = [label for label in _LABELS if label in record.changed] + list(_status(record))
    return f"{_who(record)} {', '.join(labels)}" if labels else ""


def _status(record: Record) -> Iterator[str]:
    """Ends, refusals and evictions of a pod; of a group object all it says."""
    if "phase" in record.changed and (record.kind != "Pod" or record.state.get("phase") in _ENDS):
        yield f"phase {record.state.get('phase', '')}"
    if "condition" in record.changed:
        for kind, (status, reason, *_) in sorted((record.state.get("conditions") or {}).items()):
            if record.kind != "Pod" or (kind, status) in (("PodScheduled", "False"), ("DisruptionTarget", "True")):
                yield f"{kind}={status} ({reason})"


def _action(record: Record) -> str:
    if record.verb in _SILENT:
        return ""
    if record.verb == "stalled":
        return f"{record.name} stood still"
    if record.verb == "crash":
        return f"{record.name} crashed"
    state = {key: value for key, value in record.state.items() if key not in ("read", "answer", "nodes", "detail")}
    details = json.dumps(state, sort_keys=True) if state else ""
    return " ".join(word for word in ("the case:", record.verb, record.name, details) if word)


def _who(record: Record) -> str:
    """A member is as good as another; every other object has its name."""
    if "gang" in record.state and record.kind == "Pod":
        role = f" ({record.state['role']})" if record.state.get("role") else ""
        return f"a {record.state.get('part', 'member')} of {record.state['gang']}{role}"
    return f"{record.kind} {record.namespace}/{record.name}" if record.namespace else f"{record.kind} {record.name}"
