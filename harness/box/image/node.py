"""Build the node image: Debian, locked Go builds, and every image of the control plane.

The result is an archive for `docker load`, stored in the cache under the hash of its whole content. It is for machines
without access to a registry; elsewhere the official kindest/node serves the same purpose.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from filelock import FileLock

from harness.box.artifacts import Artifact, Progress, failures
from harness.box.artifacts.progress import silent
from harness.box.image import inner, preload, recipe, rootfs
from harness.box.image.archive import PATH, Image, tree, write_layer
from harness.box.image.progress import Reporter

IMAGES_PER_VERSION = 2  # including the image that is built
STALE = 6 * 3600.0  # seconds after which no process uses a working folder any more
NEEDED_MB = 4000  # for the file system, its layer and the finished archive at the same time


@dataclass(frozen=True, slots=True)
class NodeImage:
    """A finished node image in the cache."""

    kubernetes: str
    tag: str
    key: str
    versions: Mapping[str, str]
    packages: Mapping[str, str]  # of Debian, with their versions
    size: int
    seconds: float
    archive: str  # file name in the store

    @property
    def path(self) -> Path:
        return recipe.store() / self.archive


def stored_images() -> list[NodeImage]:
    """Every finished image, by version."""
    images = []
    for record in sorted(recipe.store().glob("node-*.json")):
        try:
            image = NodeImage(**json.loads(record.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            continue
        if image.path.is_file() and image.path.stat().st_size == image.size:
            images.append(image)
    return images


def find(kubernetes: str | None = None, progress: Progress = silent) -> NodeImage | None:
    """The finished image of this version, if it was built from the current content."""
    versions = recipe.versions(kubernetes)
    artifacts = recipe.resolve_all(versions, progress)
    key = recipe.image_key(artifacts)
    return next((image for image in stored_images() if image.key == key), None)


def provide(kubernetes: str | None = None, progress: Progress = silent, mirror: str = "") -> NodeImage:
    """The image, built now if it is not there."""
    versions = recipe.versions(kubernetes)
    reporter = Reporter(versions["kubernetes"], progress)
    ready = find(kubernetes, progress) if _built(versions) else None
    if ready is not None:
        return ready
    rootfs.require_tools()
    artifacts = recipe.resolve_all(versions, progress)
    key = recipe.image_key(artifacts)
    recipe.store().mkdir(parents=True, exist_ok=True)
    with FileLock(recipe.store() / f".node-{key[: recipe.SHORT]}.lock"):
        ready = next((image for image in stored_images() if image.key == key), None)
        if ready is not None:  # another muster built it while this one waited
            return ready
        failures.require_space(f"node image {versions['kubernetes']}", recipe.store(), NEEDED_MB << 20)
        _sweep()
        image = _build(versions, artifacts, key, mirror or recipe.recipe().mirror, reporter)
    reporter(f"built {image.tag}, {image.size / 1e6:.0f} MB", stage="done")
    return image


def _sweep() -> None:
    """Remove the folders of killed builds, and all but the latest images of each version."""
    for leftover in recipe.store().glob(".*-*"):
        if leftover.is_dir() and time.time() - leftover.stat().st_mtime > STALE:
            shutil.rmtree(leftover, ignore_errors=True)
    by_version: dict[str, list[NodeImage]] = {}
    for image in sorted(stored_images(), key=lambda image: image.path.stat().st_mtime):
        by_version.setdefault(image.kubernetes, []).append(image)
    for images in by_version.values():
        for old in images[: -IMAGES_PER_VERSION + 1]:
            old.path.with_suffix(".json").unlink(missing_ok=True)
            old.path.unlink(missing_ok=True)


def _built(versions: Mapping[str, str]) -> bool:
    return any(image.kubernetes == versions["kubernetes"] for image in stored_images())


def _build(
    versions: Mapping[str, str], artifacts: Mapping[str, Artifact], key: str, mirror: str, reporter: Reporter
) -> NodeImage:
    kubernetes = versions["kubernetes"]
    began = time.monotonic()
    base = rootfs.provide(mirror, reporter)
    with tempfile.TemporaryDirectory(prefix=".node-", dir=recipe.store()) as folder:
        work = Path(folder)
        root = work / "root"
        reporter("laying out the file system")
        rootfs.unpack(base, root)
        packages = _packages(root)
        _add_files(root, artifacts, kubernetes)
        reporter("writing the images of the control plane")
        archives = inner.write_all(artifacts, root, _folder(work / "images"))
        reporter("importing the images into containerd")
        preload.preload(artifacts["containerd"], archives, root / "var/lib/containerd")
        reporter("packing the node")
        name, tag = f"node-{kubernetes}-{key[: recipe.SHORT]}", recipe.tag(kubernetes, key)
        archive = _pack(root, work / "layer.tar", tag, recipe.store() / f"{name}.tar")
    image = NodeImage(
        kubernetes,
        tag,
        key,
        dict(versions),
        packages,
        archive.stat().st_size,
        round(time.monotonic() - began, 1),
        archive.name,
    )
    record = recipe.store() / f"{name}.json"
    record.write_text(json.dumps(asdict(image), indent=1) + "\n", encoding="utf-8")
    return image


def _add_files(root: Path, artifacts: Mapping[str, Artifact], kubernetes: str) -> None:
    """Copy the binaries, the files and the systemd settings into the file system."""
    contents = recipe.recipe()
    for folder, names in contents.programs.items():
        for name in names:
            component, _, process = name.partition(".")
            binary = artifacts[component].binaries[process]
            target = _folder(root / folder.lstrip("/")) / binary.name
            shutil.copyfile(binary, target)
            target.chmod(0o755)
    files = recipe.source() / "files"
    for path in sorted(files.rglob("*")):
        if path.is_file():
            target = root / path.relative_to(files)
            _folder(target.parent)
            shutil.copyfile(path, target)
            target.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
    (root / "var/lib/dbus/machine-id").unlink(missing_ok=True)  # otherwise all nodes would have the same machine id
    (root / "kind/version").write_text(f"v{kubernetes}")
    units = root / "etc/systemd/system"
    for unit in contents.masked:
        _link(units / unit, "/dev/null")
    _link(units / "default.target", "/lib/systemd/system/multi-user.target")
    for unit in ("containerd.service", "kubelet.service"):
        _link(_folder(units / "multi-user.target.wants") / unit, f"/etc/systemd/system/{unit}")
    for folder in ("etc/cni/net.d", "etc/kubernetes/manifests", "var/lib/kubelet", "var/log/journal"):
        _folder(root / folder)


def _pack(root: Path, layer: Path, tag: str, target: Path) -> Path:
    digest = hashlib.sha256()
    with layer.open("wb") as sink:
        tree(root, _Hashed(sink, digest))  # type: ignore[arg-type]
    image = Image(
        tag,
        entrypoint=("/usr/local/bin/entrypoint", "/sbin/init"),
        environment=(PATH, "container=docker"),
        stop_signal="SIGRTMIN+3",
    )
    with layer.open("rb") as content:
        return write_layer(image, content, layer.stat().st_size, digest.hexdigest(), target)


class _Hashed:
    """A file that is hashed as it is written."""

    def __init__(self, sink: IO[bytes], digest: Any) -> None:
        self._sink, self._digest = sink, digest

    def write(self, content: bytes) -> int:
        self._digest.update(content)
        return self._sink.write(content)


def _packages(root: Path) -> dict[str, str]:
    """The installed Debian packages with their versions."""
    packages, name = {}, ""
    for line in (root / "var/lib/dpkg/status").read_text(errors="replace").splitlines():
        key, _, value = line.partition(": ")
        name = value if key == "Package" else name
        if key == "Version":
            packages[name] = value
    return packages


def _folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _link(path: Path, target: str) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)
