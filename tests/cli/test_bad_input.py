"""What a user can get wrong ends in one message and a documented exit code, never in a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli import main

MUSTER = [sys.executable, "-c", "from harness.cli import main; main()"]


def muster(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MUSTER, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=cwd,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["upp"], "Did you mean 'up'?"),
        (["up", "--nodes", "8y8"], "COUNTxGPUS"),
        (["up", "--nodes", ""], "COUNTxGPUS"),
        (["up", "--kubernetes", "1.12"], "Available: 1.37.1"),
        (["up", "--kubernetes", "banana"], "Available"),
        (["up", "--name", "../escape"], "cannot be the name of a box"),
        (["up", "--port", "99999999"], "99999999"),
        (["up", "--gate", "GangScheduling"], "KEY=VALUE"),
        (["up", "--binary", "kubernetes.kube-scheduler=/no/such/file"], "/no/such/file"),
        (["up", "--integration", "volcan"], "Did you mean 'volcano'?"),
        (["up", "--integration", "workload", "--set", "foo=1"], "has no option 'foo'"),
        (["up", "--set", "foo=1"], "--integration NAME"),
        (["down", "nobody"], "no box called 'nobody'"),
        (["down"], "no box is running"),
        (["logs", "kube-scheduler"], "no box is running"),
        (["get", "kubernets"], "Did you mean 'kubernetes'?"),
        (["get", "--integration", "volcan"], "Did you mean 'volcano'?"),
        (["get", "--integration", "volcano@9"], "1.14.1"),
        (["get", "--all", "--integration", "volcano"], "Leave out --all to get only volcano"),
        (["get", "kubernetes@1.12.0"], "muster lock kubernetes@1.12.0"),
        (["run", "--integration", "workloads"], "Did you mean 'workload'?"),
        (["run", "--profile", "everything"], "core, extended, all"),
        (["run", "--case", "gang-that-fits-is-bound-hole"], "Did you mean 'gang-that-fits-is-bound-whole'?"),
        (["run", "--timeout-factor", "fast"], "fast"),
        (["run", "--integration", "workload@1.30"], "Available: 1.37.1"),
        (["run", "--integration", "workload@1.36", "--kubernetes", "1.37"], "Leave one of the two out"),
        (["run", "--integration", "reference@7"], "no versions to choose from"),
        (["run", "--expected", "/no/such/folder"], "there are no expected verdicts of workload in /no/such/folder"),
        (
            ["run", "--integration", "jobset-barrier", "--profile", "GANG-CORE"],
            "It claims: jobset-barrier, jobset-reference.",
        ),
        (["run", "--profile", "GANG-TOPOLOGY"], "no case of the profile GANG-TOPOLOGY asks for anything that workload"),
        (["run", "--set", "foo=1"], "has no option 'foo'"),
        (["run", "--set", "colour"], "expected KEY=VALUE"),
        (["run", "-q", "-v"], "exclude each other"),
        (["run", "--accept"], "--accept needs the folder of --expected"),
        (["run", "--case", ""], "--case: expected ID, given nothing"),
        (["run", "--output", "/proc/no-such-folder"], "no run can be stored in /proc/no-such-folder"),
        (["prove", "--output", "/proc/no-such-folder"], "no run can be stored in /proc/no-such-folder"),
        (["recheck", "no-such-folder"], "is neither a file nor a folder"),
        (["history", "."], "no history"),
        (["bench", "boxes"], "Did you mean 'box'?"),
        (["prove", "--mutant", "starve"], "Did you mean 'starves'?"),
        (["render", "--gang", "size=0"], "at least one member"),
        (["render", "--gang", "size=999999999999"], "expected a number from 0 to 100000"),
        (["render", "--gang", "gpus=-1"], "expected a number from 0 to 100000"),
        (["render", "--gang", "colour=red"], "a gang has no 'colour'"),
        (["render", "--gang", "name=Ünï"], "is no name of a gang"),
        (["render", "--namespace", "a b"], "is no name of a namespace"),
        (["render", "--integration", "volcano@9"], "Available: 1.14.1"),
        (["run", "--folder", "placment"], "Did you mean 'placement'?"),
        (["run", "-k", "gang and"], "is no expression"),
        (["run", "--failed-first", "--order", "random"], "exclude each other"),
        (["run", "--keep", "failed", "-n", "2"], "Leave out -n"),
        (["run", "--source", "buidl"], "'auto', 'release', 'build'"),
        (["explain", "livenes"], "Did you mean 'liveness'?"),
        (["open", "/no/such/run"], "has no report"),
        (["completion", "tcsh"], "'bash', 'zsh', 'fish'"),
    ],
)
def test_it_says_what_is_wrong_and_what_is_allowed(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(sys, "argv", ["muster", *arguments])

    with pytest.raises(SystemExit) as ending:
        main()

    printed = capsys.readouterr().err
    assert ending.value.code == 4, printed
    assert message in printed
    assert "Traceback" not in printed
    assert not (tmp_path / "muster-runs").exists()


def test_a_process_ends_with_the_code_and_the_message(tmp_path: Path):
    done = muster("run", "--profile", "everything", cwd=tmp_path)

    assert done.returncode == 4
    assert "error: there is no profile 'everything'" in done.stderr
    assert done.stdout == ""


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


def test_clusters_that_were_left_are_in_the_json_too(monkeypatch: pytest.MonkeyPatch):
    from click.testing import CliRunner

    from harness.cli import box
    from harness.cli.box import ps

    monkeypatch.setattr(box.docker, "clusters", lambda: ["muster-old"])
    rows = json.loads(CliRunner().invoke(ps, ["--json"]).output)
    assert {"name": "old", "kind": "kind", "left": True} in rows
