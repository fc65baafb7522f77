"""What people expect of a command: defaults from a file, completion, an explanation, and a page that opens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from harness.cli import muster
from harness.cli.explain import steps
from harness.core.errors import UsageError
from harness.runner.collect import collect_cases

CASE = "gang-below-its-quorum-waits"


def listed(*arguments: str) -> dict[str, list[str]]:
    """The cases that `muster run --list` would run, by integration."""
    answer = CliRunner().invoke(muster, ["run", "--list", "--json", *arguments], catch_exceptions=False)
    integrations: dict[str, list[str]] = {}
    for row in json.loads(answer.output):
        integrations.setdefault(row["integration"], [])
        if row["runs"]:
            integrations[row["integration"]].append(row["case"])
    return integrations


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, with a config folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def test_the_list_says_what_runs_and_why_the_rest_does_not(folder: Path) -> None:
    answer = CliRunner().invoke(muster, ["run", "--list", "--folder", "queues", "--folder", "placement"])

    assert f"placement/{CASE}\n" in answer.output
    assert "cases would not: Kubernetes native Workload API does not claim queue\n" in answer.output
    assert "lws: " in answer.output and "would not: not selected" in answer.output


def test_profiles_add_up(folder: Path) -> None:
    both = set(listed("--profile", "GANG-CORE", "--profile", "GANG-PREEMPTION")["workload"])
    assert both == {
        *listed("--profile", "GANG-CORE")["workload"],
        *listed("--profile", "GANG-PREEMPTION")["workload"],
    }


def test_an_option_of_one_value_is_not_given_twice(folder: Path) -> None:
    with pytest.raises(UsageError, match="--kubernetes is given twice"):
        listed("--kubernetes", "1.36", "--kubernetes", "1.37")


@pytest.mark.parametrize(
    ("file", "table"), [("muster.toml", "run"), ("pyproject.toml", "tool.muster.run")], ids=["own", "project"]
)
def test_a_flag_wins_over_a_variable_and_that_over_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, file: str, table: str
) -> None:
    (folder / file).write_text(f'[{table}]\nintegration = ["volcano"]\ncase = "{CASE}"\n')
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")

    assert listed() == {"volcano": [CASE]}
    monkeypatch.setenv("MUSTER_INTEGRATION", "yunikorn,koordinator")
    assert listed() == {"yunikorn": [CASE], "koordinator": [CASE]}
    assert listed("--integration", "workload") == {"workload": [CASE]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[run]\nintegratoin = "volcano"\n', "there is no option 'integratoin'"),
        ("[run]\nprobe = 1\n", "probe: expected true or false, given 1"),
        ("[run]\nkubernetes = true\n", "kubernetes: expected a text, a number or a list of them, given True"),
        ("[run]\noutput = ['a', 'b']\n", "output: expected one value"),
        ("[walk]\n", "unknown table or key 'walk'"),
        ("run = 3\n", "run must be a table"),
    ],
)
def test_a_wrong_default_is_named(folder: Path, content: str, message: str) -> None:
    (folder / "muster.toml").write_text(content)

    with pytest.raises(UsageError) as refused:
        listed()
    assert message in refused.value.message
    assert "muster.toml" in refused.value.message


def test_a_project_without_a_word_about_muster_is_passed_by(folder: Path) -> None:
    (folder / "muster.toml").write_text(f'[run]\ncase = "{CASE}"\n')
    (folder / "below").mkdir()
    (folder / "below" / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n")
    os.chdir(folder / "below")

    assert listed() == {"workload": [CASE]}


def completions(*line: str) -> set[str]:
    """What bash is offered for the end of a line."""
    variables = {"COMP_WORDS": " ".join(["muster", *line]), "COMP_CWORD": str(len(line))}
    environment = {**os.environ, "_MUSTER_COMPLETE": "bash_complete", **variables}
    code = "from harness.cli import muster; muster.main(prog_name='muster')"
    process = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    return {answer.partition(",")[2] for answer in process.stdout.splitlines()}


def test_a_shell_completes_commands_options_and_values(folder: Path) -> None:
    assert {"run", "recheck", "render", "report"} == completions("re") | completions("ru")
    assert completions("run", "--last") == {"--last-failed"}
    assert CASE in completions("run", "--case", "gang-below")
    assert completions("run", "--integration", "volc") == {"volcano"}
    assert completions("run", "--profile", "GANG-Q") == {"GANG-QUEUE"}
    assert completions("explain", "held-") == {"held-resources"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell(shell: str) -> None:
    answer = CliRunner().invoke(muster, ["completion", shell])
    assert answer.exit_code == 0
    assert f"_MUSTER_COMPLETE={shell}_complete" in answer.output


def test_a_case_is_explained(folder: Path) -> None:
    answer = CliRunner().invoke(muster, ["explain", CASE, "--json"], catch_exceptions=False)
    data = json.loads(answer.output)

    assert data["sentence"].startswith("A gang of which fewer members exist")
    assert any(clause.startswith("WL-29: While there are fewer pods") for clause in data["clauses"])
    assert "assert gang.is_refused()" in data["steps"]
    assert "starts-below-the-quorum" in data["killed by"]
    assert "volcano@1.14.1: pass" in data["expected"]
    assert any(text.startswith("yunikorn@1.8.0: violated (YuniKorn counts") for text in data["expected"])


def test_every_case_has_steps() -> None:
    assert [case.id for case in collect_cases() if len(steps(case)) < 3] == []


def test_a_clause_and_a_check_are_explained() -> None:
    clause = CliRunner().invoke(muster, ["explain", "WL-29"]).output
    assert "KEP-4671" in clause and CASE in clause
    assert "quorum is bound within the window" in CliRunner().invoke(muster, ["explain", "atomic"]).output


def test_what_cannot_be_explained_offers_the_nearest() -> None:
    with pytest.raises(UsageError, match="no case, clause or check 'livenes'") as refused:
        CliRunner().invoke(muster, ["explain", "livenes"], catch_exceptions=False)
    assert "Did you mean 'liveness'?" in refused.value.hint


def test_open_shows_the_page_of_a_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="has no report"):
        CliRunner().invoke(muster, ["open"], catch_exceptions=False)
    page = folder / "muster-runs" / "latest" / "index.html"
    page.parent.mkdir(parents=True)
    page.touch()
    shown = folder / "shown"
    browser = folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {shown}\n')
    browser.chmod(0o755)

    command = [sys.executable, "-m", "harness", "open"]
    subprocess.run(command, env={**os.environ, "BROWSER": str(browser)}, check=True, capture_output=True)
    assert shown.read_text() == f"{page.resolve().as_uri()}\n"


def test_without_a_command_the_help_is_no_error() -> None:
    process = subprocess.run([sys.executable, "-m", "harness"], capture_output=True, text=True, check=False)
    assert process.returncode == 4
    assert process.stdout.startswith("Usage: ") and process.stderr == ""


def test_down_all_leaves_boxes_of_running_commands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = [SimpleNamespace(name="by-hand", persistent=True), SimpleNamespace(name="of-a-run", persistent=False)]
    stopped: list[str] = []
    monkeypatch.setattr("harness.cli.box.left_clusters", list)
    monkeypatch.setattr("harness.box.registry.running", lambda: boxes)
    monkeypatch.setattr("harness.box.registry.stop", lambda entry: stopped.append(entry.name))

    answer = CliRunner().invoke(muster, ["down", "--all"], catch_exceptions=False)
    assert stopped == ["by-hand"]
    assert "of-a-run is in use by a command that runs" in answer.output


def test_commands_are_listed_after_the_command_list_was_imported() -> None:
    context = click.Context(muster)
    assert muster.get_command(context, "list") is not None  # its module has the name of a builtin
    assert "run" in muster.list_commands(context)
