"""Of refusals and victims both judges say the same, in stories of all that schedulers and queues write about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from harness.core.gang import Gang
from harness.core.history.records import History
from harness.core.history.store import read
from harness.core.history.validate import impossible
from harness.core.oracle.checks import preemption, refused
from harness.core.second import disagreements, second_opinion
from harness.core.verdict import Outcome, Verdict

from . import test_preemption, test_refused, test_vocabulary
from .story import AGENT, BEGAN, NS, SCHEDULER, Story

STORED = Path(__file__).parent / "histories"
PAUSES = [0.0, 0.1, 0.7, 1.5, 3.0]

QUEUE = {
    "group_words": [],
    "group_conditions": ["QuotaReserved=False (Pending)"],
    "group_tells_of_members": True,
    "group_admits": ["QuotaReserved=True"],
    "group_victims": ["Preempted=True"],
    "evictors": ["scheduler", "queue-manager"],
    "a_term_of_a_newer_muster": ["x"],
}  # the others are the usual ones
VOCABULARIES: list[dict[str, Any] | None] = [
    None,
    {},
    QUEUE,
    {**QUEUE, "group_tells_of_members": False},
    {"gates_refuse": True, "victim_events": ["Evict"]},
]
GANGS = {
    "a": Gang("a", 3, quorum=2, missing=1, disruption="gang"),
    "b": Gang("b", 2, gated=1),
    "c": Gang("c", 2),
    "d": Gang("d", 1),  # not submitted at first: its pod may be there before
}
PODS = [f"{gang}-{n}" for gang in GANGS for n in range(GANGS[gang].size)]
Move = tuple[str, str, int, float]  # what happens, to which pod, a variation of it, and how long after the last one


@dataclass
class Teller:
    """Adds one move after another to a story, those that are possible in a cluster."""

    story: Story

    def tell(self, move: Move) -> None:
        kind, name, variant, pause = move
        self.story.after(pause)
        getattr(self, kind)(name, name[0], variant)

    def state(self, pod: str) -> dict[str, Any] | None:
        return self.story.states.get(f"Pod/{pod}")

    def is_submitted(self, gang: str) -> bool:
        return any(record.verb == "submit" and record.name == gang for record in self.story.records)

    def stands(self, pod: str) -> bool:
        state = self.state(pod)
        return state is not None and not state.get("deleting")

    # -- pods

    def bind(self, pod: str, gang: str, variant: int, by: str = AGENT) -> None:
        state = self.state(pod)
        if state is not None and "node" not in state and not state.get("deleting"):
            self.story.bind(pod, f"n{1 + variant % 2}", by=[by, by, by, "carrier/v2"][variant % 4])

    def start(self, pod: str, gang: str, variant: int) -> None:
        for n in range(GANGS[gang].size):
            self.bind(f"{gang}-{n}", gang, 0)

    def gone(self, pod: str, gang: str, variant: int) -> None:
        if self.state(pod) is not None:
            self.story.gone(pod)

    def fall(self, pod: str, gang: str, variant: int) -> None:
        for n in range(GANGS[gang].size):
            self.gone(f"{gang}-{n}", gang, variant)

    def terminate(self, pod: str, gang: str, variant: int) -> None:
        if self.stands(pod):
            self.story.terminating(pod)

    def end(self, pod: str, gang: str, variant: int) -> None:
        state = self.state(pod)
        if state is not None and "node" in state and state["phase"] == "Pending":
            failed_by = ["", "kubelet", "gang-scheduler", "carrier"][variant % 4]
            self.story.watch("Pod", pod, phase="Failed" if variant else "Succeeded", failed_by=failed_by)

    def come(self, pod: str, gang: str, variant: int) -> None:
        if self.state(pod) is None:
            gates: dict[str, Any] = {"gates": variant} if variant in (1, 2) else {}
            scheduled = {"PodScheduled": ["False", "SchedulingGated", ""]} if gates else {}
            self.story.pod(pod, gang=gang, conditions=scheduled, **gates)

    def come_all(self, pod: str, gang: str, variant: int) -> None:
        for n in range(GANGS[gang].size):
            self.come(f"{gang}-{n}", gang, 0)

    def gate(self, pod: str, gang: str, variant: int) -> None:
        if self.state(pod) is not None and "node" not in self.story.states[f"Pod/{pod}"]:
            self.story.watch("Pod", pod, gates=variant % 3)

    def open(self, pod: str, gang: str, variant: int) -> None:
        for n in range(GANGS[gang].size):
            self.gate(f"{gang}-{n}", gang, 0)

    def hold(self, pod: str, gang: str, variant: int) -> None:
        holder = f"{gang}-hold"
        if self.state(holder) is None:
            self.story.pod(holder, gang=gang, part="placeholder")
        elif variant % 2:
            self.report(holder, gang, 0)
        else:
            self.bind(holder, gang, 0)

    # -- what is written about them

    def report(self, pod: str, gang: str, variant: int) -> None:
        state = self.state(pod)
        if state is not None and "node" not in state:
            text = ["False", "False", "False", "True"][variant % 4], ["Unschedulable", "SchedulingGated"][variant == 2]
            self.story.condition(pod, "PodScheduled", *text, f"text {variant % 2}")

    def write(self, pod: str, gang: str, variant: int) -> None:
        reason = ["FailedScheduling", "Unschedulable", "BackOffStart", "Pending"][variant % 4]
        kind = "Warning" if variant % 3 else "Normal"
        if variant > 5:
            self.story.event(reason, gang, kind="PodGroup", type=kind, gang=f"{NS}/{gang}")
        else:
            self.story.event(reason, pod, type=kind, gang=f"{NS}/{gang}")

    def rewrite(self, pod: str, gang: str, variant: int) -> None:
        events = [key for key in self.story.states if key.startswith("Event/")]
        if events:
            name = events[variant % len(events)].partition("/")[2]
            self.story.watch("Event", name, "deleted" if variant == 7 else "modified", message=f"again {variant}")

    def group(self, pod: str, gang: str, variant: int) -> None:
        conditions = {**self.story.states.get(f"PodGroup.x/{gang}", {}).get("conditions", {})}
        kind, status, reason = [
            ("QuotaReserved", "False", "Pending"),
            ("QuotaReserved", "True", "QuotaReserved"),
            ("QuotaReserved", "False", "Inadmissible"),
            ("PodGroupScheduled", "False", "Unschedulable"),
            ("Unschedulable", "True", "NotEnoughResources"),
            ("Preempted", "True", "InClusterQueue"),
            ("Preempted", "False", ""),
            ("Ready", "False", "Timeout"),
        ][variant]
        self.story.group(gang, conditions={**conditions, kind: [status, reason, ""]})

    def let_in(self, pod: str, gang: str, variant: int) -> None:
        self.group(pod, gang, 1)

    def group_phase(self, pod: str, gang: str, variant: int) -> None:
        self.story.group(gang, phase=["Pending", "Unschedulable", "Inqueue"][variant % 3])

    def no_group(self, pod: str, gang: str, variant: int) -> None:
        if f"PodGroup.x/{gang}" in self.story.states:
            self.story.group(gang, "deleted")
            self.story.incarnations[gang] = self.story.incarnations.get(gang, 0) + 1  # the next one is another object

    def disrupt(self, pod: str, gang: str, variant: int) -> None:
        if self.state(pod) is not None:
            reasons = ["PreemptionByScheduler", "", "EvictionByEvictionAPI", "DeletionByTaintManager"]
            self.story.condition(pod, "DisruptionTarget", "False" if variant == 7 else "True", reasons[variant % 4])

    def preempt(self, pod: str, gang: str, variant: int) -> None:
        if self.stands(pod):
            self.disrupt(pod, gang, 0)
            self.terminate(pod, gang, variant)

    def report_victim(self, pod: str, gang: str, variant: int) -> None:
        self.story.event(["Preempted", "Evict", "Killing"][variant % 3], pod, type="Normal")

    def request(self, pod: str, gang: str, variant: int) -> None:
        by = [AGENT, AGENT, "kubectl/v1", "carrier/v2", "queue-manager/v1", "scheduler"][variant % 6]
        if variant == 4:
            self.story.audit("bind", pod, by="carrier/v2", code=409)
        self.story.audit("evict" if variant > 5 else "delete", pod, by=by, code=200 + 209 * (variant == 1))

    # -- pods of no gang

    def fence(self, pod: str, gang: str, variant: int) -> None:
        fence = f"fence-{variant % 2}"
        if self.state(fence) is None:
            self.story.act("fence", fence)
            self.story.pod(fence, part="fence", scheduler="another" if variant == 7 else SCHEDULER)
        else:
            self.bind(fence, gang, 0)

    def single(self, pod: str, gang: str, variant: int) -> None:
        name = f"single-{variant % 2}"
        if self.state(name) is None:
            labels = {"muster.dev/part": "plain"} if variant % 3 else {}
            self.story.pod(name, part="marker" if variant == 7 else "", labels=labels)
        elif "node" not in self.story.states[f"Pod/{name}"]:
            self.bind(name, gang, 0)
        elif variant == 1:
            self.disrupt(name, gang, 0)
        else:
            if variant == 3:
                self.story.act("note", text="", deleted=[f"{NS}/{name}"])
            self.gone(name, gang, 0)

    # -- the case

    def create(self, pod: str, gang: str, variant: int) -> None:
        self.story.act("create", gang, **({"count": 1} if variant % 4 else {}))
        if variant % 4:
            self.come(pod, gang, 0)

    def edit(self, pod: str, gang: str, variant: int) -> None:
        self.story.act("edit", gang, quorum=1 + variant % 3)

    def take(self, pod: str, gang: str, variant: int) -> None:
        self.story.act("delete", gang, what="members", **({} if variant == 7 else {"members": [pod]}))

    def delete(self, pod: str, gang: str, variant: int) -> None:
        if self.is_submitted(gang):
            self.story.act("delete", gang, what="group" if variant == 7 else "gang")

    def submit(self, pod: str, gang: str, variant: int) -> None:
        self.story.submit(GANGS[gang], create=False)
        if variant % 2:
            self.come_all(pod, gang, 0)

    def submit_again(self, pod: str, gang: str, variant: int) -> None:
        self.delete(pod, gang, 0)
        self.fall(pod, gang, variant)
        self.no_group(pod, gang, variant)
        self.submit(pod, gang, variant)

    def promise(self, pod: str, gang: str, variant: int) -> None:
        if self.is_submitted(gang):
            self.story.expect(["refused", "refused", "unbound", "untouched"][variant % 4], gang)

    def untouched(self, pod: str, gang: str, variant: int) -> None:
        self.promise(pod, gang, 3)

    def lift(self, pod: str, gang: str, variant: int) -> None:
        self.story.lift(*([] if variant == 7 else [gang]))

    def unnode(self, pod: str, gang: str, variant: int) -> None:
        if "Node/n2" in self.story.states:
            self.story.act("node-remove", nodes=["n2"]).no_node("n2")

    def down(self, pod: str, gang: str, variant: int) -> None:
        self.story.act(["kill", "pause", "restart"][variant % 3], "p", role=["scheduler", "controller"][variant > 5])

    def up(self, pod: str, gang: str, variant: int) -> None:
        self.story.act("ready" if variant % 2 else "resume", "p")

    def stall(self, pod: str, gang: str, variant: int) -> None:
        now = BEGAN + self.story.now
        self.story.act("stalled", "muster", **{"from": now - 1.5, "to": now})


def moves(*kinds: str, size: int) -> st.SearchStrategy[list[Move]]:
    pauses = st.sampled_from(PAUSES)
    return st.lists(
        st.tuples(st.sampled_from(kinds), st.sampled_from(PODS), st.integers(0, 7), pauses), min_size=1, max_size=size
    )


REFUSALS = (
    *(
        "come",
        "come_all",
        "bind",
        "bind",
        "bind",
        "gate",
        "open",
        "hold",
        "gone",
        "report",
        "report",
        "write",
        "write",
        "rewrite",
    ),
    *("group", "group", "let_in", "group_phase", "no_group", "fence", "fence", "create", "take", "delete"),
    *("submit_again", "promise", "promise", "promise", "lift", "unnode"),
)
VICTIMS = (
    *("start", "start", "bind", "fall", "gone", "terminate", "end", "come", "come_all", "group", "hold", "no_group"),
    *("disrupt", "preempt", "preempt", "preempt", "report_victim", "request", "request", "fence", "single", "single"),
    *("edit", "take", "delete", "submit_again", "untouched", "untouched", "lift", "down", "up", "stall", "create"),
)


def history_of(
    steps: list[Move], tail: float, vocabulary: dict[str, Any] | None, is_audited: bool = True, running: str = ""
) -> History:
    teller = Teller(Story(start_after_eviction=5.0, evicted=4.0, window=2.0, permit=60.0).node("n1").node("n2"))
    for gang in "abc":
        teller.submit("", gang, ord(gang) % 2)
        if gang in running:
            teller.come_all("", gang, 0)
            teller.start("", gang, 0)
    for step in steps:
        teller.tell(step)
    history = teller.story.after(tail).act("note", text="end").build()
    header = {
        **history.header,
        "integration": "jobset-gang",
    }  # whose controller may make more members than were asked for
    header |= {} if is_audited else {"audit": False}
    return replace(history, header=header if vocabulary is None else {**header, "vocabulary": vocabulary})


def agree(history: History, check: str) -> Outcome | None:
    """What the second judge says, which is what the check says; None if it has no opinion."""
    assert impossible(history) is None
    judge = {"refused": refused.judge, "preemption": preemption.judge}[check]
    assert disagreements(history, [judge(history)]) == []
    return second_opinion(history).get(check)


PREEMPTIONS = st.fixed_dictionaries(
    {
        "steps": moves(*VICTIMS, size=14),
        "vocabulary": st.sampled_from(VOCABULARIES),
        "tail": st.sampled_from([0.0, 3.0, 9.0, 9.0]),
        "is_audited": st.sampled_from([True, True, False]),
        "running": st.sampled_from(["a", "b", "ab"]),
    }
)


@settings(max_examples=150, deadline=None)
@given(steps=moves(*REFUSALS, size=14), vocabulary=st.sampled_from(VOCABULARIES))
def test_refused_says_what_the_second_judge_says(steps: list[Move], vocabulary: dict[str, Any] | None) -> None:
    event(str(agree(history_of(steps, 1.0, vocabulary), "refused")))


@settings(max_examples=150, deadline=None)
@given(story=PREEMPTIONS)
def test_preemption_says_what_the_second_judge_says(story: dict[str, Any]) -> None:
    event(str(agree(history_of(**story), "preemption")))


@pytest.mark.parametrize(("check", "kinds"), [("refused", REFUSALS), ("preemption", VICTIMS)])
def test_both_judges_agree_on_many_stories_of_every_outcome(check: str, kinds: tuple[str, ...]) -> None:
    draw = Random(7)
    outcomes: Counter[Outcome | None] = Counter()
    for _ in range(250):
        steps = [
            (draw.choice(kinds), draw.choice(PODS), draw.randrange(8), draw.choice(PAUSES))
            for _ in range(draw.randrange(2, 20))
        ]
        running = draw.choice(["a", "b", "ab"]) if check == "preemption" else ""
        vocabulary, tail = draw.choice(VOCABULARIES), draw.choice([0.0, 3.0, 9.0, 9.0])
        outcomes[agree(history_of(steps, tail, vocabulary, draw.random() < 0.7, running), check)] += 1
    assert min(outcomes[outcome] for outcome in (Outcome.PASS, Outcome.VIOLATED, Outcome.UNKNOWN)) >= 15
    assert outcomes[None] <= 40


@pytest.mark.parametrize("module", [test_refused, test_preemption, test_vocabulary])
def test_the_second_judge_agrees_on_every_story_written_by_hand(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    histories: list[tuple[History, Verdict]] = []
    for check in (refused, preemption):
        monkeypatch.setattr(check, "judge", partial(remember, histories, check.judge))
    for name, story in vars(module).items():
        if name.startswith("test_"):
            story()
    assert len(histories) > 10
    for history, verdict in histories:
        assert second_opinion(history).keys() >= {verdict.check}
        assert disagreements(history, [verdict]) == []


def remember(
    histories: list[tuple[History, Verdict]], judge: Callable[[History], Verdict], history: History
) -> Verdict:
    histories.append((history, judge(history)))
    return histories[-1][1]


@pytest.mark.parametrize("path", sorted(STORED.glob("*.zst")), ids=lambda path: path.name.partition(".")[0])
def test_the_second_judge_agrees_on_stored_histories(path: Path) -> None:
    history = read(path)
    assert disagreements(history, [refused.judge(history), preemption.judge(history)]) == []
