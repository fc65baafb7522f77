"""What could not be told when a case stopped is looked at once more, and silence is never taken for an answer."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cases.world import World
from harness.core.catalogue.cases import Case
from harness.core.gang import Gang
from harness.core.kinds import POD
from harness.core.verdict import Outcome
from harness.runner.case_run import CaseRun
from harness.testbed.testbed import Testbed

STOPS = Case(id="stops", sentence="A case that stops early MUST be judged.", folder="testbed")


@pytest.fixture
def impatient(testbed: Testbed) -> Iterator[Testbed]:
    """The testbed, with little patience for a scheduler's word."""
    yield replace(testbed, deadlines={**testbed.deadlines, "refused": 6.0})
    testbed.reset()


def bind(world: World, pod: str, node: str) -> None:
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target}
    world.context.api.request("POST", f"{POD.path(world.namespace)}/{pod}/binding", binding)


def test_a_case_that_stops_while_a_gang_is_partial_waits_for_its_window(testbed: Testbed, tmp_path: Path):
    case_run = CaseRun(testbed, STOPS, tmp_path)
    world = case_run.world
    [node] = world.nodes(1, gpus=4)
    half = world.submit(Gang("half", size=4, missing=2))
    bind(world, "half-0", node)
    assert world.until(lambda: half.bound == 1, "bound")

    result = case_run.finish(AssertionError("the case stops here"))

    assert result.outcome is Outcome.VIOLATED
    [atomic] = [verdict for verdict in result.verdicts if verdict.check == "atomic"]
    assert "stood at 1 of 4" in atomic.reason
    testbed.reset()


def test_a_fence_that_was_refused_shows_that_the_scheduler_was_there(impatient: Testbed):
    world = World(impatient, "no room for anything")
    gang = world.submit(Gang("waiting", size=2))

    assert gang.stays_pending()


def test_a_fence_that_nobody_looked_at_shows_nothing(impatient: Testbed):
    world = World(impatient, "nobody there")
    world.faults.kill("scheduler")
    gang = world.submit(Gang("waiting", size=2))

    verdict = gang.stays_pending()

    assert verdict.outcome is Outcome.UNKNOWN


def test_a_fence_that_was_evicted_at_once_was_bound_all_the_same(testbed: Testbed):
    """A gang of higher priority took its place before anybody looked: the scheduler was blamed for doing nothing."""
    world = World(testbed, "evicted fence")
    world.nodes(1, gpus=1)
    fence = world.context.fence()
    assert world.until(lambda: world.context.is_bound(fence), "bound")
    world.context.api.delete(POD, world.namespace, fence, grace=0)
    assert world.until(lambda: not world.context.is_bound(fence), "gone")

    assert world.context.passes(fence)
    testbed.reset()


def test_every_repeat_of_a_case_keeps_its_own_history(testbed: Testbed, tmp_path: Path):
    histories = []
    for repetition in (1, 2):
        case_run = CaseRun(testbed, STOPS, tmp_path, repetition)
        ended = case_run.finish(None)
        histories.append(ended.history)
        assert ended.simulated, "no container runs in an embedded box"
        testbed.reset()

    assert [Path(history).name for history in histories] == ["stops.jsonl.zst", "stops.2.jsonl.zst"]
    assert all((tmp_path / history).is_file() for history in histories)


def test_a_case_that_stops_without_a_violation_says_where(testbed: Testbed, tmp_path: Path):
    case_run = CaseRun(testbed, STOPS, tmp_path)
    case_run.world.nodes(1, gpus=1)
    gang = case_run.world.submit(Gang("fits", size=1))
    assert gang.is_bound_whole()
    try:
        assert not gang.is_bound_whole()
    except AssertionError as error:
        result = case_run.finish(error)

    assert result.outcome is Outcome.UNKNOWN
    assert "the case stopped at `assert not gang.is_bound_whole()`" in result.error
    assert "test_case_run.py, line " in result.error
    assert "object at 0x" not in result.error
    testbed.reset()
