"""The sources of binaries, in order: the user, the cache, the vendor's release, a Go module build.

Each source is asked for the processes that are still missing, and returns those that it has. `--source` says which of
the last two are asked: `release`, `build`, or `auto`, which builds what cannot be downloaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.box import config
from harness.box.artifacts import build, failures, fetch, release, store, toolchain
from harness.box.artifacts.elf import foreign_architecture, this_architecture
from harness.box.artifacts.progress import Event, Progress
from harness.box.artifacts.register import Component, Lock, Register, load
from harness.core.errors import ArtifactError, UsageError

_ENV = "MUSTER_BINARIES"


@dataclass(frozen=True, slots=True)
class Request:
    """One component in one version, and the listener for progress."""

    component: Component
    lock: Lock
    progress: Progress


@dataclass(frozen=True, slots=True)
class ResolvedBinary:
    """A binary and its source."""

    path: Path
    size: int
    sha256: str
    source: str


class Source(Protocol):
    """Something that may have binaries."""

    @property
    def name(self) -> str: ...

    def supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, ResolvedBinary]:
        """Those of the missing processes that this source has; an ArtifactError if it should have them and fails."""
        ...


@dataclass(frozen=True, slots=True)
class UserSource:
    """Binaries that the user named; they are checked already."""

    binaries: Mapping[str, Path]
    name: str = "given"

    def supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, ResolvedBinary]:
        binaries = {}
        for process in missing:
            path = self.binaries.get(f"{request.component.name}.{process}")
            if path is not None:
                binaries[process] = ResolvedBinary(path, path.stat().st_size, store.sha256(path), self.name)
        return binaries


@dataclass(frozen=True, slots=True)
class CacheSource:
    """Binaries of an earlier build, from the store."""

    name: str = "cache"

    def supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, ResolvedBinary]:
        artifact = store.find(request.component, request.lock)
        return _binaries_of(artifact, missing, self.name) if artifact else {}


@dataclass(frozen=True, slots=True)
class ReleaseSource:
    """The vendor's own programs, downloaded; the result is stored."""

    is_needed: bool  # no other source is asked after it
    name: str = release.SOURCE

    def supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, ResolvedBinary]:
        component, lock = request.component, request.lock
        what = f"{component.name} {lock.version}"
        if component.release is None:
            if self.is_needed:
                raise ArtifactError(f"{what}: its programs are published nowhere", hint="Use --source auto, or build.")
            return {}
        recipe = release.recipe_of(component, lock)
        try:
            with store.exclusive(component, lock, request.progress, recipe):
                artifact = store.find(component, lock, recipe)
                if artifact is None and self.is_needed:
                    artifact = release.install(component, lock, request.progress)
                elif artifact is None:
                    artifact = _or_none(request)
                return _binaries_of(artifact, missing, self.name) if artifact else {}
        except fetch.UnreachableError as error:
            raise ArtifactError(f"{what}: {error.message}", hint="Use --source build, or a mirror.") from error
        except OSError as error:
            raise failures.cannot_write(what, error) from error


def _or_none(request: Request) -> store.StoredArtifact | None:
    """The release, or a line that says why it is built instead."""
    try:
        return release.install(request.component, request.lock, request.progress)
    except fetch.UnreachableError as error:
        text = f"no release can be had ({error.message}); it is built"
        request.progress(Event(request.component.name, request.lock.version, "fallback", text))
        return None


@dataclass(frozen=True, slots=True)
class BuildSource:
    """A build from the lock; the result is stored."""

    name: str = "go-build"

    def supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, ResolvedBinary]:
        try:
            return self._supply(request, missing)
        except OSError as error:
            raise failures.cannot_write(f"{request.component.name} {request.lock.version}", error) from error

    def _supply(self, request: Request, missing: frozenset[str]) -> Mapping[str, ResolvedBinary]:
        component, lock, progress = request.component, request.lock, request.progress
        with store.exclusive(component, lock, progress):
            artifact = store.find(component, lock)  # another worker may have built it while we waited
            if artifact is not None:
                return _binaries_of(artifact, missing, "cache")
            needed = toolchain.required_go(lock.files[0])
            go = toolchain.find(needed, progress, component=component.name, version=lock.version)
            artifact = store.install(
                component, lock, go.version, self.name, lambda work: build.build(component, lock, go, work, progress)
            )
        progress(Event(component.name, lock.version, "done", "built", elapsed=artifact.built_seconds))
        return _binaries_of(artifact, missing, self.name)


def standard(binaries: Mapping[str, Path]) -> tuple[Source, ...]:
    """The sources in the order in which they are asked."""
    source = source_choice()
    if source == "release":
        return UserSource(binaries), ReleaseSource(is_needed=True)
    published = (ReleaseSource(is_needed=False),) if source == "auto" else ()
    return UserSource(binaries), CacheSource(), *published, BuildSource()


def source_choice() -> str:
    """Which sources the user wants: of the environment, else of the config file, else all."""
    variable = os.environ.get(config.SOURCE_VARIABLE, "")
    text = variable or config.load().source or config.SOURCES[0]
    if text not in config.SOURCES:
        place = config.SOURCE_VARIABLE if variable else f"{config.load().path}: source"
        raise UsageError(f"{place}: expected {', '.join(config.SOURCES)}, given {text!r}")
    return text


def parse_binaries(
    values: Iterable[str], *, option: str = "--binary", register: Register | None = None
) -> dict[str, Path]:
    """Read COMPONENT.PROCESS=PATH values, checked against the register and the file system."""
    register = register or load()
    parsed: dict[str, Path] = {}
    for value in values:
        name, separator, path = value.partition("=")
        if not separator or "." not in name or not path:
            raise UsageError(
                f"{option} must be COMPONENT.PROCESS=PATH; given: {value!r}",
                hint=f"For example: {option} kubernetes.kube-scheduler=./kube-scheduler",
            )
        register.process(name)
        if name in parsed:
            raise UsageError(f"{option} names {name} twice: {parsed[name]} and {path}")
        parsed[name] = _executable(option, name, Path(path).expanduser().absolute())
    return parsed


def all_binaries(binaries: Mapping[str, Path] | None, register: Register) -> dict[str, Path]:
    """The user's binaries: of the config file, of the environment, and `binaries`; the last one wins."""
    settings = config.load()
    merged = parse_binaries(
        [f"{name}={path}" for name, path in settings.binaries.items()],
        option=f"{settings.path} [binaries]",
        register=register,
    )
    entries = [entry.strip() for entry in os.environ.get(_ENV, "").split(",")]
    merged |= parse_binaries([entry for entry in entries if entry], option=_ENV, register=register)
    for name, path in (binaries or {}).items():
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


def _binaries_of(artifact: store.StoredArtifact, processes: frozenset[str], source: str) -> dict[str, ResolvedBinary]:
    return {
        process: ResolvedBinary(artifact.path / binary.file, binary.size, binary.sha256, source)
        for process, binary in artifact.binaries.items()
        if process in processes
    }
