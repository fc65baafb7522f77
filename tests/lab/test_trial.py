"""What could not be told when a case stopped is looked at once more, and silence is never taken for an answer."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.box.api import POD
from harness.core.catalogue import Case
from harness.core.gang import Gang
from harness.core.verdict import Outcome
from harness.lab import Lab
from harness.trial import Trial
from harness.world import World

STOPS = Case(id="stops", sentence="A case that stops early MUST be judged.", folder="lab")


@pytest.fixture
def impatient(lab: Lab) -> Iterator[Lab]:
    """The lab, with little patience for a scheduler's word."""
    yield replace(lab, deadlines={**lab.deadlines, "refused": 6.0})
    lab.reset()


def bind(world: World, pod: str, node: str) -> None:
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target}
    world.api.request("POST", f"{POD.path(world.namespace)}/{pod}/binding", binding)


def test_a_case_that_stops_while_a_gang_is_partial_waits_for_its_window(lab: Lab, tmp_path: Path):
    trial = Trial(lab, STOPS, tmp_path)
    world = trial.world
    [node] = world.nodes(1, gpus=4)
    half = world.submit(Gang("half", size=4, missing=2))
    bind(world, "half-0", node)
    assert world.until(lambda: half.bound == 1, "bound")

    found = trial.finish(AssertionError("the case stops here"))

    assert found.outcome is Outcome.VIOLATED
    [atomic] = [verdict for verdict in found.verdicts if verdict.check == "atomic"]
    assert "stood at 1 of 4" in atomic.reason
    lab.reset()


def test_a_fence_that_was_refused_shows_that_the_scheduler_was_there(impatient: Lab):
    world = World(impatient, "no room for anything")
    gang = world.submit(Gang("waiting", size=2))

    assert gang.still_waits()


def test_a_fence_that_nobody_looked_at_shows_nothing(impatient: Lab):
    world = World(impatient, "nobody there")
    world.kill("scheduler")
    gang = world.submit(Gang("waiting", size=2))

    verdict = gang.still_waits()

    assert verdict.outcome is Outcome.UNKNOWN


def test_every_repeat_of_a_case_keeps_its_own_history(lab: Lab, tmp_path: Path):
    found = []
    for repetition in (1, 2):
        trial = Trial(lab, STOPS, tmp_path, repetition)
        ended = trial.finish(None)
        found.append(ended.history)
        assert ended.simulated, "no container runs in an embedded box"
        lab.reset()

    assert [Path(one).name for one in found] == ["stops.jsonl.zst", "stops.2.jsonl.zst"]
    assert all((tmp_path / one).is_file() for one in found)
