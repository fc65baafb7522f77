"""Crashes: no program of the integration ends by itself while a case runs.

A cluster starts a program again that has crashed, and so does muster; gangs may still start in the end. It is a fault
all the same, and one that users meet as pods that wait and restarts that are counted. Not judged is a crash while the
API server or its store is away, or within the time to reconnect after that: to end then is a way to begin anew. What
SIGKILL ended did not end by itself, and who sent that cannot be told. Neither can it be told whether a program ended by
its own fault that a busy machine had kept from renewing its lease.
"""

from __future__ import annotations

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.oracle.facts import Action, stretched
from harness.core.oracle.finding import Finding, conclude, unknown, violated
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Timeline
from harness.core.verdict import Verdict

NAME = "crash"
LAW = "No program of the integration ends by itself while a case runs."
THE_STORE = ("apiserver", "etcd")
KILLED = "SIGKILL"
RECENT, STARVED = 30.0, 5.0  # so many seconds of stalls in the last ones: a leader gives up after 10 without its lease


def judge(history: History) -> Verdict:
    line, grace = timeline(history), seconds(history.header, "reconnected")
    crashes = [crash for crash in line.crashes if not _is_cut_off(line, crash, grace)]
    figures = {"crashes": len(crashes), "crashes_without_the_api_server": len(line.crashes) - len(crashes)}
    return conclude(NAME, LAW, history, [_finding(line, crash) for crash in crashes], figures=figures)


def _finding(line: Timeline, crash: Action) -> Finding:
    ending, name = str(crash.record.state.get("ending", "")), crash.record.name
    if KILLED in ending:
        return unknown(f"{name} was {ending}, and who did that cannot be told", pos=crash.pos)
    stood = sum(max(0.0, min(until, crash.now) - max(since, crash.now - RECENT)) for since, until, _ in line.stalls)
    if stood >= STARVED:
        return unknown(
            f"{name} was {ending} after stalls of {stood:.1f} s, which may have cost it its lease", pos=crash.pos
        )
    reason = f"{name} ended by itself ({ending or 'it is not known how'})"
    return violated(reason, crash.pos, recorded=True, about_binds=False)


def _is_cut_off(line: Timeline, crash: Action, grace: float) -> bool:
    """Whether the API server or its store was away, or had been until a moment before.

    Of what a kubelet has started again it is known that it crashed during the case, and not when.
    """
    counted = "restarts" in crash.record.state
    return any(
        down.role in THE_STORE
        and down.since <= crash.now
        and (counted or crash.now <= stretched(down.until, grace, line.stalls))
        for down in line.downs
    )
