"""What programs are made of: a document that the format's own validator accepts, with every module of the lock."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from harness.box.artifacts import Artifact, load
from harness.box.artifacts.register import Lock
from harness.box.artifacts.sbom import document, modules
from harness.core.errors import UsageError

DIGEST = "0" * 63 + "1"


def artifact(source: str) -> Artifact:
    register = load()
    return Artifact(
        component="etcd",
        version=register.lock("etcd").version,
        binaries={"etcd": Path("etcd")},
        sources={"etcd": source},
        checksums={"etcd": DIGEST},
        sizes={"etcd": 1},
        files={},
    )


def test_the_document_is_valid_and_names_every_module_of_the_lock() -> None:
    text = document([artifact("go-build")], load())

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    data: dict[str, Any] = json.loads(text)
    programs = [entry for entry in data["components"] if entry["type"] == "application"]
    libraries = {entry["purl"] for entry in data["components"] if entry["type"] == "library"}
    assert [(entry["name"], entry["hashes"][0]["content"]) for entry in programs] == [("etcd", DIGEST)]
    assert len(libraries) == len(modules(load().lock("etcd"))) > 50
    assert any(purl.startswith("pkg:golang/go.etcd.io/bbolt@v") for purl in libraries)
    (edges,) = (entry["dependsOn"] for entry in data["dependencies"] if entry["ref"].startswith("etcd.etcd@"))
    assert set(edges) == libraries


def test_nothing_is_claimed_about_a_program_that_was_given() -> None:
    data = json.loads(document([artifact("given")], load()))

    assert [entry["type"] for entry in data["components"]] == ["application"]


def test_a_replacement_is_what_is_built(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text(
        "module x\n\nrequire a.example/b v1.0.0\n\nrequire (\n\tc.example/d/v2 v2.1.0 // indirect\n)\n\n"
        "replace a.example/b => e.example/f v3.0.0\n"
    )

    assert modules(Lock("x", "1.0.0", tmp_path)) == [("e.example/f", "v3.0.0"), ("c.example/d/v2", "v2.1.0")]


def test_every_lock_can_be_read() -> None:
    register = load()
    for name in register.components:
        for lock in register.locks(name).values():
            versions = dict(modules(lock))
            assert versions and all(version.startswith("v") for version in versions.values()), lock.path


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.startswith("cyclonedx"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(UsageError, match="library of CycloneDX") as raised:
        document([], load())
    assert "gang-muster[sbom]" in raised.value.hint
