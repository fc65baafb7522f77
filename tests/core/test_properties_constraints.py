"""What the check of hard constraints says is what the second judge says, on stories nobody thought of."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from harness.core.history.records import History
from harness.core.oracle.checks import constraints
from harness.core.oracle.replay import timeline
from harness.core.second.constraints import judge_bind
from harness.core.second.facts import Facts
from harness.core.second.judge import disagreements
from harness.core.second.laws import binds
from harness.core.verdict import Outcome

from .story import Story

WINDOW = 2.0
NODES = ["n1", "n2", "n3"]
PODS = ["p1", "p2", "p3", "p4", "p5"]
COLOURS = [{}, {"app": "red"}, {"app": "blue"}]
RED: dict[str, Any] = {"matchLabels": {"app": "red"}}
NOT_RED: dict[str, Any] = {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["red"]}]}
SELECTORS = st.sampled_from([RED, NOT_RED, {}, None])
KEYS = st.sampled_from(["zone", "host"])
TAINTS = ["k=v:NoSchedule", "k=:NoExecute", "soft=:PreferNoSchedule"]

terms = st.builds(lambda selector, key: {"labelSelector": selector, "topologyKey": key}, SELECTORS, KEYS)
spreads = st.builds(
    lambda term, skew, domains, affinity, taints: {
        **term,
        "maxSkew": skew,
        **({"minDomains": domains} if domains else {}),
        "nodeAffinityPolicy": affinity,
        "nodeTaintsPolicy": taints,
    },
    terms,
    st.integers(1, 2),
    st.sampled_from([0, 0, 3]),
    st.sampled_from(["Honor", "Ignore"]),
    st.sampled_from(["Honor", "Ignore"]),
)
affinities = st.sampled_from(
    [
        {"matchExpressions": [{"key": "zone", "operator": operator, "values": ["a"]}]}
        for operator in ("In", "NotIn", "Exists", "DoesNotExist")
    ]
    + [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}, {}]
)
demands = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {},
        optional={
            "selector": st.just({"zone": "a"}),
            "nodes": st.lists(affinities, min_size=1, max_size=2),
            "tolerations": st.lists(
                st.sampled_from(["k", "k=v:NoSchedule", "*", "*:NoExecute"]), min_size=1, max_size=2
            ),
        },
    ),
    st.builds(lambda term: {"apart": [term]}, terms),
    st.builds(lambda term: {"near": [term]}, terms),
    st.builds(lambda term: {"spread": [term]}, spreads),
    st.builds(lambda first, second: {"spread": [first, second]}, spreads, spreads),
    st.builds(lambda port: {"ports": [port]}, st.sampled_from(["TCP/0.0.0.0/80", "TCP/10.0.0.1/80", "UDP/0.0.0.0/80"])),
)
MOVES = ["bind"] * 8 + ["gone", "terminating", "failed", "relabel", "kill", "ready"]
MOVES += ["taint", "clean", "cordon", "move", "remove", "come", "jolt", "mark", "mark", "anew"]

steps_of = st.lists(
    st.tuples(
        st.sampled_from(MOVES),
        st.sampled_from(PODS),
        st.sampled_from(NODES),
        st.sampled_from([0.0, 0.1, 1.0, 2.5]),
        st.integers(0, 2),
    ),
    min_size=3,
    max_size=12,
)
pods_of = st.fixed_dictionaries(
    {name: st.tuples(demands, st.sampled_from(COLOURS), st.sampled_from(["one", "one", "two"])) for name in PODS}
)


def history_of(pods: dict[str, Any], steps: list[tuple[Any, ...]], settled: bool, tail: float) -> History:
    story = Story(window=WINDOW)
    for number, name in enumerate(NODES):
        story.node(name, labels={"zone": "ab"[number % 2], "host": name})
    for name, (constraints_of, labels, scheduler) in pods.items():
        story.pod(name, constraints=constraints_of, labels=labels, scheduler=scheduler)
    if settled:
        story.pod("first", constraints={}, labels={}, scheduler="one").bind("first", "n3").after(0.1)
    for move, pod, node, pause, number in steps:
        story.after(pause)
        _move(story, move, pod, node, number)
    return story.after(tail).act("note", text="end").build()


def _move(story: Story, move: str, pod: str, node: str, number: int) -> None:
    state: dict[str, Any] | None = story.states.get(f"Pod/{pod}")
    there = f"Node/{node}" in story.states
    if move == "bind" and state is not None and "node" not in state and not state.get("deleting"):
        story.bind(pod, node)
    elif move == "gone" and state is not None:
        story.gone(pod)
    elif move == "terminating" and state is not None:
        story.terminating(pod)
    elif move == "failed" and state is not None:
        story.phase(pod, "Failed")
    elif move == "relabel" and state is not None and not state["constraints"]:
        story.watch("Pod", pod, labels=COLOURS[number])
    elif move in ("kill", "ready"):
        story.act(move, "sched", role="scheduler")
    elif move == "jolt":
        story.act("node-remove", "n9", nodes=["n9"])
    elif move == "taint" and there:
        story.node(node, taints=[TAINTS[number]])
    elif move == "clean" and there:
        story.node(node, taints=[], unschedulable=False)
    elif move == "cordon" and there:
        story.node(node, unschedulable=True)
    elif move == "move" and there:
        story.node(node, labels={"zone": "abc"[number], "host": node})
    elif move == "remove" and there:
        story.no_node(node)
    elif move == "come" and not there:
        story.node(node, labels={"zone": "abc"[number], "host": node})
    elif move == "mark":
        story.mark("one")
    elif move == "anew" and state is not None and story.states[f"Pod/{pod}"].get("node") is None:
        same = {key: state[key] for key in ("constraints", "labels", "scheduler")}
        story.gone(pod).pod(pod, **same)


@settings(max_examples=250, deadline=None)
@given(pods=pods_of, steps=steps_of, settled=st.booleans(), tail=st.sampled_from([0.0, 5.0]))
def test_constraints_are_judged_as_the_second_judge_judges_them(
    pods: dict[str, Any], steps: list[tuple[Any, ...]], settled: bool, tail: float
) -> None:
    history = history_of(pods, steps, settled, tail)
    facts = Facts(history)
    answers = {i: judge_bind(facts, i) for i in binds(facts)}
    wrong, open_ones = ([i for i, answer in answers.items() if answer == word] for word in ("wrong", "open"))
    event("violated" if wrong else "unknown" if open_ones else "pass")
    findings, _ = constraints.findings(history)
    assert {finding.pos for finding in findings if finding.outcome is Outcome.VIOLATED} == {*wrong}
    assert {finding.pos for finding in findings if finding.outcome is Outcome.UNKNOWN} - {*wrong} == {*open_ones}
    if not timeline(history).strays:  # after a bind to a removed node nobody is blamed
        expected = Outcome.VIOLATED if wrong else Outcome.UNKNOWN if open_ones else Outcome.PASS
        assert constraints.judge(history).outcome is expected
        assert disagreements(history, [constraints.judge(history)]) == []
