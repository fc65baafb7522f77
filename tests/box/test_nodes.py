"""Pools and what can befall a node."""

from collections.abc import Callable

import pytest

from harness.box.embedded.box import EmbeddedBox
from harness.box.nodes import RACK, ZONE, Pool, Taint, parse_pools, render_node
from harness.core.errors import UsageError
from harness.core.kinds import NODE
from harness.core.quantity import milli


@pytest.mark.parametrize("text", ["8y8", "8", "x8", "0x8", "-1x8", "8x", "8x8x8", "", "8x8,", "8 x 8", "99999999x1"])
def test_what_is_no_pool_is_refused_with_an_example(text: str):
    if text == "8x8,":
        assert len(parse_pools(text)) == 1
        return
    with pytest.raises(UsageError, match="COUNTxGPUS"):
        parse_pools(text)


def test_several_pools_have_names_of_their_own():
    first, second = parse_pools("4x8,2x4")

    assert (first.count, first.gpus, second.count, second.gpus) == (4, 8, 2, 4)
    assert first.name != second.name


def test_racks_and_zones_are_spread_evenly():
    pool = Pool(8, racks=4, zones=2)
    labels = [pool.labels_of(i) for i in range(8)]

    assert [label[RACK] for label in labels] == [f"rack-{i // 2}" for i in range(8)]
    assert [label[ZONE] for label in labels] == [f"zone-{i // 4}" for i in range(8)]


def test_a_node_without_gpus_names_none():
    node = render_node(Pool(1, gpus=0, taints=[Taint("dedicated", "x")]), "n", 0, "v1.37.1")

    assert "nvidia.com/gpu" not in node["status"]["allocatable"]
    assert node["spec"]["taints"] == [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]


def test_a_pool_may_have_further_resources():
    node = render_node(Pool(1, more={"ephemeral-storage": "20Gi"}), "n", 0, "v1.37.1")

    assert node["status"]["allocatable"]["ephemeral-storage"] == "20Gi"


def test_a_node_shows_more_capacity_than_it_has_to_give():
    node = render_node(Pool(1, gpus=4, cpu="1500m", memory="8Gi", pods=9), "n", 0, "v1.37.1")

    assert {name: milli(amount) for name, amount in node["status"]["capacity"].items()} == {
        "cpu": 3_000,
        "memory": 16 * 2**30 * 1000,
        "pods": 9_000,
        "nvidia.com/gpu": 8_000,
    }


def test_no_name_of_a_node_is_given_twice(box: EmbeddedBox, nodes: Callable[..., list[str]]):
    [first] = nodes(1, name="brief")
    box.nodes.remove(first)

    [second] = nodes(1, name="brief")

    assert second != first


def test_a_node_can_be_cordoned_lost_resized_and_removed(box: EmbeddedBox, nodes: Callable[..., list[str]]):
    name = nodes(1, gpus=4, name="fickle")[0]

    box.nodes.cordon(name)
    assert look(box, name)["spec"]["unschedulable"] is True
    box.nodes.uncordon(name)
    assert "unschedulable" not in look(box, name)["spec"]
    box.nodes.lose(name)
    assert ready(box, name) == "Unknown"
    box.nodes.recover(name)
    assert ready(box, name) == "True"
    box.nodes.resize(name, gpus=1)
    assert look(box, name)["status"]["allocatable"]["nvidia.com/gpu"] == "1"
    assert look(box, name)["status"]["capacity"]["nvidia.com/gpu"] == "2"
    box.nodes.remove(name)
    assert box.api.find(NODE, "", name) is None


def test_a_taint_can_be_removed_and_a_label_added(box: EmbeddedBox, nodes: Callable[..., list[str]]):
    taints = [Taint("example.com/stays"), Taint("example.com/goes", "soon")]
    [name] = nodes(1, name="reserved", taints=taints)

    box.nodes.untaint(name, "example.com/goes")
    box.nodes.relabel(name, {"example.com/kind": "fast"})

    assert [taint["key"] for taint in look(box, name)["spec"]["taints"]] == ["example.com/stays"]
    assert look(box, name)["metadata"]["labels"]["example.com/kind"] == "fast"
    box.nodes.untaint(name, "example.com/stays")
    assert "taints" not in look(box, name)["spec"]


def look(box: EmbeddedBox, name: str) -> dict:
    return box.api.get(NODE, "", name)


def ready(box: EmbeddedBox, name: str) -> str:
    conditions = look(box, name)["status"]["conditions"]
    return next(condition["status"] for condition in conditions if condition["type"] == "Ready")


@pytest.mark.parametrize("digits", ["12345678", "12e45678", "00000017"])
def test_names_that_look_like_numbers_stay_text(digits: str) -> None:
    node = render_node(Pool(1, name=digits), digits, 0, "v1.37.1", digits)

    meta = node["metadata"]
    texts = [
        meta["name"],
        *meta["labels"].values(),
        *meta["annotations"].values(),
        *node["status"]["addresses"][0].values(),
    ]
    assert texts.count(digits) == 5 and all(isinstance(text, str) for text in texts)
