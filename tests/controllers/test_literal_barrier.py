"""The barrier suite accepts an implementation that shares only the design with the reference, and no broken one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.adapters.jobset_barrier import NAME
from harness.core.verdict import Outcome
from harness.runner.collect import collect_cases
from harness.testbed.testbed import Testbed

from . import substitute

PATIENCE = 0.25  # of the usual deadlines: nothing here waits for a real kubelet
WITHOUT_LIMIT = 10.0  # seconds after which a container that has a limit of four seconds has none
LITERAL = Path(__file__).with_name("literal_barrier.py")
SOON = (
    "pods-wait-until-all-have-started",
    "pod-out-of-time-fails-and-never-runs",
    "jobs-that-wait-and-no-others-have-the-container",
    "config-map-begins-empty",
)
CASES = sorted(case.id for case in collect_cases() if case.profile == "JOBSET-BARRIER")


@pytest.fixture(scope="module")
def testbed() -> Iterator[Testbed]:
    with substitute.short_deadlines(NAME, PATIENCE) as opened:
        yield opened


@pytest.fixture(scope="module")
def literal(testbed: Testbed) -> Testbed:
    substitute.run_instead(testbed, NAME, str(LITERAL))
    return testbed


@pytest.mark.parametrize(
    "name", [pytest.param(case, marks=() if case in SOON else pytest.mark.thorough) for case in CASES]
)
def test_literal_implementation_passes(name: str, literal: Testbed, tmp_path: Path) -> None:
    result = substitute.run_case(literal, "jobset_barrier", name, tmp_path)
    assert result.outcome is Outcome.PASS, [verdict.reason for verdict in result.verdicts if not verdict]


@pytest.mark.thorough
def test_loop_without_a_timeout_fails_where_the_time_is_over(testbed: Testbed, tmp_path: Path) -> None:
    substitute.run_instead(testbed, NAME, str(LITERAL), "--verbatim")
    testbed.deadlines = {**testbed.deadlines, "projected": WITHOUT_LIMIT}
    result = substitute.run_case(testbed, "jobset_barrier", "pod-out-of-time-fails-and-never-runs", tmp_path)
    assert result.outcome is Outcome.VIOLATED
    reasons = [verdict.reason for verdict in result.verdicts if verdict.outcome is Outcome.VIOLATED]
    assert any("the waiting container fails" in reason for reason in reasons), reasons
