"""Programs as vendors publish them: three layouts on real servers of loopback, and what is refused."""

from __future__ import annotations

import json
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.box.artifacts import Event, digests, fetch, load, release, resolve, sources
from harness.core.errors import ArtifactError, UsageError
from tests.artifacts.publisher import Publisher, archive, publishing

ARCH = release.GO_NAMES[release.this_architecture()]
KUBERNETES = f"/release/v1.37.1/bin/linux/{ARCH}"
ETCD = f"/etcd-io/etcd/releases/download/v3.6.12/etcd-v3.6.12-linux-{ARCH}.tar.gz"
SUMS = "/etcd-io/etcd/releases/download/v3.6.12/SHA256SUMS"
HOSTS = ("https://dl.k8s.io", "https://github.com", "https://registry-1.docker.io")


@pytest.fixture
def publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    """A server that stands where the vendors' are, and user folders of our own."""
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUSTER_SOURCE", "release")
    monkeypatch.delenv("MUSTER_BINARIES", raising=False)
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with publishing(tmp_path) as server:
        monkeypatch.setenv("SSL_CERT_FILE", str(server.authority))
        mirrors = [f"{host}={server.address}" for host in HOSTS]
        api = f"https://api.github.com={server.address}/api"
        monkeypatch.setenv("MUSTER_MIRRORS", ",".join((*mirrors, api)))
        forget()
        yield server
    forget()


def forget() -> None:
    fetch.forget_unreachable()
    fetch._pool.cache_clear()


def program(name: str) -> bytes:
    return f"#!/bin/sh\necho {name}\n".encode()


def publish_kubernetes(publisher: Publisher) -> dict[str, str]:
    """The programs of the control plane, with their checksums; their digests."""
    digest_of = {}
    for name in load().component("kubernetes").processes:
        digest_of[name] = publisher.put(f"{KUBERNETES}/{name}", program(name))
        publisher.put(f"{KUBERNETES}/{name}.sha256", digest_of[name].removeprefix("sha256:").encode())
    return digest_of


def publish_etcd(publisher: Publisher) -> str:
    digest = publisher.put(ETCD, archive({f"etcd-v3.6.12-linux-{ARCH}/etcd": program("etcd")}))
    other = f"{'0' * 64}  etcd-v3.6.12-windows-amd64.zip\n"
    publisher.put(SUMS, f"{other}{digest.removeprefix('sha256:')}  {ETCD.rpartition('/')[2]}\n".encode())
    return digest


def test_a_file_for_each_program(publisher: Publisher) -> None:
    digest_of = publish_kubernetes(publisher)
    artifact = resolve("kubernetes", "1.37.1")

    assert set(artifact.sources.values()) == {"release"}
    for name, path in artifact.binaries.items():
        assert subprocess.run([path], capture_output=True, text=True, check=True).stdout == f"{name}\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o755
    assert digests.recorded(load().lock("kubernetes", "1.37.1"), f"linux/{ARCH}") == digest_of


def test_the_second_time_nothing_is_downloaded(publisher: Publisher) -> None:
    publish_kubernetes(publisher)
    first = resolve("kubernetes", "1.37.1")
    publisher.requests.clear()

    assert resolve("kubernetes", "1.37.1") == first
    assert publisher.requests == []


def test_an_archive_with_a_list_of_checksums(publisher: Publisher) -> None:
    publish_etcd(publisher)
    assert subprocess.run([resolve("etcd").binaries["etcd"]], capture_output=True, check=True).stdout == b"etcd\n"


def test_checksums_from_the_api_of_a_release(publisher: Publisher) -> None:
    base, assets = "/kubernetes-sigs/kwok/releases", []
    for name in ("kwok", "kwokctl"):
        file = f"{name}-linux-{ARCH}"
        assets.append({"name": file, "digest": publisher.put(f"{base}/download/v0.8.0/{file}", program(name))})
    answer = json.dumps({"assets": assets}).encode()
    publisher.put("/api/repos/kubernetes-sigs/kwok/releases/tags/v0.8.0", answer)

    assert set(resolve("kwok").binaries) == {"kwok", "kwokctl"}


def test_a_program_out_of_an_image(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.box.artifacts.files.supply", lambda request: {})  # CRDs come from the Go module
    digest_of = {}
    for name, process in load().component("volcano").processes.items():
        files = {"etc/passwd": b"", process.file: program(name)}
        digest_of[name] = publisher.put_image(f"volcanosh/{process.file}", "v1.14.1", ARCH, files)

    artifact = resolve("volcano", "1.14.1")
    output = subprocess.run([artifact.binaries["scheduler"]], capture_output=True, text=True, check=True).stdout
    assert output == "scheduler\n"
    assert digests.recorded(load().lock("volcano", "1.14.1"), f"linux/{ARCH}") == digest_of
    assert any(path.startswith("/token?service=registry&scope=") for path in publisher.requests)


def test_a_layer_that_is_not_its_digest_is_refused(publisher: Publisher) -> None:
    publisher.put_image("apache/yunikorn", "scheduler-1.8.0", ARCH, {"yunikorn-scheduler": program("real")})
    [blob] = [path for path, content in publisher.files.items() if "/blobs/" in path and content != b"{}"]
    publisher.files[blob] = archive({"yunikorn-scheduler": program("other")})

    with pytest.raises(ArtifactError) as refused:
        resolve("yunikorn", "1.8.0")
    assert "a layer has another digest" in refused.value.message
    assert blob.rpartition("/")[2] in refused.value.message
    assert not list(Path("XDG_CACHE_HOME").rglob("artifact.json")), "nothing is installed"


def test_an_image_that_was_published_again_is_the_first_one_for_us(publisher: Publisher) -> None:
    repository, lock = "apache/yunikorn", load().lock("yunikorn", "1.8.0")
    first = publisher.put_image(repository, "scheduler-1.8.0", ARCH, {"yunikorn-scheduler": program("first")})
    digests.remember(lock, f"linux/{ARCH}", {"scheduler": first})
    publisher.put_image(repository, "scheduler-1.8.0", ARCH, {"yunikorn-scheduler": program("second")})

    path = resolve("yunikorn", "1.8.0").binaries["scheduler"]
    assert path.read_bytes() == program("first")


def test_a_file_that_is_not_its_checksum_stops_with_both_values(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = publish_etcd(publisher)
    received = publisher.put(ETCD, archive({f"etcd-v3.6.12-linux-{ARCH}/etcd": program("other")}))

    for source in ("release", "auto"):
        monkeypatch.setenv("MUSTER_SOURCE", source)
        with pytest.raises(ArtifactError) as refused:
            resolve("etcd")
        assert f"expected: {expected}" in refused.value.message
        assert f"received: {received}" in refused.value.message


def test_a_version_that_changed_since_its_first_use_stops(publisher: Publisher) -> None:
    digest_of = publish_kubernetes(publisher)
    lock = load().lock("kubernetes", "1.37.1")
    digests.remember(lock, f"linux/{ARCH}", {**digest_of, "kube-scheduler": f"sha256:{'a' * 64}"})

    with pytest.raises(ArtifactError, match="kube-scheduler is not what it was") as refused:
        resolve("kubernetes", "1.37.1")
    assert f"sha256:{'a' * 64}" in refused.value.message and digest_of["kube-scheduler"] in refused.value.message


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Components that would have been built."""
    components: list[str] = []

    def supply(self: object, request: sources.Request, missing: frozenset[str]) -> dict[str, sources.ResolvedBinary]:
        components.append(request.component.name)
        return dict.fromkeys(missing, sources.ResolvedBinary(Path("/bin/true"), 1, "0" * 64, "go-build"))

    monkeypatch.setattr(sources.BuildSource, "supply", supply)
    return components


def test_what_cannot_be_had_is_built_and_one_line_says_so(
    publisher: Publisher, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUSTER_SOURCE", "auto")
    events: list[Event] = []
    resolve("etcd", progress=events.append)

    assert built == ["etcd"]
    [event] = [event for event in events if event.stage == "fallback"]
    assert "SHA256SUMS: HTTP 404); it is built" in event.text
    monkeypatch.setenv("MUSTER_SOURCE", "release")
    with pytest.raises(ArtifactError, match="HTTP 404"):
        resolve("etcd")


def test_a_host_that_does_not_answer_costs_seconds_once(
    publisher: Publisher, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket whose queue is full takes no more connections, as a firewall that drops them."""
    silent = socket.create_server(("127.0.0.1", 0), backlog=0)
    first = socket.create_connection(silent.getsockname())
    second = socket.socket()
    second.setblocking(False)
    second.connect_ex(silent.getsockname())
    monkeypatch.setenv("MUSTER_SOURCE", "auto")
    port = silent.getsockname()[1]
    monkeypatch.setenv("MUSTER_MIRRORS", f"https://github.com=https://127.0.0.1:{port}")
    monkeypatch.setattr(fetch, "CONNECT", 0.3)
    fetch._pool.cache_clear()

    events: list[Event] = []
    for _ in range(3):
        resolve("etcd", progress=events.append)
    assert built == ["etcd"] * 3
    assert all("cannot be reached" in event.text for event in events if event.stage == "fallback")
    assert list(fetch._unreachable) == [f"127.0.0.1:{port}"]
    for connection in (first, second, silent):
        connection.close()


def test_a_certificate_of_somebody_else_is_not_trusted(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_etcd(publisher)
    monkeypatch.delenv("SSL_CERT_FILE")
    fetch._pool.cache_clear()

    with pytest.raises(ArtifactError, match=r"(?i)certificate.verify.failed"):
        resolve("etcd")


def test_a_component_that_nobody_publishes_is_built(publisher: Publisher, built: list[str], monkeypatch) -> None:
    monkeypatch.setattr("harness.box.artifacts.files.supply", lambda request: {})
    with pytest.raises(ArtifactError, match="published nowhere"):
        resolve("scheduler-plugins")
    monkeypatch.setenv("MUSTER_SOURCE", "auto")
    resolve("scheduler-plugins")
    assert built == ["scheduler-plugins"]


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("MUSTER_SOURCE", "buidl", "MUSTER_SOURCE: expected auto, release, build, given 'buidl'"),
        ("MUSTER_MIRRORS", "dl.k8s.io", "MUSTER_MIRRORS: expected URL=URL, given 'dl.k8s.io'"),
    ],
)
def test_wrong_variables_are_named(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError) as refused:
        resolve("etcd")
    assert refused.value.message == message


def test_digests_are_written_beside_a_lock_and_shown(publisher: Publisher) -> None:
    digest = publish_etcd(publisher)
    lock = load().lock("etcd")
    folder = Path("XDG_DATA_HOME") / "muster" / "locks" / "etcd" / "3.6.99"
    folder.mkdir(parents=True)
    for file in lock.files:
        (folder / file.name).write_bytes(file.read_bytes())
    for path in (ETCD, SUMS):
        content = publisher.files[path].replace(b"3.6.12", b"3.6.99")
        publisher.put(path.replace("3.6.12", "3.6.99"), content)
    muster = [sys.executable, "-m", "harness"]
    subprocess.run([*muster, "lock", "etcd@3.6.99", "--digests"], check=True, capture_output=True)
    assert json.loads((folder / "digests.json").read_text()) == {f"linux/{ARCH}": {"etcd": digest}}

    resolve("etcd")
    listed = subprocess.run([*muster, "get", "--list", "etcd", "--json"], check=True, capture_output=True, text=True)
    [row] = json.loads(listed.stdout)
    assert (row["source"], row["digest"]) == ("release", digest)
