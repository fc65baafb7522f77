"""One pass over a history, keeping what a timeline needs.

`Reduction` is what `timeline` draws from: pod lifetimes as bars in rows, the moments at which gangs were at quorum, the
scheduler's refusals, evictions, and what the case did to the cluster. Times are unix seconds; -1 means "until the end".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.core.gang import GPU
from harness.core.history import Record, gang_key, pod_key
from harness.report.rows import Rows

_REFUSAL = re.compile(r"fail|unschedul|insufficient|timeout|reject|notenough|backoff", re.IGNORECASE)
_OVER = ("Succeeded", "Failed")
_TOLD = ("submit", "create", "edit", "delete", "fence", "node-add", "node-remove", "node-change", "note", "restart")
_SAME = 0.25  # seconds within which the same refusal of the same gang is one mark


class Reduction:
    """The state of the pass; `take` each record in order, then read the fields."""

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
            self._gang(gang_key(record.namespace, record.name)).update(
                size=size, quorum=int(fields.get("quorum") or size), submitted=record.at, ended=-1.0
            )
        elif verb == "edit" and state.get("quorum"):
            self._gang(gang_key(record.namespace, record.name))["quorum"] = int(state["quorum"])
        elif verb == "delete" and state.get("what", "gang") == "gang":
            self._gang(gang_key(record.namespace, record.name))["ended"] = record.at
        elif verb in ("kill", "pause"):
            kind = "down" if verb == "kill" else "paused"
            band = [record.at, -1.0, kind, f"{record.name} {'killed' if kind == 'down' else 'paused'}"]
            self.down[record.name] = band
            self.bands.append(band)
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
            node = str(record.state.get("node", ""))
            self.marks.append([record.at, "bind-refused", self._gang_of(record), node, text, -1, 0])
        elif record.verb == "evict" and code < 400:
            self._evict(record, f"{record.name} evicted by {record.by or 'someone'}")

    def _pod(self, record: Record) -> None:
        state, uid = record.state, pod_key(record)
        over = record.verb == "deleted" or state.get("phase") in _OVER
        if "evicted" in record.changed:
            self._evict(record, f"{record.name} evicted")
        if state.get("node") and uid not in self.open and not over:
            self._bind(record, uid, state)
        elif over and uid in self.open:
            bar = self.open.pop(uid)
            ended = "deleted" if record.verb == "deleted" else str(state["phase"]).lower()
            bar.update(to=record.at, end="evicted" if uid in self.evicted else ended)
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
            if gang and _REFUSAL.search(reason) and (last is None or record.at - last > _SAME):
                self.refused[gang, reason] = record.at
                self.marks.append([record.at, "refused", gang, "", f"{reason}: {message}", -1, 0])

    def _evict(self, record: Record, text: str) -> None:
        uid = pod_key(record)
        if uid not in self.evicted:
            self.evicted.add(uid)
            bar = self.open.get(uid, {"node": str(record.state.get("node", "")), "pieces": [(-1, 0)]})
            self.marks.append([record.at, "evicted", self._gang_of(record), bar["node"], text, *bar["pieces"][0]])

    def _gang_of(self, record: Record) -> str:
        known = self.open.get(record.uid, {}).get("gang") or record.state.get("gang") or ""
        return known if isinstance(known, str) else ""


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
