"""No held hostage: what a gang below quorum holds is free again within the bound.

For `expect released`: within the time there is a moment at which nothing is held for the gang: no bound placeholder,
and no bound member while it is below quorum. Standing, for every gang with a `timeout`: before it has started it never
holds anything longer than that timeout and the deadline `released` together. Pods that are going away still hold.
Time in which the scheduler was down does not count. What was held is in the figures of every gang, pass or not.
"""

from __future__ import annotations

from harness.core.deadlines import seconds
from harness.core.figures import gang_figures
from harness.core.finding import Finding, conclude, passed, unknown, violated
from harness.core.history import History
from harness.core.replay import timeline
from harness.core.timeline import Life, Promise, Step, Timeline, patience
from harness.core.verdict import Verdict

NAME = "hostage"
LAW = "What a gang holds below quorum is free again within the bound."


def judge(history: History) -> Verdict:
    line = timeline(history)
    bound = seconds(history.header, "released")
    findings: list[Finding] = []
    for promise in line.promised("released"):
        for key in promise.gangs:
            life = line.life(key, promise.pos)
            findings.append(_released(line, promise, life, bound) if life is not None else passed("nothing was held"))
    for lives in line.lives.values():
        for life in lives:
            if life.gang is not None and life.gang.timeout is not None:
                findings.append(_timed(line, life, life.gang.timeout + bound))
    held = sum(one["held_gpu_seconds"] for one in gang_figures(history).values())
    return conclude(NAME, LAW, history, findings, figures={"held_gpu_seconds": round(held, 6)})


def _free(step: Step) -> bool:
    return step.full or step.standing == 0


def _released(line: Timeline, promise: Promise, life: Life, bound: float) -> Finding:
    until = promise.now + promise.within(bound)
    last = life.at(promise.pos)
    for step in life.since(promise.pos):
        if step.now > until:
            break
        last = step
        if _free(step):
            return passed("everything held was released in time", pos=step.pos, seen=True)
    if line.end <= until:
        return unknown(f"the history ended before gang {life.key} had to release what it holds", pos=last.pos)
    said = f"gang {life.key} still held {last.standing} pods {until - promise.now:g} s after it had to release them"
    return violated(said, max(last.pos, promise.pos), life.key, since=promise.now, until=until)


def _timed(line: Timeline, life: Life, allowed: float) -> Finding:
    """No unbroken hold of a gang that has not started may be longer than allowed."""
    spans = line.spans([life])
    begun: Step | None = None
    started = False
    worst = until = 0.0
    for step in [*life.course(), None]:
        now = step.now if step is not None else line.end
        if begun is not None and now > until:
            said = f"gang {life.key} below quorum held resources for {now - begun.now:.1f} s, allowed are {allowed:g} s"
            last = life.at(step.pos - 1) if step is not None else life.steps[-1]
            return violated(said, last.pos, life.key, since=begun.now, until=until)
        if begun is not None:
            worst = max(worst, now - begun.now)
        if step is None:
            break
        started = (started or step.full) and step.standing > 0
        if started or step.standing == 0:
            begun = None
        elif begun is None:
            begun, until = step, patience(step.now, allowed, spans)
    return passed(f"no gang held resources below quorum longer than allowed (at most {worst:.1f} s)")
