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
from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.gang import GPU
from harness.core.history import History, Record
from harness.core.verdict import Outcome, Verdict
from harness.report.rows import Rows

MOST_BARS = 600  # per case; more cannot be told apart on a screen
MOST_LANES = 48
MOST_MARKS = 120
MOST_GANGS = 32
_REFUSAL = re.compile(r"fail|unschedul|insufficient|timeout|reject|notenough|backoff", re.IGNORECASE)
_OVER = ("Succeeded", "Failed")
_TOLD = ("submit", "create", "edit", "delete", "fence", "node-add", "node-remove", "node-change", "note", "restart")


def timeline(history: History, verdicts: Sequence[Verdict] = (), *, most_bars: int = MOST_BARS) -> dict[str, Any]:
    """The compact timeline of one case."""
    reducer = _Reducer()
    for record in history.records:
        reducer.take(record)
    return reducer.finish(verdicts, most_bars, complete=history.complete)


class _Reducer:
    def __init__(self) -> None:
        self.first: float | None = None  # the first thing the case did
        self.begin = 0.0
        self.end = 0.0
        self.rows: dict[str, Rows] = {}
        self.spans: dict[str, list[list[Any]]] = {}  # node -> troubles
        self.gangs: dict[str, dict[str, Any]] = {}
        self.open: dict[str, dict[str, Any]] = {}  # pod uid -> bar
        self.bars: list[dict[str, Any]] = []
        self.marks: list[list[Any]] = []
        self.lines: list[list[Any]] = []
        self.bands: list[list[Any]] = []
        self.down: dict[str, list[Any]] = {}
        self.refused: dict[tuple[str, str], float] = {}
        self.evicted: set[str] = set()

    def take(self, record: Record) -> None:
        self.begin = record.at if not self.begin else min(self.begin, record.at)
        self.end = max(self.end, record.at)
        if record.source == "action":
            self._action(record)
        elif record.source == "gap":
            self.bands.append([record.at, record.at, "gap", f"changes of {record.kind} were lost here"])
        elif record.source == "audit":
            self._audit(record)
        elif record.kind == "Pod":
            self._pod(record)
        elif record.kind == "Node":
            self._node(record)
        else:
            self._refusal(record)

    # what the case did

    def _action(self, record: Record) -> None:
        verb, state = record.verb, record.state
        self.first = record.at if self.first is None and verb in ("submit", "fence") else self.first
        if verb == "submit":
            fields = state.get("gang") or {}
            size = int(fields.get("size") or 1)
            self._gang(f"{record.namespace}/{record.name}").update(
                size=size, quorum=int(fields.get("quorum") or size), submitted=record.at, ended=-1.0
            )
        elif verb == "edit" and state.get("quorum"):
            self._gang(f"{record.namespace}/{record.name}")["quorum"] = int(state["quorum"])
        elif verb == "delete" and state.get("what", "gang") == "gang":
            self._gang(f"{record.namespace}/{record.name}")["ended"] = record.at
        elif verb in ("kill", "pause"):
            kind = "down" if verb == "kill" else "paused"
            self.down[record.name] = [record.at, -1.0, kind, f"{record.name} {'killed' if kind == 'down' else 'paused'}"]
            self.bands.append(self.down[record.name])
        elif verb in ("ready", "resume") and record.name in self.down:
            self.down.pop(record.name)[1] = record.at
        elif verb == "claim" and not state.get("held", True):
            self.marks.append([record.at, "failed", "", "", str(state.get("sentence", "")), -1, 0])
        if verb in _TOLD:
            self.lines.append([record.at, verb, _told(record)])

    def _gang(self, key: str) -> dict[str, Any]:
        fresh = {"size": 0, "quorum": 0, "submitted": -1.0, "ended": -1.0, "bound": 0, "whole": []}
        return self.gangs.setdefault(key, fresh)

    # what the cluster did

    def _audit(self, record: Record) -> None:
        code = int(record.state.get("code") or 0)
        if record.verb == "bind" and code >= 400:
            text = f"bind of {record.name} refused ({code}): {record.state.get('message', '')}"
            self.marks.append([record.at, "bind-refused", self._gang_of(record), record.state.get("node", ""), text, -1, 0])
        elif record.verb == "evict" and code < 400:
            self._evict(record, f"{record.name} evicted by {record.by or 'someone'}")

    def _pod(self, record: Record) -> None:
        state, uid = record.state, record.uid or f"{record.namespace}/{record.name}"
        over = record.verb == "deleted" or state.get("phase") in _OVER
        if "evicted" in record.changed:
            self._evict(record, f"{record.name} evicted")
        if state.get("node") and uid not in self.open and not over:
            self._bind(record, uid, state)
        elif over and uid in self.open:
            bar = self.open.pop(uid)
            reason = "evicted" if uid in self.evicted else "deleted" if record.verb == "deleted" else state["phase"].lower()
            bar.update(to=record.at, end=reason)
            self.rows[bar["node"]].give_back(uid)
            self._count(bar, -1, record.at)
        elif "condition" in record.changed and not state.get("node"):
            self._refusal(record)

    def _bind(self, record: Record, uid: str, state: Mapping[str, Any]) -> None:
        node, part = str(state["node"]), state.get("part", "plain")
        pieces = self.rows.setdefault(node, Rows(0)).take(uid, _gpus(state.get("request") or {}))
        bar = {"node": node, "pieces": pieces, "gang": state.get("gang", ""), "from": record.at, "to": -1.0,
               "kind": {"member": 0, "placeholder": 1}.get(part, 2), "pod": record.name, "end": ""}  # fmt: skip
        self.open[uid] = bar
        self.bars.append(bar)
        self._count(bar, 1, record.at)

    def _count(self, bar: Mapping[str, Any], step: int, at: float) -> None:
        """Keep when the gang was at quorum: between these moments its bars are drawn solid."""
        if bar["kind"] != 0 or not bar["gang"]:
            return
        gang = self._gang(bar["gang"])
        before = gang["bound"] >= gang["quorum"] > 0
        gang["bound"] += step
        after = gang["bound"] >= gang["quorum"] > 0
        if after and not before:
            gang["whole"].append([at, -1.0])
        elif before and not after and gang["whole"]:
            gang["whole"][-1][1] = at

    def _node(self, record: Record) -> None:
        rows, spans = self.rows.setdefault(record.name, Rows(0)), self.spans.setdefault(record.name, [])
        state = record.state
        rows.gpus = max(rows.gpus, _gpus(state.get("allocatable") or {}))
        now = {"gone": record.verb == "deleted", "unready": state.get("ready") is False,
               "cordoned": bool(state.get("unschedulable"))}  # fmt: skip
        if record.verb == "added" and not spans and self.first is not None:
            spans.append([-1.0, record.at, "gone"])
        for why, holds in now.items():
            running = next((span for span in spans if span[2] == why and span[1] == -1.0), None)
            if holds and running is None:
                spans.append([record.at, -1.0, why])
            elif not holds and running is not None:
                running[1] = record.at

    def _refusal(self, record: Record) -> None:
        """The scheduler said no: by event, by pod condition or by a condition of its own object."""
        state = record.state
        if record.kind == "Event":
            said = [(str(state.get("reason", "")), str(state.get("message", "")))]
        else:
            conditions = (state.get("conditions") or {}).values()
            said = [(str(c[1]), str(c[2])) for c in conditions if len(c) > 2 and c[0] != "True"]
        gang = self._gang_of(record)
        for reason, message in said:
            last = self.refused.get((gang, reason))
            if gang and _REFUSAL.search(reason) and (last is None or record.at - last > 0.25):
                self.refused[gang, reason] = record.at
                self.marks.append([record.at, "refused", gang, "", f"{reason}: {message}", -1, 0])

    def _evict(self, record: Record, text: str) -> None:
        uid = record.uid or f"{record.namespace}/{record.name}"
        if uid not in self.evicted:
            self.evicted.add(uid)
            bar = self.open.get(uid, {"node": str(record.state.get("node", "")), "pieces": [(-1, 0)]})
            self.marks.append([record.at, "evicted", self._gang_of(record), bar["node"], text, *bar["pieces"][0]])

    def _gang_of(self, record: Record) -> str:
        known = self.open.get(record.uid, {}).get("gang") or record.state.get("gang") or ""
        return known if isinstance(known, str) else ""

    # the result

    def finish(self, verdicts: Sequence[Verdict], most_bars: int, *, complete: bool) -> dict[str, Any]:
        bad = _first_violation(verdicts)
        start = self.begin if self.first is None else min([self.first, *(bar["from"] for bar in self.bars)])
        shown, notes = _most_telling(self.bars, most_bars, bad)
        busy = {bar["node"] for bar in shown} | {mark[3] for mark in self.marks}
        wanted = [n for n in sorted(self.rows, key=_natural) if n in busy or any(s[0] >= start for s in self.spans.get(n, []))]
        nodes = wanted[:MOST_LANES]
        if len(wanted) > len(nodes):
            notes.append(f"{len(nodes)} of {len(wanted)} busy nodes are drawn.")
        if idle := len(self.rows) - len(wanted):
            notes.append(f"{idle} node{'' if idle == 1 else 's'} held nothing and {'is' if idle == 1 else 'are'} not drawn.")
        used = {bar["gang"] for bar in shown} | {bad.witness.gang if bad is not None and bad.witness else ""}
        order = sorted(self.gangs, key=lambda g: (g not in used, self.gangs[g]["submitted"]))[:MOST_GANGS]
        gangs = sorted(order, key=lambda g: (self.gangs[g]["submitted"], g))
        if len(self.gangs) > len(gangs):
            notes.append(f"{len(gangs)} of {len(self.gangs)} gangs are drawn.")
        if not complete:
            notes.append("The history was cut off; what came after its last record is not known.")
        if len(self.marks) > MOST_MARKS:
            notes.append(f"{MOST_MARKS} of {len(self.marks)} marks are drawn.")
        return _compact(self, start, nodes, gangs, shown, bad, notes)


def _compact(it: _Reducer, start: float, nodes: list[str], gangs: list[str], bars: list[dict[str, Any]],
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
            [name, g["size"], g["quorum"], until(g["submitted"]), until(g["ended"]), [[ms(a), until(b)] for a, b in g["whole"]]]
            for name, g in ((name, it.gangs[name]) for name in gangs)
        ],
        "bars": [
            [lane[b["node"]], row, rows, colour.get(b["gang"], -1), ms(b["from"]), until(b["to"]), b["kind"], b["pod"], b["end"]]
            for b in bars if b["node"] in lane for row, rows in b["pieces"]
        ],
        "marks": [[ms(m[0]), m[1], colour.get(m[2], -1), lane.get(m[3], -1), m[4][:240], m[5], m[6]]
                  for m in sorted(it.marks, key=lambda m: m[0])[:MOST_MARKS]],
        "lines": [[ms(at), kind, text] for at, kind, text in it.lines if at >= start or kind == "note"][:MOST_MARKS],
        "bands": [[ms(a), until(b), kind, text] for a, b, kind, text in it.bands],
        "bad": [ms(seen.at), seen.revision, colour.get(seen.gang, -1), bad.reason] if bad is not None and seen else None,
        "notes": notes,
    }  # fmt: skip


def _first_violation(verdicts: Sequence[Verdict]) -> Verdict | None:
    found = [v for v in verdicts if v.outcome is Outcome.VIOLATED and v.witness is not None]
    return min(found, key=lambda v: v.witness.at if v.witness else 0.0, default=None)


def _most_telling(bars: list[dict[str, Any]], most: int, bad: Verdict | None) -> tuple[list[dict[str, Any]], list[str]]:
    """The bars to draw: all, or those of the violating gang and those nearest to the violation."""
    if len(bars) <= most:
        return bars, []
    gang, at = (bad.witness.gang, bad.witness.at) if bad is not None and bad.witness else ("", bars[0]["from"])
    ranked = sorted(range(len(bars)), key=lambda i: (bars[i]["gang"] != gang or not gang, abs(bars[i]["from"] - at)))
    chosen = sorted(ranked[:most])
    return [bars[i] for i in chosen], [f"{most} of {len(bars)} pod lifetimes are drawn; the rest is in the history."]


def _gpus(amounts: Mapping[str, Any]) -> int:
    found = amounts.get(GPU) or next((v for k, v in amounts.items() if k.endswith("/gpu")), 0)
    return -(-int(found) // 1000)


def _told(record: Record) -> str:
    state = record.state
    if record.verb == "note":
        return str(state.get("text", ""))[:240]
    if record.verb == "submit":
        fields = state.get("gang") or {}
        size, quorum = fields.get("size") or 1, fields.get("quorum")
        return f"submit {record.name}, {f'{quorum} of ' if quorum and quorum != size else ''}{size}"
    things = state.get("nodes") or state.get("members") or [record.name]
    shown = ", ".join(map(str, things[:4])) + (f" and {len(things) - 4} more" if len(things) > 4 else "")
    return f"{record.verb.replace('-', ' ')} {shown}".strip()


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
