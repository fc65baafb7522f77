"""What a user can get wrong ends in one message and a documented exit code, never in a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MUSTER = [sys.executable, "-c", "from harness.cli import main; main()"]


def muster(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MUSTER, *arguments], capture_output=True, text=True, timeout=600, check=False, cwd=cwd,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["upp"], "Did you mean 'up'?"),
        (["up", "--nodes", "8y8"], "COUNTxGPUS"),
        (["up", "--kubernetes", "1.12"], "To be had: 1.37.1"),
        (["up", "--kubernetes", "banana"], "To be had"),
        (["up", "--name", "../escape"], "cannot be the name of a box"),
        (["up", "--port", "99999999"], "99999999"),
        (["up", "--gate", "GangScheduling"], "KEY=VALUE"),
        (["up", "--binary", "kubernetes.kube-scheduler=/no/such/file"], "/no/such/file"),
        (["up", "--integration", "volcan"], "Did you mean 'volcano'?"),
        (["down", "nobody"], "no box called 'nobody'"),
        (["down"], "no box is running"),
        (["logs", "kube-scheduler"], "no box is running"),
        (["get", "kubernets"], "Did you mean 'kubernetes'?"),
        (["get", "kubernetes@1.12.0"], "muster lock kubernetes@1.12.0"),
        (["run", "--integration", "workloads"], "Did you mean 'workload'?"),
        (["run", "--profile", "everything"], "core, extended, all"),
        (["run", "--case", "gang-that-fits-is-bound-hole"], "Did you mean 'gang-that-fits-is-bound-whole'?"),
        (["run", "--timeout-factor", "fast"], "fast"),
        (["run", "--integration", "workload@1.30"], "To be had: 1.37.1"),
        (["run", "--integration", "workload@1.36", "--kubernetes", "1.37"], "Leave one of the two out"),
        (["run", "--integration", "control@7"], "no versions to choose from"),
        (["run", "--expected", "/no/such/folder"], "there are no expected verdicts of workload in /no/such/folder"),
        (["run", "--integration", "jobset-barrier", "--profile", "GANG-CORE"], "It claims: jobset-barrier."),
        (["run", "--profile", "GANG-TOPOLOGY"], "no case of the profile GANG-TOPOLOGY asks for anything that workload"),
        (["run", "--set", "foo=1"], "has no option 'foo'"),
        (["run", "--set", "colour"], "expected KEY=VALUE"),
        (["run", "-q", "-v"], "exclude each other"),
        (["recheck", "no-such-folder"], "does not exist"),
        (["history", "."], "no history"),
        (["bench", "boxes"], "Did you mean 'box'?"),
        (["prove", "--sin", "starve"], "Did you mean 'starves'?"),
        (["render", "--gang", "size=0"], "at least one member"),
        (["render", "--gang", "colour=red"], "a gang has no 'colour'"),
    ],
)
def test_it_says_what_is_wrong_and_what_is_allowed(arguments: list[str], said: str, tmp_path: Path):
    done = muster(*arguments, cwd=tmp_path, XDG_STATE_HOME=str(tmp_path / "state"))

    assert done.returncode == 4, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "muster-runs").exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")

    done = muster("up", XDG_STATE_HOME=str(blocked))

    assert done.returncode == 3
    assert str(blocked) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_binary_that_exits_at_once_shows_its_last_words_and_leaves_nothing(tmp_path: Path):
    broken = tmp_path / "kube-scheduler"
    broken.write_text("#!/bin/sh\necho this build is broken\nexit 9\n")
    broken.chmod(0o755)

    done = muster("up", "--binary", f"kubernetes.kube-scheduler={broken}", XDG_STATE_HOME=str(tmp_path / "state"))

    assert done.returncode == 3
    assert "this build is broken" in done.stderr
    assert "code 9" in done.stderr
    assert list((tmp_path / "state" / "muster" / "boxes").iterdir()) == []
    assert list((tmp_path / "state" / "muster" / "failed").rglob("kube-scheduler.log"))


@pytest.mark.parametrize("command", ["", "up", "run", "prove", "list"])
def test_help_exits_well_and_has_no_colours_in_a_pipe(command: str):
    done = muster(*([command] if command else []), "--help")

    assert done.returncode == 0
    assert "Usage:" in done.stdout
    assert "\x1b[" not in done.stdout


def test_a_bug_of_muster_is_called_one_and_is_no_verdict():
    code = "import harness.cli as cli; cli.muster.main = lambda **how: 1 / 0; cli.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 3
    assert "ZeroDivisionError" in done.stderr
    assert "this is a bug of muster" in done.stderr


def test_a_comma_in_a_setting_is_part_of_it():
    from harness.options import pairs

    assert pairs("--set", "actions=allocate, preempt,backfill,queue=a") == {
        "actions": "allocate, preempt,backfill",
        "queue": "a",
    }


def test_clusters_that_were_left_are_in_the_json_too(monkeypatch: pytest.MonkeyPatch):
    from click.testing import CliRunner

    from harness.cli import box
    from harness.cli.box import ps

    monkeypatch.setattr(box.docker, "clusters", lambda: ["muster-old"])
    found = json.loads(CliRunner().invoke(ps, ["--json"]).output)
    assert {"name": "old", "kind": "kind", "left": True} in found
