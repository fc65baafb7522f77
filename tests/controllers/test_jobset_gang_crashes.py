"""The gang controller for JobSets in a real box is killed after its first write, its second, and so on to the last."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from harness.adapters.jobset_gang import NAME
from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, SubmittedJobSet
from harness.cases.world import World
from harness.core.oracle.judge import judge_case
from harness.core.verdict import Outcome
from harness.testbed.testbed import Testbed

from . import substitute

PATIENCE = 0.3  # of the usual deadlines: what is to come comes within a second
FEWEST_WRITES, LAST_WRITE = 12, 40  # of a controller in the life of a JobSet that is made twice


@pytest.fixture(scope="module")
def testbed() -> Iterator[Testbed]:
    with substitute.short_deadlines(NAME, PATIENCE) as opened:
        yield opened


@pytest.mark.thorough
def test_killed_after_any_write_it_goes_on(testbed: Testbed) -> None:
    for write in range(1, LAST_WRITE):
        if not dies_and_goes_on(testbed, write):
            assert write > FEWEST_WRITES, "there are more writes than that, so it must have died"
            return
    raise AssertionError(f"it still writes after {LAST_WRITE} writes")


def dies_and_goes_on(testbed: Testbed, write: int) -> bool:
    """A JobSet is made, deleted and made again, and another controller follows when the first one dies; did it?"""
    substitute.substitute(testbed, NAME, "jobset_gang", write)
    process, world, deaths = testbed.box.processes[NAME], World(testbed, "killed"), []
    world.nodes(1, gpus=8)

    def revived() -> bool:
        if not process.alive:
            deaths.append(process.exit_code)
            substitute.substitute(testbed, NAME, "jobset_gang")
        return True

    def incarnations(pods: int) -> SubmittedJobSet:
        assert world.sees("JobSets can be created", lambda: revived() and accepted(world), "reconnected")
        driver = ReplicatedJob("driver", pods=pods, mode=GANG)
        worker = ReplicatedJob("worker", pods=pods, replicas=2, mode=REPLICATED)
        live = world.submit(JobSet(driver, worker))
        groups = {"pg-driver": {"gang": {"minCount": pods}}, "pg-worker": {"gang": {"minCount": pods}}}
        objects = ["pg-train.driver", "pg-train.worker.0", "pg-train.worker.1"]
        assert world.sees("it has its groups", lambda: revived() and live.groups() == groups, "reconnected")
        assert world.sees("it has them", lambda: revived() and sorted(live.pod_groups()) == objects, "reconnected")
        assert world.sees("it says so", lambda: revived() and prepared(live), "reconnected")
        gangs = live.gangs  # one that died over its last write is missed too: pods need its webhook
        placed = "all are placed"
        assert world.sees(placed, lambda: revived() and all(g.bound == g.gang.size for g in gangs), "reconnected")
        assert live.is_bound_whole("reconnected")
        live.delete()
        return live

    incarnations(pods=1)
    assert incarnations(pods=2).is_gone()
    red = [verdict.reason for verdict in judge_case(world.context.history()) if verdict.outcome is Outcome.VIOLATED]
    assert red == []
    assert deaths in ([], [-signal.SIGKILL])
    testbed.reset()
    return bool(deaths)


def accepted(world: World) -> bool:
    """Whether a JobSet would be let in: its webhooks answer. Nothing is stored, and nothing is written about it."""
    (jobset,) = world.objects.of(JobSet(ReplicatedJob()))
    return not isinstance(world.objects.dry_run(jobset), str)


def prepared(live: SubmittedJobSet) -> bool:
    conditions = live.stored()["status"]["conditions"]
    return any(condition["type"] == "GangsPrepared" and condition["status"] == "True" for condition in conditions)
