"""Files taken out of a component's module: which, from where, and that they are what was locked."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from harness.box.artifacts import files, progress, store
from harness.box.artifacts.register import Component, ComponentProcess, Lock
from harness.box.artifacts.sources import Request
from harness.core.errors import ArtifactError

FAKE_GO = """#!/bin/sh
. "$(dirname "$0")/settings"
case "$1" in
  version) echo "go version go1.90.0 linux/amd64" ;;
  mod) echo x >> "$FAKE_GO_LOG"; printf '{"Dir": "%s"}' "$FAKE_MODULE" ;;
esac
"""
MODULE = "example.org/tool@v1.2.3"
CONTENT = {"crd/a.yaml": "kind: A\n", "crd/b.txt": "b\n", "more/c.yaml": "kind: C\n"}


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module in a cache that a fake `go` points to, and user folders of our own."""
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text(FAKE_GO)
    go.chmod(0o755)
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("MUSTER_GO", raising=False)
    folder = tmp_path / "mod" / MODULE
    for name, text in CONTENT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setenv("PATH", f"{go.parent}{os.pathsep}{os.environ['PATH']}")
    settings = {"FAKE_GO_LOG": tmp_path / "downloads", "FAKE_MODULE": folder}
    lines = [f"{name}={shlex.quote(str(path))}\n" for name, path in settings.items()]
    (go.parent / "settings").write_text("".join(lines))
    return folder


def request(tmp_path: Path, module: Path, **sets: list[str]) -> Request:
    lock = tmp_path / "locks" / "tool" / "1.2.3"
    if not lock.is_dir():
        lock.mkdir(parents=True)
        (lock / "go.mod").write_text("module muster.local/lock\n\ngo 1.25.0\n")
        (lock / "go.sum").write_text(f"example.org/tool v1.2.3 {files.folder_sum(module, MODULE)}\n")
    tool = Component("tool", "example.org/tool", "1.2.3", {"tool": ComponentProcess("tool", "x", "tool")}, files=sets)
    return Request(tool, Lock("tool", "1.2.3", lock), progress.silent)


def downloads(tmp_path: Path) -> int:
    log = tmp_path / "downloads"
    return len(log.read_text().split()) if log.exists() else 0


def test_folder_hash_is_gos(tmp_path: Path) -> None:
    """A known answer, from Go's own golang.org/x/mod/sumdb/dirhash."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "go.mod").write_text("module example.org/tool\n")
    (tmp_path / "sub" / "a.txt").write_text("a\n")
    assert files.folder_sum(tmp_path, "example.org/tool@v1.2.3") == "h1:L71fHK78D4+ZfK2qIS4MQLJUE2Ltq3LGZPmBiAw9nOI="


def test_named_sets_are_copied_once(tmp_path: Path, module: Path) -> None:
    asked = request(tmp_path, module, crds=["crd/*.yaml", "more/*.yaml"], text=["crd/b.txt"])
    first, second = files.supply(asked), files.supply(asked)
    assert first == second and downloads(tmp_path) == 1
    assert [path.name for path in first["crds"]] == ["a.yaml", "c.yaml"]
    assert first["text"][0].read_text() == "b\n"
    (record,) = store.stored_artifacts()
    assert set(record.binaries) == {"crds/a.yaml", "crds/c.yaml", "text/b.txt"}
    store.verify(record)
    first["crds"][0].write_text("kind: B\n")
    with pytest.raises(ArtifactError, match=r"crds/a\.yaml is not what was installed"):
        store.verify(record)


def test_other_patterns_are_another_artifact(tmp_path: Path, module: Path) -> None:
    files.supply(request(tmp_path, module, crds=["crd/*.yaml"]))
    files.supply(request(tmp_path, module, crds=["more/*.yaml"]))
    assert downloads(tmp_path) == 2 and len(store.stored_artifacts()) == 2


def test_component_without_files_asks_for_nothing(tmp_path: Path, module: Path) -> None:
    assert files.supply(request(tmp_path, module)) == {}
    assert downloads(tmp_path) == 0


def test_changed_module_is_refused_with_both_hashes(tmp_path: Path, module: Path) -> None:
    asked = request(tmp_path, module, crds=["crd/*.yaml"])
    locked = files.locked_sum(asked.component, asked.lock)
    (module / "crd" / "a.yaml").write_text("kind: Z\n")
    with pytest.raises(ArtifactError) as caught:
        files.supply(asked)
    assert locked in caught.value.message and files.folder_sum(module, MODULE) in caught.value.message
    assert store.stored_artifacts() == []


def test_pattern_must_match_and_names_must_differ(tmp_path: Path, module: Path) -> None:
    with pytest.raises(ArtifactError, match=r"nothing in .* matches none/\*\.yaml \(files crds"):
        files.supply(request(tmp_path, module, crds=["none/*.yaml"]))
    with pytest.raises(ArtifactError, match=r"two files of .* are called a\.yaml"):
        files.supply(request(tmp_path, module, crds=["crd/*.yaml", "crd/a*"]))


def test_lock_without_the_module_is_refused(tmp_path: Path, module: Path) -> None:
    asked = request(tmp_path, module, crds=["crd/*.yaml"])
    asked.lock.files[1].write_text("")
    with pytest.raises(ArtifactError, match=r"has no checksum of example\.org/tool v1\.2\.3"):
        files.supply(asked)


def test_record_names_its_source(tmp_path: Path, module: Path) -> None:
    (path,) = files.supply(request(tmp_path, module, text=["crd/b.txt"]))["text"]
    record = json.loads((path.parent.parent / "artifact.json").read_text())
    assert (record["component"], record["version"], record["source"]) == ("tool", "1.2.3", "go-module")
