"""What the fast checks say is what a slow and plain reading of the laws says, on stories nobody thought of."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from harness.core.checks import atomic, judge_all, overbooking
from harness.core.gang import Gang
from harness.core.history import History
from harness.core.replay import timeline
from harness.core.verdict import Outcome, worst

from . import reference
from .story import Story

WINDOW = 2.0
GANGS = {"a": Gang("a", 3, quorum=2), "b": Gang("b", 2)}
PODS = [name for gang in GANGS.values() for name, _ in gang.members()]

moves = st.lists(
    st.tuples(
        st.sampled_from(
            ["bind"] * 6 + ["gone", "terminating", "Succeeded", "Failed", "recreate", "kill", "ready", "jolt", "edit",
             "members", "delete", "resubmit", "shrink", "grow", "late"]
        ),
        st.sampled_from(PODS),
        st.sampled_from(["n1", "n2"]),
        st.sampled_from([0.0, 0.1, 0.7, 1.0, 2.5]),
    ),
    max_size=14,
)  # fmt: skip


def told(steps: list[tuple[str, str, str, float]], tail: float) -> History:
    story = Story(window=WINDOW).node("n1", gpus=2).node("n2", gpus=1, pods=2)
    for gang in GANGS.values():
        story.submit(gang)
    for move, pod, node, pause in steps:
        story.after(pause)
        _move(story, move, pod, node)
    return story.after(tail).act("note", text="end").build()


def _move(story: Story, move: str, pod: str, node: str) -> None:
    state: dict[str, Any] | None = story.states.get(f"Pod/{pod}")
    gang = pod[0]
    if move == "bind" and state is not None and "node" not in state:
        story.bind(pod, node)
    elif move == "late" and state is not None:  # delivered before its time
        story.after(-0.3).watch("Pod", pod, nominated=node).after(0.3)
    elif move == "gone" and state is not None:
        story.gone(pod)
    elif move == "terminating" and state is not None:
        story.terminating(pod)
    elif move in ("Succeeded", "Failed") and state is not None and "node" in state:
        story.phase(pod, move)
    elif move == "recreate" and state is None:
        story.pod(pod, gang=gang)
    elif move in ("kill", "ready"):
        story.act(move, "sched", role="scheduler")
    elif move == "jolt":
        story.act("node-remove", "n9", nodes=["n9"])
    elif move == "edit":
        story.act("edit", gang, quorum=1 + ord(pod[-1]) % 3)
    elif move == "members":
        story.act("delete", gang, what="members", members=[pod])
    elif move == "delete":
        story.delete(gang)
    elif move == "resubmit":
        story.act("submit", gang, gang=GANGS[gang].as_record())
    elif move in ("shrink", "grow"):
        story.node(node, gpus=1 if move == "shrink" else 3)


@settings(max_examples=400, deadline=None)
@given(steps=moves, tail=st.sampled_from([0.0, 1.0, 5.0]))
def test_atomic_says_what_the_reference_says(steps: list[tuple[str, str, str, float]], tail: float) -> None:
    history = told(steps, tail)
    slow = worst(Outcome(reference.atomic(history, f"ns/{name}", WINDOW)) for name in GANGS)
    event(str(slow))
    assert atomic.judge(history).outcome is slow


@settings(max_examples=300, deadline=None)
@given(steps=moves)
def test_overbooking_says_what_the_reference_says(steps: list[tuple[str, str, str, float]]) -> None:
    history = told(steps, 1.0)
    slow = reference.overbooking(history, WINDOW)
    event("overbooked" if slow else "fits")
    assert [over.pos for over in timeline(history).overflows] == slow
    assert overbooking.judge(history).outcome is (Outcome.VIOLATED if slow else Outcome.PASS) or not _bound(history)


def _bound(history: History) -> bool:
    return any("node" in record.state for record in history.records if record.kind == "Pod")


@settings(max_examples=150, deadline=None)
@given(steps=moves, cut=st.integers(0, 40))
def test_a_cut_history_never_passes_and_nothing_raises(steps: list[tuple[str, str, str, float]], cut: int) -> None:
    whole = told(steps, 5.0)
    for verdict in judge_all(whole):
        assert "the check failed" not in verdict.reason
    part = History(whole.header, whole.records[:cut], complete=False)
    for verdict in judge_all(part):
        assert verdict.outcome in (Outcome.UNKNOWN, Outcome.VIOLATED)
        assert "the check failed" not in verdict.reason
