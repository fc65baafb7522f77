"""Assertions: what the case saw for itself was as it must be.

Some promises are not in any recorded object (an answer of the API server, a container's output). The case looks, and
writes down a claim: the sentence, whether it held, and the evidence. Where the evidence decides (a request and its
answer, a number of bound pods), it is judged again here; a stored result that contradicts its evidence never passes.
The witness of a broken claim is the record that broke it, where the history has one, and not the moment at which the
case looked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.core.history.records import History, Record, gang_key
from harness.core.oracle.answers import recompute
from harness.core.oracle.describe import describe
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.replay import timeline
from harness.core.oracle.standing import Standing, standing_of
from harness.core.verdict import Outcome, Verdict

NAME = "assertions"
LAW = "Everything the case looked at for itself was as it must be."
LINE = 400  # characters of evidence in one line of a witness


def judge(history: History) -> Verdict:
    judged = [(_finding(history, pos, record), pos) for pos, record in timeline(history).claims]
    verdict = conclude(NAME, LAW, history, [finding for finding, _ in judged], needs=())
    if verdict.witness is None:
        return verdict
    violations = [(finding.pos, pos) for finding, pos in judged if finding.outcome is Outcome.VIOLATED]
    broke, looked = min(violations)
    record = history.records[looked]
    lines = [f"  {describe(record, history.began)}"] if broke != looked else []
    lines += _evidence(record.state)
    return replace(verdict, witness=replace(verdict.witness, around=(*verdict.witness.around, *lines)))


def _finding(history: History, pos: int, record: Record) -> Finding:
    state = record.state
    sentence, stored, held = str(state.get("sentence", "")), state.get("held"), recompute(state)
    detail, broke = str(state.get("detail") or ""), pos
    try:
        standing = standing_of(state)
    except (TypeError, ValueError) as error:
        return unknown(f"could not be seen: {sentence} ({error})", pos=pos)
    if standing is not None and held is not None:
        since = standing.broken_since(timeline(history), pos)
        held = held and since is None  # what was counted live may be less than what had happened
        broke = pos if since is None else since
    if stored is not held:
        phrases = {True: "held", False: "did not hold", None: "could not be seen"}
        shows = "answer" if standing is None else "history"
        detail = f"stored as {phrases.get(stored, stored)}, but the {shows} shows that it {phrases[held]}"
    text = f"{sentence} ({detail})" if detail else sentence
    if held is False:
        return violated(f"failed: {text}", broke, _gang(record, standing), recorded=True)
    if held is None or stored is not held:
        return unknown(f"could not be seen: {text}", pos=pos)
    return passed(sentence, pos=pos, recorded=True)


def _gang(record: Record, standing: Standing | None) -> str:
    """The gang that the claim is about, if it is one."""
    if standing is not None:
        return standing.gangs[0] if len(standing.gangs) == 1 else ""
    return gang_key(record.namespace, record.name) if record.namespace and record.name else ""


def _evidence(state: Mapping[str, Any]) -> list[str]:
    """The evidence of a claim in lines for a reader: the request and its answer, or the objects that were read."""
    kinds = ("request", "answer", "read")
    texts = {kind: json.dumps(state[kind], sort_keys=True) for kind in kinds if state.get(kind)}
    return [f"  {kind}: {text if len(text) <= LINE else text[: LINE - 3] + '...'}" for kind, text in texts.items()]
