"""What the fast checks say is what a slow and plain reading of the laws says, on stories nobody thought of."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from harness.core.gang import Gang
from harness.core.history.records import History
from harness.core.oracle.checks import atomic, judge_all, overbooking
from harness.core.oracle.replay import timeline
from harness.core.second import disagreements, laws, second_opinion
from harness.core.second.facts import Facts
from harness.core.verdict import Outcome, worst

from .story import BEGAN, Story

WINDOW = 2.0
GANGS = {"a": Gang("a", 3, quorum=2), "b": Gang("b", 2)}
PODS = [name for gang in GANGS.values() for name, _ in gang.members()]

Move = tuple[str, str, str, float]


def moves(*kinds: str, pods: list[str] = PODS, size: int = 12) -> st.SearchStrategy[list[Move]]:
    """Things that may happen, each to some pod and node, after some time."""
    pauses = st.sampled_from([0.0, 0.1, 0.7, 1.0, 1.5, 2.5])
    return st.lists(
        st.tuples(st.sampled_from(kinds), st.sampled_from(pods), st.sampled_from(["n1", "n2"]), pauses), max_size=size
    )


POD_MOVES = ("bind", "bind", "bind", "start", "fall", "gone", "terminating", "Succeeded", "Failed", "recreate", "late")
CASE = ("bind", "bind", "kill", "ready", "jolt", "edit", "members", "delete", "resubmit")
ROOM = ("bind", "bind", "bind", "start", "fall", "gone", "terminating", "Succeeded", "shrink", "grow", "foreign")
NODES = (
    "bind",
    "bind",
    "start",
    "shrink",
    "foreign",
    "unnode",
    "mark",
    "stall",
    "stall",
    "expect",
    "expect",
    "order",
    "unbound",
    "refused",
    "lift",
)
GANG_A = [name for name, _ in GANGS["a"].members()]


def history_of(steps: list[Move], tail: float, *gangs: str) -> History:
    story = Story(window=WINDOW).node("n1", gpus=2).node("n2", gpus=1, pods=2)
    for gang in gangs:
        story.submit(GANGS[gang])
    for move, pod, node, pause in steps:
        story.after(pause)
        _move(story, move, pod, node)
    return story.after(tail).act("note", text="end").build()


def _move(story: Story, move: str, pod: str, node: str) -> None:
    state: dict[str, Any] | None = story.states.get(f"Pod/{pod}")
    gang = pod[0]
    if move == "bind" and state is not None and "node" not in state:
        story.bind(pod, node)
    elif move in ("start", "fall"):
        for name, _ in GANGS[gang].members():
            _move(story, {"start": "bind", "fall": "gone"}[move], name, node)
            if move == "fall":
                _move(story, "recreate", name, node)
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
    elif move == "foreign":  # a pod that another scheduler places, or that is made on its node
        name = f"foreign-{story.rev}"
        if len(pod) % 2 or pod.endswith("0"):
            story.pod(name, scheduler="another").bind(name, node)
        else:
            story.pod(name, scheduler="another", node=node)
    elif move == "unnode" and f"Node/{node}" in story.states:
        story.act("node-remove", nodes=[node]).no_node(node)
    elif move == "mark":
        story.mark()
    elif move == "stall":
        story.act("stalled", "muster", **{"from": BEGAN + story.now - 1.5, "to": BEGAN + story.now})
    elif move == "expect":
        story.expect("bound", gang, within=2.0)
    elif move in ("unbound", "refused"):
        story.expect(move, gang)
    elif move == "lift":
        story.lift(gang)
    elif move == "order":
        story.expect("order", *GANGS, within=0.0)
    elif move in ("shrink", "grow"):
        story.node(node, gpus=1 if move == "shrink" else 3)


@settings(max_examples=400, deadline=None)
@given(
    steps=st.one_of(moves(*POD_MOVES, pods=GANG_A, size=9), moves(*CASE, pods=GANG_A, size=7)),
    tail=st.sampled_from([0.0, 2.0]),
)
def test_atomic_says_of_one_gang_what_the_second_judge_says(steps: list[Move], tail: float) -> None:
    history = history_of(steps, tail, "a")
    slow = laws.atomic(Facts(history), ["ns/a"])
    event(str(slow))
    assert atomic.judge(history).outcome is slow


@settings(max_examples=100, deadline=None)
@given(steps=moves(*POD_MOVES, *CASE), tail=st.sampled_from([0.0, 5.0]))
def test_atomic_says_of_several_gangs_the_worst_the_second_judge_says(steps: list[Move], tail: float) -> None:
    history = history_of(steps, tail, *GANGS)
    slow = worst(laws.atomic(Facts(history), [f"ns/{name}"]) for name in GANGS)
    assert atomic.judge(history).outcome is slow


@settings(max_examples=250, deadline=None)
@given(steps=moves(*ROOM))
def test_overbooking_says_what_the_second_judge_says(steps: list[Move]) -> None:
    history = history_of(steps, 1.0, *GANGS)
    facts = Facts(history)
    slow = [i for i in laws.binds(facts) if laws.overbooked(facts, i)]
    event("overbooked" if slow else "fits")
    broken = [over for over in timeline(history).overflows if over.now > over.allowed + WINDOW]
    assert [over.pos for over in broken] == slow
    assert overbooking.judge(history).outcome is (Outcome.VIOLATED if slow else Outcome.PASS)


@settings(max_examples=250, deadline=None)
@given(steps=moves(*POD_MOVES, *CASE, *NODES), tail=st.sampled_from([0.0, 2.0, 5.0]))
def test_both_judges_say_the_same_of_all_that_the_second_one_understands(steps: list[Move], tail: float) -> None:
    history = history_of(steps, 3.0 + tail, *GANGS)
    for check, outcome in second_opinion(history).items():
        event(f"{check} {outcome}")
    assert disagreements(history, judge_all(history)) == []


@settings(max_examples=80, deadline=None)
@given(steps=moves(*POD_MOVES, *CASE, *ROOM), cut=st.integers(0, 40))
def test_a_cut_history_never_passes_and_nothing_raises(steps: list[Move], cut: int) -> None:
    whole = history_of(steps, 5.0, *GANGS)
    for verdict in judge_all(whole):
        assert "the check failed" not in verdict.reason
    part = History(whole.header, whole.records[:cut], complete=False)
    for verdict in judge_all(part):
        assert verdict.outcome in (Outcome.UNKNOWN, Outcome.VIOLATED)
        assert "the check failed" not in verdict.reason
