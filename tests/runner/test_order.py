"""A case has the same verdict first, last and alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.core.verdict import Outcome
from harness.runner import session
from harness.runner.collect import collect_cases
from harness.runner.config import RunConfig

CASES = (  # those that leave the most behind: nodes that go, a process that dies, priorities, evictions, many gangs
    "gang-keeps-off-tainted-nodes",
    "gang-preempts-and-starts-whole",
    "node-removed-while-a-gang-waits-keeps-it-waiting",
    "node-shrunk-while-a-gang-waits-keeps-it-waiting",
    "scheduler-killed-while-a-gang-waits",
    "twenty-gangs-compete-and-none-is-split",
)


def run(folder: Path, **more: Any) -> tuple[list[str], dict[str, Outcome]]:
    """The cases in the order in which they ran, and their outcomes."""
    folder.mkdir()
    begun: list[str] = []

    def watch(event: dict[str, Any]) -> None:
        if event["event"] == "begin":
            begun.append(event["case"])

    result, faults = session.run(replace(RunConfig(cases=CASES), **more), folder, watch)
    assert faults.sentences == ()
    return begun, {case.case: case.outcome for case in result.cases}


def orders() -> Iterator[tuple[int, list[str]]]:
    """Seeds with their orders, under which each case is the first one once, and the last one once."""
    firsts, lasts = set(CASES), set(CASES)
    for seed in range(100_000):
        order = [case.id for case in collect_cases() if case.id in CASES]
        random.Random(seed).shuffle(order)
        if order[0] in firsts and order[-1] in lasts:
            firsts.remove(order[0])
            lasts.remove(order[-1])
            yield seed, order
        if not firsts:
            return


@pytest.mark.thorough
def test_a_case_has_the_same_verdict_first_last_and_alone(tmp_path: Path) -> None:
    alone = {case: run(tmp_path / case, cases=(case,))[1][case] for case in CASES}
    assert set(alone.values()) == {Outcome.PASS}
    seeds = 0
    for seed, order in orders():
        seeds += 1
        assert run(tmp_path / f"seed-{seed}", order="random", seed=seed) == (order, alone), f"--seed {seed}"
    assert seeds == len(CASES)
