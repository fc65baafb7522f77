"""The laws of atomicity and of overbooking once more, as slowly and plainly as they can be written.

Nothing here is shared with the checks: at every record the whole state is made again from all records so far. What the
fast checks say must be what this says; tests/core/test_properties.py asks.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from harness.core.history import History, Record


def clock(history: History, i: int) -> float:
    return max(record.at for record in history.records[: i + 1])


def pods_at(history: History, i: int) -> dict[str, tuple[Record, list[int]]]:
    """For each pod its latest record and the positions of all of them, up to record i."""
    found: dict[str, tuple[Record, list[int]]] = {}
    for n, record in enumerate(history.records[: i + 1]):
        if record.kind == "Pod" and record.source == "watch":
            places = found[record.uid][1] if record.uid in found else []
            found[record.uid] = (record, [*places, n])
    return found


def case_did(history: History, i: int, gang: str, *verbs: str) -> list[int]:
    return [
        n
        for n, record in enumerate(history.records[: i + 1])
        if record.source == "action" and record.verb in verbs and f"{record.namespace}/{record.name}" == gang
    ]


def placed_at(history: History, i: int, gang: str) -> tuple[int, int | None]:
    """How many members are placed after record i, and the quorum asked for."""
    submits = case_did(history, i, gang, "submit")
    if not submits:
        return 0, None
    spec = history.records[submits[-1]].state["gang"]
    quorum = spec.get("quorum", spec["size"])
    for n in case_did(history, i, gang, "edit"):
        if n > submits[-1]:
            quorum = history.records[n].state["quorum"]
    whole_deletes = [n for n in case_did(history, i, gang, "delete") if history.records[n].state["what"] == "gang"]
    if whole_deletes and whole_deletes[-1] > submits[-1]:
        return 0, quorum
    count = 0
    for record, places in pods_at(history, i).values():
        state = record.state
        if state.get("gang") != gang or state.get("part") != "member" or "node" not in state or places[0] < submits[-1]:
            continue
        here = record.verb != "deleted" and not state.get("deleting") and state.get("phase") != "Failed"
        count += here or state.get("phase") == "Succeeded"
    return count, quorum


def down_spans(history: History) -> list[tuple[float, float]]:
    """Times of the only scheduler being down, and single moments at which the case took a node."""
    spans: list[tuple[float, float]] = []
    since: float | None = None
    for i, record in enumerate(history.records):
        if record.source == "action" and record.verb == "kill" and since is None:
            since = clock(history, i)
        if record.source == "action" and record.verb == "ready" and since is not None:
            spans.append((since, clock(history, i)))
            since = None
        if record.source == "action" and record.verb == "node-remove":
            spans.append((clock(history, i), clock(history, i)))
    return spans if since is None else [*spans, (since, float("inf"))]


def atomic(history: History, gang: str, window: float) -> str:
    """`violated`, `unknown` or `pass` for one gang."""
    course = [placed_at(history, i, gang) for i in range(len(history.records))]
    now = [clock(history, i) for i in range(len(history.records))]
    touches = [(clock(history, n), clock(history, n)) for n in case_did(history, len(course), gang, "edit", "delete")
               if history.records[n].verb == "edit" or history.records[n].state["what"] != "gang"]  # fmt: skip
    spans = down_spans(history) + touches
    outcome = "pass"
    i = 0
    while i < len(course):
        count, _ = course[i]
        if count == 0 or (i > 0 and course[i - 1][0] > 0):
            i += 1
            continue
        deadline = now[i] + window
        for _ in range(len(spans) + 1):
            for start, stop in spans:
                if start <= deadline and stop >= now[i]:
                    deadline = max(deadline, stop + window)
        for j in range(i, len(course)):
            placed, quorum = course[j]
            if j > i and now[j] > deadline:
                return "violated"
            if placed == 0 or (quorum is not None and placed >= quorum):
                break
        else:
            outcome = "unknown"
        i += 1
    return outcome


def overbooking(history: History, window: float) -> list[int]:
    """The positions of all binds that made a node exceed."""
    return [i for i in range(len(history.records)) if _exceeds(history, i, window)]


def _exceeds(history: History, i: int, window: float) -> bool:
    record = history.records[i]
    if record.kind != "Pod" or not _stands(record):
        return False
    places = pods_at(history, i)[record.uid][1]
    if any("node" in history.records[n].state for n in places[:-1]):
        return False
    node = record.state["node"]
    rooms = [(n, one) for n, one in enumerate(history.records[:i]) if one.kind == "Node" and one.name == node]
    if not rooms or rooms[-1][1].verb == "deleted":
        return False
    if not _too_much(history, i, node, record, rooms[-1][1].state["allocatable"]):
        return False
    shrinks = [
        (n, before.state["allocatable"])
        for (_, before), (n, after) in pairwise(rooms)
        if before.verb != "deleted" and after.verb != "deleted" and _smaller(before, after)
    ]
    if not shrinks:
        return True
    when, room = shrinks[-1]
    return clock(history, i) > clock(history, when) + window or _too_much(history, i, node, record, room)


def _smaller(before: Record, after: Record) -> bool:
    had, has = before.state["allocatable"], after.state["allocatable"]
    return any(has.get(name, 0) < had[name] for name in had)


def _stands(record: Record) -> bool:
    ended = record.state.get("phase") in ("Succeeded", "Failed")
    return "node" in record.state and record.verb != "deleted" and not ended


def _too_much(history: History, i: int, node: str, bound: Record, room: Any) -> bool:
    there = [one for one, _ in pods_at(history, i).values() if _stands(one) and one.state["node"] == node]
    for name in bound.state["request"]:
        if sum(one.state["request"].get(name, 0) for one in there) > room.get(name, 0):
            return True
    return len(there) * 1000 > room.get("pods", len(there) * 1000)
