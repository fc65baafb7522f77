"""How muster ends when it is told to, when nobody reads, and when nothing can be written: one message, a known code."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Xml

import psutil
import pytest

from harness.report import write
from harness.runner import session
from tests.cli.test_bad_input import MUSTER, muster
from tests.report.sample import sample_run, store_histories
from tests.waiting import soon

CASE = "gang-that-fits-is-bound-whole"
REPORTS = {"report.yaml", "index.html", "junit.xml", "results.json"}


def start(*arguments: str, state: Path, **more: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    options = {"stderr": subprocess.PIPE, "text": True, "env": environment, "preexec_fn": heed_hangups, **more}
    return subprocess.Popen([*MUSTER, *arguments], **options)  # type: ignore[call-overload, no-any-return]


def heed_hangups() -> None:
    """Tests may run under nohup, whose children ignore SIGHUP, as they should; here it is sent on purpose."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def ignore_ctrl_c() -> None:
    """As a shell without job control starts what runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def nothing_left(state: Path) -> bool:
    """Whether no process names the state folder any more, five seconds from now at the latest."""

    def ended() -> bool:
        commands = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
        return not any(str(state) in command for command in commands)

    return soon(ended, 5) and list((state / "muster" / "boxes").glob("*")) == []


def reports(folder: Path) -> set[str]:
    return REPORTS & {path.name for path in folder.iterdir()}


def runs_in(output: Path) -> list[Path]:
    """The folders of runs; beside them are the link to the latest and a note of what failed."""
    return [path for path in output.iterdir() if path.is_dir() and not path.is_symlink()]


@pytest.mark.parametrize(
    ("number", "begun"),
    [
        (signal.SIGTERM, heed_hangups),
        (signal.SIGHUP, heed_hangups),
        (signal.SIGINT, heed_hangups),
        (signal.SIGTERM, ignore_ctrl_c),
    ],
)
def test_a_signal_ends_a_run_with_a_partial_report(number: signal.Signals, begun: Callable[[], None], tmp_path: Path):
    output = tmp_path / "runs"
    arguments = ("run", "--case", CASE, "--repeat", "50", "--output", str(output))
    process = start(*arguments, state=tmp_path / "state", stdout=subprocess.PIPE, preexec_fn=begun)
    assert process.stdout is not None
    while CASE not in (line := process.stdout.readline()):
        assert line or process.poll() is None

    process.send_signal(number)
    printed, errors = process.communicate(timeout=session.GRACE)  # after which the suite would be killed

    assert process.returncode == 128 + number, errors
    assert "interrupted after" in printed
    [folder] = runs_in(output)
    assert reports(folder) == REPORTS
    results = json.loads((folder / "results.json").read_text())
    assert results["interrupted"]
    assert 1 <= len(results["cases"]) < 50
    assert nothing_left(tmp_path / "state")


@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.0, 2.0])
def test_ctrl_c_at_the_beginning_leaves_no_folder_without_a_report(seconds: float, tmp_path: Path):
    output = tmp_path / "runs"
    process = start("run", "--case", CASE, "--output", str(output), state=tmp_path / "state", stdout=subprocess.PIPE)
    assert soon(output.exists)
    time.sleep(seconds)

    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=120)

    assert process.returncode == 130, errors
    assert "interrupted" in printed + errors
    assert "Traceback" not in errors
    for folder in runs_in(output):
        assert reports(folder) == REPORTS
    assert nothing_left(tmp_path / "state")


def test_a_closed_pipe_ends_a_run_with_a_partial_report(tmp_path: Path):
    output = tmp_path / "runs"
    arguments = ("run", "--case", CASE, "--repeat", "50", "--output", str(output))
    process = start(*arguments, state=tmp_path / "state", stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None

    _, errors = process.communicate(timeout=120)

    assert process.returncode == 128 + signal.SIGPIPE, errors
    [folder] = runs_in(output)
    assert reports(folder) == REPORTS
    assert nothing_left(tmp_path / "state")


@pytest.mark.parametrize(
    "arguments",
    [["list", "cases"], ["list", "cases", "--json"], ["list", "clauses"], ["render"], ["run", "--help"]],
)
def test_a_closed_pipe_is_quiet_and_no_violation(arguments: list[str], tmp_path: Path):
    reader, writer = os.pipe()
    os.close(reader)

    process = start(*arguments, state=tmp_path, stdout=writer)
    os.close(writer)
    _, errors = process.communicate(timeout=120)

    assert (process.returncode, errors) == (128 + signal.SIGPIPE, "")


def test_an_output_that_takes_nothing_is_named(tmp_path: Path):
    with Path("/dev/full").open("w") as full:
        process = start("list", "versions", state=tmp_path, stdout=full)
        _, errors = process.communicate(timeout=120)

    assert process.returncode == 4
    assert "the output cannot be written: No space left on device" in errors
    assert "Traceback" not in errors


def test_a_terminal_without_unicode_gets_ascii(tmp_path: Path):
    output = str(tmp_path / "runs")

    done = muster("run", "--case", CASE, "--output", output, PYTHONIOENCODING="ascii", LANG="C", LC_ALL="C")

    assert done.returncode == 0, done.stderr
    assert f"+ placement/{CASE}" in done.stdout
    assert (done.stdout + done.stderr).isascii()


def blocked(tmp_path: Path) -> Path:
    """A path below a file, which nobody can make, not even root."""
    (tmp_path / "file").write_text("not a folder")
    return tmp_path / "file" / "below"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    write(store_histories(sample_run(), folder), folder)
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--case", CASE, "--output", "BLOCKED"],
        ["prove", "--output", "BLOCKED"],
        ["compare", "RUN", "RUN", "--output", "BLOCKED"],
    ],
)
def test_an_output_that_cannot_be_made_is_named(arguments: list[str], run: Path, tmp_path: Path):
    places = {"BLOCKED": str(blocked(tmp_path)), "RUN": str(run)}

    done = muster(*(places.get(word, word) for word in arguments), cwd=tmp_path)

    assert done.returncode == 4, done.stderr
    assert str(tmp_path / "file") in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cache_that_cannot_be_read_is_named(tmp_path: Path):
    done = muster("run", "--case", CASE, "--output", str(tmp_path / "runs"), XDG_CACHE_HOME=str(blocked(tmp_path)))

    assert done.returncode == 3
    assert str(tmp_path / "file") in done.stderr
    assert "XDG_CACHE_HOME" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_scheduler_that_dies_at_its_installation_leaves_its_logs_in_the_run(tmp_path: Path):
    broken = tmp_path / "vc-scheduler"
    broken.write_text("#!/bin/sh\necho this build is broken\nexit 9\n")
    broken.chmod(0o755)
    output = tmp_path / "runs"

    done = muster(
        *("run", "--integration", "volcano", "--binary", f"volcano.scheduler={broken}", "--case", CASE),
        *("--output", str(output)),
        XDG_STATE_HOME=str(tmp_path / "state"),
    )

    assert done.returncode == 3, done.stderr
    [folder] = runs_in(output)
    [log] = folder.rglob("vc-scheduler.log")
    assert "this build is broken" in log.read_text()
    assert str(log) in done.stderr
    assert reports(folder) == REPORTS
    [error] = Xml.parse(folder / "junit.xml").getroot().iter("error")
    assert "vc-scheduler has died (exit code 9)" in (error.text or "")
    assert "this build is broken" in (folder / "index.html").read_text()
