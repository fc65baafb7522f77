"""Hard constraints at the moment of the bind, and what no scheduler can know."""

from __future__ import annotations

from typing import Any

import pytest

from harness.core.history.constraints import malformed, pod_constraints
from harness.core.oracle.checks.constraints import judge
from harness.core.oracle.matching import admits, clash, selects, untolerated
from harness.core.second import second_opinion
from harness.core.verdict import Outcome

from .story import Story

ZONE = "zone"
HOST = "kubernetes.io/hostname"


def nodes(*zones: str) -> Story:
    """Nodes n1, n2, ... in these zones, which the scheduler knows: it has used the last one."""
    story = Story(window=2)
    for number, zone in enumerate(zones, 1):
        story.node(f"n{number}", labels={ZONE: zone, HOST: f"n{number}"})
    return story.pod("first", constraints={}).bind("first", f"n{len(zones)}")


def pod(story: Story, name: str, node: str = "", labels: dict[str, str] | None = None, **demands: Any) -> Story:
    """A pod with these demands, bound if a node is given."""
    story.pod(name, labels=labels or {}, constraints=demands)
    return story.bind(name, node) if node else story


def outcome(story: Story) -> Outcome:
    return judge(story.after(10).end()).outcome


def app(value: str, key: str = ZONE, **more: Any) -> dict[str, Any]:
    """A term of affinity about pods with this label."""
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": value}}, **more}


# -- what a history keeps


def test_only_what_must_hold_is_kept() -> None:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
    spread = {"topologyKey": "zone", "maxSkew": 1, "labelSelector": {}}
    spec = {
        "nodeSelector": {"disk": "ssd"},
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]},
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": term}],
            },
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [app("db")]},
        },
        "tolerations": [
            {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
            {"key": "b", "value": "x"},
            {"operator": "Exists"},
            {"key": "c", "operator": "Gt", "value": "5", "effect": "NoSchedule"},
        ],
        "topologySpreadConstraints": [
            {**spread, "whenUnsatisfiable": "DoNotSchedule"},
            {**spread, "whenUnsatisfiable": "ScheduleAnyway"},
        ],
        "containers": [{"name": "c", "ports": [{"hostPort": 80}, {"containerPort": 81}]}],
        "initContainers": [
            {"name": "i", "ports": [{"hostPort": 1}]},
            {
                "name": "s",
                "restartPolicy": "Always",
                "ports": [{"hostPort": 2, "protocol": "UDP", "hostIP": "10.0.0.1"}],
            },
        ],
    }
    entry = pod_constraints({"spec": spec})
    assert entry == {
        "selector": {"disk": "ssd"},
        "nodes": [term],
        "apart": [app("db")],
        "tolerations": ["a:NoExecute", "b=x", "*", "c>5:NoSchedule"],
        "spread": [spread],
        "ports": ["TCP/0.0.0.0/80", "UDP/10.0.0.1/2"],
    }
    assert not malformed(entry)
    assert pod_constraints({"spec": {"containers": [{"name": "c"}]}}) == {}


@pytest.mark.parametrize(
    ("name", "value"), [("selector", []), ("ports", ["80"]), ("near", ["x"]), ("tolerations", [{}]), ("spread", {})]
)
def test_what_no_pod_can_have_is_malformed(name: str, value: Any) -> None:
    assert malformed({name: value}) == name


# -- the rules of Kubernetes


@pytest.mark.parametrize(
    ("operator", "values", "there", "absent"),
    [
        ("In", ["5"], True, False),
        ("In", ["6"], False, False),
        ("NotIn", ["5"], False, True),
        ("NotIn", ["6"], True, True),
        ("Exists", [], True, False),
        ("DoesNotExist", [], False, True),
        ("Gt", ["4"], True, False),
        ("Gt", ["5"], False, False),
        ("Lt", ["6"], True, False),
        ("Lt", ["five"], False, False),
        ("OfTheFuture", [], True, True),
    ],
)
def test_operators(operator: str, values: list[str], there: bool, absent: bool) -> None:
    term = {"matchExpressions": [{"key": "size", "operator": operator, "values": values}]}
    assert admits({"nodes": [term]}, "n1", {"size": "5"}) is there
    assert admits({"nodes": [term]}, "n1", {}) is absent
    assert selects(term, {"size": "5"}) is there


def test_terms_are_alternatives_and_an_empty_one_matches_nothing() -> None:
    field = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    assert admits({"nodes": [{}, field]}, "n1", {})
    assert not admits({"nodes": [{}, field]}, "n2", {})
    assert not admits({"nodes": [field], "selector": {"a": "b"}}, "n1", {})


def test_no_selector_selects_nothing_and_an_empty_one_everything() -> None:
    assert not selects(None, {"a": "b"})
    assert selects({}, {})


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ("*", True),
        ("*:NoExecute", False),
        ("k", True),
        ("k:NoSchedule", True),
        ("k=v:NoSchedule", True),
        ("k=w:NoSchedule", False),
        ("k=", False),
        ("other", False),
        ("k>3", True),
        ("other<3", False),
    ],
)
def test_tolerations(toleration: str, tolerated: bool) -> None:
    assert bool(untolerated([toleration], ["k=v:NoSchedule"])) is not tolerated


def test_a_preference_keeps_nobody_off() -> None:
    assert untolerated([], ["k=v:PreferNoSchedule"]) == ""
    assert untolerated([], ["k=:NoExecute"]) == "k=:NoExecute"


def test_ports_clash_on_the_same_or_on_all_addresses() -> None:
    assert clash(["TCP/0.0.0.0/80"], ["TCP/10.0.0.1/80"])
    assert clash(["TCP/10.0.0.1/80"], ["TCP/10.0.0.1/80"])
    assert not clash(["TCP/10.0.0.1/80"], ["TCP/10.0.0.2/80", "UDP/0.0.0.0/80", "TCP/0.0.0.0/81"])


# -- the node itself


def test_a_bind_to_a_node_that_is_not_selected_is_violated_and_shown() -> None:
    verdict = judge(pod(nodes("a", "b"), "p", "n1", selector={ZONE: "b"}).after(9).end())
    assert verdict.outcome is Outcome.VIOLATED
    assert "ns/p was bound to n1" in verdict.reason
    assert verdict.witness is not None
    assert outcome(pod(nodes("a", "b"), "p", "n2", selector={ZONE: "b"})) is Outcome.PASS


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_a_taint_that_is_not_tolerated(effect: str) -> None:
    tainted = nodes("a").node("n2", taints=[f"k=v:{effect}"])
    assert outcome(pod(tainted, "p", "n2")) is Outcome.VIOLATED
    tainted = nodes("a").node("n2", taints=[f"k=v:{effect}"])
    assert outcome(pod(tainted, "p", "n2", tolerations=[f"k=v:{effect}"])) is Outcome.PASS


def test_a_cordoned_node_and_one_that_is_merely_not_ready() -> None:
    cordoned = nodes("a").node("n1", unschedulable=True).after(3)
    verdict = judge(pod(cordoned, "p", "n1").after(9).end())
    assert "cordoned" in verdict.reason
    tolerating = nodes("a").node("n1", unschedulable=True).after(3)
    assert outcome(pod(tolerating, "p", "n1", tolerations=["node.kubernetes.io/unschedulable"])) is Outcome.PASS
    assert outcome(pod(nodes("a").node("n1", ready=False).after(3), "p", "n1")) is Outcome.PASS


def test_a_taint_that_came_just_now_is_a_race_and_later_it_is_none() -> None:
    def tainted(pause: float) -> Story:
        return pod(nodes("a").node("n1", taints=["k=:NoSchedule"]).after(pause), "p", "n1")

    raced = judge(tainted(1.9).after(9).end())
    assert raced.outcome is Outcome.PASS
    assert raced.figures["raced"] == 1
    assert outcome(tainted(2.1)) is Outcome.VIOLATED
    down = nodes("a").node("n1", taints=["k=:NoSchedule"]).act("kill", "s", role="scheduler").after(5)
    assert outcome(pod(down.act("ready", "s", role="scheduler").after(1), "p", "n1")) is Outcome.PASS


def test_a_taint_that_a_marker_has_shown_is_no_race_for_a_pod_that_came_later() -> None:
    """The scheduler has seen the cordon; whatever it decided of the pod it decided after that."""

    def cordoned() -> Story:
        return nodes("a").node("n1", unschedulable=True).after(0.1)

    informed = pod(cordoned().mark().after(0.1), "p", "n1").after(9).end()
    assert judge(informed).outcome is Outcome.VIOLATED
    assert second_opinion(informed)["constraints"] is Outcome.VIOLATED
    decided_before = pod(pod(nodes("a"), "p").node("n1", unschedulable=True).mark(), "q").after(0.1).bind("p", "n1")
    assert outcome(decided_before) is Outcome.PASS
    assert second_opinion(decided_before.after(9).end())["constraints"] is Outcome.PASS


def test_only_the_bind_counts() -> None:
    later = pod(nodes("a"), "p", "n1", selector={ZONE: "a"}).after(3).node("n1", labels={}, taints=["k=:NoExecute"])
    assert outcome(later.watch("Pod", "p", phase="Running")) is Outcome.PASS


def test_what_cannot_be_judged_is_not_claimed() -> None:
    old = Story().node("n1", taints=["k=:NoSchedule"]).pod("p").bind("p").after(9).end()
    assert judge(old).figures["judged"] == 0
    assert judge(old).reason == "nothing to judge"
    made_there = Story().node("n1", taints=["k=:NoSchedule"]).pod("p", node="n1", constraints={}).after(9).end()
    assert judge(made_there).figures["judged"] == 0
    unseen = Story().pod("p", constraints={"selector": {"a": "b"}}).bind("p", "n7").after(9).end()
    assert judge(unseen).figures["judged"] == 0


def test_a_lost_watch_of_nodes_makes_it_unknown() -> None:
    story = nodes("a").lost("Node", 101, 102)
    assert outcome(pod(story, "p", "n1", selector={"no": "such"})) is Outcome.UNKNOWN


# -- pods that keep each other off


def test_anti_affinity_holds_from_both_sides() -> None:
    def beside(node: str, **demands: Any) -> Story:
        return pod(pod(nodes("a", "a", "b"), "db", "n1", {"app": "db"}), "web", node, {"app": "web"}, **demands)

    assert outcome(beside("n2", apart=[app("db")])) is Outcome.VIOLATED
    assert outcome(beside("n3", apart=[app("db")])) is Outcome.PASS
    assert outcome(beside("n2", apart=[app("db", HOST)])) is Outcome.PASS
    assert outcome(beside("n2", apart=[app("db", "no-such-label")])) is Outcome.PASS
    assert outcome(beside("n2", apart=[app("db", namespaces=["elsewhere"])])) is Outcome.PASS
    assert outcome(beside("n2", apart=[app("db", namespaceSelector={})])) is Outcome.VIOLATED

    def excluded(node: str) -> Story:
        first = pod(nodes("a", "a", "b"), "db", "n1", {"app": "db"}, apart=[app("web")])
        return pod(first, "web", node, {"app": "web"})

    assert outcome(excluded("n2")) is Outcome.VIOLATED
    assert outcome(excluded("n3")) is Outcome.PASS


def test_namespaces_are_selected_by_their_labels() -> None:
    def beside(team: str) -> Outcome:
        story = nodes("a").watch("Namespace", "ns", "added", labels={"team": "red"})
        story = pod(story, "db", "n1", {"app": "db"})
        term = app("db", namespaceSelector={"matchLabels": {"team": team}})
        return outcome(pod(story, "web", "n1", apart=[term]))

    assert beside("red") is Outcome.VIOLATED
    assert beside("blue") is Outcome.PASS


def test_a_pod_that_left_keeps_nobody_off_and_one_that_leaves_does() -> None:
    def first() -> Story:
        return pod(nodes("a"), "db", "n1", {"app": "db"})

    assert outcome(pod(first().gone("db"), "web", "n1", apart=[app("db")])) is Outcome.PASS
    assert outcome(pod(first().phase("db", "Failed"), "web", "n1", apart=[app("db")])) is Outcome.PASS
    assert outcome(pod(first().terminating("db"), "web", "n1", apart=[app("db")])) is Outcome.VIOLATED


def test_pods_of_two_schedulers_that_were_bound_at_once_are_a_race() -> None:
    def strangers(pause: float, *order: str) -> Outcome:
        story = nodes("a")
        for move in order:
            if move == "db":
                story.pod("db", labels={"app": "db"}, constraints={}, scheduler="other").bind("db").after(pause)
            else:
                pod(story, "web", apart=[app("db")])
        return outcome(story.bind("web"))

    assert strangers(0.1, "web", "db") is Outcome.PASS
    assert strangers(3, "web", "db") is Outcome.VIOLATED
    assert strangers(0.1, "db", "web") is Outcome.VIOLATED  # who knows the second pod knows the first


def test_labels_that_changed_just_now_are_a_race() -> None:
    def relabelled(pause: float) -> Story:
        story = pod(pod(nodes("a"), "db", "n1"), "web", apart=[app("db")]).watch("Pod", "db", labels={"app": "db"})
        return story.after(pause).bind("web", "n1")

    assert outcome(relabelled(0.1)) is Outcome.PASS
    assert outcome(relabelled(3)) is Outcome.VIOLATED


def test_host_ports() -> None:
    def second(node: str, port: str) -> Outcome:
        return outcome(pod(pod(nodes("a", "a"), "p", "n1", ports=["TCP/0.0.0.0/80"]), "q", node, ports=[port]))

    assert second("n1", "TCP/0.0.0.0/80") is Outcome.VIOLATED
    assert second("n2", "TCP/0.0.0.0/80") is Outcome.PASS
    assert second("n1", "TCP/0.0.0.0/81") is Outcome.PASS


# -- pods that must be near each other


def test_affinity_needs_a_pod_in_the_domain() -> None:
    def near(node: str) -> Outcome:
        story = pod(nodes("a", "a", "b"), "db", "n1", {"app": "db"})
        return outcome(pod(story, "web", node, {"app": "web"}, near=[app("db")]))

    assert near("n2") is Outcome.PASS
    assert near("n3") is Outcome.VIOLATED


def test_affinity_may_be_met_by_binds_that_follow() -> None:
    def follows(pause: float) -> Story:
        story = pod(nodes("a", "b"), "db", labels={"app": "db"})
        return pod(story, "web", "n1", near=[app("db")]).after(pause).bind("db", "n1")

    assert outcome(follows(1)) is Outcome.PASS
    assert outcome(follows(3)) is Outcome.VIOLATED
    assert judge(pod(nodes("a"), "web", "n1", near=[app("db")]).after(1).end()).outcome is Outcome.UNKNOWN
    taken_back = pod(nodes("a"), "web", "n1", near=[app("db")]).after(1).gone("web")
    assert outcome(taken_back) is Outcome.PASS


def test_the_first_of_pods_that_ask_for_each_other_may_go_anywhere() -> None:
    def pair(second: str) -> Outcome:
        story = pod(nodes("a", "b"), "p", "n1", {"app": "x"}, near=[app("x")])
        return outcome(pod(story, "q", second, {"app": "x"}, near=[app("x")]))

    assert pair("n1") is Outcome.PASS
    assert pair("n2") is Outcome.VIOLATED


def test_a_pod_that_was_near_a_moment_ago_is_near_enough() -> None:
    def after(pause: float) -> Outcome:
        story = pod(pod(nodes("a"), "db", "n1", {"app": "db"}), "web", near=[app("db")])
        return outcome(story.gone("db").after(pause).bind("web", "n1"))

    assert after(1) is Outcome.PASS
    assert after(3) is Outcome.VIOLATED


SPREAD = {"topologyKey": ZONE, "maxSkew": 1, "labelSelector": {"matchLabels": {"app": "x"}}}


def spread(story: Story, *places: str, **more: Any) -> Story:
    for number, node in enumerate(places):
        pod(story, f"s{number}", node, {"app": "x"}, spread=[{**SPREAD, **more}])
    return story


def test_spread_allows_the_skew_and_no_more() -> None:
    assert outcome(spread(nodes("a", "b"), "n1", "n2", "n1")) is Outcome.PASS
    assert outcome(spread(nodes("a", "b"), "n1", "n1")) is Outcome.VIOLATED
    assert outcome(spread(nodes("a", "b"), "n1", "n1", maxSkew=2)) is Outcome.PASS
    assert outcome(spread(nodes("a", "b"), "n1", minDomains=3)) is Outcome.PASS
    assert outcome(spread(nodes("a", "b"), "n1", "n2", "n1", minDomains=3)) is Outcome.VIOLATED


def test_binds_of_a_spread_may_be_committed_in_any_order() -> None:
    assert outcome(spread(nodes("a", "b"), "n1", "n1", "n2")) is Outcome.PASS
    late = spread(nodes("a", "b"), "n1", "n1").after(3)
    assert outcome(pod(late, "late", "n2", {"app": "x"})) is Outcome.VIOLATED


def test_which_nodes_and_pods_count_for_a_spread() -> None:
    def three(**more: Any) -> Story:
        story = nodes("a", "b").node("n3", labels={ZONE: "c", "disk": "hdd"}, taints=["k=:NoSchedule"])
        story.pod("seen", constraints={"tolerations": ["*"]}).bind("seen", "n3")
        for number, node in enumerate(("n1", "n2", "n1")):
            demands = {"spread": [{**SPREAD, **more}]}
            if more.get("nodeAffinityPolicy"):
                demands["nodes"] = [{"matchExpressions": [{"key": "disk", "operator": "DoesNotExist"}]}]
            pod(story, f"s{number}", node, {"app": "x"}, **demands)
        return story

    assert outcome(three()) is Outcome.VIOLATED  # the empty zone of a tainted node counts
    assert outcome(three(nodeTaintsPolicy="Honor")) is Outcome.PASS
    assert outcome(three(nodeAffinityPolicy="Honor")) is Outcome.PASS
    assert outcome(three(nodeAffinityPolicy="Ignore")) is Outcome.VIOLATED
    leaving = spread(nodes("a", "b"), "n1").terminating("s0")
    assert outcome(pod(leaving, "next", "n1", {"app": "x"}, spread=[SPREAD])) is Outcome.PASS
    other = pod(nodes("a", "b"), "v1", "n1", {"app": "x", "version": "1"})
    versions = {**SPREAD, "matchLabelKeys": ["version"]}
    assert outcome(pod(other, "v2", "n1", {"app": "x", "version": "2"}, spread=[versions])) is Outcome.PASS


def test_a_node_that_came_just_now_need_not_be_known_until_a_later_one_is_used() -> None:
    def new_node(*places: str) -> Outcome:
        story = nodes("a").node("n2", labels={ZONE: "b"}).node("n3", labels={ZONE: "b"})
        return outcome(spread(story, *places))

    assert new_node("n1", "n1") is Outcome.PASS
    story = nodes("a").node("n2", labels={ZONE: "b"}).node("n3", labels={ZONE: "b"})
    story.pod("seen", constraints={}).bind("seen", "n3")
    assert outcome(spread(story, "n1", "n1")) is Outcome.VIOLATED


def test_a_node_without_the_label_takes_none_of_a_spread() -> None:
    assert outcome(spread(nodes("a").node("n2", labels={}), "n2")) is Outcome.VIOLATED
