"""Atomic: once a member of a gang is bound, quorum is bound within the window, or every bound member is taken back.

An episode begins when the number of placed members leaves zero. It ends well when quorum is placed (of every role, and
of every gang that starts together with this one) within the deadline `window`, or when the number is zero again by
then; taking back is allowed and counted (`rollbacks`). Time in which the scheduler, the API server or etcd was down
does not count, and the window begins anew when it is back, or when the case itself changed the gang or took nodes.
A gang that once had quorum is started: losing members later breaks no atomicity until it is at zero again.
"""

from __future__ import annotations

from harness.core.deadlines import seconds
from harness.core.episodes import Episode, Fate, episodes, unit_course, units
from harness.core.figures import gang_figures
from harness.core.finding import Finding, conclude, passed, unknown, violated
from harness.core.history import History
from harness.core.replay import timeline
from harness.core.verdict import Verdict

NAME = "atomic"
LEFT_IN_PART = "left_in_part"  # figure: how often a gang never came to its quorum; else it was late
LAW = "Once a member of a gang is bound, quorum is bound within the window, or every bound member is taken back."


def judge(history: History) -> Verdict:
    line = timeline(history)
    window = seconds(history.header, "window")
    findings: list[Finding] = []
    in_part = 0
    for keys in units(line):
        lives = [life for key in keys for life in line.lives.get(key, [])]
        if not any(life.quorum is not None for life in lives):
            continue
        cuts = [life.ended for life in lives if life.ended >= 0]
        found = episodes(unit_course(line, keys), window, line.spans(lives), line.end, cuts)
        name = " and ".join(keys)
        quorum = sum(line.lives[key][-1].quorum or 0 for key in keys if key in line.lives)
        if not found:
            findings.append(passed("no gang was ever bound in part"))
        findings += [_finding(one, name, keys[0], quorum, window) for one in found]
        in_part += sum(one.fate is Fate.BROKEN and one.quorum is None for one in found)
    figures = {"gangs": gang_figures(history), "refused_binds": line.refused_binds, LEFT_IN_PART: in_part}
    return conclude(NAME, LAW, history, findings, figures=figures)


def _finding(one: Episode, name: str, gang: str, quorum: int, window: float) -> Finding:
    since, until = one.first.now, one.deadline
    if one.fate is Fate.BROKEN:
        late = f", reached it only after {one.quorum.now - since:.3f} s" if one.quorum else ""
        stood = f"gang {name} stood at {one.worst.placed} of {quorum} members"
        said = f"{stood} when its window of {window:g} s was over{late}"
        return violated(said, one.worst.pos, gang, since=since, until=until)
    if one.fate is Fate.OPEN:
        said = f"the history ended before the window of gang {name} was over ({one.worst.placed} of {quorum} placed)"
        return unknown(said, pos=one.worst.pos)
    if one.fate is Fate.WHOLE and one.quorum is not None:
        return passed("every gang was bound whole", since=since, until=one.quorum.now)
    words = "taken back" if one.fate is Fate.ROLLED_BACK else "deleted by the case"
    return passed(f"gang {name} was bound in part and {words} within its window", since=since, until=until)
