"""`muster bench gangs` on a real scheduler, small enough for seconds: figures, verdicts, limits, parts."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.report.bench import load_bench
from harness.report.bench_check import check_bench

SMALL = ("--nodes", "5", "--gangs", "6", "--size", "3")


def muster(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def newest(folder: Path) -> Path:
    return max((folder / "muster-runs").glob("2*"), key=lambda path: path.stat().st_mtime)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rounds of native gangs, in two parts of a measurement, put together."""
    folder = tmp_path_factory.mktemp("bench")
    for part in ("1/2", "2/2"):
        done = muster("bench", "gangs", *SMALL, "--rounds", "2", "--shard", part, "--output", part[0], folder=folder)
        assert done.returncode == 0, done.stdout + done.stderr
    parts = [str(next((folder / part).glob("2*"))) for part in "12"]
    done = muster("report", "merge", *parts, "--output", "whole", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "whole"


def test_it_measures_and_judges_at_once(measured: Path) -> None:
    run = load_bench(measured)
    assert [sample.number for sample in run.samples] == [1, 2]
    for sample in run.samples:
        figures = sample.figures
        assert str(sample.outcome) == "pass"
        assert {finding.check for finding in sample.findings} >= {"atomic", "overbooking", "liveness"}
        assert figures["gangs_started"] == 6
        assert 0 < figures["latency_ms_p50"] <= figures["latency_ms_p99"] <= figures["latency_ms_max"]
        assert figures["pods_per_second"] > 0
        assert figures["placement_percent"] == 100
        assert figures["calls_per_gang"] >= 6, "a bind and an event for each member"
        for role in ("scheduler", "apiserver", "etcd", "muster"):
            assert figures[f"memory_mb_{role}"] > 10
            assert figures[f"cpu_seconds_{role}"] >= 0
        assert len(sample.latencies) == 101
        assert sample.used and sample.used[-1][1] == 18
    assert "Pods bound" in (measured / "index.html").read_text()


def test_its_histories_give_the_same_figures(measured: Path, tmp_path: Path) -> None:
    result = check_bench(measured)
    assert (result.problems, result.judged) == ((), 2)
    assert muster("report", "check", str(measured), folder=tmp_path).stdout.endswith("2 histories judged again\n")
    data: dict[str, Any] = json.loads((measured / "bench.json").read_text())
    data["samples"][0]["figures"]["latency_ms_p50"] /= 2
    data["samples"][1]["outcome"] = "violated"
    forged = measured / "forged.json"
    forged.write_text(json.dumps(data))
    problems = " ".join(check_bench(forged).problems)
    forged.unlink()
    assert "latency_ms_p50 is" in problems
    assert "the measurement says violated, the history gives pass" in problems


def test_a_history_of_it_is_judged_again(measured: Path, tmp_path: Path) -> None:
    path = measured / load_bench(measured).samples[0].history
    done = muster("recheck", str(path), folder=tmp_path)
    assert done.returncode == 0, done.stdout


def test_limits_hold_a_run(measured: Path, tmp_path: Path) -> None:
    run = load_bench(measured)
    entry: dict[str, Any] = {"integration": "workload", "point": {}, "most": {"latency_ms_p50": 1}, "least": {}}
    limits = {
        "format": "muster.bench-limits/1",
        "bench": "gangs",
        "parameters": dict(run.parameters),
        "limits": [entry],
    }
    (tmp_path / "limits.yaml").write_text(yaml.safe_dump(limits))
    done = muster("bench", "gangs", *SMALL, "--rounds", "1", "--limits", "limits.yaml", folder=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "beyond its limit  workload@" in done.stdout
    assert "latency_ms_p50 is" in done.stdout


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "harness", "bench", "gangs", *SMALL, "--rounds", "50"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "round 1" in line:
                break
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[0]
    finally:
        process.kill()
    assert process.returncode == 130, rest
    assert "interrupted after" in rest
    run = load_bench(newest(tmp_path))
    assert run.interrupted and run.samples
    assert "The measurement was stopped after" in (newest(tmp_path) / "index.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shape", "fitt"], "Did you mean 'fit'?"),
        (["--grow", "node=1,2"], "Did you mean 'nodes'?"),
        (["--grow", "nodes=1,x"], "expected different whole numbers"),
        (["--nodes", "0"], "--nodes"),
        (["--shard", "3/2"], "expected INDEX/COUNT"),
        (["--calibrate", "l.yaml"], "at least 5 rounds"),
        (["--calibrate", "l.yaml", "--rounds", "5", "--shard", "1/2"], "muster report merge"),
        (["--limits", "no-such-file.yaml"], "cannot read no-such-file.yaml"),
        (["--nodes", "20000", "--gangs", "100000", "--size", "10"], "GB of memory"),
        (["--shape", "contended", "--gangs", "1", "--size", "100", "--nodes", "1000"], "is about too little room"),
        (["--shape", "contended", "--gangs", "1", "--size", "100", "--nodes", "10"], "does not fit"),
        (["--integration", "workloads"], "Did you mean 'workload'?"),
        (["--yes"], "--yes is for an existing cluster"),
    ],
)
def test_bad_input_is_one_message(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = muster("bench", "gangs", *arguments, folder=tmp_path)
    assert done.returncode == 4, done.stdout + done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
