"""The suite can fail: every main sin is noticed by the cases that must notice it, and the honest control by none."""

import json
import subprocess
import sys
from pathlib import Path


def test_every_sin_is_caught_and_the_honest_scheduler_is_not_blamed(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", "from harness.cli import main; main()",
         "prove", "--quick", "-n", "2", "--json", "--output", str(tmp_path)],
        capture_output=True, text=True, timeout=1500, check=False,
    )  # fmt: skip

    found = json.loads(done.stdout)
    assert found["innocent_blamed"] == [], done.stderr
    assert found["holes"] == [], done.stderr
    assert found["missed"] == []
    assert found["unproven"] == []
    assert len(found["sins"]) >= 18
    assert {"kube-scheduler", "volcano-without-gang", "careless-api"} <= set(found["sins"])
    assert done.returncode == 0
    assert (tmp_path / "latest" / "kills.json").is_file()
    assert (tmp_path / "latest" / "index.html").is_file()
