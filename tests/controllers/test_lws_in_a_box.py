"""The cases of LeaderWorkerSets can fail, and the reference provider can be killed at any moment: in real boxes.

Every sin of tests/mutants/controllers takes the place of the provider and must turn cases red that the honest one
passes. Then the honest one is killed after its first write, after its second, and so on to the last.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.adapters.lws_controller import CONFIG, CONFIG_OFF
from harness.adapters.lws_provider import NAME
from harness.adapters.reference import webhooks
from harness.core.judge import judge_case
from harness.core.results import CaseResult
from harness.core.verdict import Outcome
from harness.lab import Lab
from harness.leaderworker import LiveSet, owner, submit
from harness.world import World

from . import standin

ENTRY = standin.entry("lws_provider")
SINS = standin.sins(ENTRY)
CASES = standin.cases("lws")
PATIENCE = {"lws": 0.3, "lws-coscheduling": 0.3, "lws-yunikorn": 0.5}  # of the usual deadlines
FEWEST_WRITES, LAST_WRITE = 4, 20  # of the provider in the life of a set whose leaders are made twice
UNPROVEN = {
    "gangs-turned-off-leave-no-trace": "the switch is the release's; its sin is below",
    "leader-may-start-in-vain": "it only observes",
    "leader-starts-when-there-is-room-for-its-replica": "Coscheduling does not wake a gang that minResources held back",
    "replica-larger-than-the-cluster-starts-when-nodes-come": "the same",
    "update-without-room-for-another-replica-waits": "the same",
    "waiting-replica-starts-when-room-appears": "the same",
}


@pytest.fixture(scope="module")
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    with standin.impatient_lab(request.param, PATIENCE[request.param]) as opened:
        yield opened


def stand_in(lab: Lab, *how: str) -> None:
    """Another provider, and its webhooks as they were, whatever a sinner did to them."""
    box = lab.box
    flags = box.processes[NAME].command.argv
    port = next(flag.partition("=")[2] for flag in flags if flag.startswith("--webhook-port="))
    for obj in webhooks("lws", box.authority.certificate, url=f"https://127.0.0.1:{port}"):
        box.api.apply(obj)
    standin.stand_in(lab, NAME, ENTRY, *how)


def tried(lab: Lab, name: str, folder: Path) -> CaseResult:
    return standin.tried(lab, CASES[name], folder)


def test_every_case_is_turned_red_by_a_sin_or_explained() -> None:
    assert {case for sin in SINS for case in sin["caught_by"]} == set(CASES) - set(UNPROVEN)


def of(provider: str, integration: str) -> list[pytest.param]:
    """The sins for one integration, whose name is one and the same object: that is how pytest keeps its box."""
    return [pytest.param(integration, sin, id=sin["name"]) for sin in SINS if sin["provider"] == provider]


@pytest.mark.parametrize(
    ("lab", "sin"), of("coscheduling", "lws-coscheduling") + of("yunikorn", "lws-yunikorn"), indirect=["lab"]
)
def test_sin_is_caught(lab: Lab, sin: dict[str, list[str]], tmp_path: Path) -> None:
    stand_in(lab, "--sin", str(sin["name"]))

    missed = [case for case in sin["caught_by"] if tried(lab, case, tmp_path).outcome is not Outcome.VIOLATED]

    assert missed == []


@pytest.mark.parametrize("lab", ["lws-coscheduling", "lws-yunikorn"], indirect=True)
def test_honest_provider_is_not_blamed(lab: Lab, tmp_path: Path) -> None:
    stand_in(lab)
    mine = lab.adapter.name.removeprefix("lws-")
    cases = sorted({case for sin in SINS for case in sin["caught_by"] if sin["provider"] == mine})
    found = {case: tried(lab, case, tmp_path) for case in cases}

    red = {case: result for case, result in found.items() if result.outcome is not Outcome.PASS}
    assert {case: [one.reason for one in result.verdicts] for case, result in red.items()} == {}


@pytest.mark.parametrize("lab", ["lws-coscheduling"], indirect=True)
def test_killed_after_any_write_it_goes_on(lab: Lab) -> None:
    for write in range(1, LAST_WRITE):
        if not dies_and_goes_on(lab, write):
            assert write > FEWEST_WRITES, "a life takes more writes than that, so it must have died"
            return
    raise AssertionError(f"it still writes after {LAST_WRITE} writes")


def dies_and_goes_on(lab: Lab, write: int) -> bool:
    """Two replicas come, one is made anew, and an honest provider follows when the first one dies; whether it did."""
    stand_in(lab, "--die-after", str(write))
    process, world, deaths = lab.box.processes[NAME], World(lab, "killed"), []

    def revived() -> bool:
        if not process.alive:
            deaths.append(process.exit_code)
            stand_in(lab)
        return True

    def whole() -> bool:
        return all(gang.bound >= gang.gang.size for gang in live.gangs)

    world.nodes(2, gpus=2)
    live = submit(world, replicas=2, size=2)
    assert world.sees("both replicas are placed", lambda: revived() and whole(), "reconnected")
    assert live.has_groups()
    old = live.lose_leader()
    assert world.sees("the new leader has a group", lambda: revived() and led(live, old), "reconnected")
    assert world.sees("its replica is placed", lambda: revived() and anew(live, old) and whole(), "reconnected")
    revived()
    red = [one.reason for one in judge_case(world.history()) if one.outcome is Outcome.VIOLATED]
    assert red == []
    assert deaths in ([], [-signal.SIGKILL])
    lab.reset()
    return bool(deaths)


def led(live: LiveSet, old: set[str]) -> bool:
    leader = live.leader()["metadata"]["uid"]
    return leader not in old and owner(live.group()).get("uid") == leader


def anew(live: LiveSet, old: set[str]) -> bool:
    return not old & {pod["metadata"]["uid"] for pod in live.pods(0)}


@pytest.mark.parametrize("lab", ["lws"], indirect=True)
def test_switch_without_effect_is_caught(lab: Lab, tmp_path: Path) -> None:
    folder = lab.box.directory
    assert tried(lab, "gangs-turned-off-leave-no-trace", tmp_path).outcome is Outcome.PASS
    shutil.copy(folder / CONFIG, folder / CONFIG_OFF)

    assert tried(lab, "gangs-turned-off-leave-no-trace", tmp_path).outcome is Outcome.VIOLATED
