"""The recorder misses nothing, and says so when it cannot know."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.common.render import single_pod
from harness.box.api import Api
from harness.box.nodes import Pool
from harness.box.recorder import Recorder
from harness.cases.world import World
from harness.core.gang import Gang
from harness.core.kinds import NODE, POD, Kind
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.verdict import Outcome
from harness.testbed.testbed import Testbed


def test_a_pods_life_is_recorded_in_etcds_order(testbed: Testbed):
    world = World(testbed, "life")
    world.nodes(1, gpus=1)
    gang = world.submit(Gang("one", size=1))
    assert gang.is_bound_whole()
    gang.delete()
    assert gang.is_gone()
    world.context.recorder.settle()

    records = [r for r in world.context.history().records if r.kind == "Pod" and r.name == "one-0"]

    changes = [word for record in records for word in record.changed]
    assert changes[0] == "created"
    assert changes.index("created") < changes.index("bound") < changes.index("deleted")
    revisions = [record.rev for record in records if record.rev is not None]
    assert revisions == sorted(revisions)
    [bound] = [record for record in records if "bound" in record.changed]
    assert bound.by.startswith("kube-scheduler")
    testbed.reset()


def test_pods_of_other_namespaces_are_recorded_if_they_take_room(testbed: Testbed):
    world = World(testbed, "strangers")
    (node,) = world.nodes(1, gpus=1)
    for name, place in (("guest", {"nodeName": node}), ("waiting", {})):
        pod = single_pod(testbed.adapter, "default", name, part="plain", request={"cpu": "1"})
        pod["spec"] |= {**place, "schedulerName": "nobody"}
        testbed.box.api.create(pod)
        testbed.cleanup.callback(testbed.box.api.delete, POD, "default", name, grace=0)
    world.context.recorder.settle()

    history = world.context.history()

    assert {record.name for record in history.records if record.namespace == "default"} == {"guest"}
    guest = next(record for record in history.records if record.name == "guest")
    assert guest.state["request"] == {"cpu": 1000}
    testbed.reset()


def test_new_nodes_are_recorded_before_a_case_goes_on(testbed: Testbed, monkeypatch: pytest.MonkeyPatch):
    """The watch of nodes lags: a gang was seen on a node of which the recorder did not know the labels yet."""
    see = testbed.recorder._see

    def see_late(kind: str, *rest: Any) -> None:
        if kind == "Node":
            time.sleep(0.2)
        see(kind, *rest)

    monkeypatch.setattr(testbed.recorder, "_see", see_late)
    names = testbed.add_nodes(Pool(2))
    assert set(names) <= {node.name for node in testbed.recorder.latest("Node")}
    monkeypatch.undo()
    testbed.reset()


def test_nothing_is_missed_while_the_api_server_is_down(testbed: Testbed):
    world = World(testbed, "outage")
    world.nodes(2, gpus=4)
    before = world.submit(Gang("before", size=4, gpus=1))
    assert before.is_bound_whole()

    world.faults.kill("apiserver")
    world.faults.restart("apiserver")
    after = world.submit(Gang("after", size=4, gpus=1))

    assert after.is_bound_whole("reconnected")
    world.context.recorder.settle()
    history = world.context.history()
    assert history.gaps == ()
    assert case_outcome(judge_case(history)) is Outcome.PASS
    testbed.reset()


def test_a_kind_that_is_not_served_any_more_leaves_a_gap_of_its_own(testbed: Testbed):
    world = World(testbed, "withdrawn")
    world.faults.set_gang_gates(on=False)
    pod = single_pod(testbed.adapter, world.context.namespace, "single", part="plain", request={"cpu": "1"})
    testbed.box.api.create(pod)
    world.context.recorder.settle()

    history = world.context.history()

    assert {gap.kind for gap in history.gaps} >= {"Workload.scheduling.k8s.io"}
    assert "Pod" not in {gap.kind for gap in history.gaps}
    assert "single" in {record.name for record in history.records if record.kind == "Pod"}
    testbed.reset()


class Forgetful:
    """Stands in for an API server that has compacted away what the watch wants to resume from."""

    versions = Api.versions

    def __init__(self, *, changing: bool) -> None:
        self.changing = changing  # whether the node was changed meanwhile
        self.relisted = threading.Event()
        self.lists = 0

    def request(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        self.lists += path.endswith("/nodes") and more.get("params") is None
        node = {"metadata": {"name": "n", "uid": "u", "resourceVersion": "60" if self.lists > 1 else "5"}}
        items = [node] if path.endswith("/nodes") and self.changing else []
        return {"metadata": {"resourceVersion": "70" if self.lists > 1 else "7"}, "items": items}

    def watch(
        self, resource: Kind, version: str, *, selector: str = "", opened: Callable[[], None]
    ) -> Iterator[dict[str, Any]]:
        opened()
        if resource == NODE and version == "7":
            yield {"type": "ERROR", "object": {"code": 410, "message": "too old resource version"}}
        if resource == NODE:
            self.relisted.set()  # the list is over, and whatever it showed has been written down
        threading.Event().wait(5)


@pytest.mark.parametrize(
    ("changing", "audited", "expected"),
    [
        (True, True, [("Node", 7, 70)]),
        (False, True, []),  # what came and went would be in the audit log
        (False, False, [("Node", 7, 70)]),
    ],
)
def test_a_watch_that_lost_its_place_leaves_a_gap_if_something_may_have_changed(
    tmp_path: Path, changing: bool, audited: bool, expected: list[object]
):
    server = Forgetful(changing=changing)
    recorder = Recorder(server, audit_log=tmp_path / "audit.log" if audited else None)  # type: ignore[arg-type]
    recorder.start()
    assert server.relisted.wait(5)

    gaps = recorder.history("gap", []).gaps

    recorder.stop()
    assert [(gap.kind, gap.state["from"], gap.state["to"]) for gap in gaps] == expected


def test_settle_waits_for_what_was_committed_before(testbed: Testbed):
    testbed.recorder.begin()
    namespace = testbed.namespace()
    names = [f"pod-{number}" for number in range(50)]
    for name in names:
        pod = single_pod(testbed.adapter, namespace, name, part="plain", request={"cpu": "1m"})
        testbed.box.api.request("POST", POD.path(namespace), pod)

    testbed.recorder.settle()

    recorded = {record.name for record in testbed.recorder.live["Pod"].values() if record.namespace == namespace}
    assert recorded == set(names)
    testbed.reset()


@pytest.mark.parametrize("process", ["kube-apiserver", "etcd"])
def test_a_store_that_stood_still_is_told_and_costs_the_scheduler_nothing(testbed: Testbed, process: str):
    world = World(testbed, "stalled")
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("late", size=4, gpus=1, missing=1))
    testbed.box.processes[process].stop_briefly(3.0)  # type: ignore[attr-defined]
    gang.create_missing(1)
    assert gang.is_bound_whole()
    testbed.recorder.settle()

    history = world.context.history()
    stalls = [record for record in history.records if record.verb == "stalled"]
    assert "apiserver" in {record.name for record in stalls}  # others too, if they were starved of processors
    assert 1.5 < sum(record.state["to"] - record.state["from"] for record in stalls) < 10
    assert case_outcome(judge_case(history)) is Outcome.PASS
    testbed.reset()
