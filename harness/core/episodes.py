"""The attempts of a scheduler to start a gang: from no member placed, to quorum, or back to none.

Everything said about atomicity is said about an episode: it begins with the first bind, and ends well when quorum is
placed or every bound member was taken back in time. Gangs that only start together share their episodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.core.timeline import Life, Spans, Step, Timeline, patience


class Fate(StrEnum):
    """How an episode ended."""

    WHOLE = "whole"  # quorum in time
    ROLLED_BACK = "rolled back"  # back to nothing in time
    BROKEN = "broken"  # still partial when the window was over
    OPEN = "open"  # the history ends before the window
    CUT = "cut"  # the case deleted the gang first


@dataclass(frozen=True, slots=True)
class Episode:
    """One attempt."""

    fate: Fate
    first: Step  # the first bind
    quorum: Step | None  # the step that reached quorum, however late
    worst: Step  # how it stood when the window was over, or at its end if that came first
    deadline: float


def units(line: Timeline) -> list[tuple[str, ...]]:
    """The gangs that start together, each gang in exactly one unit; most units are of one gang."""
    parent: dict[str, str] = {key: key for key in line.lives}

    def root(key: str) -> str:
        while parent[key] != key:
            key = parent[key]
        return key

    for key, lives in line.lives.items():
        for other in {name for life in lives if life.gang is not None for name in life.gang.group}:
            named = other if "/" in other else f"{key.partition('/')[0]}/{other}"
            parent.setdefault(named, named)
            parent[root(named)] = root(key)
    found: dict[str, list[str]] = {}
    for key in parent:
        found.setdefault(root(key), []).append(key)
    return [tuple(sorted(keys)) for keys in found.values()]


def episodes(steps: Sequence[Step], window: float, spans: Spans, end: float, cuts: Iterable[int] = ()) -> list[Episode]:
    """The episodes in a course of steps; `cuts` are the records in which the case itself ended the gang."""
    ended = set(cuts)
    found: list[Episode] = []
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
            found.append(_closed(first, quorum, worst or first, deadline, step, step.pos in ended))
            first = None
    if first is not None:
        found.append(_unclosed(first, quorum, worst or first, deadline, end))
    return found


def _closed(first: Step, quorum: Step | None, worst: Step, deadline: float, last: Step, cut: bool) -> Episode:
    late = (quorum or last).now > deadline
    if late:
        fate = Fate.BROKEN
    elif quorum is not None:
        fate = Fate.WHOLE
    else:
        fate = Fate.CUT if cut else Fate.ROLLED_BACK
    return Episode(fate, first, quorum, worst, deadline)


def _unclosed(first: Step, quorum: Step | None, worst: Step, deadline: float, end: float) -> Episode:
    if quorum is not None:
        fate = Fate.WHOLE if quorum.now <= deadline else Fate.BROKEN
    else:
        fate = Fate.BROKEN if end > deadline else Fate.OPEN
    return Episode(fate, first, quorum, worst, deadline)


def gang_course(lives: Sequence[Life]) -> list[Step]:
    """The steps of a gang over all its lives, each until it ended."""
    if len(lives) == 1:
        return lives[0].course()
    return [step for life in lives for step in life.course()]


def unit_course(line: Timeline, keys: Sequence[str]) -> list[Step]:
    """The steps of gangs that start together, as if they were one: full when each of them is."""
    if len(keys) == 1:
        return gang_course(line.lives.get(keys[0], []))
    current: dict[str, Step] = {}
    out: list[Step] = []
    tagged = [(step.pos, n, key, step) for key in keys for n, step in enumerate(gang_course(line.lives.get(key, [])))]
    for _, _, key, step in sorted(tagged, key=lambda item: item[:3]):
        current[key] = step
        now = current.values()
        full = len(current) == len(keys) and all(one.full for one in now)
        placed, held, standing = (sum(getattr(one, name) for one in now) for name in ("placed", "held", "standing"))
        gpus, left = sum(one.gpus for one in now), sum(one.left for one in now)
        out.append(Step(step.pos, step.now, placed, full, held, gpus, standing, left))
    return out
