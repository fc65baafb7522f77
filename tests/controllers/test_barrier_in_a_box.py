"""The barrier's cases can fail, and its controller can be killed at any moment: both in one real box.

Every sin of tests/mutants/controllers takes the place of the controller and must turn a case red that the honest one
passes. Then the honest one is killed after its first write, after its second, and so on to the last.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.adapters.jobset_barrier import NAME
from harness.barriers import CONFIG_MAP, INIT, BarrierSet, ReplicatedJob, container, template
from harness.controllers.jobset_barrier import CONDITION
from harness.core.judge import judge_case
from harness.core.results import CaseResult
from harness.core.verdict import Outcome
from harness.lab import Lab
from harness.world import World

from . import standin

ENTRY = standin.entry("jobset_barrier")
SINS = standin.sins(ENTRY)
CASES = standin.cases("jobset_barrier")
PATIENCE = 0.25  # of the usual deadlines: nothing here waits for a real kubelet


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with standin.impatient_lab(NAME, PATIENCE) as opened:
        yield opened


def stand_in(lab: Lab, *how: str) -> None:
    standin.stand_in(lab, NAME, ENTRY, *how)


def tried(lab: Lab, name: str, folder: Path) -> CaseResult:
    return standin.tried(lab, CASES[name], folder)


def test_every_case_is_turned_red_by_a_sin() -> None:
    assert {name for sin in SINS for name in sin["caught_by"]} == set(CASES)


@pytest.mark.parametrize("sin", SINS, ids=lambda sin: sin["name"])
def test_sin_is_caught(lab: Lab, sin: dict[str, list[str]], tmp_path: Path) -> None:
    stand_in(lab, "--sin", str(sin["name"]))

    missed = [case for case in sin["caught_by"] if tried(lab, case, tmp_path).outcome is not Outcome.VIOLATED]

    assert missed == []


@pytest.mark.parametrize("name", sorted(CASES))
def test_honest_controller_is_not_blamed(lab: Lab, name: str, tmp_path: Path) -> None:
    if "--sin" in lab.box.processes[NAME].command.argv:
        stand_in(lab)

    result = tried(lab, name, tmp_path)

    assert result.outcome is Outcome.PASS, [verdict.reason for verdict in result.verdicts]


def test_controller_gets_by_with_its_role(lab: Lab, tmp_path: Path) -> None:
    stand_in(lab)
    log = lab.box.processes[NAME].log
    before = log.stat().st_size

    for name in ("restarted-jobset-waits-again", "config-map-of-somebody-else-is-left-alone"):
        assert tried(lab, name, tmp_path).outcome is Outcome.PASS, lab.box.processes[NAME].tail()
    assert "forbidden: user" not in log.read_bytes()[before:].decode().lower()


def test_simulated_kubelet_tries_again_where_pods_may(lab: Lab) -> None:
    if "--sin" in lab.box.processes[NAME].command.argv:
        stand_in(lab)
    world = World(lab, "restart policy")
    world.nodes(1, gpus=1)
    jobset = BarrierSet(world, "patient", ReplicatedJob(retries=9), ReplicatedJob("missing", gpus=2), timeout=5)
    for job in ("workers", "missing"):
        template(jobset.object, job)["restartPolicy"] = "OnFailure"
    jobset.submit()

    def tried_again() -> bool:
        pod = jobset.pods("workers")[0]
        status = container(pod, INIT)
        return status["restartCount"] == 1 and "running" in status["state"] and pod["status"]["phase"] == "Pending"

    assert world.sees("its waiting container runs a second time", tried_again, "projected")
    world.nodes(1, gpus=2, name="late")
    assert jobset.is_released()
    lab.reset()


def test_controller_killed_after_any_write_goes_on(lab: Lab) -> None:
    lives = itertools.takewhile(lambda writes: _dies_and_goes_on(lab, writes), itertools.count(1))

    assert len(list(lives)) >= 6, "a ConfigMap made, a signal, a reset and a signal again, and what is said of them"


def _dies_and_goes_on(lab: Lab, writes: int) -> bool:
    """A JobSet starts, restarts and starts again while the controller dies after so many writes; whether it died."""
    stand_in(lab, "--die-after", str(writes))
    process, deaths = lab.box.processes[NAME], []

    def at_work() -> bool:
        if not process.alive:
            deaths.append(writes)
            stand_in(lab)
        return True

    world = World(lab, f"killed after write {writes}")
    world.nodes(1, gpus=2)
    jobset = BarrierSet(world, "mortal", ReplicatedJob(pods=2), restarts=1).submit()
    assert world.sees("it starts", lambda: at_work() and len(jobset.running()) == 2 and jobset.signal())
    first = uids(jobset)
    world.delete_pod(jobset.pods()[0]["metadata"]["name"])
    assert world.sees("it restarts", lambda: at_work() and jobset.restarts == 1)
    assert world.sees("new pods run", lambda: at_work() and len(jobset.running()) == 2 and not first & uids(jobset))
    assert world.sees("it says so", lambda: at_work() and jobset.condition(CONDITION) == "True")
    assert [one["metadata"]["name"] for one in world.all_of(CONFIG_MAP)] == [jobset.signal_map]
    outcomes = {verdict.check: verdict.outcome for verdict in judge_case(world.history())}
    assert outcomes["barrier"] is Outcome.PASS
    lab.reset()
    return bool(deaths)


def uids(jobset: BarrierSet) -> set[str]:
    return {pod["metadata"]["uid"] for pod in jobset.pods()}
