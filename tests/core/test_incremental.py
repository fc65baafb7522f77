"""A replay that is fed record by record, and read all the time, knows at every record what one of these records knows.

Cases wait on the first kind and verdicts are made from the second, so they must never differ.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from harness.core.gang import Gang, Role
from harness.core.history.records import History, Record
from harness.core.oracle.checks import judge_all
from harness.core.oracle.checks.refused import evidence
from harness.core.oracle.replay import Replay, replay
from harness.core.oracle.timeline import Timeline

from .story import Story

GANGS = {"a": Gang("a", 3, quorum=2), "b": Gang("b", roles=(Role("lead", 1), Role("work", 2, quorum=1)))}
PODS = {name: (gang, role) for gang, value in GANGS.items() for name, role in value.members()}
WINDOW = {"window": 2.0, "refused": 5.0, "bound": 5.0, "start_after_eviction": 3.0, "evicted": 2.0, "gone": 2.0}


def bind(story: Story, *pods: str) -> None:
    for pod in pods:
        if "node" not in story.states.get(f"Pod/{pod}", {"node": ""}):
            story.bind(pod)


MOVES = {
    "bind": lambda story, pod, gang: bind(story, pod),
    "start": lambda story, pod, gang: bind(story, *(name for name, _ in GANGS[gang].members())),
    "gone": lambda story, pod, gang: story.gone(pod),
    "terminating": lambda story, pod, gang: story.terminating(pod),
    "succeeded": lambda story, pod, gang: story.phase(pod, "Succeeded"),
    "started": lambda story, pod, gang: story.watch("Pod", pod, running={"main": 1_700_000_001.0 + story.now}),
    "unschedulable": lambda story, pod, gang: story.unschedulable(pod),
    "target": lambda story, pod, gang: story.condition(pod, "DisruptionTarget", "True", "PreemptionByScheduler"),
    "refusal": lambda story, pod, gang: story.event("FailedScheduling", pod, type="Warning"),
    "preempted": lambda story, pod, gang: story.event("Preempted", pod),
    "mount": lambda story, pod, gang: story.event("FailedMount", pod, type="Warning"),
    "delete by scheduler": lambda story, pod, gang: story.audit("delete", pod),
    "delete by user": lambda story, pod, gang: story.audit("delete", pod, by="kubectl/v1"),
    "bind refused": lambda story, pod, gang: story.audit("bind", pod, code=409, by="other/v1"),
    "bind unseen": lambda story, pod, gang: story.audit("bind", pod, by="kubectl/v1", node="n1"),
    "group": lambda story, pod, gang: story.group(gang, phase="Unschedulable" if story.rev % 2 else "Pending"),
    "fence": lambda story, pod, gang: story.act("fence", f"f{story.rev}").pod(f"f{story.rev}", part="fence"),
    "bind fences": lambda story, pod, gang: [
        story.bind(key.removeprefix("Pod/")) for key in [*story.states] if key.startswith("Pod/f")
    ],
    "kill": lambda story, pod, gang: story.act("kill", "s", role="scheduler"),
    "restart": lambda story, pod, gang: story.act("restart", "s", role="scheduler"),
    "ready": lambda story, pod, gang: story.act("ready", "s", role="scheduler"),
    "node": lambda story, pod, gang: story.act("node-change", "n1").node("n1", gpus=1 + story.rev % 3),
    "no node": lambda story, pod, gang: "Node/n1" in story.states and story.no_node("n1"),
    "submit": lambda story, pod, gang: story.act("submit", gang, gang=GANGS[gang].as_record()),
    "delete": lambda story, pod, gang: story.delete(gang),
    "members": lambda story, pod, gang: story.act("delete", gang, what="members", members=[pod]),
    "create": lambda story, pod, gang: story.act("create", gang, count=1),
    "edit": lambda story, pod, gang: story.act("edit", gang, quorum=1 + story.rev % 3),
    "promise bound": lambda story, pod, gang: story.expect("bound", gang, within=3.0),
    "promise refused": lambda story, pod, gang: story.expect("refused", gang),
    "promise unbound": lambda story, pod, gang: story.expect("unbound", gang),
    "promise untouched": lambda story, pod, gang: story.expect("untouched", gang),
    "lift": lambda story, pod, gang: story.lift(gang),
    "lost": lambda story, pod, gang: story.lost("Pod", story.rev - 2, story.rev),
}

OFTEN = ["start"] * 8 + ["delete by scheduler"] * 6 + ["target", "preempted", "unschedulable"] * 2

Move = tuple[str, str, float]


def history_of(moves: list[Move]) -> History:
    """The history of these moves; a pod that is gone comes back when something is to happen to it."""
    story = Story(**WINDOW).node("n1", gpus=4)
    for gang in GANGS.values():
        story.submit(gang)
    for move, pod, pause in moves:
        gang, role = PODS[pod]
        story.after(pause)
        if f"Pod/{pod}" not in story.states:
            story.pod(pod, gang=gang, role=role)
        MOVES[move](story, pod, gang)
    return story.after(10).act("note", text="end").build()


def plain(value: Any, numbers: dict[int, str]) -> Any:
    """The value without identities: objects that refer to each other are written down once."""
    if isinstance(value, Record) or value is None or isinstance(value, str | int | float | bool):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        if id(value) in numbers:
            return numbers[id(value)]
        numbers[id(value)] = f"{type(value).__name__} {len(numbers)}"
        return {item.name: plain(getattr(value, item.name), numbers) for item in fields(value)}
    if isinstance(value, dict):
        return {key: plain(item, numbers) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, numbers) for item in value]
    return sorted(value) if isinstance(value, set) else value


def state(line: Timeline) -> Any:
    """Everything that a reader can ask, also what is worked out on demand."""
    numbers: dict[int, str] = {}
    stored = plain(line, numbers)
    asked = (line.evictions, line.downs, line.spans(), evidences(line))
    return [stored, *(plain(value, numbers) for value in asked)]


def evidences(line: Timeline) -> list[Any]:
    return [
        (key, evidence(line, incarnation, line.last), list(incarnation.quorum_spans()), line.unpromised_change(key))
        for key, incarnations in line.incarnations.items()
        for incarnation in incarnations
    ]


def judged(history: History) -> list[dict[str, Any]]:
    return [verdict.as_data() for verdict in judge_all(history)]


@settings(max_examples=60, deadline=None)
@given(
    moves=st.lists(
        st.tuples(
            st.sampled_from([*MOVES, *OFTEN]),
            st.sampled_from(sorted(PODS)),
            st.sampled_from([0.0, 0.1, 0.7, 2.5, -0.2]),
        ),
        min_size=15,
        max_size=40,
    ),
    cuts=st.sets(st.integers(0, 60), max_size=4),
)
def test_fed_record_by_record_or_all_at_once_the_state_and_the_verdicts_are_the_same(
    moves: list[Move], cuts: set[int]
) -> None:
    history = history_of(moves)
    live = Replay(history.header)
    for place, record in enumerate(history.records, 1):
        live.feed(record)
        before = state(live.timeline)  # reading changes nothing, however often
        if place in cuts or place == len(history.records):
            part = History(history.header, history.records[:place])
            assert before == state(live.timeline) == state(replay(part.header, part.records))
            read = History(part.header, part.records)
            read.derived["timeline"] = live.timeline
            verdicts = judged(part)
            event(f"violated: {any(verdict['outcome'] == 'violated' for verdict in verdicts)}")
            event(f"victims: {bool(live.timeline.evictions)}, by deletion: {bool(live.timeline.removals)}")
            assert judged(read) == verdicts
            assert "the check failed" not in str(verdicts)


@settings(max_examples=60, deadline=None)
@given(seed=st.lists(st.sampled_from(["a-0", "a-1", "a-2"]), min_size=1, max_size=8), cut=st.integers(1, 8))
def test_the_first_refusal_that_knows_the_whole_gang_is_found_however_many_there_are(seed: list[str], cut: int) -> None:
    story = Story().submit(GANGS["a"].but(missing=1))
    for place, pod in enumerate(seed):
        if place == cut:
            story.act("create", "a", count=1).pod("a-2", gang="a")
        if f"Pod/{pod}" in story.states:
            story.event("FailedScheduling", pod, type="Warning")
    line = replay({}, story.records)
    incarnation = line.incarnations["ns/a"][0]
    for index in range(len(story.records)):
        whole = incarnation.whole(index)
        slow = next((refusal for refusal in incarnation.refusals if refusal.born >= whole), None)
        assert incarnation.evident(index) == slow
