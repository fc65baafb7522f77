"""The first run of somebody who has the internet: real programs, downloaded, and a verdict after seconds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.bench import first_run
from harness.box.artifacts import release, resolve
from harness.core.errors import HarnessError
from tests.artifacts.publisher import Publisher, archive, publishing

ARCH = release.GO_NAMES[release.this_architecture()]
HOSTS = ("https://dl.k8s.io", "https://github.com")


def publish_box(publisher: Publisher) -> None:
    """The programs of a box, as their vendors publish them: files with checksums, an archive, and an API's digests."""
    built = {name: resolve(name) for name in ("kubernetes", "etcd", "kwok")}
    versions = {name: artifact.version for name, artifact in built.items()}
    for name, path in built["kubernetes"].binaries.items():
        where = f"/release/v{versions['kubernetes']}/bin/linux/{ARCH}/{name}"
        digest = publisher.put(where, path.read_bytes())
        publisher.put(f"{where}.sha256", digest.removeprefix("sha256:").encode())
    base = f"/etcd-io/etcd/releases/download/v{versions['etcd']}"
    folder = f"etcd-v{versions['etcd']}-linux-{ARCH}"
    content = archive({f"{folder}/etcd": built["etcd"].binaries["etcd"].read_bytes()})
    digest = publisher.put(f"{base}/{folder}.tar.gz", content)
    publisher.put(f"{base}/SHA256SUMS", f"{digest.removeprefix('sha256:')}  {folder}.tar.gz\n".encode())
    assets = []
    for name, path in built["kwok"].binaries.items():
        file = f"{name}-linux-{ARCH}"
        where = f"/kubernetes-sigs/kwok/releases/download/v{versions['kwok']}/{file}"
        assets.append({"name": file, "digest": publisher.put(where, path.read_bytes())})
    tag = f"/api/repos/kubernetes-sigs/kwok/releases/tags/v{versions['kwok']}"
    publisher.put(tag, json.dumps({"assets": assets}).encode(), "application/json")


def test_from_an_empty_cache_to_a_verdict_by_downloads_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with publishing(tmp_path) as publisher:
        publish_box(publisher)
        monkeypatch.setenv("SSL_CERT_FILE", str(publisher.authority))
        mirrors = [f"{host}={publisher.address}" for host in HOSTS]
        mirrors.append(f"https://api.github.com={publisher.address}/api")
        monkeypatch.setenv("MUSTER_MIRRORS", ",".join(mirrors))
        monkeypatch.setenv("GOPROXY", "off")  # a build would fail

        measured = first_run.first_run("release")

    assert measured.megabytes > 100
    assert measured.programs > 0 and measured.verdict > 0


def test_servers_that_do_not_answer_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSTER_MIRRORS", "https://dl.k8s.io=https://127.0.0.1:1")

    with pytest.raises(HarnessError, match=r"127\.0\.0\.1:1 cannot be reached") as raised:
        first_run.first_run("release")
    assert "mirrors" in raised.value.hint
