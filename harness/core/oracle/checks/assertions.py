"""Assertions: what the case saw for itself was as it must be.

Some promises are not in any recorded object (an answer of the API server, a container's output). The case looks, and
writes down a claim: the sentence, whether it held, and the evidence. Where the evidence decides (a request and its
answer, a value and its condition, a number of bound pods, their places), it is judged again here; a stored result that
contradicts its evidence never passes.
The witness of a broken claim is the record that broke it, where the history has one, and not the moment at which the
case looked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.core.history.records import History, Record, gang_key
from harness.core.oracle import condition
from harness.core.oracle.answers import recompute
from harness.core.oracle.condition import condition_of
from harness.core.oracle.describe import describe
from harness.core.oracle.finding import Finding, conclude, passed, unknown, violated
from harness.core.oracle.places import node_labels, places_of
from harness.core.oracle.replay import timeline
from harness.core.oracle.standing import standing_of
from harness.core.verdict import Outcome, Verdict

NAME = "assertions"
LAW = "Every assertion of the case holds."
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
    sentence, stored = str(state.get("sentence", "")), state.get("held")
    detail = str(state.get("detail") or "")
    try:
        held, broke, shows = _judged_again(history, pos, state)
    except (TypeError, ValueError, RecursionError) as error:
        return unknown(f"could not be seen: {sentence} ({error})", pos=pos)
    if stored is not held:
        phrases = {True: "held", False: "did not hold", None: "could not be seen"}
        detail = f"stored as {phrases.get(stored, stored)}, but the {shows} shows that it {phrases[held]}"
    text = f"{sentence} ({detail})" if detail else sentence
    if held is False:
        return violated(f"failed: {text}", broke, _gang(record), recorded=True)
    if held is None or stored is not held:
        return unknown(f"could not be seen: {text}", pos=pos)
    return passed(sentence, pos=pos, recorded=True)


def _judged_again(history: History, pos: int, state: Mapping[str, Any]) -> tuple[bool | None, int, str]:
    """Whether the claim holds by its evidence, the record that decided it, and what shows it.

    TypeError or ValueError if the evidence cannot be read. What is counted in the history never makes a claim true that
    was stored as false: the case may have looked at a later moment than the order of the records tells.
    """
    standing, places = standing_of(state), places_of(state)
    if standing is None and places is None:
        return (
            (condition.recompute(state), pos, "value") if condition.KEY in state else (recompute(state), pos, "answer")
        )
    held = recompute(state)
    if held is None:
        return None, pos, "history"
    line = timeline(history)
    if standing is not None:
        since = standing.broken_since(line, pos)
    elif places is not None:
        labels = node_labels(history.records[: pos + 1])
        since = places.broken_since(line, labels, pos, condition_of(state))
    return held and since is None, pos if since is None else since, "history"


def _gang(record: Record) -> str:
    """The gang that the claim is about, if it is one."""
    counted = standing_of(record.state) or places_of(record.state)
    if counted is not None:
        return counted.gangs[0] if len(counted.gangs) == 1 else ""
    return gang_key(record.namespace, record.name) if record.namespace and record.name else ""


def _evidence(state: Mapping[str, Any]) -> list[str]:
    """The evidence of a claim in lines for a reader: the request and its answer, or the objects that were read."""
    kinds = ("request", "answer", "read", "places", condition.KEY, condition.VALUE)
    texts = {kind: json.dumps(state[kind], sort_keys=True) for kind in kinds if state.get(kind)}
    return [f"  {kind}: {text if len(text) <= LINE else text[: LINE - 3] + '...'}" for kind, text in texts.items()]
