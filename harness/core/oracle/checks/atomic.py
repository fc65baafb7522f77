"""Atomic: once a member of a gang is bound, quorum is bound within the window, or every bound member is taken back.

An attempt begins when the number of placed members leaves zero. It ends well when quorum is placed (of every role, and
of every gang that starts together with this one) within the deadline `window`, or when the number is zero again by
then; taking back is allowed and counted (`rollbacks`). Time in which the scheduler, the API server or etcd was down
does not count, and the window begins again when it is back, or when the case itself changed the gang or took nodes.
A gang that once had quorum is started: losing members later breaks no atomicity until it is at zero again.
"""

from __future__ import annotations

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.oracle.attempts import Attempt, AttemptOutcome, attempts, unit_course, units
from harness.core.oracle.figures import gang_figures
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.replay import timeline
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
        incarnations = [incarnation for key in keys for incarnation in line.incarnations.get(key, [])]
        if not any(incarnation.quorum is not None for incarnation in incarnations):
            continue
        cuts = [incarnation.ended for incarnation in incarnations if incarnation.ended >= 0]
        tries = attempts(unit_course(line, keys), window, line.spans(incarnations), line.end, cuts)
        name = " and ".join(keys)
        quorum = sum(line.incarnations[key][-1].quorum or 0 for key in keys if key in line.incarnations)
        if not tries:
            findings.append(passed("no gang was ever bound in part"))
        findings += [_finding(attempt, name, keys[0], quorum, window) for attempt in tries]
        in_part += sum(attempt.outcome is AttemptOutcome.BROKEN and attempt.quorum is None for attempt in tries)
    figures = {"gangs": gang_figures(history), "refused_binds": len(line.refused_binds), LEFT_IN_PART: in_part}
    return conclude(NAME, LAW, history, findings, figures=figures)


def _finding(attempt: Attempt, name: str, gang: str, quorum: int, window: float) -> Finding:
    since, until = attempt.first.now, attempt.deadline
    if attempt.outcome is AttemptOutcome.BROKEN:
        late = f", reached it only after {attempt.quorum.now - since:.3f} s" if attempt.quorum else ""
        stood = f"gang {name} stood at {attempt.worst.placed} of {quorum} members"
        reason = f"{stood} when its window of {window:g} s was over{late}"
        return violated(reason, attempt.worst.pos, gang, since=since, until=until)
    if attempt.outcome is AttemptOutcome.OPEN:
        reason = (
            f"the history ended before the window of gang {name} was over ({attempt.worst.placed} of {quorum} placed)"
        )
        return unknown(reason, pos=attempt.worst.pos)
    if attempt.outcome is AttemptOutcome.WHOLE and attempt.quorum is not None:
        return passed("every gang was bound whole", since=since, until=attempt.quorum.now)
    ending = "taken back" if attempt.outcome is AttemptOutcome.ROLLED_BACK else "deleted by the case"
    return passed(f"gang {name} was bound in part and {ending} within its window", since=since, until=until)
