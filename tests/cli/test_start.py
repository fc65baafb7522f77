"""The command is there at once: what it prints first needs little processor time, and imports nothing heavy."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import click
import pytest

from harness.cli import COMMANDS, muster
from harness.core.version import __version__
from harness.runner.collect import collect_cases

HEAVY = ("cryptography", "jsonschema", "kubernetes", "pytest", "rich", "yaml")
ATTEMPTS = 5  # of which the quickest counts: other work of the machine only adds


def processor_seconds(*arguments: str) -> float:
    """The least processor time of some runs of the command."""
    seconds = []
    for _ in range(ATTEMPTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "harness", *arguments], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds)


@pytest.mark.parametrize(("arguments", "limit"), [(("--help",), 0.2), (("list", "cases"), 0.5)])
def test_the_command_is_quick(arguments: tuple[str, ...], limit: float) -> None:
    collect_cases()  # the catalogue is in the cache now
    assert processor_seconds(*arguments) <= limit


def test_the_help_imports_nothing_heavy() -> None:
    code = f"""
import sys
from harness.cli import muster
muster.main(["--help"], standalone_mode=False)
print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stderr.strip() == "[]"


def test_the_pytest_plugin_imports_nothing_heavy() -> None:
    code = f"""
import sys, harness.runner.plugin
print([name for name in {HEAVY!r} if name in sys.modules and name not in ("pytest", "rich", "yaml")])
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def test_the_register_is_checked_once_for_each_text_and_a_wrong_one_every_time(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from harness.box.artifacts.register import load
from harness.core.errors import HarnessError
try:
    load(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
except HarnessError as error:
    print(error)
print("jsonschema" in sys.modules)
"""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    wrong = tmp_path / "components.yaml"
    wrong.write_text("box: []\ncomponents: {}\nbeside: 1\n")
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, env=environment
        ).stdout
        for arguments in ([], [], [str(wrong)], [str(wrong)])
    ]
    assert outputs[:2] == ["True\n", "False\n"]
    assert outputs[2] == outputs[3] and "beside" in outputs[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_help_exists(name: str) -> None:
    command = muster.get_command(click.Context(muster, **muster.context_settings), name)
    assert command is not None and command.name == name
    assert command.get_short_help_str(), "its own help must say what it does"


def test_there_is_one_version(tmp_path: Path) -> None:
    process = subprocess.run([sys.executable, "-m", "harness", "--version"], capture_output=True, text=True, check=True)
    assert process.stdout == f"muster, version {__version__}\n"
