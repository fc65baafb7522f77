"""The store and `resolve`, with a stand-in for the Go command: what is kept, what is shared, what is left behind."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.box.artifacts import Event, cache_root, load, resolve, store
from harness.box.artifacts.register import Lock
from harness.core.errors import ArtifactError
from tests.waiting import soon

FAKE_GO = r"""#!/bin/sh
. "$(dirname "$0")/settings"
case "$1" in
  version) echo "go version go${FAKE_GO_VERSION:-1.90.0} linux/amd64" ;;
  list) printf 'fmt\tfalse\t\nmain\ttrue\tstale dependency\n' ;;
  build)
    echo $$ >> "$FAKE_GO_LOG"
    [ -z "$FAKE_GO_HANG" ] || exec sleep 60
    [ -z "$FAKE_GO_FAIL" ] || { echo "$FAKE_GO_FAIL" >&2; exit 1; }
    sleep "${FAKE_GO_SLEEP:-0}"
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\n' > "$2/server" && chmod +x "$2/server" && echo main >&2 ;;
esac
"""
RESOLVE = """
import sys
from harness.box.artifacts import resolve
artifact = resolve("etcd", progress=lambda event: print(event, file=sys.stderr, flush=True))
print(artifact.source)
"""


@pytest.fixture(autouse=True)
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fake `go` first on PATH, and user folders of our own; gives the file in which it counts its builds."""
    command = tmp_path / "bin" / "go"
    command.parent.mkdir()
    command.write_text(FAKE_GO)
    command.chmod(0o755)
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("MUSTER_GO", raising=False)
    monkeypatch.delenv("MUSTER_BINARIES", raising=False)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    set_go(tmp_path / "builds")
    return tmp_path / "builds"


def set_go(log: Path, **settings: str) -> None:
    """How the fake `go` behaves from now on; its environment is muster's choice, so this is a file beside it."""
    lines = {"FAKE_GO_LOG": str(log), **{f"FAKE_GO_{name.upper()}": value for name, value in settings.items()}}
    text = "".join(f"{name}={shlex.quote(value)}\n" for name, value in lines.items())
    (log.parent / "bin" / "settings").write_text(text)


def builds(log: Path) -> list[int]:
    return [int(line) for line in log.read_text().split()] if log.exists() else []


def visible() -> list[str]:
    """What the store holds besides its lock files."""
    return [p.name for p in (cache_root() / "artifacts" / "etcd").glob("*") if p.suffix != ".lock"]


def child() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", RESOLVE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_built_once_then_from_the_cache(go: Path) -> None:
    events: list[Event] = []
    first = resolve("etcd", progress=events.append)
    second = resolve("etcd")
    assert (first.source, second.source) == ("go-build", "cache")
    assert first.binaries == second.binaries and first.checksums == second.checksums
    assert os.access(first.binaries["etcd"], os.X_OK) and first.binaries["etcd"].name == "etcd"
    assert len(builds(go)) == 1
    assert [event.stage for event in events][-1] == "done"
    assert any(event.total == 3 for event in events)  # two packages and one binary
    record = json.loads((first.binaries["etcd"].parent / "artifact.json").read_text())
    assert record["toolchain"] == "1.90.0" and record["tags"] == "grpcnotrace"
    assert record["binaries"]["etcd"]["sha256"] == first.checksums["etcd"]


def test_newer_go_does_not_build_again(go: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve("etcd")
    set_go(go, version="1.91.0")
    assert resolve("etcd").source == "cache"
    assert len(builds(go)) == 1


def test_recipe_changes_with_lock_and_key_with_toolchain(tmp_path: Path) -> None:
    component, shipped = load().component("etcd"), load().lock("etcd")
    for file in shipped.files:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    copy = Lock("etcd", shipped.version, tmp_path)
    recipe = store.recipe_hash(component, copy)
    assert recipe == store.recipe_hash(component, shipped)
    assert store.key(recipe, "1.26.0") != store.key(recipe, "1.26.1")
    with (tmp_path / "go.sum").open("a") as file:
        file.write("\n")
    assert store.recipe_hash(component, copy) != recipe


def test_failed_build_leaves_nothing(go: Path) -> None:
    set_go(go, fail="main.go:1:1: syntax error")
    with pytest.raises(ArtifactError, match="syntax error"):
        resolve("etcd")
    assert visible() == []
    set_go(go)
    assert resolve("etcd").source == "go-build"


def test_interrupt_ends_the_build_and_leaves_nothing(go: Path) -> None:
    set_go(go, hang="1")
    process = child()
    assert soon(lambda: builds(go))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert visible() == []
    assert soon(lambda: not Path(f"/proc/{builds(go)[0]}").exists())


@pytest.mark.skipif(sys.platform != "linux", reason="parent-death signals are Linux's")
def test_kill_ends_the_build_and_the_next_one_cleans_up(go: Path) -> None:
    set_go(go, hang="1")
    process = child()
    assert soon(lambda: builds(go))
    process.kill()
    process.communicate(timeout=60)
    assert soon(lambda: not Path(f"/proc/{builds(go)[0]}").exists())
    assert any(name.startswith(".tmp-") for name in visible())
    set_go(go)
    (cache_root() / "artifacts" / "etcd" / ".tmp-3.5.0-0123456789ab-x").mkdir()  # of a lock that has changed since
    artifact = resolve("etcd")
    assert visible() == [artifact.binaries["etcd"].parent.name]


def test_two_at_once_build_once_and_the_waiter_says_so(go: Path) -> None:
    set_go(go, sleep="4")
    first = child()
    assert soon(lambda: builds(go))
    second = child()
    results = {process.communicate(timeout=60)[::1] for process in (first, second)}
    assert sorted(out.strip() for out, _ in results) == ["cache", "go-build"]
    assert len(builds(go)) == 1
    assert any("waiting for another muster to build it" in err for _, err in results)


def test_damaged_artifact_is_built_again(go: Path) -> None:
    path = resolve("etcd").binaries["etcd"]
    path.write_bytes(b"")
    assert resolve("etcd").source == "go-build"
    assert path.stat().st_size > 0 and len(builds(go)) == 2
    (path.parent / "artifact.json").write_text("{")
    assert resolve("etcd").source == "go-build"


def test_verify_prints_both_values(go: Path) -> None:
    artifact = resolve("etcd")
    (record,) = store.stored_artifacts()
    store.verify(record)
    path = artifact.binaries["etcd"]
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    with pytest.raises(ArtifactError) as caught:
        store.verify(record)
    assert artifact.checksums["etcd"] in caught.value.message
    assert store.sha256(path) in caught.value.message
    path.unlink()
    with pytest.raises(ArtifactError, match="missing"):
        store.verify(record)


def test_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(ArtifactError, match=r"etcd 3\..*: the cache cannot be written: Not a directory"):
        resolve("etcd")


def test_foreign_output_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.box.artifacts.build.foreign_architecture", lambda path: "riscv64")
    with pytest.raises(ArtifactError, match="wrong architecture: etcd was built for riscv64"):
        resolve("etcd")
    assert visible() == []


def test_lock_of_another_version_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "XDG_DATA_HOME" / "muster" / "locks" / "etcd" / "3.6.0"
    folder.mkdir(parents=True)
    for file in load().lock("etcd").files:
        (folder / file.name).write_bytes(file.read_bytes())
    with pytest.raises(ArtifactError, match=r"etcd 3\.6\.0: .* does not require go\.etcd\.io/etcd/server/v3 v3\.6\.0"):
        resolve("etcd", "3.6.0")
    assert visible() == []
