"""What the documentation tells people to type exists: every command of every console block is parsed, and planned.

`muster run` is planned with --list, which checks integrations, versions, profiles, cases, settings and gates without a
box; all other commands are parsed with their options and arguments. What they do is the business of their own tests.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from harness.cli import muster

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [path for folder in ("harness", "ci", ".github") for path in sorted((ROOT / folder).rglob("*.*"))]
BLOCK = re.compile(r"^ *```console\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
PROGRAMS = {
    "kubectl",
    "export",
    "ci/kind",
    "ci/docker-up",
    "ci/docker-down",
    "docker",
    "pip",
    "cosign",
    "cat",
    "cd",
    "mv",
}


def commands() -> Iterator[tuple[str, str]]:
    """Every command of a console block, with the page that has it."""
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            text = block.replace("\\\n", " ")
            for line in re.findall(r"^ *\$ (.*)$", text, re.MULTILINE):
                for part in re.split(r" \| | && |; ", re.sub(r"\s+#\s.*$", "", line)):
                    yield page.relative_to(ROOT).as_posix(), part.strip()


def parsed(arguments: list[str]) -> None:
    """Let click parse a command line; it raises for what does not exist."""
    group: click.Command = muster
    context = click.Context(muster, info_name="muster", **muster.context_settings)
    while isinstance(group, click.Group):
        command = group.get_command(context, arguments[0])
        assert command is not None, f"there is no command {arguments[0]}"
        group, arguments = command, arguments[1:]
    with group.make_context(group.name, arguments, parent=context):
        pass


@pytest.mark.parametrize(("page", "command"), [*dict.fromkeys(commands())])
def test_a_documented_command_can_be_given(
    page: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = command.split()[0]
    if program == "make":
        targets = re.findall(r"^([\w.-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert command.split()[1] in targets
        return
    if re.match(r"\w+=", program):  # a variable of the shell
        return
    if not program.endswith("muster"):
        assert program in PROGRAMS, f"{page}: {program} is not known here; add it if it is meant"
        return
    arguments = shlex.split(re.sub(r" [<>]+ ?\S+$", "", command))[1:]
    for name in re.findall(r"(?:=|\s)(\./[\w./-]+|\w+[.]yaml|FILE|PATH|C|K)\b", command):  # files that the reader has
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    if arguments[:1] == ["run"] and "--kubeconfig" not in arguments:
        placeholders = {"ID": "gang-that-fits-is-bound-whole", "NAME": "workload", "NAME@VERSION": "workload@1.37.1"}
        arguments = [placeholders.get(argument, argument) for argument in arguments]
        if "--expected" in arguments:
            (tmp_path / arguments[arguments.index("--expected") + 1]).mkdir(parents=True, exist_ok=True)
        answer = CliRunner().invoke(muster, [*arguments, "--list"])
        assert answer.exit_code == 0, answer.exception or answer.output
    else:
        parsed(arguments)


def test_there_are_commands_to_look_at() -> None:
    assert len(list(commands())) > 40


def test_nobody_is_told_to_install_a_package_of_somebody_else() -> None:
    """The distribution is called gang-muster; `muster` and `harness` in the registry are other people's packages."""
    foreign = re.compile(
        r"pipx? (?:install|run) (?!--spec)[^\n`]*?(?<![-\w/.])(?:muster|harness)(?:\[[a-z,]+\])?(?![-\w/.])"
    )
    for path in [*PAGES, *SOURCES]:
        if path.suffix in (".md", ".py", ".yaml", ".yml", ".j2"):
            assert not foreign.findall(path.read_text(encoding="utf-8")), path
