"""A box is its owner's alone: files, sockets, ports, and what the programs in it learn of the owner's environment."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from harness.box import registry
from harness.box.artifacts.toolchain import Toolchain
from harness.box.embedded.box import EmbeddedBox
from harness.box.environment import compiler_environment, component_environment

SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "hush-1",
    "GITHUB_TOKEN": "hush-2",
    "GOOGLE_APPLICATION_CREDENTIALS": "/hush-3",
    "KUBECONFIG": "/hush-4",
    "HTTPS_PROXY": "http://hush-5",
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedBox]:
    """A box started under the widest umask, by somebody with secrets in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        for name, value in SECRETS.items():
            patch.setenv(name, value)
        before = os.umask(0)
        try:
            with EmbeddedBox() as running:
                yield running
        finally:
            os.umask(before)


def everybody(box: EmbeddedBox) -> list[psutil.Process]:
    """Every process of the box, with its keeper and its wardens."""
    entry = registry.read(box.directory)
    assert entry is not None
    keeper = psutil.Process(entry.keeper)
    return [keeper, *keeper.children(recursive=True)]


def test_only_the_owner_can_read_files_and_use_sockets(box: EmbeddedBox):
    paths = [box.directory.parent.parent, box.directory.parent, box.directory, *box.directory.rglob("*")]

    open_to_others = {
        str(path): oct(path.lstat().st_mode) for path in paths if stat.S_IMODE(path.lstat().st_mode) & 0o077
    }

    assert (box.directory / "box.json") in paths
    assert any(stat.S_ISSOCK(path.lstat().st_mode) for path in paths)
    assert open_to_others == {}


def test_a_state_folder_that_was_open_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "muster").mkdir()
    (tmp_path / "muster").chmod(0o777)

    registry.claim("it")

    assert stat.S_IMODE((tmp_path / "muster").stat().st_mode) == 0o700


def test_nobody_listens_beyond_loopback_and_etcd_on_no_port(box: EmbeddedBox):
    listening = {
        (process.name(), connection.laddr.ip)
        for process in everybody(box)
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }

    assert {address for _, address in listening} == {"127.0.0.1"}
    assert "kube-apiserver" in {name for name, _ in listening}
    assert "etcd" not in {name for name, _ in listening}


def test_no_program_learns_a_secret(box: EmbeddedBox):
    processes = everybody(box)
    learnt = {
        (process.name(), name) for process in processes for name, value in process.environ().items() if "hush" in value
    }

    assert {"etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager", "kwok"} <= {
        p.name() for p in processes
    }
    assert learnt == set()
    assert box.processes["kube-scheduler"].command.environment["KUBECONFIG"] == str(box.kubeconfig)


def test_the_compiler_learns_the_way_out_and_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name, value in {**SECRETS, "GOPROXY": "http://modules", "GOEXPERIMENT": "odd", "GOOS": "plan9"}.items():
        monkeypatch.setenv(name, value)

    environment = Toolchain(Path("/go/bin/go"), "1.30").environment(tmp_path)

    assert environment["GOPROXY"] == "http://modules"
    assert environment["HTTPS_PROXY"] == SECRETS["HTTPS_PROXY"]
    assert not {"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "KUBECONFIG", "GOEXPERIMENT", "GOOS"} & set(environment)
    assert set(component_environment()) < set(compiler_environment())
