"""`muster get` and `muster lock` as a user types them; nothing here builds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.box.artifacts import load
from harness.cli.get import get, lock
from harness.core.errors import UsageError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("MUSTER_BINARIES", raising=False)
    monkeypatch.chdir(tmp_path)


def run(command: object, *arguments: str) -> str:
    result = CliRunner().invoke(command, list(arguments), catch_exceptions=False)  # type: ignore[arg-type]
    assert result.exit_code == 0, result.output
    return result.stdout


def test_list_shows_every_locked_version() -> None:
    rows = json.loads(run(get, "--list", "--json"))
    register = load()
    assert {(row["component"], row["version"]) for row in rows} == {
        (name, version) for name in register.components for version in register.locks(name)
    }
    assert {row["source"] for row in rows} == {"not built"}
    table = run(get, "--list", "kubernetes@1.36")
    assert "COMPONENT" in table and "not built" in table and "muster get kubernetes@1.36." in table


def test_an_integration_names_all_that_it_needs() -> None:
    rows = json.loads(run(get, "--list", "--integration", "lws", "--integration", "workload@1.36", "--json"))

    needed = {"kubernetes", "etcd", "kwok", "lws", "volcano"}
    named = {f"{row['component']}@{row['version'].rpartition('.')[0]}" for row in rows}
    assert {name for name in named if name.startswith("kubernetes")} == {"kubernetes@1.37", "kubernetes@1.36"}
    assert {row["component"] for row in rows} == needed


def test_given_binary_is_listed_and_got(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("#!/bin/sh\n")
    mine.chmod(0o755)
    option = f"--binary=etcd.etcd={mine}"
    (row,) = json.loads(run(get, "etcd", option, "--json"))
    assert (row["source"], row["path"], row["size"]) == ("given", str(mine), 10)
    listed = json.loads(run(get, "--list", option, "--json"))
    assert str(mine) in {row["path"] for row in listed}


def test_verify_of_an_empty_cache() -> None:
    assert json.loads(run(get, "--verify", "--json")) == []
    with pytest.raises(UsageError, match="not built: etcd@"):
        run(get, "--verify", "etcd")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["etdc"], "unknown component 'etdc'"),
        (["etcd@"], "must name a version"),
        (["etcd@0.1.0"], r"etcd 0\.1\.0 has no lock"),
        (["--list", "--verify"], "cannot be used together"),
        (["--all", "etcd"], "--all takes no components"),
        (["--binary", "etcd"], "must be COMPONENT.PROCESS=PATH"),
    ],
)
def test_bad_input(arguments: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        run(get, *arguments)


@pytest.mark.parametrize(("what", "says"), [("etcd", "full version"), ("etdc@1.0.0", "unknown component")])
def test_lock_refuses_bad_names(what: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says):
        run(lock, what, "--output", str(tmp_path / "locks"))
    assert not (tmp_path / "locks").exists()
