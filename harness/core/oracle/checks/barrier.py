"""Barrier: no main container of the gang starts before enough of its members run the init container that waits.

For `expect barrier`: `init` names that init container and `count` how many members must run it. Kubelets report when a
container started to the second, and each in its own time, so start times are compared, not the order of reports: a
main container breaks the law when fewer than `count` members had begun their init container by the second it started.
A member that was gone before then does not count. With `main` only that container is looked at.
"""

from __future__ import annotations

from math import floor, inf

from harness.core.history.records import History
from harness.core.oracle.facts import Promise, details
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.incarnation import Pod
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Timeline
from harness.core.verdict import Verdict

NAME = "barrier"
LAW = "No main container of a gang starts before the promised number of its members run their init container."


def judge(history: History) -> Verdict:
    line = timeline(history)
    findings: list[Finding] = []
    for promise in line.promised("barrier"):
        findings += [_held(line, promise, key) for key in promise.gangs]
    return conclude(NAME, LAW, history, findings)


def _held(line: Timeline, promise: Promise, key: str) -> Finding:
    init, only = str(details(promise, "init", "")), details(promise, "main")
    incarnation = line.incarnation(key, promise.pos)
    if incarnation is None:
        return unknown(f"gang {key} was promised to wait and never submitted", pos=promise.pos)
    members = [(pod, pod.containers or {}) for pod in incarnation.pods if pod.part == "member"]
    count = int(details(promise, "count") or incarnation.size)
    waiting = [(floor(containers[init].began), _gone(pod)) for pod, containers in members if init in containers]
    mains = [
        (floor(container.began), container.pos, pod.record.name, name)
        for pod, containers in members
        for name, container in containers.items()
        if name != init and name not in pod.record.state.get("inits", ()) and only in (None, name)
        if incarnation.ended < 0 or container.pos < incarnation.ended
    ]
    for began, pos, member, name in sorted(mains):
        there = sum(since <= began <= until for since, until in waiting)
        if there < count:
            reason = f"container {name} of {member} started when {there} of {count} members ran {init} (gang {key})"
            return violated(reason, pos, key)
    if not mains:
        return passed(f"no main container of gang {key} started")
    return passed(f"every main container of gang {key} started after {count} members ran {init}")


def _gone(pod: Pod) -> float:
    return pod.record.at if pod.gone else inf
