"""A run that is killed at any moment leaves nothing that `muster clean` does not remove, and nothing of others."""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from harness import EmbeddedBox
from harness.box.api import Api, Object
from harness.box.base import Box
from harness.box.existing import removal
from harness.box.existing.ownership import RUN_LABEL
from harness.core.kinds import NAMESPACE, RESOURCE_CLAIM
from harness.core.waiting import until
from tests.existing.somebody import SELECTOR, TEAM, cases, command, differences, everything_of_others, muster, results

CASES = ("gang-that-fits-is-bound-whole", "gang-preempts-and-starts-whole")
SEEDS = range(20)


def kill_a_run(
    box: Box, folder: Path, seconds: float, *options: str, everything: bool = True, context: str = ""
) -> None:
    """Start a run and kill it after so many seconds, as if the machine had died: with all that it has started.

    Without `everything` its keeper lives on for a moment, and removes what is left by itself.
    """
    process = start_a_run(box, folder, *cases(*CASES), *options, context=context)
    time.sleep(seconds)  # a moment that nobody chose, not a proof of anything
    kill(process, everything=everything)


def start_a_run(box: Box, folder: Path, *options: str, context: str = "") -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command(
            *("run", "--yes", "--output", str(folder), *options),
            kubeconfig=box.kubeconfig,
            context=context or box.name,
        ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill(process: subprocess.Popen[bytes], *, everything: bool = True) -> None:
    started = psutil.Process(process.pid).children(recursive=True) if everything else []
    for victim in (process, *reversed(started)):
        with contextlib.suppress(psutil.NoSuchProcess):
            victim.kill()
    process.wait()
    psutil.wait_procs(started, timeout=10)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in SEEDS[1:])])
def test_killed_run_can_be_cleaned_up(somebody: EmbeddedBox, tmp_path: Path, seed: int) -> None:
    before = everything_of_others(somebody.api, borrowed=True)
    chance = random.Random(seed)
    options = ("--nodes-selector", SELECTOR) if seed % 2 else ()

    kill_a_run(somebody, tmp_path, chance.uniform(1.5, 12.0), *options, everything=seed % 4 < 2)
    done = muster("clean", kubeconfig=somebody.kubeconfig, context=somebody.name)

    assert done.returncode == 0, done.stderr
    assert removal.leftovers(somebody.api) == []
    assert differences(before, everything_of_others(somebody.api, borrowed=True)) == []


def test_run_that_is_killed_while_its_pods_have_devices_can_be_cleaned_up(
    somebody: EmbeddedBox, tmp_path: Path
) -> None:
    """Also where finalizers are on everything, and nobody is there who takes them off."""
    api = somebody.api
    before = everything_of_others(api)
    run = start_a_run(somebody, tmp_path, *cases("devices-that-others-have-hold-the-gang"))
    until(lambda: any(map(is_allocated, claims_of_runs(api))), 60, "a claim of the run has a device", poll=0.05)
    kill(run)
    guarded = [(kind, obj) for kind, obj in removal.leftovers(api) if kind.api_version.startswith("resource.k8s.io/")]
    guarded += [(RESOURCE_CLAIM, claim) for claim in claims_of_runs(api)]
    assert {kind.kind for kind, _ in guarded} == {"DeviceClass", "ResourceSlice", "ResourceClaim"}
    for kind, obj in guarded:
        meta = obj["metadata"]
        change = {"metadata": {"finalizers": [*(meta.get("finalizers") or ()), "example.com/of-nobody"]}}
        api.patch(kind, meta.get("namespace", ""), meta["name"], change)

    done = muster("clean", kubeconfig=somebody.kubeconfig, context=somebody.name)

    assert done.returncode == 0, done.stderr
    assert removal.leftovers(api) == []
    assert differences(before, everything_of_others(api)) == []
    (claim,) = api.list(RESOURCE_CLAIM)
    assert claim["metadata"]["namespace"] == TEAM and is_allocated(claim)


def claims_of_runs(api: Api) -> list[Object]:
    """Claims of devices in the namespaces of runs."""
    namespaces = {obj["metadata"]["name"] for obj in api.list(NAMESPACE, labelSelector=RUN_LABEL)}
    return [claim for claim in api.list(RESOURCE_CLAIM) if claim["metadata"]["namespace"] in namespaces]


def is_allocated(claim: Object) -> bool:
    return bool((claim.get("status") or {}).get("allocation"))


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.thorough)])
def test_interrupted_run_cleans_up_and_leaves_a_partial_report(
    somebody: EmbeddedBox, tmp_path: Path, number: signal.Signals
) -> None:
    before = everything_of_others(somebody.api, borrowed=True)
    arguments = ("run", "--profile", "GANG-CORE", "--yes", "--output", str(tmp_path))
    process = subprocess.Popen(
        command(*arguments, kubeconfig=somebody.kubeconfig, context=somebody.name),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    output = []
    for line in process.stdout:
        output.append(line)
        if "✓ constraints/" in line:
            process.send_signal(number)
            break
    output += process.stdout.readlines()

    assert process.wait(timeout=120) == 128 + number, "".join(output)
    result = results(tmp_path)
    assert result["interrupted"] and 0 < len(result["cases"]) < result["planned"]
    assert "The run was stopped after" in (tmp_path / "latest" / "index.html").read_text()
    assert removal.leftovers(somebody.api) == []
    assert differences(before, everything_of_others(somebody.api, borrowed=True)) == []
