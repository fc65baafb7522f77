"""The suite can fail: every main mutant is killed by the cases that must kill it, and every reference passes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.mutation.mutants import mutants
from tests import gate

QUICK = [mutant for mutant in mutants() if mutant.quick]
IN_GATE = [mutant.name for mutant in QUICK if gate.in_gate(mutant.integration, mutant.kubernetes)]
BEYOND = [mutant.name for mutant in QUICK if mutant.name not in IN_GATE]
LATER = [  # left to `make prove`: much like others, and each costs a box and up to half a minute of waiting
    "counts-strangers",
    "evicts-its-equals",
    "keeps-holds",
    "leaves-groups",
    "forgets-the-dead",
    "counts-twice-after-restart",
    "ignores",
    "jobset-gang/counts-one-replica",
    "jobset-barrier/never-resets",
    "jobset-barrier/ignores-the-limit",
]


def test_the_main_mutants_are_schedulers_and_controllers() -> None:
    assert len(QUICK) >= 23
    assert {"kube-scheduler", "volcano-without-gang", "careless-api"} <= set(IN_GATE)
    assert {"jobset-barrier/one-pod-early", "jobset-gang/no-owner"} <= set(IN_GATE)
    assert {"lws-coscheduling/one-short"} <= set(BEYOND)
    assert set(LATER) < set(IN_GATE)


@pytest.mark.parametrize(
    "names",
    [
        [name for name in IN_GATE if name not in LATER],
        pytest.param(LATER, marks=pytest.mark.thorough),
        pytest.param(BEYOND, marks=pytest.mark.conformance),
    ],
    ids=["built-for-the-gate", "later", "beyond"],
)
def test_every_main_mutant_is_killed_and_every_reference_passes(names: list[str], tmp_path: Path) -> None:
    muster = [sys.executable, "-c", "from harness.cli import main; main()"]
    selected = [word for name in names for word in ("--mutant", name)]
    command = [*muster, "prove", "--quick", *selected, "-n", "2", "--json", "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)

    data = json.loads(done.stdout)
    assert data["false_positives"] == [], done.stderr
    assert data["survivors"] == [], done.stderr
    assert data["missed_kills"] == []
    assert sorted(data["mutants"]) == sorted(names)
    assert done.returncode == 0
    assert (tmp_path / "latest" / "kills.json").is_file()
    assert (tmp_path / "latest" / "index.html").is_file()
