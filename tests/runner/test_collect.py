"""The catalogue: what is kept in the cache is what pytest collects, and nothing stale is ever read."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest

from harness.core.errors import HarnessError
from harness.runner import collect

CASE = """
from harness import case

@case({sentence!r})
def test_some_gang(world):
    pass
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite of one case in a folder of its own, with a cache of its own."""
    folder = tmp_path / "suites" / "placement"
    folder.mkdir(parents=True)
    monkeypatch.setattr(collect, "suites_root", lambda: tmp_path / "suites")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return written(folder, CASE.format(sentence="It MUST be bound."))


def written(folder: Path, text: str) -> Path:
    """The only case of the suite; a new name every time, since a module is imported once in a process."""
    for file in folder.glob("*.py"):
        file.unlink()
    file = folder / f"test_{secrets.token_hex(4)}.py"
    file.write_text(text)
    return file


def sentences() -> list[str]:
    collect.collect_cases.cache_clear()
    try:
        return [case.sentence for case in collect.collect_cases()]
    finally:
        collect.collect_cases.cache_clear()


def cache_file(suite: Path) -> Path:
    (path,) = (suite.parents[2] / "cache" / "muster" / "catalogue").iterdir()
    return path


def test_the_second_time_pytest_is_not_asked(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sentences()
    monkeypatch.setattr(collect, "collect_with_pytest", lambda root: pytest.fail("collected again"))

    assert sentences() == first == ["It MUST be bound."]


def test_a_case_that_changed_is_collected_again(suite: Path) -> None:
    sentences()
    written(suite.parent, CASE.format(sentence="It MUST be bound whole."))

    assert sentences() == ["It MUST be bound whole."]


@pytest.mark.parametrize("content", ["", "not json", "{}", '{"digest": "DIGEST", "cases": [{"id": "a"}]}'])
def test_a_cache_that_cannot_be_read_is_made_again(suite: Path, content: str) -> None:
    sentences()
    path = cache_file(suite)
    path.write_text(content.replace("DIGEST", json.loads(path.read_text())["digest"]))

    assert sentences() == ["It MUST be bound."]
    assert json.loads(path.read_text())["cases"][0]["id"] == "some-gang"


def test_a_cache_that_cannot_be_written_is_done_without(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(suite))  # a file: no folder can be made below it

    assert sentences() == ["It MUST be bound."]


def test_a_case_that_cannot_be_imported_is_named(suite: Path) -> None:
    written(suite.parent, "import no_such_module\n")

    with pytest.raises(HarnessError, match="no_such_module"):
        sentences()


def test_the_kept_catalogue_is_the_collected_one() -> None:
    assert collect.collect_cases() == collect.collect_with_pytest(collect.suites_root())


def test_every_case_has_the_file_that_a_run_asks_pytest_for() -> None:
    assert [case.id for case in collect.collect_cases() if not collect.case_file(case).is_file()] == []


def test_plugins_and_options_of_the_environment_take_no_part(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")

    assert sentences() == ["It MUST be bound."]
