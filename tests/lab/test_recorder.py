"""The recorder misses nothing, and says so when it cannot know."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from harness.box.api import NODE, POD, Resource
from harness.box.recorder import Recorder
from harness.core.gang import Gang
from harness.core.judge import case_outcome, judge_case
from harness.core.verdict import Outcome
from harness.lab import Lab
from harness.world import World


def test_a_pods_life_is_recorded_in_etcds_order(lab: Lab):
    world = World(lab, "life")
    world.nodes(1, gpus=1)
    gang = world.submit(Gang("one", size=1))
    assert gang.is_bound_whole()
    world.free(gang)
    assert gang.is_gone()
    world.recorder.settle()

    records = [r for r in world.history().records if r.kind == "Pod" and r.name == "one-0"]

    words = [word for record in records for word in record.changed]
    assert words[0] == "created"
    assert words.index("created") < words.index("bound") < words.index("deleted")
    revisions = [record.rev for record in records if record.rev is not None]
    assert revisions == sorted(revisions)
    [bound] = [record for record in records if "bound" in record.changed]
    assert bound.by.startswith("kube-scheduler")
    lab.reset()


def test_nothing_is_missed_while_the_api_server_is_down(lab: Lab):
    world = World(lab, "outage")
    world.nodes(2, gpus=4)
    before = world.submit(Gang("before", size=4, gpus=1))
    assert before.is_bound_whole()

    world.kill("apiserver")
    world.restart("apiserver")
    after = world.submit(Gang("after", size=4, gpus=1))

    assert after.is_bound_whole("reconnected")
    world.recorder.settle()
    history = world.history()
    assert history.gaps == ()
    assert case_outcome(judge_case(history)) is Outcome.PASS
    lab.reset()


class Forgetful:
    """Stands in for an API server that has compacted away what the watch wants to resume from."""

    def __init__(self, *, changing: bool) -> None:
        self.changing = changing  # whether the node was changed meanwhile
        self.relisted = threading.Event()
        self.lists = 0

    def request(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        self.lists += path.endswith("/nodes") and "params" not in more
        node = {"metadata": {"name": "n", "uid": "u", "resourceVersion": "60" if self.lists > 1 else "5"}}
        items = [node] if path.endswith("/nodes") and self.changing else []
        return {"metadata": {"resourceVersion": "70" if self.lists > 1 else "7"}, "items": items}

    def watch(self, resource: Resource, version: str) -> Iterator[dict[str, Any]]:
        if resource == NODE and version == "7":
            yield {"type": "ERROR", "object": {"code": 410, "message": "too old resource version"}}
        if resource == NODE:
            self.relisted.set()  # the list is over, and whatever it showed has been written down
        threading.Event().wait(5)


@pytest.mark.parametrize(("changing", "expected"), [(True, [("Node", 7, 70)]), (False, [])])
def test_a_watch_that_lost_its_place_leaves_a_gap_if_something_changed(changing: bool, expected: list[object]):
    server = Forgetful(changing=changing)
    recorder = Recorder(server)  # type: ignore[arg-type]
    recorder.start()
    assert server.relisted.wait(5)

    gaps = recorder.history("gap", []).gaps

    recorder.stop()
    assert [(gap.kind, gap.state["from"], gap.state["to"]) for gap in gaps] == expected


def test_settle_waits_for_what_was_committed_before(lab: Lab):
    lab.recorder.begin()
    namespace = lab.namespace()
    names = [f"pod-{number}" for number in range(50)]
    for name in names:
        pod = lab.plain_pod(namespace, name, part="plain", request={"cpu": "1m"})
        lab.box.api.request("POST", POD.path(namespace), pod)

    lab.recorder.settle()

    seen = {record.name for record in lab.recorder.live["Pod"].values() if record.namespace == namespace}
    assert seen == set(names)
    lab.reset()
