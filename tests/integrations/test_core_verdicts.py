"""Each scheduler's core verdicts are what ci/expected says, in both directions.

A violation that is recorded there was checked by hand; one that disappears is noticed as well as one that appears.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.adapters import adapter

EXPECTED = Path(__file__).parents[2] / "ci" / "expected"
MUSTER = [sys.executable, "-c", "from harness.cli import main; main()"]
FOREIGN_KUBERNETES = "1.37"
BOXES = {"volcano": 3, "yunikorn": 4, "workload": 2}  # side by side: they mostly wait for a cycle or a backoff


def combinations() -> list[str]:
    return sorted(path.stem for path in EXPECTED.glob("*@*.yaml"))


def test_every_gang_scheduler_has_its_verdicts_written_down():
    assert {
        "coscheduling@0.34.7", "koordinator@1.8.0", "volcano@1.14.1",
        "workload@1.35.4", "workload@1.36.4", "workload@1.37.1", "yunikorn@1.8.0",
    } <= set(combinations())  # fmt: skip


def schedulers() -> list[str]:
    """Those that place gangs themselves; controllers are held to profiles of their own."""
    return [name for name in combinations() if "gang" in adapter(name.split("@")[0]).features("1.37.1", "1.37.1")]


@pytest.mark.parametrize("name", schedulers())
def test_the_core_verdicts_are_as_expected(name: str, tmp_path: Path):
    integration, _, version = name.partition("@")
    kubernetes = version if integration == "workload" else FOREIGN_KUBERNETES
    wanted = ["--kubernetes", kubernetes, "--profile", "GANG-CORE", "-n", str(BOXES.get(integration, 1))]

    as_expected(integration, *wanted, output=tmp_path)


@pytest.mark.parametrize(
    ("integration", "case"),
    [
        ("jobset-gang", "jobset-starts-whole-or-not-at-all"),
        pytest.param("jobset-barrier", "pods-wait-until-all-have-started", marks=pytest.mark.thorough),
    ],
)
def test_reference_controllers_do_their_work(integration: str, case: str, tmp_path: Path):
    as_expected(integration, "--kubernetes", FOREIGN_KUBERNETES, "--case", case, output=tmp_path)


@pytest.mark.thorough
def test_the_native_scheduler_keeps_gangs_within_a_domain(tmp_path: Path):
    gate = ["--gate", "TopologyAwareWorkloadScheduling=true"]
    done = run("workload", "--kubernetes", "1.37", "--profile", "GANG-TOPOLOGY", *gate, output=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert " 5     0         0        0 " in done.stdout, "five cases were judged and passed"


def as_expected(integration: str, *wanted: str, output: Path) -> None:
    done = run(integration, *wanted, "--expected", str(EXPECTED), output=output)

    assert done.returncode == 0, done.stdout + done.stderr


def run(integration: str, *wanted: str, output: Path) -> subprocess.CompletedProcess[str]:
    command = [*MUSTER, "run", "--integration", integration, *wanted, "--output", str(output), "-q"]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
