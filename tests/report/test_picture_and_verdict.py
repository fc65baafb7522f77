"""A picture never contradicts the verdict of its history: both are read off the same replay.

This is asked of stories and of the recorded histories of the tests, or, with `MUSTER_HISTORIES=FOLDER`, of those in a
folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.core.gang import Gang, Role
from harness.core.history import store
from harness.core.history.records import History
from harness.core.oracle.checks import judge_all
from harness.core.oracle.checks.refused import evidence
from harness.core.oracle.replay import timeline as replayed
from harness.core.oracle.timeline import Timeline
from harness.report.projection import SAME_REFUSAL
from harness.report.timeline import timeline
from tests.core.story import Story

from .sample import deadlocked, half_bound, placeholders, plain, preempted

RECORDED = Path(__file__).parent.parent / "core" / "histories"
STORED = sorted(Path(os.environ.get("MUSTER_HISTORIES", RECORDED)).rglob("*.jsonl.zst"))
LOW, HIGH = Gang("low", 2), Gang("high", 2)
ROLES = Gang("low", roles=(Role("leader", 1), Role("worker", 2, quorum=1)))


def contradictions(history: History) -> list[str]:
    """Where what is drawn differs from what was judged, in words."""
    line = replayed(history)
    picture = timeline(history, most_bars=100_000)
    if any("of" in note and "drawn" in note and "node" not in note for note in picture["notes"]):
        return []  # not all of it is drawn
    figures = {verdict.check: verdict.figures for verdict in judge_all(history)}
    return [
        *_refusals(line, picture),
        *_evictions(line, picture, figures["preemption"]["victims"]),
        *_quorums(line, picture, figures["atomic"]["gangs"]),
    ]


def _marks(picture: dict[str, Any], kind: str) -> list[tuple[float, str, str]]:
    """When, of which gang, with which words."""
    names = [gang[0] for gang in picture["gangs"]]
    return [(mark[0], names[mark[2]] if mark[2] >= 0 else "", mark[4]) for mark in picture["marks"] if mark[1] == kind]


def _refusals(line: Timeline, picture: dict[str, Any]) -> Iterator[str]:
    start, marks = picture["start"], _marks(picture, "refused")
    refusals = [
        (max(0.0, refusal.now - start) * 1000, key, refusal.reason)
        for key, incarnations in line.incarnations.items()
        for incarnation in incarnations
        for refusal in incarnation.refusals
    ]
    for at, gang, text in marks:
        if not any(key == gang and abs(at - time) < 2 and text.startswith(reason) for time, key, reason in refusals):
            yield f"{gang} is drawn as refused at {at} ms ({text}), which the replay does not know"
    for time, key, reason in refusals:
        near = (mark for mark in marks if mark[1] == key and mark[2].startswith(reason))
        if not any(-2 <= time - at <= SAME_REFUSAL * 1000 + 2 for at, _, _ in near):
            yield f"{key} was refused at {time} ms ({reason}), which is not drawn"
    for promise in line.promised("refused"):
        for key in promise.gangs:
            incarnation = line.incarnation(key, promise.pos)
            proof = evidence(line, incarnation, promise.pos) if incarnation is not None else None
            if proof is not None and not proof[1].startswith("fence") and not any(key == gang for _, gang, _ in marks):
                yield f"{key} was judged as refused ({proof[1]}), and no refusal is drawn"


def _evictions(line: Timeline, picture: dict[str, Any], victims: int) -> Iterator[str]:
    marks = _marks(picture, "evicted")
    if len(marks) != victims:
        yield f"{len(marks)} evictions are drawn, {victims} victims were judged"
    pods = {line.pods[eviction.uid].record.name for eviction in line.evictions}
    for bar in picture["bars"]:
        if bar[8] == "evicted" and bar[7] not in pods:
            yield f"the bar of {bar[7]} ends as evicted, which was not judged"


def _quorums(line: Timeline, picture: dict[str, Any], figures: dict[str, Any]) -> Iterator[str]:
    for name, _, quorum, _, _, spans in picture["gangs"]:
        began = line.incarnations[name][0].begun_at + (figures[name]["start_ms"] or 0.0) / 1000
        if bool(spans) != (figures[name]["start_ms"] is not None):
            yield f"{name} has {len(spans)} spans at quorum, but started after {figures[name]['start_ms']} ms"
        elif spans and abs(spans[0][0] - max(0.0, began - picture["start"]) * 1000) > 2:
            yield f"{name} is drawn at quorum from {spans[0][0]} ms on, but started at {began}"
        if quorum != (figures[name]["quorum"] or 0):
            yield f"{name} is drawn with a quorum of {quorum}, judged with {figures[name]['quorum']}"


def waiting() -> Story:
    return Story().node("n1").submit(LOW).bind_all(LOW).after(1).submit(HIGH).expect("refused", "high").after(1)


def workers() -> Story:
    """The quorum of two is bound, but not the minimum of each role."""
    return Story().node("n1").submit(ROLES).bind("low-worker-0").bind("low-worker-1").after(1)


def stories() -> dict[str, History]:
    """Histories in which drawing and judging once differed, and others."""
    twice = waiting().unschedulable("high-0").after(1).event("FailedScheduling", "high-1", type="Warning")
    again = Story().node("n1").submit(LOW).bind_all(LOW).after(1).delete("low").after(1).gone("low-0").gone("low-1")
    return {
        "kubelet": waiting().event("FailedMount", "high-1", type="Warning").event("BackOff", "high-1").end(30),
        "refused": twice.end(30),
        "deleted by the scheduler": waiting().audit("delete", "low-0").terminating("low-0").gone("low-0").end(60),
        "deleted by a user": waiting().audit("delete", "low-0", by="kubectl/v1").gone("low-0").end(60),
        "evicted": waiting().event("Preempted", "low-1").terminating("low-1").gone("low-1").bind_all(HIGH).end(60),
        "rolled back": waiting().bind("high-0").audit("delete", "high-0").gone("high-0").end(60),
        "roles below their minimum": workers().end(30),
        "roles": workers().bind("low-leader-0").end(30),
        "again": again.submit(LOW).bind_all(LOW).after(1).terminating("low-0").end(60),
        "group": waiting().group("high", phase="Unschedulable").end(30),
        **{sample.__name__: sample("x") for sample in (half_bound, deadlocked, placeholders, preempted, plain)},
    }


@pytest.mark.parametrize("name", stories())
def test_what_is_drawn_is_what_was_judged(name: str) -> None:
    assert contradictions(stories()[name]) == []


def test_the_kubelet_s_warnings_are_not_drawn_as_refusals() -> None:
    drawn = timeline(stories()["kubelet"])
    assert "refused" not in {mark[1] for mark in drawn["marks"]}


def test_a_victim_that_the_scheduler_deleted_is_drawn_as_evicted() -> None:
    ends = {bar[7]: bar[8] for bar in timeline(stories()["deleted by the scheduler"])["bars"]}
    assert ends["low-0"] == "evicted"
    assert {bar[7]: bar[8] for bar in timeline(stories()["deleted by a user"])["bars"]}["low-0"] == "deleted"


def test_minima_of_roles_count_for_the_quorum_that_is_drawn() -> None:
    assert [gang[5] for gang in timeline(stories()["roles below their minimum"])["gangs"]] == [[]]
    assert [gang[5] for gang in timeline(stories()["roles"])["gangs"]] == [[[1000, -1]]]


def test_stored_histories_are_drawn_as_they_were_judged() -> None:
    differing = {str(path): differences for path in STORED if (differences := contradictions(store.read(path)))}
    assert STORED and differing == {}
