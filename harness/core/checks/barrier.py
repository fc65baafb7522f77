"""Barrier: no main container of the gang starts before enough of its members run the init container that waits.

For `expect barrier`: `init` names that init container and `count` how many members must run it. Kubelets report when a
container started to the second, and each in its own time, so start times are compared, not the order of reports: a
main container breaks the law when fewer than `count` members had begun their init container by the second it started.
A member that was gone before then does not count. With `main` only that container is looked at.
"""

from __future__ import annotations

from math import floor, inf

from harness.core.finding import Finding, conclude, passed, violated
from harness.core.history import History, pod_key
from harness.core.replay import timeline
from harness.core.timeline import Promise, details
from harness.core.verdict import Verdict

NAME = "barrier"
LAW = "No main container of a gang starts before the promised number of its members run their init container."


def judge(history: History) -> Verdict:
    line = timeline(history)
    findings: list[Finding] = []
    for promise in line.promised("barrier"):
        findings += [_held(history, promise, key) for key in promise.gangs]
    return conclude(NAME, LAW, history, findings)


def _held(history: History, promise: Promise, key: str) -> Finding:
    init, only = str(details(promise, "init", "")), details(promise, "main")
    waiting: dict[str, float] = {}  # member -> when its init container began
    gone: dict[str, float] = {}
    mains: dict[tuple[str, str], tuple[float, int, str]] = {}  # member, container -> when, record, member's name
    for pos, record in enumerate(history.records):
        if record.kind != "Pod" or record.source != "watch" or record.state.get("gang") != key:
            continue
        if record.state.get("part", "member") != "member":
            continue
        uid = pod_key(record)
        if record.verb == "deleted":
            gone[uid] = record.at
        inits = {init, *record.state.get("inits", ())}
        for name, began in (record.state.get("running") or {}).items():
            if name == init:
                waiting.setdefault(uid, floor(began))
            elif name not in inits and only in (None, name):
                mains.setdefault((uid, name), (floor(began), pos, record.name))
    life = timeline(history).life(key, promise.pos)
    count = int(details(promise, "count") or (life.size if life is not None else 1))
    return _judged(key, count, init, waiting, gone, mains)


def _judged(
    key: str,
    count: int,
    init: str,
    waiting: dict[str, float],
    gone: dict[str, float],
    mains: dict[tuple[str, str], tuple[float, int, str]],
) -> Finding:
    for (_, name), (began, pos, member) in sorted(mains.items(), key=lambda item: item[1]):
        there = sum(at <= began <= gone.get(uid, inf) for uid, at in waiting.items())
        if there < count:
            said = f"container {name} of {member} started when {there} of {count} members ran {init} (gang {key})"
            return violated(said, pos, key)
    if not mains:
        return passed(f"no main container of gang {key} started")
    return passed(f"every main container of gang {key} started after {count} members ran {init}")
