"""A case begins when the scheduler has seen what became of the nodes before, and a bind to a removed one is told so."""

import time
from functools import partial

import pytest

from harness.adapters.common.render import single_pod
from harness.cases.world import World
from harness.core.gang import Gang
from harness.core.kinds import NODE, POD
from harness.core.oracle.judge import judge_case
from harness.core.verdict import Outcome
from harness.core.waiting import until
from harness.testbed.marker import marker_pool, see_nodes
from harness.testbed.testbed import Testbed


def test_every_case_begins_with_a_marker_of_which_nothing_is_left(testbed: Testbed):
    world = World(testbed, "marked")

    until(lambda: not testbed.box.api.list(NODE) and not testbed.box.api.list(POD), 5, "the marker is gone")
    world.nodes(1, gpus=1)
    assert world.submit(Gang("one", size=1)).is_bound_whole()
    world.context.recorder.settle()
    history = world.context.history()
    places = {record.name: i for i, record in enumerate(history.records) if "bound" in record.changed}
    submitted = next(i for i, record in enumerate(history.records) if record.verb == "submit")
    (marker,) = [name for name in places if name.startswith("marker-")]
    assert places[marker] < submitted
    testbed.reset()


def test_nothing_but_a_marker_fits_its_node(testbed: Testbed):
    world = World(testbed, "alone")
    api, box = testbed.box.api, testbed.box
    box.nodes.add(marker_pool("marker-test"))
    for request in ({"cpu": "1m", "memory": "1Mi"}, {}):
        pod = single_pod(testbed.adapter, world.namespace, f"pod-{len(request)}", part="plain", request=request)
        api.create(pod)
        refused = partial(testbed.recorder.timeline.is_refused, world.namespace, pod["metadata"]["name"])
        assert testbed.recorder.wait(refused, 20)
    testbed.reset()


def test_a_scheduler_that_is_dead_is_not_waited_for(testbed: Testbed):
    world = World(testbed, "dead")
    world.faults.kill("scheduler")
    began = time.monotonic()
    assert not see_nodes(testbed)
    assert time.monotonic() - began < 2
    testbed.reset()


def test_a_scheduler_has_seen_the_nodes_before_it_is_paused(testbed: Testbed):
    world = World(testbed, "paused")
    (node,) = world.nodes(1, gpus=1)
    world.faults.pause("scheduler")
    testbed.recorder.settle()
    records = world.context.history().records
    created = next(i for i, record in enumerate(records) if record.name == node and record.verb == "added")
    paused = next(i for i, record in enumerate(records) if record.verb == "pause")
    markers = [i for i, record in enumerate(records) if record.name.startswith("marker-") and "bound" in record.changed]
    assert any(created < i < paused for i in markers)

    world.submit(Gang("one", size=1))
    world.faults.pause("scheduler")  # now it is stopped at once, wherever it is
    assert len([record for record in world.context.history().records if record.verb == "marker"]) == len(markers)
    testbed.reset()


@pytest.mark.parametrize("of_former_case", [True, False])
def test_a_bind_to_a_removed_node_is_told_as_that(testbed: Testbed, of_former_case: bool):
    world = World(testbed, "former")
    (gone,) = world.nodes(1, gpus=1)
    if of_former_case:
        testbed.reset()
        world = World(testbed, "stray")
    else:
        world.cluster.remove(gone)
    gang = world.submit(Gang("one", size=1))
    assert gang.is_refused()

    target = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "one-0"}, "target": {"name": gone}}
    testbed.box.api.request("POST", f"{POD.path(world.namespace, 'one-0')}/binding", target)
    assert testbed.recorder.wait(lambda: gang.bound == 1, 10)
    testbed.recorder.settle()

    verdicts = {verdict.check: verdict for verdict in judge_case(world.context.history())}
    assert verdicts["overbooking"].outcome is Outcome.VIOLATED, "the marker shows that the removal was seen"
    assert f"one-0 was bound to node {gone}, which was removed" in verdicts["overbooking"].reason
    testbed.reset()
