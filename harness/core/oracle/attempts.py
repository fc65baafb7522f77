"""The attempts of a scheduler to start a gang: from no member placed, to quorum, or back to none.

The law of atomicity is about attempts: an attempt begins with the first bind, and ends well when quorum is
placed or every bound member was taken back in time. Gangs that only start together share their attempts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.core.oracle.facts import Spans, Step, patience
from harness.core.oracle.incarnation import Incarnation
from harness.core.oracle.timeline import Timeline


class AttemptOutcome(StrEnum):
    """How an attempt ended."""

    WHOLE = "whole"  # quorum in time
    ROLLED_BACK = "rolled back"  # back to nothing in time
    BROKEN = "broken"  # still partial when the window was over
    OPEN = "open"  # the history ends before the window
    CUT = "cut"  # the case deleted the gang first


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt."""

    outcome: AttemptOutcome
    first: Step  # the first bind
    quorum: Step | None  # the step that reached quorum, however late
    worst: Step  # how it stood when the window was over, or at its end if that came first
    deadline: float


def units(line: Timeline) -> list[tuple[str, ...]]:
    """The gangs that start together, each gang in exactly one unit; most units are of one gang."""
    parent: dict[str, str] = {key: key for key in line.incarnations}

    def root(key: str) -> str:
        while parent[key] != key:
            key = parent[key]
        return key

    for key, incarnations in line.incarnations.items():
        for other in {
            name for incarnation in incarnations if incarnation.gang is not None for name in incarnation.gang.group
        }:
            named = other if "/" in other else f"{key.partition('/')[0]}/{other}"
            parent.setdefault(named, named)
            parent[root(named)] = root(key)
    members: dict[str, list[str]] = {}
    for key in parent:
        members.setdefault(root(key), []).append(key)
    return [tuple(sorted(keys)) for keys in members.values()]


def attempts(steps: Sequence[Step], window: float, spans: Spans, end: float, cuts: Iterable[int] = ()) -> list[Attempt]:
    """The attempts in a course of steps; `cuts` are the records in which the case itself ended the gang."""
    ended = set(cuts)
    tries: list[Attempt] = []
    first: Step | None = None
    worst = quorum = None
    deadline = 0.0
    for step in steps:
        if first is None:
            if step.placed:
                first, worst, quorum = step, step, step if step.full else None
                deadline = patience(step.now, window, spans)
            continue
        if quorum is None:
            if step.now <= deadline:
                worst = step if step.placed and not step.full else worst
            if step.full:
                quorum = step
        if not step.placed:
            tries.append(_closed(first, quorum, worst or first, deadline, step, step.pos in ended))
            first = None
    if first is not None:
        tries.append(_unclosed(first, quorum, worst or first, deadline, end))
    return tries


def _closed(first: Step, quorum: Step | None, worst: Step, deadline: float, last: Step, cut: bool) -> Attempt:
    late = (quorum or last).now > deadline
    if late:
        outcome = AttemptOutcome.BROKEN
    elif quorum is not None:
        outcome = AttemptOutcome.WHOLE
    else:
        outcome = AttemptOutcome.CUT if cut else AttemptOutcome.ROLLED_BACK
    return Attempt(outcome, first, quorum, worst, deadline)


def _unclosed(first: Step, quorum: Step | None, worst: Step, deadline: float, end: float) -> Attempt:
    if quorum is not None:
        outcome = AttemptOutcome.WHOLE if quorum.now <= deadline else AttemptOutcome.BROKEN
    else:
        outcome = AttemptOutcome.BROKEN if end > deadline else AttemptOutcome.OPEN
    return Attempt(outcome, first, quorum, worst, deadline)


def gang_course(incarnations: Sequence[Incarnation]) -> list[Step]:
    """The steps of a gang over all its incarnations, each until it ended."""
    if len(incarnations) == 1:
        return incarnations[0].steps_while_wanted()
    return [step for incarnation in incarnations for step in incarnation.steps_while_wanted()]


def unit_course(line: Timeline, keys: Sequence[str]) -> list[Step]:
    """The steps of gangs that start together, as if they were one: full when each of them is."""
    if len(keys) == 1:
        return gang_course(line.incarnations.get(keys[0], []))
    current: dict[str, Step] = {}
    out: list[Step] = []
    tagged = [
        (step.pos, n, key, step) for key in keys for n, step in enumerate(gang_course(line.incarnations.get(key, [])))
    ]
    for _, _, key, step in sorted(tagged, key=lambda item: item[:3]):
        current[key] = step
        steps = current.values()
        full = len(current) == len(keys) and all(part.full for part in steps)
        placed, held, standing = (sum(getattr(part, name) for part in steps) for name in ("placed", "held", "standing"))
        gpus, left = sum(part.gpus for part in steps), sum(part.left for part in steps)
        out.append(Step(step.pos, step.now, placed, full, held, gpus, standing, left))
    return out
