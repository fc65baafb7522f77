"""`muster bench first-run`: from nothing to the first verdict, with programs of their vendors and with a build.

Each round has an empty cache, so everything is downloaded, or downloaded as source and compiled. The build is measured
once, since it takes a quarter of an hour on two cores; downloads are measured as often as there are rounds. Vendors'
servers must be reachable, or mirrors of them given.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.bench import BenchResult, Report, median, ratio
from harness.box.config import SOURCE_VARIABLE
from harness.core.errors import HarnessError

CASE = "gang-of-one-is-bound"
OWN_FOLDERS = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")  # all that muster writes to
LAST_LINES = 1500  # characters of the output of a command that failed


@dataclass(frozen=True, slots=True)
class FirstRun:
    """What it took until the first verdict."""

    programs: float  # seconds until all programs were there
    verdict: float  # seconds after that until a case was judged
    megabytes: float  # of the programs

    @property
    def seconds(self) -> float:
        return self.programs + self.verdict


def bench(rounds: int, report: Report) -> BenchResult:
    """Measure releases in each round, and the build once."""
    releases: list[FirstRun] = []
    for number in range(rounds):
        releases.append(first_run("release"))
        report(f"round {number + 1}/{rounds}: release {releases[-1].seconds:.0f} s")
    report("the build, once; it takes minutes")
    build = first_run("build")
    report(f"build {build.seconds:.0f} s")
    return BenchResult(
        "first-run",
        ratios={"release_to_build": ratio([run.seconds for run in releases], [build.seconds])},
        figures={
            "release_seconds": median([run.seconds for run in releases]),
            "release_programs_seconds": median([run.programs for run in releases]),
            "release_megabytes": releases[-1].megabytes,
            "build_seconds": round(build.seconds, 1),
            "build_programs_seconds": round(build.programs, 1),
            "first_case_seconds": median([run.verdict for run in (*releases, build)]),
            "rounds": rounds,
        },
        targets={"release_seconds": 60.0},
    )


def first_run(source: str) -> FirstRun:
    """From an empty cache to the verdict of one case."""
    with tempfile.TemporaryDirectory(prefix="muster-first-run-") as folder:
        environment = {**os.environ, SOURCE_VARIABLE: source, **{name: f"{folder}/{name}" for name in OWN_FOLDERS}}
        began = time.monotonic()
        _muster(["get"], environment)
        ready = time.monotonic()
        _muster(["run", "--case", CASE, "--output", f"{folder}/runs"], environment)
        ended = time.monotonic()
        stored = Path(folder) / OWN_FOLDERS[0] / "muster" / "artifacts"
        size = sum(path.stat().st_size for path in stored.rglob("*") if path.is_file())
    return FirstRun(ready - began, ended - ready, round(size / 1e6, 1))


def _muster(arguments: Sequence[str], environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "harness", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        output = re.sub(r"\n{2,}", "\n", (done.stdout + done.stderr).strip())[-LAST_LINES:]
        hint = "Vendors' servers must be reachable; for mirrors of them see docs/how-to/programs.md."
        raise HarnessError(f"`muster {' '.join(arguments)}` ended with {done.returncode}:\n{output}", hint=hint)
