"""The barrier controller in a real box: it needs no more than its role, and may be killed after any write."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from harness.adapters.jobset_barrier import KUBELET, NAME
from harness.cases.language import (
    CONFIG_MAP,
    INIT,
    VOLUME,
    BarrierJobSet,
    Object,
    ReplicatedJob,
    SubmittedBarrier,
    container,
    template,
)
from harness.cases.world import World
from harness.controllers.jobset_barrier.controller import CONDITION
from harness.controllers.jobset_barrier.spec import STARTED
from harness.core.oracle.judge import judge_case
from harness.core.verdict import Outcome
from harness.core.waiting import until
from harness.testbed.testbed import Testbed

from . import substitute

PATIENCE = 0.25  # of the usual deadlines: nothing here waits for a real kubelet


@pytest.fixture(scope="module")
def testbed() -> Iterator[Testbed]:
    with substitute.short_deadlines(NAME, PATIENCE) as opened:
        yield opened


def test_controller_gets_by_with_its_role(testbed: Testbed, tmp_path: Path) -> None:
    log = testbed.box.processes[NAME].log
    before = log.stat().st_size

    for folder, name in (
        ("jobset_barrier", "restarted-jobset-waits-again"),
        ("jobset_reference", "config-map-of-somebody-else-is-left-alone"),
    ):
        result = substitute.run_case(testbed, folder, name, tmp_path)
        assert result.outcome is Outcome.PASS, testbed.box.processes[NAME].tail()
    assert "forbidden: user" not in log.read_bytes()[before:].decode().lower()


def test_simulated_kubelet_tries_again_where_pods_may(testbed: Testbed) -> None:
    world = World(testbed, "restart policy")
    world.nodes(1, gpus=1)
    jobs = ReplicatedJob(retries=9), ReplicatedJob("missing", gpus=2)

    def try_again(obj: Object) -> None:
        for job in jobs:
            template(obj, job.name)["restartPolicy"] = "OnFailure"

    jobset = world.submit(BarrierJobSet(*jobs, name="patient", timeout=5), alter=try_again)

    def tried_again() -> bool:
        pod = jobset.pods("workers")[0]
        status = container(pod, INIT)
        return status["restartCount"] == 1 and "running" in status["state"] and pod["status"]["phase"] == "Pending"

    assert world.sees("its waiting container runs a second time", tried_again, "projected")
    world.nodes(1, gpus=2, name="late")
    assert jobset.has_passed()
    testbed.reset()


def test_commands_of_deleted_pods_end_and_those_of_a_dead_kubelet_run_again(testbed: Testbed) -> None:
    world = World(testbed, "commands")
    world.nodes(1, gpus=2)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2), ReplicatedJob("missing", gpus=9), name="waiting"))
    assert jobset.has_waiting(2)
    kubelet = testbed.box.processes[KUBELET]
    until(lambda: len(shells(kubelet.pid)) == 2, 60, "each pod that waits has a shell")
    kubelet.restart()
    until(lambda: len(shells(kubelet.pid)) == 2, 60, "each has one again after the kubelet was killed")
    jobset.delete()
    until(lambda: not shells(kubelet.pid), 60, "no shell is left of pods that are gone")
    testbed.reset()


def test_signal_of_a_map_made_anew_is_seen(testbed: Testbed) -> None:
    world = World(testbed, "map made anew")
    world.nodes(1, gpus=1)
    former = {"name": f"again-{VOLUME}", "namespace": world.namespace}
    world.objects.create(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": former, "data": {STARTED: "of a former JobSet"}}
    )
    jobset = world.submit(BarrierJobSet(ReplicatedJob(), name="again"))
    assert jobset.has_waiting(1)
    assert jobset.is_held(), "what was there before the JobSet is no signal of it"
    world.objects.delete(CONFIG_MAP, jobset.signal_map)
    assert jobset.has_passed(), "a new ConfigMap with the same key is one"
    testbed.reset()


@pytest.mark.thorough
def test_controller_killed_after_any_write_goes_on(testbed: Testbed) -> None:
    incarnations = itertools.takewhile(lambda writes: _dies_and_goes_on(testbed, writes), itertools.count(1))

    assert len(list(incarnations)) >= 6, (
        "a ConfigMap made, a signal, a reset and a signal again, and what is said of them"
    )


def _dies_and_goes_on(testbed: Testbed, writes: int) -> bool:
    """A JobSet starts, restarts and starts again while the controller dies after so many writes; whether it died."""
    substitute.substitute(testbed, NAME, "jobset_barrier", writes)
    process, deaths = testbed.box.processes[NAME], []

    def at_work() -> bool:
        if not process.alive:
            deaths.append(writes)
            substitute.substitute(testbed, NAME, "jobset_barrier")
        return True

    world = World(testbed, f"killed after write {writes}")
    world.nodes(1, gpus=2)
    jobset = world.submit(BarrierJobSet(ReplicatedJob(pods=2), name="mortal", restarts=1))
    assert world.sees("it starts", lambda: at_work() and len(jobset.running()) == 2 and jobset.signal())
    first = uids(jobset)
    world.delete(jobset.pods()[0]["metadata"]["name"])
    assert world.sees("it restarts", lambda: at_work() and jobset.restarts == 1)
    assert world.sees("new pods run", lambda: at_work() and len(jobset.running()) == 2 and not first & uids(jobset))
    assert world.sees("it says so", lambda: at_work() and jobset.condition(CONDITION) == "True")
    assert [config_map["metadata"]["name"] for config_map in world.objects.all_of(CONFIG_MAP)] == [jobset.signal_map]
    outcomes = {verdict.check: verdict.outcome for verdict in judge_case(world.context.history())}
    assert outcomes["barrier"] is Outcome.PASS
    testbed.reset()
    return bool(deaths)


def uids(jobset: SubmittedBarrier) -> set[str]:
    return {pod["metadata"]["uid"] for pod in jobset.pods()}


def shells(pid: int) -> list[int]:
    """The commands of containers that run below a kubelet: each is a process group of its own."""
    pids = []
    for child in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it may end while the test looks at it
            pids += [child.pid] if child.name() in ("sh", "dash", "bash", "busybox") else []
    return pids
