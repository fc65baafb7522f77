"""The console blocks of the documentation do what they say: each command is run, and what it prints is compared.

A block is a shell session. A line after `$` is run; the lines below it must be in what it prints, whatever the numbers
and the random names in them are. A comment `# ends with N` names an exit code other than 0. Commands that cannot be run
here are named below with the reason; `tests/test_docs.py` parses those.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.test_docs import BLOCK, PAGES, ROOT

TUTORIAL = ROOT / "docs" / "tutorial" / "first-run.md"
NOT_RUN = {
    r"^make |ci/": "takes many minutes, and is what runs this test",
    r"--box kind|^docker|--image own": "needs a container engine; ci/kind runs it",
    r"--kubeconfig|--context|kubectl|muster-runs/latest --template": "needs a cluster of the reader",
    r"--source release": "needs the internet; tests/box/test_first_run.py does it on loopback",
    r"--watch|muster open|muster controller \S+ --kubeconfig": "goes on until it is stopped, or opens a window",
    r"--kubernetes 1\.3[56]|coscheduling|yunikorn|koordinator": "needs programs that `make test` does not build",
    r"=\./|=PATH|REGISTRY|registry\.example|\bpip install|^cosign|^cd |^mv |^cat |^export ": "has a name of the reader",
    r"-profile (all|LWS|core|extended)\b|--folder|-k |muster run -x|--keep failed|-profile GANG-CORE": "takes minutes",
    r"--last-failed": "follows such a run",
    r"report (pack|verify)": "follows such a run; tests/report/test_pack.py does it",
    r"muster up|muster render .*\|": "tests/cli/test_boxes.py does it",
}
SESSION_SECONDS = 300
_VARIES = re.compile(r"\b[0-9a-f]{8}\b|\d{8}T\d{6}Z|\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a block, its exit code, and lines that it prints."""

    command: str
    code: int
    lines: tuple[str, ...]

    @property
    def reason(self) -> str:
        """Why it is not run here; empty if it is."""
        return next((reason for pattern, reason in NOT_RUN.items() if re.search(pattern, self.command)), "")


def steps(page: Path) -> Iterator[Step]:
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^ *\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            first, *lines = part.splitlines()
            command, _, comment = re.sub(r"\s+#\s", "\0", first).partition("\0")
            code = re.search(r"ends with (\d+)", comment)
            printed = [line for line in lines if line.strip() and line.strip() != "..."]
            yield Step(command.strip(), int(code[1]) if code else 0, tuple(printed))


def normal(line: str) -> str:
    """A line without what differs from run to run."""
    return _VARIES.sub("N", re.sub(r"\s+", " ", line)).strip()


def run_steps(page: Path, folder: Path) -> int:
    """Run the commands of a page, one after another, in one folder; how many were run."""
    programs = Path(sys.executable).parent
    (folder / ".venv").symlink_to(programs.parent)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "200"}
    ran = 0
    for step in steps(page):
        if step.reason:
            continue
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=SESSION_SECONDS,
        )
        output = done.stdout + done.stderr
        assert done.returncode == step.code, f"$ {step.command}\n{output}"
        printed = {normal(line) for line in output.splitlines()}
        for line in step.lines:
            assert normal(line) in printed, f"$ {step.command}\nis said to print\n{line}\nbut prints\n{output}"
        ran += 1
    return ran


def test_the_tutorial_is_true(tmp_path: Path) -> None:
    assert run_steps(TUTORIAL, tmp_path) == len(list(steps(TUTORIAL))) >= 5


@pytest.mark.thorough
@pytest.mark.parametrize("page", [page for page in PAGES if page != TUTORIAL], ids=lambda page: page.name)
def test_a_page_is_true(page: Path, tmp_path: Path) -> None:
    run_steps(page, tmp_path)


def test_what_is_not_run_is_named_and_the_rest_is_run() -> None:
    all_steps = [step for page in PAGES for step in steps(page)]

    assert len(all_steps) > 30
    used = {step.reason for step in all_steps if step.reason}
    assert used == set(NOT_RUN.values()), "a reason that no command needs"
