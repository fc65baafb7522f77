"""From what a check found to its verdict: the rules every check shares.

A check collects `Finding`s, one for each gang or promise it judged, good and bad. Here they become one verdict: worst
wins; what lies in a span where the watch was blind, or in a file that was cut off, is `unknown`; and the first bad
record is turned into a witness. A check with nothing to judge passes and says so (`figures["judged"]` is 0).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from harness.core.history import History
from harness.core.replay import timeline, witness
from harness.core.timeline import Timeline
from harness.core.verdict import Outcome, Verdict, worst

NOTHING = "nothing to judge"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing judged."""

    outcome: Outcome
    reason: str
    pos: int = 0  # the record that shows it
    gang: str = ""
    since: float = -inf  # the times between which it was looked at
    until: float = inf
    seen: bool = False  # it stands on what was seen, not on what was missing: a blind span cannot unmake it


def passed(reason: str, **more: Any) -> Finding:
    """The law held."""
    return Finding(Outcome.PASS, reason, **more)


def violated(reason: str, pos: int, gang: str = "", **more: Any) -> Finding:
    """The law was broken, at this record."""
    return Finding(Outcome.VIOLATED, reason, pos, gang, **more)


def unknown(reason: str, **more: Any) -> Finding:
    """It cannot be told."""
    return Finding(Outcome.UNKNOWN, reason, **more)


def conclude(
    check: str,
    law: str,
    history: History,
    findings: Iterable[Finding],
    *,
    needs: Sequence[str] = ("Pod",),
    always: bool = False,
    figures: Mapping[str, Any] | None = None,
) -> Verdict:
    """The verdict; `needs` are the kinds that must have been seen, `always` says that even silence needs them."""
    line = timeline(history)
    judged = [_doubted(finding, line, needs) for finding in findings]
    outcome = worst(finding.outcome for finding in judged) if judged else Outcome.PASS
    bad = sorted((one for one in judged if one.outcome is outcome), key=lambda one: one.pos)
    reason = _sentence(outcome, bad) if judged else NOTHING
    if outcome is Outcome.PASS and not history.complete:
        outcome, reason = Outcome.UNKNOWN, f"the history was cut off after {len(history.records)} records"
    elif outcome is Outcome.PASS and always and (blind := _blind(line, needs, -inf, inf)):
        outcome, reason = Outcome.UNKNOWN, f"the watch of {blind} was lost for a while"
    shown = witness(history, bad[0].pos, bad[0].gang) if outcome is Outcome.VIOLATED else None
    return Verdict(check, outcome, reason, law, shown, {"judged": len(judged), **(figures or {})})


def _doubted(finding: Finding, line: Timeline, needs: Sequence[str]) -> Finding:
    """The finding, or `unknown` where changes it stands on may be missing."""
    if finding.seen or finding.outcome is Outcome.UNKNOWN:
        return finding
    blind = _blind(line, needs, finding.since, finding.until)
    if not blind:
        return finding
    said = f"the watch of {blind} was lost while this was judged: {finding.reason}"
    return replace(finding, outcome=Outcome.UNKNOWN, reason=said)


def _blind(line: Timeline, needs: Sequence[str], since: float, until: float) -> str:
    """The first kind of those needed of which changes may be missing between the times; "" if none."""
    for kind, start, stop in line.gaps:
        if (not kind or kind in needs) and start <= until and stop >= since:
            return kind or "everything"
    return ""


def _sentence(outcome: Outcome, found: Sequence[Finding]) -> str:
    first = found[0].reason
    if len(found) == 1:
        return first
    if outcome is Outcome.PASS:
        reasons = list(dict.fromkeys(one.reason for one in found))
        return first if len(reasons) == 1 else f"{first}; and {len(found) - 1} more held"
    return f"{first}; and {len(found) - 1} more"
