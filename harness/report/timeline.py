"""A history, reduced to what a timeline shows.

A history has every change of every object; a picture needs pod lifetimes, who was below quorum when, what was refused,
and what the case did to the cluster. One pass over the records makes compact JSON (lists, not objects; milliseconds
from the first moment shown) that the page draws when a reader opens the case. Pure: no files, no HTML.

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
from typing import Any

from harness.core.history import History
from harness.core.verdict import Outcome, Verdict
from harness.report.reduction import Reduction

MOST_BARS = 600  # per case; more cannot be told apart on a screen
MOST_LANES = 48
MOST_MARKS = 120
MOST_GANGS = 32


def timeline(history: History, verdicts: Sequence[Verdict] = (), *, most_bars: int = MOST_BARS) -> dict[str, Any]:
    """The compact timeline of one case."""
    found = Reduction()
    for record in history.records:
        found.take(record)
    bad = _first_violation(verdicts)
    notes = [] if history.complete else ["The history was cut off; what came after its last record is not known."]
    start = found.begin if found.first is None else min([found.first, *(bar["from"] for bar in found.bars)])
    bars = _most_telling(found.bars, most_bars, bad, notes)
    nodes = _lanes(found, bars, start, notes)
    gangs = _gangs(found, bars, bad, min(MOST_GANGS, max(8, most_bars // 8)), notes)
    found.marks = sorted(found.marks, key=lambda mark: float(mark[0]))
    most_marks = min(MOST_MARKS, max(12, most_bars // 4))
    if len(found.marks) > most_marks:
        notes.append(f"{most_marks} of {len(found.marks)} marks are drawn.")
        found.marks = found.marks[:most_marks]
    found.lines = [line for line in found.lines if line[0] >= start]
    if len(found.lines) > most_marks:
        notes.append(f"{most_marks} of {len(found.lines)} actions are drawn.")
        found.lines = found.lines[:most_marks]
    return _compact(found, start, nodes, gangs, bars, bad, notes)


def _lanes(found: Reduction, bars: list[dict[str, Any]], start: float, notes: list[str]) -> list[str]:
    """The nodes to draw: those that held something or had trouble."""
    busy = {bar["node"] for bar in bars} | {mark[3] for mark in found.marks}
    troubled = {name for name, spans in found.spans.items() if any(span[0] >= start for span in spans)}
    wanted = [name for name in sorted(found.rows, key=_natural) if name in busy | troubled]
    if len(wanted) > MOST_LANES:
        notes.append(f"{MOST_LANES} of {len(wanted)} busy nodes are drawn.")
    if idle := len(found.rows) - len(wanted):
        notes.append(
            "1 node held nothing and is not drawn." if idle == 1 else f"{idle} nodes held nothing and are not drawn."
        )
    return wanted[:MOST_LANES]


def _gangs(found: Reduction, bars: list[dict[str, Any]], bad: Verdict | None, most: int, notes: list[str]) -> list[str]:
    """The gangs to draw, by submission; where there are too many, those with bars first."""
    used = {bar["gang"] for bar in bars} | {bad.witness.gang if bad is not None and bad.witness else ""}
    chosen = sorted(found.gangs, key=lambda g: (g not in used, found.gangs[g]["submitted"]))[:most]
    if len(found.gangs) > len(chosen):
        notes.append(f"{len(chosen)} of {len(found.gangs)} gangs are drawn.")
    return sorted(chosen, key=lambda g: (found.gangs[g]["submitted"], g))


def _compact(it: Reduction, start: float, nodes: list[str], gangs: list[str], bars: list[dict[str, Any]],
             bad: Verdict | None, notes: list[str]) -> dict[str, Any]:  # fmt: skip
    lane, colour = {name: i for i, name in enumerate(nodes)}, {name: i for i, name in enumerate(gangs)}

    def ms(at: float) -> float | int:
        value = round(max(0.0, at - start) * 1000, 1)
        return int(value) if value == int(value) else value

    def until(at: float) -> float | int:
        return -1 if at < 0 else ms(at)

    seen = bad.witness if bad is not None else None
    end = max(it.end, seen.at if seen else 0.0)
    return {
        "start": round(start, 3),
        "length": ms(end),
        "nodes": [
            [name, it.rows[name].gpus, it.rows[name].most, it.rows[name].thin,
             [[until(a), until(b), why] for a, b, why in it.spans.get(name, []) if b < 0 or b > start]]
            for name in nodes
        ],
        "gangs": [
            [name, g["size"], g["quorum"], until(g["submitted"]), until(g["ended"]),
             [[ms(a), until(b)] for a, b in g["whole"]]]
            for name, g in ((name, it.gangs[name]) for name in gangs)
        ],
        "bars": [
            [lane[b["node"]], row, rows, colour.get(b["gang"], -1), ms(b["from"]), until(b["to"]), b["kind"],
             b["pod"], b["end"]]
            for b in bars if b["node"] in lane for row, rows in b["pieces"]
        ],
        "marks": [[ms(m[0]), m[1], colour.get(m[2], -1), lane.get(m[3], -1), m[4][:240], m[5], m[6]]
                  for m in it.marks],
        "lines": [[ms(at), kind, text] for at, kind, text in it.lines],
        "bands": [[ms(a), until(b), kind, text] for a, b, kind, text in it.bands],
        "bad": None if bad is None or seen is None else
               [ms(seen.at), seen.revision, colour.get(seen.gang, -1), bad.reason],
        "notes": notes,
    }  # fmt: skip


def _first_violation(verdicts: Sequence[Verdict]) -> Verdict | None:
    found = [v for v in verdicts if v.outcome is Outcome.VIOLATED and v.witness is not None]
    return min(found, key=lambda v: v.witness.at if v.witness else 0.0, default=None)


def _most_telling(bars: list[dict[str, Any]], most: int, bad: Verdict | None, notes: list[str]) -> list[dict[str, Any]]:
    """The bars to draw: all, or those of the violating gang and those nearest to the violation."""
    if len(bars) <= most:
        return bars
    notes.append(f"{most} of {len(bars)} pod lifetimes are drawn; the rest is in the history.")
    seen = bad.witness if bad is not None else None
    gang, at = (seen.gang, seen.at) if seen else ("", bars[0]["from"])
    ranked = sorted(range(len(bars)), key=lambda i: (bars[i]["gang"] != gang or not gang, abs(bars[i]["from"] - at)))
    return [bars[i] for i in sorted(ranked[:most])]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
