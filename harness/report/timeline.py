"""The timeline of a case, as the compact JSON that the page draws when a reader opens the case.

A history has every change of every object; a picture needs pod lifetimes, which gang was below quorum when, what was
refused, and what the case did to the cluster. The replay knows all of that (`harness.report.projection`); here it is
cut to what a screen can show and written down (lists, not objects; milliseconds from the first moment shown). Pure: no
files, no HTML.

    nodes    [name, gpus, rows, thin rows, [[from, to, why]...]]    why: gone, unready, cordoned
    gangs    [name, size, quorum, submitted, ended, [[from, to]... at quorum]]
    bars     [node, row, rows, gang, from, to, kind, pod, end]      kind: 0 member, 1 placeholder, 2 other
    marks    [at, kind, gang, node, text, row, rows]                kind: refused, evicted, bind-refused, failed
    lines    [at, kind, text]                                       what the case did
    bands    [from, to, kind, text]                                 kind: down, paused, gap
    bad      [at, revision, gang, text] or null                     the first violation

`to` is -1 for what lasted until the end; gang and node are indexes, -1 for none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isinf
from typing import Any

from harness.core.history.records import History
from harness.core.oracle import replay
from harness.core.verdict import Outcome, Verdict
from harness.report.projection import CasePicture, GangRow, PodBar, project

MOST_BARS = 600  # per case; more cannot be told apart on a screen
MOST_LANES = 48
MOST_MARKS = 120
MOST_GANGS = 32


def timeline(history: History, verdicts: Sequence[Verdict] = (), *, most_bars: int = MOST_BARS) -> dict[str, Any]:
    """The compact timeline of one case."""
    picture = project(replay.timeline(history))
    bad = _first_violation(verdicts)
    notes = [] if history.complete else ["The history was cut off; what came after its last record is not known."]
    picture.bars = _most_telling(picture.bars, most_bars, bad, notes)
    nodes = _lanes(picture, notes)
    gangs = _gangs(picture, bad, min(MOST_GANGS, max(8, most_bars // 8)), notes)
    most_marks = min(MOST_MARKS, max(12, most_bars // 4))
    if len(picture.marks) > most_marks:
        notes.append(f"{most_marks} of {len(picture.marks)} marks are drawn.")
        picture.marks = picture.marks[:most_marks]
    if len(picture.lines) > most_marks:
        notes.append(f"{most_marks} of {len(picture.lines)} actions are drawn.")
        picture.lines = picture.lines[:most_marks]
    return _compact(picture, nodes, gangs, bad, notes)


def _lanes(picture: CasePicture, notes: list[str]) -> list[str]:
    """The nodes to draw: those that held something or had trouble."""
    busy = {bar.node for bar in picture.bars} | {mark.node for mark in picture.marks}
    troubled = {
        name for name, spans in picture.troubles.items() if any(since >= picture.start for since, _, _ in spans)
    }
    nodes = [name for name in sorted(picture.rows, key=_natural) if name in busy | troubled]
    if len(nodes) > MOST_LANES:
        notes.append(f"{MOST_LANES} of {len(nodes)} busy nodes are drawn.")
    if idle := len(picture.rows) - len(nodes):
        notes.append(
            "1 node held nothing and is not drawn." if idle == 1 else f"{idle} nodes held nothing and are not drawn."
        )
    return nodes[:MOST_LANES]


def _gangs(picture: CasePicture, bad: Verdict | None, most: int, notes: list[str]) -> list[str]:
    """The gangs to draw, by submission; where there are too many, those with bars first."""
    used = {bar.gang for bar in picture.bars} | {bad.witness.gang if bad is not None and bad.witness else ""}
    rows = picture.gangs
    gangs = sorted(rows, key=lambda key: (key not in used, rows[key].submitted))[:most]
    if len(rows) > len(gangs):
        notes.append(f"{len(gangs)} of {len(rows)} gangs are drawn.")
    return sorted(gangs, key=lambda key: (rows[key].submitted, key))


def _compact(
    picture: CasePicture, nodes: list[str], gangs: list[str], bad: Verdict | None, notes: list[str]
) -> dict[str, Any]:
    lane, colour = {name: i for i, name in enumerate(nodes)}, {name: i for i, name in enumerate(gangs)}

    def ms(at: float) -> float | int:
        if isinf(at):
            return -1
        value = round(max(0.0, at - picture.start) * 1000, 1)
        return int(value) if value == int(value) else value

    def bar_rows(bar: PodBar) -> list[list[Any]]:
        shared = [colour.get(bar.gang, -1), ms(bar.since), ms(bar.until), bar.kind, bar.pod, bar.end]
        return [[lane[bar.node], row, rows, *shared] for row, rows in bar.pieces]

    def gang_row(name: str, gang: GangRow) -> list[Any]:
        spans = [[ms(since), ms(until)] for since, until in gang.at_quorum]
        return [name, gang.size, gang.quorum, ms(gang.submitted), ms(gang.ended), spans]

    def node_row(name: str) -> list[Any]:
        rows, troubles = picture.rows[name], picture.troubles.get(name, [])
        spans = [[ms(since), ms(until), why] for since, until, why in troubles if until > picture.start]
        return [name, rows.gpus, rows.most, rows.thin, spans]

    proof = bad.witness if bad is not None else None
    return {
        "start": round(picture.start, 3),
        "length": ms(max(picture.end, proof.at if proof else 0.0)),
        "nodes": [node_row(name) for name in nodes],
        "gangs": [gang_row(name, picture.gangs[name]) for name in gangs],
        "bars": [row for bar in picture.bars if bar.node in lane for row in bar_rows(bar)],
        "marks": [
            [ms(mark.at), mark.kind, colour.get(mark.gang, -1), lane.get(mark.node, -1), mark.text[:240], *mark.piece]
            for mark in picture.marks
        ],
        "lines": [[ms(at), kind, text] for at, kind, text in picture.lines],
        "bands": [[ms(since), ms(until), kind, text] for since, until, kind, text in picture.bands],
        "bad": None
        if bad is None or proof is None
        else [ms(proof.at), proof.revision, colour.get(proof.gang, -1), bad.reason],
        "notes": notes,
    }


def _first_violation(verdicts: Sequence[Verdict]) -> Verdict | None:
    violations = [v for v in verdicts if v.outcome is Outcome.VIOLATED and v.witness is not None]
    return min(violations, key=lambda v: v.witness.at if v.witness else 0.0, default=None)


def _most_telling(bars: list[PodBar], most: int, bad: Verdict | None, notes: list[str]) -> list[PodBar]:
    """The bars to draw: all, or those of the violating gang and those nearest to the violation."""
    if len(bars) <= most:
        return bars
    notes.append(f"{most} of {len(bars)} pod lifetimes are drawn; the rest is in the history.")
    proof = bad.witness if bad is not None else None
    gang, at = (proof.gang, proof.at) if proof else ("", bars[0].since)
    ranked = sorted(range(len(bars)), key=lambda i: (bars[i].gang != gang or not gang, abs(bars[i].since - at)))
    return [bars[i] for i in sorted(ranked[:most])]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
