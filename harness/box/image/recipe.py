"""The content of the node image, read from clusters/image, and the key of a finished image.

The key is a hash of the whole content: binaries, files, packages. A finished image is found by its key alone, and any
change gives another key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from harness.box.artifacts import Artifact, Progress, load, resolve
from harness.box.data import cache_root, data_root
from harness.box.image.archive import architecture
from harness.core.errors import UsageError

PROCEDURE = 1  # number of the build procedure; raise it when a change of the procedure changes the image
SHORT = 12  # hex digits of a key in a name
VERSION_OF_CLUSTER = {"kubernetes", "kubernetes-node"}  # components that have the version of the cluster


@dataclass(frozen=True, slots=True)
class InnerImage:
    """One image that the node has before it starts."""

    name: str
    program: str = ""  # COMPONENT.PROCESS
    debian: Sequence[str] = ()
    compiled: str = ""  # a C file in clusters/image
    entrypoint: bool = False
    shell: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """clusters/image/image.yaml."""

    suite: str
    mirror: str
    packages: Sequence[str]
    programs: Mapping[str, Sequence[str]]  # folder of the node -> COMPONENT.PROCESS
    images: Sequence[InnerImage]
    masked: Sequence[str]

    def components(self) -> list[str]:
        named = [name for names in self.programs.values() for name in names]
        named += [inner.program for inner in self.images if inner.program]
        return sorted({name.partition(".")[0] for name in named})


@lru_cache(maxsize=1)
def recipe() -> Recipe:
    raw: dict[str, Any] = yaml.safe_load((source() / "image.yaml").read_text(encoding="utf-8"))
    return Recipe(**{**raw, "images": tuple(InnerImage(**image) for image in raw["images"])})


def source() -> Path:
    return data_root() / "clusters" / "image"


def store() -> Path:
    """The folder of finished images and of the file systems they are made from."""
    return cache_root() / "images"


def versions(kubernetes: str | None = None) -> dict[str, str]:
    """The version of each component of a node with this Kubernetes; UsageError if there is no lock for it."""
    register = load()
    version = register.lock("kubernetes", kubernetes).version
    if version not in register.locks("kubernetes-node"):
        raise UsageError(
            f"there is no node image of Kubernetes {version}",
            hint=f"Available: {', '.join(register.locks('kubernetes-node'))}. To add one: "
            f"`muster lock kubernetes-node@{version}`.",
        )
    return {
        name: version if name in VERSION_OF_CLUSTER else register.lock(name).version
        for name in (*recipe().components(), "kind")
    }


def resolve_all(versions: Mapping[str, str], progress: Progress) -> dict[str, Artifact]:
    """Every binary of the node; those that no source has are built now."""
    return {name: resolve(name, versions[name], progress=progress) for name in recipe().components()}


def rootfs_key() -> str:
    """The hash of the content of the file system; the mirror is not part of it."""
    parts = [recipe().suite, *sorted(recipe().packages), architecture()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def image_key(artifacts: Mapping[str, Artifact]) -> str:
    """The hash of the whole content of a node image."""
    files = {path.relative_to(source()).as_posix(): path for path in sorted(source().rglob("*")) if path.is_file()}
    parts = {
        "steps": PROCEDURE,
        "rootfs": rootfs_key(),
        "binaries": {name: dict(sorted(artifact.checksums.items())) for name, artifact in sorted(artifacts.items())},
        "files": {
            name: [hashlib.sha256(path.read_bytes()).hexdigest(), bool(path.stat().st_mode & 0o100)]
            for name, path in files.items()
        },
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def tag(kubernetes: str, key: str) -> str:
    """The name of the image in a container engine."""
    return f"muster.local/node:v{kubernetes}-{key[:SHORT]}"
