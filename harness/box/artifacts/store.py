"""The cache of finished artifacts: content-addressed, never half-written, built once however many ask.

    <cache>/artifacts/<component>/<version>-<key>/     the binaries, or the files of the module, and artifact.json
    <cache>/artifacts/<component>/.<version>-<recipe>.lock
    <cache>/artifacts/<component>/.tmp-<version>-<recipe>-*    a build under way, or what an interrupted one left

The *recipe* is the hash of everything muster decides: lock files, packages, flags, platform. The *key* adds the Go
that was used. Looking up goes by recipe, because a newer Go on PATH is no reason to build for minutes what is there;
the key keeps builds of two toolchains apart. A folder appears by one rename, so readers need no lock.
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
class Binary:
    """One file of an artifact, as recorded when it was installed; `file` is its path in the artifact's folder."""

    file: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Record:
    """What artifact.json says."""

    component: str
    version: str
    source: str
    recipe: str
    key: str
    lock_sha256: str
    toolchain: str
    tags: str
    built_seconds: float
    binaries: Mapping[str, Binary]
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
    """The hash of everything about a build that muster decides."""
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
    """The main.go of ours that a component is built from."""
    return data_root() / "clusters" / component.program


def key(recipe: str, toolchain: str) -> str:
    """The hash that names the folder: the recipe and the compiler."""
    return hashlib.sha256(f"{recipe} {toolchain}".encode()).hexdigest()


def find(component: Component, lock: Lock, recipe: str | None = None) -> Record | None:
    """The stored artifact of a recipe, by default the build's, newest first; None if there is none that is complete."""
    recipe = recipe or recipe_hash(component, lock)
    found = [record for record in records(component.name) if record.recipe == recipe and complete(record)]
    return max(found, key=lambda record: record.path.stat().st_mtime, default=None)


def complete(record: Record) -> bool:
    """Cheap check that the files are there in their recorded size; `verify` reads them."""
    for binary in record.binaries.values():
        path = record.path / binary.file
        if not path.is_file() or path.stat().st_size != binary.size:
            return False
    return True


def records(component: str | None = None) -> list[Record]:
    """Everything that is stored, by component and version."""
    found = (read(path.parent) for path in _root().glob(f"{component or '*'}/*/{_RECORD}"))
    return sorted((record for record in found if record), key=lambda record: str(record.path))


def read(path: Path) -> Record | None:
    """The record of one folder; None if it cannot be read, which the store treats as not being there."""
    try:
        raw = json.loads((path / _RECORD).read_text(encoding="utf-8"))
        binaries = {name: Binary(**value) for name, value in raw.pop("binaries").items()}
        return Record(**raw, binaries=binaries, path=path)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def verify(record: Record) -> None:
    """Hash every file again; a difference is an ArtifactError with both values."""
    for name, binary in record.binaries.items():
        path = record.path / binary.file
        seen = sha256(path) if path.is_file() else "missing"
        if seen != binary.sha256:
            raise ArtifactError(
                f"{record.component} {record.version}: {name} is not what was installed\n"
                f"  recorded: sha256 {binary.sha256}\n"
                f"  found:    {'sha256 ' if path.is_file() else ''}{seen}  ({path})",
                hint=f"Remove {record.path} and run `muster get {record.component}@{record.version}`.",
            )


@contextmanager
def exclusive(component: Component, lock: Lock, progress: Progress, recipe: str | None = None) -> Iterator[None]:
    """Only one process at a time may make a given artifact; whoever waits says so."""
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
    """Remove what killed builds left: a leftover whose lock is ours, or free, has no builder any more."""
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
) -> Record:
    """Let `make` fill the folder STAGED of a fresh one, then put that in place by one rename. Hold `exclusive`."""
    recipe = recipe or recipe_hash(component, lock)
    name = f"{lock.version}-{key(recipe, toolchain)[:_SHORT]}"
    folder = _root() / component.name
    work = Path(tempfile.mkdtemp(prefix=f".tmp-{lock.version}-{recipe[:_SHORT]}-", dir=folder))
    started = time.monotonic()
    try:
        staged = work / STAGED
        staged.mkdir()
        binaries = {
            name: Binary(path.relative_to(staged).as_posix(), path.stat().st_size, sha256(path))
            for name, path in make(work).items()
        }
        record = Record(
            component=component.name,
            version=lock.version,
            source=source,
            recipe=recipe,
            key=key(recipe, toolchain),
            lock_sha256=lock_hash(lock),
            toolchain=toolchain,
            tags=",".join(component.tags),
            built_seconds=round(time.monotonic() - started, 1),
            binaries=binaries,
            path=folder / name,
        )
        stored = {field: value for field, value in asdict(record).items() if field != "path"}
        (staged / _RECORD).write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")
        shutil.rmtree(record.path, ignore_errors=True)  # an incomplete one; `find` did not accept it
        staged.rename(record.path)
        return record
    finally:
        shutil.rmtree(work, ignore_errors=True)


def sha256(path: Path) -> str:
    """The hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _root() -> Path:
    return cache_root() / "artifacts"
