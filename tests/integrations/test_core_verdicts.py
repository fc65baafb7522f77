"""Each scheduler's core verdicts are what ci/expected says, in both directions.

A violation that is recorded there was checked by hand; one that disappears is noticed as well as one that appears.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from harness.adapters import adapter

EXPECTED = Path(__file__).parents[2] / "ci" / "expected"
MUSTER = [sys.executable, "-c", "from harness.cli import main; main()"]
FOREIGN_KUBERNETES = "1.37"


def combinations() -> list[str]:
    return sorted(path.stem for path in EXPECTED.glob("*@*.yaml"))


def test_every_gang_scheduler_has_its_verdicts_written_down():
    assert {
        "coscheduling@0.34.7", "koordinator@1.8.0", "volcano@1.14.1",
        "workload@1.35.4", "workload@1.36.4", "workload@1.37.1", "yunikorn@1.8.0",
    } <= set(combinations())  # fmt: skip


@pytest.mark.parametrize("name", combinations())
def test_every_recorded_violation_and_every_race_is_explained(name: str):
    known = yaml.safe_load((EXPECTED / f"{name}.yaml").read_text())

    for case, why in {**(known.get("violated") or {}), **(known.get("unsteady") or {})}.items():
        assert len(str(why)) > 40, case


def schedulers() -> list[str]:
    """Those that place gangs themselves; controllers are held to profiles of their own."""
    return [name for name in combinations() if "gang" in adapter(name.split("@")[0]).features("1.37.1", "1.37.1")]


def judge(name: str, folder: Path) -> subprocess.Popen[str]:
    """Start the run that a combination is held to."""
    integration, _, version = name.partition("@")
    kubernetes = version if integration == "workload" else FOREIGN_KUBERNETES
    return subprocess.Popen(
        [*MUSTER, "run", "--integration", integration, "--kubernetes", kubernetes, "--profile", "GANG-CORE",
         "--expected", str(EXPECTED), "--output", str(folder), "-q"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """The one that waits most, for its own cycle of a second, runs beside the others."""
    begun = {name: judge(name, tmp_path_factory.mktemp("run")) for name in schedulers() if name.startswith("yunikorn")}
    yield begun
    for run in begun.values():
        run.kill()


@pytest.mark.parametrize("name", schedulers())
def test_the_core_verdicts_are_as_expected(
    name: str, patient: dict[str, subprocess.Popen[str]], tmp_path: Path
) -> None:
    run = patient.get(name) or judge(name, tmp_path)

    said, _ = run.communicate(timeout=900)

    assert run.returncode == 0, said
