"""The cases of JobSet gangs can fail, and the controller can be killed at any moment: both in one real box.

Every sin of tests/mutants/controllers takes the place of the controller and must turn a case red that the honest one
passes. Then the honest one is killed after its first write, after its second, and so on to the last.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.adapters.jobset_gang import NAME
from harness.core.errors import ApiError
from harness.core.judge import judge_case
from harness.core.results import CaseResult
from harness.core.verdict import Outcome
from harness.jobsets import GANG, REPLICATED, LiveJobSet, job, jobset, submit
from harness.lab import Lab
from harness.world import World

from . import standin

ENTRY = standin.entry("jobset_gang")
SINS = standin.sins(ENTRY)
CASES = standin.cases("jobset_gang")
PATIENCE = 0.3  # of the usual deadlines: what is to come comes within a second
FEWEST_WRITES, LAST_WRITE = 12, 40  # of a controller in the life of a JobSet that is made twice


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with standin.impatient_lab(NAME, PATIENCE) as opened:
        yield opened


def stand_in(lab: Lab, *how: str) -> None:
    standin.stand_in(lab, NAME, ENTRY, *how)


def tried(lab: Lab, name: str, folder: Path) -> CaseResult:
    return standin.tried(lab, CASES[name], folder)


def test_every_case_is_turned_red_by_a_sin() -> None:
    claimed = {case for sin in SINS for case in sin["caught_by"]}

    assert claimed == set(CASES)


@pytest.mark.parametrize("sin", SINS, ids=lambda sin: sin["name"])
def test_sin_is_caught(lab: Lab, sin: dict[str, object], tmp_path: Path) -> None:
    stand_in(lab, "--sin", str(sin["name"]))
    try:
        for case in sin["caught_by"]:  # type: ignore[attr-defined]
            result = tried(lab, case, tmp_path)
            assert result.outcome is Outcome.VIOLATED, f"{case} lets {sin['name']} pass: {result.outcome}"
    finally:
        stand_in(lab)


def test_honest_controller_is_not_blamed(lab: Lab, tmp_path: Path) -> None:
    stand_in(lab)
    blamed = [case for case in sorted(CASES) if tried(lab, case, tmp_path).outcome is not Outcome.PASS]

    assert blamed == []


def test_killed_after_any_write_it_goes_on(lab: Lab) -> None:
    for write in range(1, LAST_WRITE):
        if not dies_and_goes_on(lab, "--die-after", str(write)):
            assert write > FEWEST_WRITES, "a life takes more writes than that, so it must have died"
            return
    raise AssertionError(f"it still writes after {LAST_WRITE} writes")


def dies_and_goes_on(lab: Lab, *how: str) -> bool:
    """A JobSet is made, deleted and made again, and an honest controller follows when the first one dies; did it?"""
    stand_in(lab, *how)
    process, world, deaths = lab.box.processes[NAME], World(lab, "killed"), []
    world.nodes(1, gpus=8)

    def revived() -> bool:
        if not process.alive:
            deaths.append(process.exit_code)
            stand_in(lab)
        return True

    def lives(pods: int) -> LiveJobSet:
        assert world.sees("JobSets can be created", lambda: revived() and accepted(world), "reconnected")
        live = submit(world, job("driver", pods=pods, mode=GANG), job(replicas=2, pods=pods, mode=REPLICATED))
        groups = {"pg-driver": {"gang": {"minCount": pods}}, "pg-worker": {"gang": {"minCount": pods}}}
        objects = ["pg-train.driver", "pg-train.worker.0", "pg-train.worker.1"]
        assert world.sees("it has its groups", lambda: revived() and live.groups() == groups, "reconnected")
        assert world.sees("it has its objects", lambda: revived() and sorted(live.objects()) == objects, "reconnected")
        assert world.sees("it says so", lambda: revived() and prepared(live), "reconnected")
        gangs = live.gangs.values()  # one that died over its last write is missed too: pods need its webhook
        placed = "all are placed"
        assert world.sees(placed, lambda: revived() and all(g.bound == g.gang.size for g in gangs), "reconnected")
        for gang in gangs:
            assert gang.is_bound_whole("reconnected")
        live.remove()
        return live

    lives(pods=1)
    assert lives(pods=2).is_gone()
    red = [one.reason for one in judge_case(world.history()) if one.outcome is Outcome.VIOLATED]
    assert red == []
    assert deaths in ([], [-signal.SIGKILL])
    lab.reset()
    return bool(deaths)


def accepted(world: World) -> bool:
    """Whether a JobSet would be let in: its webhooks answer. Nothing is stored, and nothing is written about it."""
    try:
        world.api.create(jobset(world, job()), dryRun="All")
    except ApiError:
        return False
    return True


def prepared(live: LiveJobSet) -> bool:
    conditions = live.stored()["status"]["conditions"]
    return any(one["type"] == "GangsPrepared" and one["status"] == "True" for one in conditions)
