"""Start order: no member of a later gang is bound before the earlier ones reached quorum.

For `expect order`: `gangs` are in the order in which they must start, as a dependsOn or a startup policy asks.
"""

from __future__ import annotations

from math import inf

from harness.core.finding import Finding, conclude, passed, unknown, violated
from harness.core.history import History
from harness.core.replay import timeline
from harness.core.timeline import Life, Promise, Timeline
from harness.core.verdict import Verdict

NAME = "order"
LAW = "No member of a later gang is bound before the earlier gangs have reached quorum."


def judge(history: History) -> Verdict:
    line = timeline(history)
    return conclude(NAME, LAW, history, [_ordered(line, promise) for promise in line.promised("order")])


def _ordered(line: Timeline, promise: Promise) -> Finding:
    found = [line.life(key, promise.pos) for key in promise.gangs]
    lives = [life for life in found if life is not None]
    if len(lives) < len(found):
        return unknown("a gang was promised to start in order and never submitted", pos=promise.pos)
    early: list[tuple[int, str, Life, Life]] = []
    for n, life in enumerate(lives):
        for before in lives[:n]:
            reached = _reached(before)
            early += [(bind.pos, bind.pod, life, before) for bind in life.binds[:1] if bind.pos < reached]
    if early:
        pos, pod, life, before = min(early, key=lambda one: one[0])
        said = f"{pod} of gang {life.key} was bound while gang {before.key} had not reached quorum"
        return violated(said, pos, life.key, until=line.end)
    return passed("gangs started in the order promised: " + ", ".join(life.key for life in lives), until=line.end)


def _reached(life: Life) -> float:
    return next((step.pos for step in life.steps if step.full), inf)
