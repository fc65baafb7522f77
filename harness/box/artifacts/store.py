"""The cache of finished artifacts: content-addressed, never incomplete, built once even if several processes ask.

    <cache>/artifacts/<component>/<version>-<key>/     the binaries, or the files of the module, and artifact.json
    <cache>/artifacts/<component>/.<version>-<recipe>.lock
    <cache>/artifacts/<component>/.tmp-<version>-<recipe>-*    the folder of a running or an interrupted build

The *recipe* is the hash of everything that muster decides: lock files, packages, flags, platform. The *key* adds the
version of Go. `find` looks for the recipe, because a newer Go on PATH is no reason to build again; the key separates
the builds of two toolchains. A folder appears by one rename, so readers need no lock.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from harness.box.artifacts.progress import Event, Progress
from harness.box.artifacts.register import Component, Lock
from harness.box.data import cache_root, data_root
from harness.core.errors import ArtifactError

STAGED = "install"  # the folder inside a working folder that becomes the artifact
_RECORD = "artifact.json"
_SHORT = 12  # hex digits of a hash in a folder name


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file of an artifact, as recorded when it was installed; `file` is its path in the artifact's folder."""

    file: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """One artifact in the store: the content of artifact.json, and its folder."""

    component: str
    version: str
    source: str
    recipe: str
    key: str
    lock_sha256: str
    toolchain: str
    tags: str
    built_seconds: float
    binaries: Mapping[str, StoredFile]
    path: Path

    def size(self) -> int:
        return sum(binary.size for binary in self.binaries.values())


def lock_hash(lock: Lock) -> str:
    """The hash of go.mod and go.sum together."""
    digest = hashlib.sha256()
    for file in lock.files:
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def recipe_hash(component: Component, lock: Lock) -> str:
    """The hash of everything that muster decides about a build."""
    recipe: dict[str, object] = {
        "lock": lock_hash(lock),
        "packages": {name: [p.package, p.file] for name, p in component.processes.items()},
        "tags": list(component.tags),
        "ldflags": component.linker_flags(lock.version),
        "platform": f"{sys.platform}/{platform.machine()}",
    }
    if component.cgo:
        recipe["cgo"] = True
    if component.program:
        recipe["program"] = sha256(program_file(component))
    return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()


def program_file(component: Component) -> Path:
    """The main.go in this repository that a component is built from."""
    return data_root() / "clusters" / component.program


def key(recipe: str, toolchain: str) -> str:
    """The hash that names the folder: the recipe and the compiler."""
    return hashlib.sha256(f"{recipe} {toolchain}".encode()).hexdigest()


def find(component: Component, lock: Lock, recipe: str | None = None) -> StoredArtifact | None:
    """The newest complete artifact of a recipe, by default the recipe of the build; None if there is none."""
    recipe = recipe or recipe_hash(component, lock)
    artifacts = [
        artifact for artifact in stored_artifacts(component.name) if artifact.recipe == recipe and complete(artifact)
    ]
    return max(artifacts, key=lambda artifact: artifact.path.stat().st_mtime, default=None)


def complete(artifact: StoredArtifact) -> bool:
    """Whether all files exist with their recorded size; `verify` also reads them."""
    for binary in artifact.binaries.values():
        path = artifact.path / binary.file
        if not path.is_file() or path.stat().st_size != binary.size:
            return False
    return True


def stored_artifacts(component: str | None = None) -> list[StoredArtifact]:
    """Everything that is stored, by component and version."""
    artifacts = (read(path.parent) for path in _root().glob(f"{component or '*'}/*/{_RECORD}"))
    return sorted((artifact for artifact in artifacts if artifact), key=lambda artifact: str(artifact.path))


def read(path: Path) -> StoredArtifact | None:
    """The artifact in one folder; None if artifact.json cannot be read: the store ignores such a folder."""
    try:
        raw = json.loads((path / _RECORD).read_text(encoding="utf-8"))
        binaries = {name: StoredFile(**value) for name, value in raw.pop("binaries").items()}
        return StoredArtifact(**raw, binaries=binaries, path=path)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def verify(artifact: StoredArtifact) -> None:
    """Hash every file again; a difference is an ArtifactError with both values."""
    for name, binary in artifact.binaries.items():
        path = artifact.path / binary.file
        digest = sha256(path) if path.is_file() else "missing"
        if digest != binary.sha256:
            raise ArtifactError(
                f"{artifact.component} {artifact.version}: {name} is not what was installed\n"
                f"  recorded: sha256 {binary.sha256}\n"
                f"  found:    {'sha256 ' if path.is_file() else ''}{digest}  ({path})",
                hint=f"Remove {artifact.path} and run `muster get {artifact.component}@{artifact.version}`.",
            )


@contextmanager
def exclusive(component: Component, lock: Lock, progress: Progress, recipe: str | None = None) -> Iterator[None]:
    """Let only one process at a time make an artifact; the others report that they wait."""
    name = f"{lock.version}-{(recipe or recipe_hash(component, lock))[:_SHORT]}"
    folder = _root() / component.name
    folder.mkdir(parents=True, exist_ok=True)
    guard = FileLock(folder / f".{name}.lock")
    started = time.monotonic()
    while True:
        try:
            guard.acquire(timeout=0 if time.monotonic() - started < 0.01 else 2)
            break
        except Timeout:
            text, elapsed = "waiting for another muster to build it", time.monotonic() - started
            progress(Event(component.name, lock.version, "wait", text, elapsed=elapsed))
    try:
        _sweep(folder, name)
        yield
    finally:
        guard.release()


def _sweep(folder: Path, ours: str) -> None:
    """Remove the folders of killed builds: if the lock of a folder is free, or ours, no process builds there."""
    for leftover in folder.glob(".tmp-*"):
        name = leftover.name.removeprefix(".tmp-").rpartition("-")[0]
        with suppress(Timeout), nullcontext() if name == ours else FileLock(folder / f".{name}.lock", timeout=0):
            shutil.rmtree(leftover, ignore_errors=True)


def install(
    component: Component,
    lock: Lock,
    toolchain: str,
    source: str,
    make: Callable[[Path], Mapping[str, Path]],
    recipe: str | None = None,
) -> StoredArtifact:
    """Let `make` fill the folder STAGED of a new folder, then move that in place by one rename. Hold `exclusive`."""
    recipe = recipe or recipe_hash(component, lock)
    folder = _root() / component.name
    work = Path(tempfile.mkdtemp(prefix=f".tmp-{lock.version}-{recipe[:_SHORT]}-", dir=folder))
    started = time.monotonic()
    try:
        staged = work / STAGED
        staged.mkdir()
        files = make(work)
        artifact = StoredArtifact(
            component=component.name,
            version=lock.version,
            source=source,
            recipe=recipe,
            key=key(recipe, toolchain),
            lock_sha256=lock_hash(lock),
            toolchain=toolchain,
            tags=",".join(component.tags),
            built_seconds=round(time.monotonic() - started, 1),
            binaries={name: _stored_file(staged, path) for name, path in files.items()},
            path=folder / f"{lock.version}-{key(recipe, toolchain)[:_SHORT]}",
        )
        _publish(staged, artifact)
        return artifact
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _stored_file(staged: Path, path: Path) -> StoredFile:
    return StoredFile(path.relative_to(staged).as_posix(), path.stat().st_size, sha256(path))


def _publish(staged: Path, artifact: StoredArtifact) -> None:
    """Write artifact.json beside the files and rename the folder to its final name."""
    data = {field: value for field, value in asdict(artifact).items() if field != "path"}
    (staged / _RECORD).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    shutil.rmtree(artifact.path, ignore_errors=True)  # an incomplete artifact, which `find` did not accept
    staged.rename(artifact.path)


def sha256(path: Path) -> str:
    """The hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _root() -> Path:
    return cache_root() / "artifacts"


def own_builds() -> dict[tuple[str, str, str], str]:
    """The checksum of every program in the store, by component, version and process; of several builds the newest."""
    newest = sorted(stored_artifacts(), key=lambda artifact: artifact.path.stat().st_mtime)
    return {
        (artifact.component, artifact.version, process): binary.sha256
        for artifact in newest
        for process, binary in artifact.binaries.items()
    }
