"""Each scheduler's core verdicts are what ci/expected says, in both directions.

A violation that is recorded there was checked by hand; one that disappears is noticed as well as one that appears. What
`make test` builds is run there; other versions and schedulers are part of `make conformance`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.adapters import adapter, names
from harness.adapters.common.base import features_of
from harness.box.artifacts import load
from tests import gate

ROOT = Path(__file__).parents[2]
EXPECTED = ROOT / "ci" / "expected"
MUSTER = [sys.executable, "-c", "from harness.cli import main; main()"]
BOXES = {"volcano": 4, "yunikorn": 4, "workload": 3}  # side by side: they mostly wait for a cycle or a backoff
CORE_CASES = {  # of integrations that are controllers: the gate runs one case of each
    "jobset-gang": "jobset-starts-whole-or-not-at-all",
    "lws": "replica-that-fits-is-placed-whole",
}


def schedulers() -> list[str]:
    """Every version of those that place gangs themselves; controllers are held to profiles of their own."""
    register = load()
    built = [adapter(name) for name in names() if adapter(name).component in register.components]
    claiming = [integration for integration in built if "gang" in features_of(integration)]
    return [f"{scheduler.name}@{version}" for scheduler in claiming for version in register.locks(scheduler.component)]


def test_every_gang_scheduler_has_its_verdicts_written_down() -> None:
    assert len(schedulers()) >= 7
    assert set(schedulers()) <= {path.stem for path in EXPECTED.glob("*.yaml")}


def test_the_gate_has_a_second_scheduler_and_every_kind_of_controller() -> None:
    assert {"workload", *CORE_CASES} < set(gate.INTEGRATIONS)
    assert sum(gate.in_gate(name) for name in schedulers()) >= 2


@pytest.mark.parametrize("name", [pytest.param(name, marks=gate.marks(name)) for name in schedulers()])
def test_the_core_verdicts_are_as_expected(name: str, tmp_path: Path) -> None:
    boxes = BOXES.get(name.partition("@")[0], 1)

    as_expected(name, "--profile", "GANG-CORE", "-n", str(boxes), output=tmp_path)


@pytest.mark.parametrize(
    ("integration", "case"),
    [
        *CORE_CASES.items(),
        pytest.param("jobset-barrier", "pods-wait-until-all-have-started", marks=pytest.mark.thorough),
    ],
)
def test_reference_controllers_do_their_work(integration: str, case: str, tmp_path: Path) -> None:
    as_expected(integration, "--case", case, output=tmp_path)


@pytest.mark.thorough
def test_the_native_scheduler_keeps_gangs_within_a_domain(tmp_path: Path) -> None:
    topology = ["--gate", "TopologyAwareWorkloadScheduling=true", "--profile", "GANG-TOPOLOGY"]
    done = run("workload", "--kubernetes", "1.37", *topology, output=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert " 5     0         0        0 " in done.stdout, "five cases were judged and passed"


def as_expected(integration: str, *options: str, output: Path) -> None:
    done = run(integration, *options, "--expected", str(EXPECTED), output=output)

    assert done.returncode == 0, done.stdout + done.stderr


def run(integration: str, *options: str, output: Path) -> subprocess.CompletedProcess[str]:
    command = [*MUSTER, "run", "--integration", integration, *options, "--output", str(output), "-q"]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
