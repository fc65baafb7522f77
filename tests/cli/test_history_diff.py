"""`muster history --diff`: two files side by side, where they part."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harness.cli.recheck import history as history_command
from harness.core.errors import ExitCode, UsageError
from harness.core.gang import Gang
from harness.core.history import store

from ..core.story import Story

GANG = Gang("a", 2)


def diff(*arguments: str) -> Result:
    return CliRunner().invoke(history_command, arguments, catch_exceptions=False, standalone_mode=False)


@pytest.fixture
def paths(tmp_path: Path) -> tuple[str, str]:
    """A history in which a gang starts, and one in which half of it does."""
    names = (str(tmp_path / "whole.jsonl.zst"), str(tmp_path / "half.jsonl.zst"))
    for name, members in zip(names, (("a-0", "a-1"), ("a-0",)), strict=True):
        story = Story(window=2.0, bound=30.0).node("n1").submit(GANG).expect("bound", "a", within=30).at(1)
        for member in members:
            story.bind(member)
        store.write(Path(name), story.end(40))
    return names


def test_two_histories_that_part(paths: tuple[str, str]) -> None:
    done = diff("--diff", *paths)
    assert done.return_value == ExitCode.VIOLATED
    for text in ("whole.jsonl.zst", "half.jsonl.zst", "a member of ns/a (member) bound", "stood at 1 of 2 members"):
        assert text in done.output
    assert done.output.count("a member of ns/a (member) bound") == 3


def test_a_history_and_itself(paths: tuple[str, str]) -> None:
    done = diff("--diff", paths[0], paths[0])
    assert done.return_value == ExitCode.CONFORMANT
    assert "the same happened in both" in done.output


def test_what_cannot_be_compared_is_refused(paths: tuple[str, str]) -> None:
    for arguments, message in (
        (["--diff", paths[0]], "--diff compares two histories"),
        (list(paths), "two histories are compared by --diff"),
        (["--diff", paths[0], "/no/such/file"], "/no/such/file is no file"),
        (["--diff", *paths, "--json"], "--diff cannot be combined with other options"),
    ):
        with pytest.raises(UsageError, match=message):
            diff(*arguments)
