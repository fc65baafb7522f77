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

from harness.core.deadlines import seconds
from harness.core.history.records import History
from harness.core.oracle.describe import witness
from harness.core.oracle.facts import Stray
from harness.core.oracle.replay import timeline
from harness.core.oracle.timeline import Gap, gap_spans
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
    recorded: bool = False  # it stands on what was recorded, not on what was missing: a gap cannot change it
    about_binds: bool = True  # it may follow from where pods were bound


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
    gaps = gap_spans(history.records, timeline(history).lost)
    strays = _excused(history)
    judged = [_blameless(_doubted(finding, gaps, needs), strays, history) for finding in findings]
    outcome = worst(finding.outcome for finding in judged) if judged else Outcome.PASS
    bad = sorted((finding for finding in judged if finding.outcome is outcome), key=lambda finding: finding.pos)
    reason = _sentence(outcome, bad) if judged else NOTHING
    if outcome is Outcome.PASS and not history.complete:
        outcome, reason = Outcome.UNKNOWN, f"the history was cut off after {len(history.records)} records"
    elif outcome is Outcome.PASS and always and (blind := _blind(gaps, needs, -inf, inf)):
        outcome, reason = Outcome.UNKNOWN, f"the watch of {blind} was lost for a while"
    proof = witness(history, bad[0].pos, bad[0].gang) if outcome is Outcome.VIOLATED else None
    return Verdict(check, outcome, reason, law, proof, {"judged": len(judged), **(figures or {})})


def _doubted(finding: Finding, gaps: Sequence[Gap], needs: Sequence[str]) -> Finding:
    """The finding, or `unknown` where changes it stands on may be missing."""
    if finding.recorded or finding.outcome is Outcome.UNKNOWN:
        return finding
    blind = _blind(gaps, needs, finding.since, finding.until)
    if not blind:
        return finding
    reason = f"the watch of {blind} was lost while this was judged: {finding.reason}"
    return replace(finding, outcome=Outcome.UNKNOWN, reason=reason)


def _excused(history: History) -> list[Stray]:
    """Binds to nodes of whose removal the scheduler may not have known; those of fences aside."""
    line, grace = timeline(history), seconds(history.header, "window")
    return [stray for stray in line.strays if line.excused(stray, grace) and not stray.is_evidence]


def _blameless(finding: Finding, strays: Sequence[Stray], history: History) -> Finding:
    """The finding, or `unknown` where it follows a bind to a node of whose removal the scheduler may not have known.

    It follows such a bind also if it is about a member of the same gang that was bound a moment earlier: a gang is
    decided at once.
    """
    if finding.outcome is not Outcome.VIOLATED or not finding.about_binds or not strays:
        return finding
    window, at = seconds(history.header, "window"), history.records[finding.pos].at

    def explains(stray: Stray) -> bool:
        is_same_attempt = bool(stray.gang) and stray.gang == finding.gang and stray.now - at <= window
        return finding.pos >= stray.pos or is_same_attempt

    stray = next(filter(explains, strays), None)
    if stray is None:
        return finding
    reason = f"{stray.pod} was bound to node {stray.node} just after its removal, and after that: {finding.reason}"
    return replace(finding, outcome=Outcome.UNKNOWN, reason=reason)


def _blind(gaps: Sequence[Gap], needs: Sequence[str], since: float, until: float) -> str:
    """The first kind of those needed of which changes may be missing between the times; "" if none."""
    for kind, start, stop in gaps:
        if (not kind or kind in needs) and start <= until and stop >= since:
            return kind or "everything"
    return ""


def _sentence(outcome: Outcome, findings: Sequence[Finding]) -> str:
    first, more = findings[0].reason, len(findings) - 1
    if not more:
        return first
    if outcome is Outcome.PASS:
        same = all(finding.reason == first for finding in findings)
        return first if same else f"{first}; and {more} more held"
    return f"{first}; and {more} more"
