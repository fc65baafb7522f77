"""Real nodes: borrowed by a label, shaped by a resource of muster's own, and given back as they were.

The nodes are real in that they are not muster's: the cluster's own KWOK plays them. Real kubelets are in `ci/kind`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from harness import EmbeddedBox, Pool
from harness.box.api import Api
from harness.box.existing import loan, removal
from harness.box.existing.ownership import Ownership
from harness.box.existing.real_nodes import RealNodes, free_room, usable_nodes
from harness.box.nodes import Taint
from harness.core.errors import UnsupportedError, UsageError
from harness.core.gang import OWN_GPU
from harness.core.history import store
from harness.core.kinds import NODE, POD
from tests.existing.somebody import SELECTOR, TEAM, cases, differences, everything_of_others, muster, outcomes, reasons
from tests.existing.test_kills import kill_a_run

PLACED = (
    "gang-that-fits-is-bound-whole",
    "gang-without-room-binds-nothing",
    "waiting-gang-is-bound-when-a-node-grows",
    "gang-keeps-off-tainted-nodes",
    "waiting-gang-is-bound-when-a-taint-is-removed",
    "waiting-gang-is-bound-when-a-label-is-added",
)
IMPOSSIBLE = {
    "processors-that-run-out-hold-the-gang": "sets the processors of its nodes",
    "node-lost-while-a-gang-waits-is-not-used": "makes a node unready",
    "members-of-a-removed-node-come-back-elsewhere": "removes a node",
    "taint-that-evicts-keeps-the-gang-off": "would evict what runs on real nodes",
    "gang-that-completes-frees-its-room": "members end after a time that the case states",
    "failed-members-count-as-declared": "has members end when it wants",
    "room-of-leaving-pods-is-no-room": "keep their room while they are being deleted",
}


def test_cases_run_on_nodes_that_the_user_has_selected(somebody: EmbeddedBox, tmp_path: Path) -> None:
    before = everything_of_others(somebody.api, borrowed=True)
    options = (
        "--yes",
        "--nodes-selector",
        SELECTOR,
        "--pause-image",
        "registry.example/pause:1",
        "--output",
        str(tmp_path),
    )

    done = muster("run", *cases(*PLACED, *IMPOSSIBLE), *options, kubeconfig=somebody.kubeconfig, context=somebody.name)

    assert done.returncode == 0, done.stdout + done.stderr
    assert {outcomes(tmp_path)[case] for case in PLACED} == {"pass"}
    for case, reason in IMPOSSIBLE.items():
        assert reason in reasons(tmp_path)[case]
    assert differences(before, everything_of_others(somebody.api, borrowed=True)) == []
    (path,) = (tmp_path / "latest").glob(f"history/*/{PLACED[0]}.jsonl.zst")
    history = store.read(path)
    members = [record for record in history.records if record.state.get("part") == "member"]
    assert all(OWN_GPU in record.state["request"] for record in members)
    assert {record.state["node"] for record in members if "node" in record.state} <= {f"node-{n}" for n in range(5)}


@pytest.mark.thorough
def test_killed_run_gives_its_nodes_back(somebody: EmbeddedBox, tmp_path: Path) -> None:
    before = everything_of_others(somebody.api, borrowed=True)

    kill_a_run(somebody, tmp_path, random.Random(7).uniform(4.0, 9.0), "--nodes-selector", SELECTOR)
    done = muster("clean", kubeconfig=somebody.kubeconfig, context=somebody.name)

    assert done.returncode == 0, done.stderr
    assert removal.leftovers(somebody.api) == []
    assert differences(before, everything_of_others(somebody.api, borrowed=True)) == []


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("example.com/lab=false", "matches no node of the cluster"),
        ("a b c", "is no label selector"),
    ],
)
def test_nodes_that_do_not_match_are_refused(
    somebody: EmbeddedBox, tmp_path: Path, selector: str, message: str
) -> None:
    options = ("--yes", "--nodes-selector", selector, "--output", str(tmp_path / "runs"))

    done = muster("run", *cases(PLACED[0]), *options, kubeconfig=somebody.kubeconfig, context=somebody.name)

    assert done.returncode == 4, done.stdout + done.stderr
    assert message in done.stderr
    assert not (tmp_path / "runs").exists()
    assert removal.leftovers(somebody.api) == []


# -- parts, on nodes of the same cluster ------------------------------------------------------------------------------


@pytest.fixture
def nodes(somebody: EmbeddedBox) -> RealNodes:
    """Two nodes that are borrowed; what is left on them is taken off by `muster clean` of the next test."""
    names, _ = usable_nodes(somebody.api, SELECTOR)
    return RealNodes(somebody.api, Ownership("part"), names[:2])


def node(api: Api, name: str) -> tuple[dict[str, str], list[str], str, bool]:
    """Labels of muster, keys of taints, GPUs of muster, cordoned."""
    obj = api.get(NODE, "", name)
    labels = {key: value for key, value in obj["metadata"]["labels"].items() if key.startswith("muster.dev/")}
    taints = [taint["key"] for taint in obj["spec"].get("taints") or ()]
    return labels, taints, obj["status"]["allocatable"].get(OWN_GPU, ""), bool(obj["spec"].get("unschedulable"))


def test_node_goes_through_its_loan_and_comes_back_as_it_was(somebody: EmbeddedBox, nodes: RealNodes) -> None:
    api, (first, second) = somebody.api, nodes.borrowed
    api.patch(NODE, "", first, {"spec": {"taints": [{"key": "their.own/taint", "effect": "PreferNoSchedule"}]}})
    before = [api.get(NODE, "", name) for name in nodes.borrowed]
    nodes.borrow()
    assert node(api, first) == (
        {"muster.dev/pool": "node", "muster.dev/run": "part"},
        ["their.own/taint", "muster.dev/run", "muster.dev/marker"],
        "",
        False,
    )

    assert nodes.add(Pool(1, gpus=4, labels={"example.com/fast": "yes"}, taints=[Taint("example.com/t")])) == [first]
    labels, taints, gpus, _ = node(api, first)
    assert labels["muster.dev/in-use"] == "true" and gpus == "4"
    assert taints == ["their.own/taint", "muster.dev/run", "example.com/t"]
    assert nodes.add_marker(Pool(1, labels={"muster.dev/marker": "m"})) == second
    nodes.cordon(first)
    nodes.resize(first, 2)
    assert node(api, first)[2:] == ("2", True)
    assert api.list(NODE, labelSelector=nodes.scope)
    nodes.untaint(first, "example.com/t")
    nodes.relabel(first, {"example.com/kind": "fast"})
    nodes.relabel(first, {"example.com/kind": "slow"})
    assert "example.com/t" not in node(api, first)[1]
    assert api.get(NODE, "", first)["metadata"]["labels"]["example.com/kind"] == "slow"
    with pytest.raises(UnsupportedError, match=r"which node .* has already"):
        nodes.relabel(first, {"kubernetes.io/hostname": "elsewhere"})

    with pytest.raises(UnsupportedError, match="3 nodes at once"):
        nodes.add(Pool(2))
    for impossible in (nodes.lose, nodes.remove):
        with pytest.raises(UnsupportedError):
            impossible(first)

    nodes.remove_all()
    assert api.list(NODE, labelSelector=nodes.scope) == []
    assert node(api, first)[1:] == (["their.own/taint", "muster.dev/run", "muster.dev/marker"], "", False)
    removal.remove(api, "part")
    after = [api.get(NODE, "", name) for name in nodes.borrowed]
    api.patch(NODE, "", first, {"spec": {"taints": None}})
    assert [_bare(obj) for obj in after] == [_bare(obj) for obj in before]


def _bare(obj: dict) -> dict:  # type: ignore[type-arg]
    meta = {key: value for key, value in obj["metadata"].items() if key not in ("resourceVersion", "managedFields")}
    return {**obj, "metadata": meta}


def test_marker_takes_a_node_of_the_case_if_no_other_is_left(somebody: EmbeddedBox, nodes: RealNodes) -> None:
    nodes.borrow()
    first, second = nodes.add(Pool(2, gpus=1))
    nodes.cordon(first)

    marked = nodes.add_marker(Pool(1, labels={"muster.dev/marker": "m"}))
    nodes.remove_marker(marked)

    assert marked == second
    assert node(somebody.api, second)[0]["muster.dev/in-use"] == "true", "the case still has it"
    nodes.cordon(second)
    with pytest.raises(UnsupportedError):
        nodes.add_marker(Pool(1, labels={"muster.dev/marker": "n"}))
    removal.remove(somebody.api, "part")


def test_node_without_room_for_a_case_is_not_used(somebody: EmbeddedBox, nodes: RealNodes) -> None:
    first, _ = nodes.borrowed
    free = free_room(somebody.api, somebody.api.get(NODE, "", first))
    amount = {"cpu": f"{free['cpu'] - 300}m"}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "large", "namespace": TEAM},
        "spec": {
            "nodeName": first,
            "containers": [{"name": "main", "image": "registry.example/large:1", "resources": {"requests": amount}}],
        },
    }
    somebody.api.create(pod)
    nodes.borrow()

    with pytest.raises(UnsupportedError, match=r"may need 900m cpu on node .*, where 300m cpu is free"):
        nodes.add(Pool(1, gpus=8))
    assert nodes.add(Pool(1, gpus=2)) == [first]

    removal.remove(somebody.api, "part")
    somebody.api.delete(POD, TEAM, "large", grace=0)


def test_nodes_that_no_case_could_use_are_left_out_with_the_reason(somebody: EmbeddedBox) -> None:
    api = somebody.api
    api.patch(NODE, "", "node-0", {"spec": {"unschedulable": True}})
    loan.lend(api, "node-1", loan.idle(Ownership("another")))

    names, left_out = usable_nodes(api, SELECTOR)

    api.patch(NODE, "", "node-0", {"spec": {"unschedulable": None, "taints": None}})
    loan.give_back(api, "node-1")
    assert names == ["node-2", "node-3", "node-4"]
    assert left_out == [
        "node node-0 is left out: it is cordoned",
        "node node-1 is left out: the run another has it; if none is on: muster clean",
    ]
    with pytest.raises(UsageError, match="matches no node"):
        usable_nodes(api, "example.com/none")
