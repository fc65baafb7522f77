"""Which image the nodes of a kind cluster are made from.

official   kindest/node by digest, pulled: needs a registry
own        muster's own, built from Debian packages and locked Go modules: needs none
auto       official where the registry answers and has this version, else own
anything else is taken for the name of an image
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from harness.box import image as own_images
from harness.box.artifacts import Artifact
from harness.box.artifacts import load as load_register
from harness.box.artifacts.store import sha256
from harness.box.data import data_root
from harness.box.kind import docker
from harness.box.phases import Listener, phase
from harness.core.errors import UsageError

CHOICES = ("auto", "official", "own")
SHELL = "muster.local/busybox:1"  # with a shell, on every node of our own image
REACH = 3.0  # seconds to wait for a registry before it counts as out of reach
_VERSION = re.compile(r":v?(\d+\.\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class EngineImage:
    """An image that the engine has."""

    reference: str
    kubernetes: str  # full version
    is_own: bool  # built by muster
    why: str

    def artifact(self, binaries: Mapping[str, Path]) -> Artifact:
        """Programs that were taken out of a foreign image, and where they came from."""
        return Artifact(
            "kubernetes",
            self.kubernetes,
            binaries,
            {name: sha256(path) for name, path in binaries.items()},
            {name: path.stat().st_size for name, path in binaries.items()},
            dict.fromkeys(binaries, self.reference),
        )


def choose(choice: str, kubernetes: str, listener: Listener) -> EngineImage:
    """The image for nodes of this Kubernetes, pulled or built and loaded if need be."""
    minor = ".".join(kubernetes.removeprefix("v").split(".")[:2])
    official: str | None = _official()["images"].get(minor)
    if choice not in CHOICES:
        return _named(choice, listener)
    if choice == "official" and official is None:
        raise UsageError(
            f"there is no official node image of Kubernetes {minor} in clusters/kind/official.yaml",
            hint=f"Known: {', '.join(_official()['images'])}. Name one with --image REFERENCE, or use --image own.",
        )
    exact = kubernetes if kubernetes.count(".") == 2 else ""
    fits = official is not None and (not exact or f":v{exact}@" in official)
    if choice == "official" or (choice == "auto" and fits and _reachable(str(_official()["registry"]))):
        assert official is not None
        return _named(official, listener, why="the registry can be reached" if choice == "auto" else "asked for")
    why = "asked for" if choice == "own" else "no registry can be reached" if fits else "no official image is known"
    return _muster_image(kubernetes, listener, why)


def _muster_image(kubernetes: str, listener: Listener, why: str) -> EngineImage:
    version = load_register().lock("kubernetes", kubernetes).version
    image = own_images.provide(version, listener.build)
    if not docker.has_image(image.tag):
        with phase(listener, f"Loading {image.tag} into Docker ({why})"):
            docker.load(image.path)
    return EngineImage(image.tag, version, True, why)


def _named(reference: str, listener: Listener, why: str = "asked for") -> EngineImage:
    match = _VERSION.search(reference)
    if match is None:
        raise UsageError(
            f"{reference!r} does not say which Kubernetes it has",
            hint=f"Give {', '.join(CHOICES)}, or an image whose tag begins with the version, such as "
            "kindest/node:v1.37.0.",
        )
    if not docker.has_image(reference):
        with phase(listener, f"Pulling {reference} ({why})"):
            docker.pull(reference)
    return EngineImage(reference, match[1], reference.startswith("muster.local/"), why)


def _reachable(registry: str) -> bool:
    try:
        socket.create_connection((registry, 443), timeout=REACH).close()
    except OSError:
        return False
    return True


@lru_cache(maxsize=1)
def _official() -> dict[str, Any]:
    path = data_root() / "clusters" / "kind" / "official.yaml"
    images: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return images
