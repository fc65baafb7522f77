"""Every binary that a box runs: from the user, from the cache, or built from a committed lock.

    artifact = resolve("kubernetes", "1.37")
    artifact.binaries["kube-apiserver"]          # a Path that can be executed
    resolve("volcano").files["crds"]             # Paths of the files that the register names

`resolve` is all that a box needs. It asks the sources in order (user, cache, Go module build) and either returns all
binaries of the component or raises; there is no incomplete artifact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.box.artifacts import files
from harness.box.artifacts.progress import Event, Progress, silent
from harness.box.artifacts.register import Component, Lock, Register, load
from harness.box.artifacts.sources import Request, ResolvedBinary, all_binaries, parse_binaries, standard
from harness.box.data import cache_root, data_root
from harness.core.errors import ArtifactError

__all__ = [
    "Artifact",
    "Component",
    "Event",
    "Lock",
    "Progress",
    "Register",
    "cache_root",
    "data_root",
    "load",
    "parse_binaries",
    "resolve",
]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A component that can be started: one executable per process with its hash and source, and its other files."""

    component: str
    version: str
    binaries: Mapping[str, Path]
    checksums: Mapping[str, str]
    sizes: Mapping[str, int]
    sources: Mapping[str, str]
    files: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The source of the binaries; `given+cache` if the user gave only some of them."""
        return "+".join(sorted(set(self.sources.values()), reverse=True))


def resolve(
    component: str,
    version: str | None = None,
    *,
    binaries: Mapping[str, Path] | None = None,
    progress: Progress | None = None,
) -> Artifact:
    """All binaries of a component; they are built now if no other source has them.

    `version` is full (1.37.1), a minor (1.37: its newest locked patch) or None (the register's default).
    `binaries` maps COMPONENT.PROCESS to a path, as `parse_binaries` returns it; the environment variable
    MUSTER_BINARIES and the config file are read too; `binaries` goes before both.
    """
    register = load()
    entry = register.component(component)
    request = Request(entry, register.lock(component, version), progress or silent)
    resolved: dict[str, ResolvedBinary] = {}
    for source in standard(all_binaries(binaries, register)):
        missing = frozenset(entry.processes) - set(resolved)
        if not missing:
            break
        resolved.update(source.supply(request, missing))
    if lacking := set(entry.processes) - set(resolved):
        raise ArtifactError(f"{component} {request.lock.version}: no source has {', '.join(sorted(lacking))}")
    return Artifact(
        component=component,
        version=request.lock.version,
        binaries={name: resolved[name].path for name in entry.processes},
        checksums={name: resolved[name].sha256 for name in entry.processes},
        sizes={name: resolved[name].size for name in entry.processes},
        sources={name: resolved[name].source for name in entry.processes},
        files=files.supply(request),
    )
