"""A run that is killed at any moment leaves nothing that `muster clean` does not remove, and nothing of others."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest

from harness import EmbeddedBox
from harness.box.existing import removal
from tests.existing.somebody import LAB, cases, command, differences, everything_of_others, muster

CASES = ("gang-that-fits-is-bound-whole", "gang-preempts-and-starts-whole")
SEEDS = range(20)


def kill_a_run(box: EmbeddedBox, folder: Path, seconds: float, *options: str) -> None:
    """Start a run and kill it, and the pytest that it started, after so many seconds."""
    arguments = ("run", *cases(*CASES), "--yes", "--output", str(folder), *options)
    process = subprocess.Popen(
        command(*arguments, kubeconfig=box.kubeconfig, context=box.name),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(seconds)  # a moment that nobody chose, not a proof of anything
    process.kill()
    process.wait()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in SEEDS[1:])])
def test_killed_run_can_be_cleaned_up(somebody: EmbeddedBox, tmp_path: Path, seed: int) -> None:
    before = everything_of_others(somebody.api, borrowed=True)
    chance = random.Random(seed)
    options = ("--nodes-selector", LAB) if seed % 2 else ()

    kill_a_run(somebody, tmp_path, chance.uniform(1.5, 12.0), *options)
    done = muster("clean", kubeconfig=somebody.kubeconfig, context=somebody.name)

    assert done.returncode == 0, done.stderr
    assert removal.leftovers(somebody.api) == []
    assert differences(before, everything_of_others(somebody.api, borrowed=True)) == []
