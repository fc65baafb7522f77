"""Programs out of an image in a real registry, the reference implementation of the distribution specification."""

from __future__ import annotations

import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3
import yaml

from harness.box.artifacts import fetch, gocmd, release, resolve, toolchain
from harness.box.artifacts.progress import silent
from harness.box.pki import Authority
from tests.artifacts.publisher import INDEX, Publisher
from tests.waiting import soon

MODULE = "github.com/distribution/distribution/v3"
MAIN = f"""package main

import (
	"{MODULE}/registry"
	_ "{MODULE}/registry/storage/driver/filesystem"
)

func main() {{ registry.RootCmd.Execute() }}
"""  # the registry without the drivers of three clouds, which take minutes to compile
ARCH = release.GO_NAMES[release.this_architecture()]
PROGRAM = b"#!/bin/sh\necho from the registry\n"

pytestmark = pytest.mark.conformance  # it builds the registry


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a registry with TLS on loopback, and the certificate of its authority."""
    folder = tmp_path_factory.mktemp("registry")
    go = toolchain.find("1.24", silent)
    (folder / "main.go").write_text(MAIN)
    (folder / "go.mod").write_text(f"module registry\n\ngo 1.24\n\nrequire {MODULE} v3.0.0\n")
    for arguments in (["mod", "tidy"], ["build", "-o", "bin/registry", "."]):
        code, _, stderr = gocmd.run(
            [go.go, *arguments], cwd=folder, env=go.environment(folder), on_line=lambda line: None
        )
        assert code == 0, stderr[-2000:]
    authority = Authority.create()
    pair = authority.issue("registry")
    for name, content in (("ca.pem", authority.certificate), ("tls.pem", pair.certificate), ("tls.key", pair.key)):
        (folder / name).write_bytes(content)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    config = {
        "version": "0.1",
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
        "http": {
            "addr": f"127.0.0.1:{port}",
            "tls": {"certificate": str(folder / "tls.pem"), "key": str(folder / "tls.key")},
        },
        "validation": {"disabled": True},  # an index may name images for other platforms that are not here
    }
    (folder / "config.yml").write_text(yaml.safe_dump(config))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [folder / "bin" / "registry", "serve", folder / "config.yml"], stdout=log, stderr=subprocess.STDOUT
        )
    address = f"https://127.0.0.1:{port}"
    try:
        soon(lambda: _answers(address, folder / "ca.pem"), 30)
        yield address, folder / "ca.pem"
    finally:
        process.terminate()
        process.wait(10)


def _pool(authority: Path) -> urllib3.PoolManager:
    return urllib3.PoolManager(ssl_context=ssl.create_default_context(cafile=str(authority)), retries=False)


def _answers(address: str, authority: Path) -> bool:
    try:
        return _pool(authority).request("GET", f"{address}/v2/").status == 200
    except urllib3.exceptions.HTTPError:
        return False


def push(address: str, authority: Path, repository: str, tag: str) -> str:
    """Push an image of one layer behind an index, as a client does; the digest of the index."""
    image, pool = Publisher("", authority), _pool(authority)
    digest = image.put_image(repository, tag, ARCH, {"yunikorn-scheduler": PROGRAM})
    for path, content in sorted(image.files.items(), key=lambda item: "/manifests/" in item[0]):
        if "/blobs/" in path:
            begun = pool.request("POST", f"{address}/v2/{repository}/blobs/uploads/")
            url = f"{begun.headers['Location']}&digest={path.rpartition('/')[2]}"
            answer = pool.request("PUT", url, body=content, headers={"Content-Type": "application/octet-stream"})
        else:
            answer = pool.request("PUT", address + path, body=content, headers={"Content-Type": image.types[path]})
        assert answer.status == 201, answer.data
    return digest


def test_a_program_out_of_a_real_registry(
    registry: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, authority = registry
    digest = push(address, authority, "apache/yunikorn", "scheduler-1.8.0")
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUSTER_SOURCE", "release")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.setenv("MUSTER_MIRRORS", f"https://registry-1.docker.io={address}")
    fetch.forget_unreachable()
    fetch._pool.cache_clear()

    artifact = resolve("yunikorn", "1.8.0")
    output = subprocess.run([artifact.binaries["scheduler"]], capture_output=True, text=True, check=True).stdout
    assert (output, artifact.source) == ("from the registry\n", "release")
    content = _pool(authority).request(
        "GET", f"{address}/v2/apache/yunikorn/manifests/scheduler-1.8.0", headers={"Accept": INDEX}
    )
    assert content.headers["Docker-Content-Digest"] == digest
    fetch._pool.cache_clear()
