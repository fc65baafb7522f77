"""Where binaries come from, in order: given by the user, the cache, a Go module build.

Each source is asked for the processes that are still missing and answers with those it has. That is the whole
protocol, and the seam for a source that takes binaries out of official container images by digest: put it between
`Cache` and `GoBuild`, install what it extracts by `store.install`, and nothing else changes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.box import config
from harness.box.artifacts import build, failures, store, toolchain
from harness.box.artifacts.elf import foreign_architecture, this_architecture
from harness.box.artifacts.progress import Event, Progress
from harness.box.artifacts.register import Component, Lock, Register, load
from harness.core.errors import ArtifactError, UsageError

_ENV = "MUSTER_BINARIES"


@dataclass(frozen=True, slots=True)
class Request:
    """One component in one version, and whom to tell about progress."""

    component: Component
    lock: Lock
    progress: Progress


@dataclass(frozen=True, slots=True)
class Found:
    """A binary and where it came from."""

    path: Path
    size: int
    sha256: str
    source: str


class Source(Protocol):
    """Something that may have binaries."""

    @property
    def name(self) -> str: ...

    def supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, Found]:
        """Those of the missing processes that this source has; an ArtifactError if it should have them and fails."""
        ...


@dataclass(frozen=True, slots=True)
class Given:
    """Binaries the user named, checked when they were named."""

    binaries: Mapping[str, Path]
    name: str = "given"

    def supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, Found]:
        found = {}
        for process in missing:
            path = self.binaries.get(f"{request.component.name}.{process}")
            if path is not None:
                found[process] = Found(path, path.stat().st_size, store.sha256(path), self.name)
        return found


@dataclass(frozen=True, slots=True)
class Cache:
    """What an earlier build left in the store."""

    name: str = "cache"

    def supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, Found]:
        record = store.find(request.component, request.lock)
        return _of_record(record, missing, self.name) if record else {}


@dataclass(frozen=True, slots=True)
class GoBuild:
    """A build from the lock, stored for the next time."""

    name: str = "go-build"

    def supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, Found]:
        try:
            return self._supply(request, missing)
        except OSError as error:
            raise failures.cannot_write(f"{request.component.name} {request.lock.version}", error) from error

    def _supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, Found]:
        component, lock, progress = request.component, request.lock, request.progress
        with store.exclusive(component, lock, progress):
            record = store.find(component, lock)  # another worker may have built it while we waited
            if record is not None:
                return _of_record(record, missing, "cache")
            needed = toolchain.required_go(lock.files[0])
            go = toolchain.find(needed, progress, component=component.name, version=lock.version)
            record = store.install(
                component, lock, go.version, self.name, lambda work: build.build(component, lock, go, work, progress)
            )
        progress(Event(component.name, lock.version, "done", "built", elapsed=record.built_seconds))
        return _of_record(record, missing, self.name)


def standard(binaries: Mapping[str, Path]) -> tuple[Source, ...]:
    """The sources in the order in which they are asked."""
    return Given(binaries), Cache(), GoBuild()


def parse_binaries(
    values: Iterable[str], *, option: str = "--binary", register: Register | None = None
) -> dict[str, Path]:
    """Read COMPONENT.PROCESS=PATH values, checked against the register and the file system."""
    register = register or load()
    parsed: dict[str, Path] = {}
    for value in values:
        name, separator, given = value.partition("=")
        if not separator or "." not in name or not given:
            raise UsageError(
                f"{option} must be COMPONENT.PROCESS=PATH; given: {value!r}",
                hint=f"For example: {option} kubernetes.kube-scheduler=./kube-scheduler",
            )
        register.process(name)
        if name in parsed:
            raise UsageError(f"{option} names {name} twice: {parsed[name]} and {given}")
        parsed[name] = _executable(option, name, Path(given).expanduser().absolute())
    return parsed


def all_binaries(given: Mapping[str, Path] | None, register: Register) -> dict[str, Path]:
    """The user's binaries from every place: the config file, then the environment, then the caller's own."""
    settings = config.load()
    merged = parse_binaries(
        [f"{name}={path}" for name, path in settings.binaries.items()],
        option=f"{settings.path} [binaries]",
        register=register,
    )
    entries = [entry.strip() for entry in os.environ.get(_ENV, "").split(",")]
    merged |= parse_binaries([entry for entry in entries if entry], option=_ENV, register=register)
    for name, path in (given or {}).items():
        register.process(name)
        merged[name] = _executable("binaries", name, Path(path).absolute())
    return merged


def _executable(option: str, name: str, path: Path) -> Path:
    if not path.is_file():
        raise UsageError(f"{option} {name} must be an existing file; given: {path}")
    if not os.access(path, os.X_OK):
        raise UsageError(f"{option} {name} must be executable; given: {path}", hint=f"chmod +x {path}")
    if foreign := foreign_architecture(path):
        raise ArtifactError(
            f"wrong architecture: {path} ({option} {name}) is for {foreign}, this machine is {this_architecture()}",
            hint="Give a binary built for this machine, or leave the option out and let muster build one.",
        )
    return path


def _of_record(record: store.Record, wanted: frozenset[str], source: str) -> dict[str, Found]:
    return {
        process: Found(record.path / binary.file, binary.size, binary.sha256, source)
        for process, binary in record.binaries.items()
        if process in wanted
    }
