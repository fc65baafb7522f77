"""Two judges say the same of holds, deletions, barriers, crashes and competing gangs, on stories nobody thought of."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from harness.core.gang import Gang, Role
from harness.core.history.records import History
from harness.core.history.validate import impossible
from harness.core.oracle.checks import judge_all
from harness.core.second import disagreements, second_opinion
from harness.core.verdict import Outcome

from .story import BEGAN, Story

GANGS = {
    "a": Gang("a", 3, quorum=2, timeout=1),
    "b": Gang("b", 2),
    "c": Gang("c", roles=(Role("lead", 1), Role("work", 2, quorum=1))),
}
DEADLINES = {"released": 1.0, "gone": 2.0, "bound": 3.0, "reconnected": 2.0, "window": 2.0}
PAUSES = (0.0, 0.1, 0.7, 1.0, 1.5, 2.5)
PROCESSES = {"sched": "scheduler", "api": "apiserver", "manager": "controller"}
ENDINGS = ("exit code 2", "ended by SIGKILL", "ended by SIGKILL")

BINDS = ("bind", "bind", "start", "fall", "gone", "terminating", "Succeeded", "Failed", "recreate")
HOLDS = (*BINDS, "hold", "hold", "drop", "released", "released", "edit", "jolt", "stall", "delete")
ENDS = (
    "start",
    "fall",
    "gone",
    "kill",
    "hold",
    "drop",
    "group",
    "ungroup",
    "delete",
    "delete",
    "expect-gone",
    "expect-gone",
    "clear",
    "submit",
)
RACES = (*BINDS, "start", "one-of", "one-of", "edit", "stall")
WAITS = ("barrier", "barrier", "init", "init", "init", "init", "main", "gone", "recreate", "late")
DOWNS = ("kill", "pause", "resume", "restart", "ready")
CRASHES = (*DOWNS, "crash", "crash", "stall")
ALL = (*HOLDS, *ENDS, "one-of", "barrier", "init", "main", "main", "crash")
LOSSES = ("lose-events", "lose-events", "lose-pods", "unseen", "unnode", "unnode", "mark")
PARTS = {"holds": HOLDS, "ends": ENDS, "races": RACES, "waits": WAITS, "crashes": CRASHES, "losses": ALL}
OTHERS = {
    "holds": (*DOWNS, "delete", "submit"),
    "ends": (*DOWNS, "edit", "jolt", "stall", "recreate", "members"),
    "races": ("delete", "submit", "late"),
    "waits": ("delete", "submit", "start"),
    "crashes": (),
    "losses": LOSSES,
}
BOTH = (Outcome.VIOLATED, Outcome.UNKNOWN)
OUTCOMES = [
    ("holds", "held-resources", BOTH),
    ("ends", "cleanup", BOTH),
    ("races", "liveness", BOTH),
    ("waits", "barrier", (Outcome.VIOLATED,)),  # where all is seen, it is never unknown
    ("crashes", "crash", BOTH),
    ("losses", "barrier", (Outcome.UNKNOWN,)),
]
EXAMPLES = 120

Move = tuple[str, str, int, float]


def moves(kinds: tuple[str, ...], names: str, size: int = 12) -> st.SearchStrategy[list[Move]]:
    """Things that may happen, each to some pod, in some variation, after some time."""
    pods = [name for gang in names for name, _ in GANGS[gang].members()]
    several = st.tuples(st.sampled_from(kinds), st.sampled_from(pods), st.integers(0, 5), st.sampled_from(PAUSES))
    return st.lists(several, min_size=2, max_size=size)


def history_of(steps: list[Move], tail: float, names: str, complete: bool = True) -> History:
    story = Story(**DEADLINES, permit=60.0).node("n1", gpus=99)
    for name in names:
        story.submit(GANGS[name])
    for move, pod, variant, pause in steps:
        story.after(pause)
        _move(story, move, pod, variant, names)
    return story.after(tail).act("note", text="end").build(complete)


def _move(story: Story, move: str, pod: str, variant: int, names: str) -> None:
    gang = pod[0]
    state = story.states.get(f"Pod/{pod}")
    if move in ("start", "fall", "clear"):
        for name, _ in GANGS[gang].members():
            _move(story, "bind" if move == "start" else "gone", name, variant, names)
        if move == "clear":
            _move(story, "drop", pod, variant, names)
            _move(story, "ungroup", pod, variant, names)
    elif move in ("bind", "gone", "terminating", "Succeeded", "Failed", "init", "main", "late"):
        if state is not None:
            _pod_move(story, move, pod, variant, state)
    elif move == "recreate" and state is None:
        story.pod(pod, gang=gang, role=next(role for name, role in GANGS[gang].members() if name == pod))
    elif move in ("hold", "drop"):
        name = f"{gang}-holder-{variant % 2}"
        if move == "drop" and f"Pod/{name}" in story.states:
            story.gone(name)
        elif move == "hold" and f"Pod/{name}" not in story.states:
            story.pod(name, gang=gang, part="placeholder").bind(name)
    elif move in ("group", "ungroup"):
        if move == "group" and f"PodGroup.x/{gang}" not in story.states:
            story.incarnations[gang] = story.incarnations.get(gang, 0) + 1
        if move == "group" or f"PodGroup.x/{gang}" in story.states:
            story.group(gang, "deleted" if move == "ungroup" else "", phase=str(variant))
    else:
        _case_move(story, move, pod, variant, names)


def _pod_move(story: Story, move: str, pod: str, variant: int, state: dict[str, Any]) -> None:
    if move == "bind" and "node" not in state and not state.get("deleting"):
        story.bind(pod)
    elif move == "gone":
        story.gone(pod)
    elif move == "terminating":
        story.terminating(pod)
    elif move in ("Succeeded", "Failed") and "node" in state and state["phase"] == "Pending":
        story.phase(pod, move)
    elif move == "late":  # delivered before its time
        story.after(-0.3).watch("Pod", pod, nominated="n1").after(0.3)
    elif move in ("init", "main") and not state.get("deleting"):
        if "node" not in state:
            story.bind(pod)
        name = ("main", "side")[variant // 3] if move == "main" else ("wait", "wait", "other")[variant % 3]
        second = float(int(BEGAN + story.now + (variant % 3 - 1)))
        more = {"inits": ["wait", "other"]} if variant % 2 else {}
        story.watch("Pod", pod, running={**state.get("running", {}), name: second}, **more)


def _case_move(story: Story, move: str, pod: str, variant: int, names: str) -> None:
    gang, name = pod[0], list(PROCESSES)[variant % 3]
    within = {"within": (1.0, 2.0, 4.0)[variant % 3]} if variant < 3 else {}
    if move in ("released", "expect-gone"):
        story.expect(move.removeprefix("expect-"), gang, **within)
    elif move == "one-of":
        story.expect("one-of", *names, **within)
    elif move == "barrier":
        details = {} if variant > 2 else {"count": variant + 1}
        story.expect("barrier", gang, init="wait", **details, **({"main": "main"} if variant == 5 else {}))
    elif move in DOWNS:
        role = {"role": PROCESSES[name]} if move in ("kill", "pause", "restart") else {}
        story.act(move, name, **role)
    elif move == "crash":
        counted = {"restarts": 1} if variant > 3 else {}
        story.act("crash", "some-scheduler", role="scheduler", ending=ENDINGS[variant % 3], **counted)
    elif move == "stall":
        story.act("stalled", "muster", **{"from": BEGAN + story.now - 1.2, "to": BEGAN + story.now})
    elif move == "jolt":
        story.act("node-remove", "n9", nodes=["n9"])
    elif move == "edit":
        story.act("edit", gang, quorum=1 + variant % 3)
    elif move == "members":
        story.act("delete", gang, what=("members", "group")[variant % 2], members=[pod])
    elif move == "delete":
        story.delete(gang)
    elif move == "submit":
        story.act("submit", gang, gang=GANGS[gang].as_record())
    elif move in ("lose-events", "lose-pods"):
        story.lost("Event" if move == "lose-events" else "Pod", story.rev - 1, story.rev)
    elif move == "unnode" and "Node/n1" in story.states:
        story.act("node-remove", nodes=["n1"]).no_node("n1")
    elif move == "mark":
        story.act("marker", f"marker-{story.rev}", node="n2").node("n2")
        story.pod(f"marker-{story.rev}", part="marker").bind(f"marker-{story.rev - 1}", "n2")
    elif move == "unseen":
        story.audit("bind", pod, code=201, node="n1")


@st.composite
def histories(draw: st.DrawFn, part: str) -> History:
    names = draw(st.sampled_from(["a", "ab", "abc"]))
    kinds = draw(st.sampled_from([PARTS[part], PARTS[part] + OTHERS[part]]))
    steps, tail = draw(moves(kinds, names)), draw(st.sampled_from([0.0, 0.5, 1.0, 6.0]))
    return history_of(steps, tail, names, complete=part != "losses" or draw(st.booleans()))


@pytest.mark.parametrize("part", PARTS)
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_both_judges_say_the_same(part: str, data: st.DataObject) -> None:
    history = data.draw(histories(part))
    assert impossible(history) is None
    for check, outcome in second_opinion(history).items():
        event(f"{check} {outcome}")
    assert disagreements(history, judge_all(history)) == []


@pytest.mark.parametrize(("part", "check", "outcomes"), OUTCOMES)
def test_every_outcome_is_there_often(part: str, check: str, outcomes: tuple[Outcome, ...]) -> None:
    counts: Counter[Outcome] = Counter()

    @settings(max_examples=100, deadline=None, derandomize=True, database=None)
    @given(history=histories(part))
    def count(history: History) -> None:
        counts.update(outcome for name, outcome in second_opinion(history).items() if name == check)

    count()
    assert min(counts[outcome] for outcome in (Outcome.PASS, *outcomes)) >= 5, counts
