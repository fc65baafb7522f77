"""The provider for LeaderWorkerSets in a real box may be killed after its first write, its second, and so on."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from harness.adapters.common.lws_controller import PROVIDER as NAME
from harness.cases.language import LWS, SubmittedLWS, owner
from harness.cases.world import World
from harness.core.oracle.judge import judge_case
from harness.core.verdict import Outcome
from harness.testbed.testbed import Testbed

from . import substitute

PATIENCE = 0.3  # of the usual deadlines
FEWEST_WRITES, LAST_WRITE = 4, 20  # of the provider in the life of a set whose leaders are made twice


@pytest.fixture(scope="module")
def testbed() -> Iterator[Testbed]:
    with substitute.short_deadlines("lws-coscheduling", PATIENCE) as opened:
        yield opened


@pytest.mark.thorough
def test_killed_after_any_write_it_goes_on(testbed: Testbed) -> None:
    for write in range(1, LAST_WRITE):
        if not dies_and_goes_on(testbed, write):
            assert write > FEWEST_WRITES, "there are more writes than that, so it must have died"
            return
    raise AssertionError(f"it still writes after {LAST_WRITE} writes")


def dies_and_goes_on(testbed: Testbed, write: int) -> bool:
    """Two replicas come, one is made anew, and another provider follows when the first one dies; whether it did."""
    substitute.substitute(testbed, NAME, "lws", write)
    process, world, deaths = testbed.box.processes[NAME], World(testbed, "killed"), []

    def revived() -> bool:
        if not process.alive:
            deaths.append(process.exit_code)
            substitute.substitute(testbed, NAME, "lws")
        return True

    def whole() -> bool:
        return all(gang.bound >= gang.gang.size for gang in live.gangs)

    world.nodes(2, gpus=2)
    live = world.submit(LWS(replicas=2, size=2))
    assert world.sees("both replicas are placed", lambda: revived() and whole(), "reconnected")
    assert live.has_groups()
    old = {pod["metadata"]["uid"] for pod in live.pods(0)}
    live.delete(leader=0)
    assert world.sees("the new leader has a group", lambda: revived() and led(live, old), "reconnected")
    assert world.sees("its replica is placed", lambda: revived() and anew(live, old) and whole(), "reconnected")
    revived()
    red = [verdict.reason for verdict in judge_case(world.context.history()) if verdict.outcome is Outcome.VIOLATED]
    assert red == []
    assert deaths in ([], [-signal.SIGKILL])
    testbed.reset()
    return bool(deaths)


def led(live: SubmittedLWS, old: set[str]) -> bool:
    leader = live.leader()["metadata"]["uid"]
    return leader not in old and owner(live.group()).get("uid") == leader


def anew(live: SubmittedLWS, old: set[str]) -> bool:
    return not old & {pod["metadata"]["uid"] for pod in live.pods(0)}
