"""Binaries given by the user, by option, environment or config file; and what can be wrong with them."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from harness.box import config
from harness.box.artifacts import elf, parse_binaries, resolve, store
from harness.core.errors import ArtifactError, ExitCode, UsageError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("MUSTER_BINARIES", raising=False)
    monkeypatch.chdir(tmp_path)


def program(path: Path, content: bytes = b"#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def elf_file(machine: int) -> bytes:
    return b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", 2, machine) + bytes(44)


def test_given_binary_is_used_and_nothing_is_built(tmp_path: Path) -> None:
    mine = program(tmp_path / "my-etcd")
    artifact = resolve("etcd", binaries=parse_binaries([f"etcd.etcd={mine}"]))
    assert artifact.binaries == {"etcd": mine}
    assert artifact.source == "given"
    assert artifact.checksums["etcd"] == store.sha256(mine)
    assert not (tmp_path / "XDG_CACHE_HOME").exists()


def test_order_is_option_environment_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        program(tmp_path / name)
    (tmp_path / "muster.toml").write_text('[binaries]\n"etcd.etcd" = "a"\n')
    below = tmp_path / "x" / "y"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert resolve("etcd").binaries["etcd"] == tmp_path / "a"
    monkeypatch.setenv("MUSTER_BINARIES", f"etcd.etcd={tmp_path / 'b'}, ")
    assert resolve("etcd").binaries["etcd"] == tmp_path / "b"
    assert resolve("etcd", binaries={"etcd.etcd": tmp_path / "c"}).binaries["etcd"] == tmp_path / "c"


@pytest.mark.parametrize("value", ["", "etcd", "etcd.etcd", "etcd.etcd=", "=x", "etcd=/bin/sh", "/bin/sh"])
def test_malformed_value_names_option_rule_and_value(value: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_binaries([value])
    assert "--binary must be COMPONENT.PROCESS=PATH" in caught.value.message
    assert repr(value) in caught.value.message
    assert caught.value.exit_code is ExitCode.USAGE


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown component 'etc'"):
        parse_binaries([f"etc.etcd={program(tmp_path / 'p')}"])
    with pytest.raises(UsageError, match="has no process 'etcdd'"):
        parse_binaries([f"etcd.etcdd={tmp_path / 'p'}"])


def test_path_must_exist_and_be_executable_and_be_named_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must be an existing file; given: .*nowhere"):
        parse_binaries(["etcd.etcd=nowhere"])
    with pytest.raises(UsageError, match="must be an existing file"):
        parse_binaries([f"etcd.etcd={tmp_path}"])
    plain = program(tmp_path / "plain")
    plain.chmod(0o644)
    if not os.access(plain, os.X_OK):
        with pytest.raises(UsageError, match="must be executable"):
            parse_binaries([f"etcd.etcd={plain}"])
    mine = program(tmp_path / "mine")
    with pytest.raises(UsageError, match="twice"):
        parse_binaries([f"etcd.etcd={mine}", f"etcd.etcd={mine}"])


def test_wrong_architecture_names_both(tmp_path: Path) -> None:
    here = elf.this_architecture()
    other, machine = ("aarch64", 183) if here == "x86_64" else ("x86_64", 62)
    with pytest.raises(ArtifactError, match=f"is for {other}, this machine is {here}") as caught:
        parse_binaries([f"etcd.etcd={program(tmp_path / 'etcd', elf_file(machine))}"])
    assert caught.value.exit_code is ExitCode.HARNESS


def test_this_architecture_and_scripts_pass(tmp_path: Path) -> None:
    machine = {"x86_64": 62, "aarch64": 183}.get(elf.this_architecture())
    if machine is not None:
        assert elf.foreign_architecture(program(tmp_path / "own", elf_file(machine))) is None
    assert elf.foreign_architecture(program(tmp_path / "script")) is None
    assert elf.foreign_architecture(program(tmp_path / "empty", b"")) is None
    assert elf.foreign_architecture(program(tmp_path / "exe", b"MZ\x90")) == "PE (Windows)"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[binarys]\n", "unknown table or key 'binarys'"),
        ("binaries = 3\n", "must be a table"),
        ("[binaries]\netcd.etcd = 'x'\n", "must be a path in quotes"),
        ("[binaries\n", "cannot be read"),
    ],
)
def test_bad_config_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "muster.toml").write_text(text)
    with pytest.raises(UsageError, match=says):
        config.load(tmp_path)


def test_config_of_the_user_and_none(tmp_path: Path) -> None:
    assert config.load(tmp_path).path is None
    user = tmp_path / "XDG_CONFIG_HOME" / "muster" / "config.toml"
    user.parent.mkdir(parents=True)
    user.write_text('[binaries]\n"etcd.etcd" = "/opt/etcd"\n')
    assert config.load(tmp_path).binaries == {"etcd.etcd": "/opt/etcd"}
