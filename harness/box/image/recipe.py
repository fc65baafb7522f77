"""What the node image is made of, read from clusters/image, and the key under which a finished one is kept.

The key is a hash over everything that goes in: binaries, files, packages. So an image that is there need not be looked
into, and whatever is changed gives another one.
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

STEPS = 1  # of the way the image is put together; raise it when that changes what comes out
SHORT = 12  # hex digits of a key in a name
FOLLOWS = {"kubernetes", "kubernetes-node"}  # components that have the version of the cluster


@dataclass(frozen=True, slots=True)
class Inner:
    """One image that the node holds before it starts."""

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
    images: Sequence[Inner]
    masked: Sequence[str]

    def components(self) -> list[str]:
        named = [name for names in self.programs.values() for name in names]
        named += [inner.program for inner in self.images if inner.program]
        return sorted({name.partition(".")[0] for name in named})


@lru_cache(maxsize=1)
def recipe() -> Recipe:
    raw: dict[str, Any] = yaml.safe_load((source() / "image.yaml").read_text(encoding="utf-8"))
    return Recipe(**{**raw, "images": tuple(Inner(**one) for one in raw["images"])})


def source() -> Path:
    return data_root() / "clusters" / "image"


def store() -> Path:
    """Where finished images and what they are made from are kept."""
    return cache_root() / "images"


def versions(kubernetes: str | None = None) -> dict[str, str]:
    """Which version of each component a node of this Kubernetes has; UsageError if there is no lock for it."""
    register = load()
    wanted = register.lock("kubernetes", kubernetes).version
    if wanted not in register.locks("kubernetes-node"):
        raise UsageError(
            f"there is no node image of Kubernetes {wanted}",
            hint=f"To be had: {', '.join(register.locks('kubernetes-node'))}. To add one: "
            f"`muster lock kubernetes-node@{wanted}`.",
        )
    return {
        name: wanted if name in FOLLOWS else register.lock(name).version for name in (*recipe().components(), "kind")
    }


def resolve_all(wanted: Mapping[str, str], progress: Progress) -> dict[str, Artifact]:
    """Every binary of the node, built now if it is nowhere to be found."""
    return {name: resolve(name, wanted[name], progress=progress) for name in recipe().components()}


def rootfs_key() -> str:
    """The hash over what the file system is made of; where its packages are fetched from makes no difference."""
    parts = [recipe().suite, *sorted(recipe().packages), architecture()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def image_key(artifacts: Mapping[str, Artifact]) -> str:
    """The hash over everything that goes into a node image."""
    files = {path.relative_to(source()).as_posix(): path for path in sorted(source().rglob("*")) if path.is_file()}
    parts = {
        "steps": STEPS,
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
