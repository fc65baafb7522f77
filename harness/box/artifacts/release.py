"""The vendors' own programs, as they published them: a download of minutes less than a build.

Three layouts are known: one file for each program, an archive with all of them, and container images. Where the
programs of a component are is data of the register (`release` in clusters/components.yaml). What arrives is compared
with the digest that is written down, else with the checksum that the vendor publishes beside the file.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tarfile
import time
from collections.abc import Mapping
from pathlib import Path

from harness.box.artifacts import digests, fetch, store
from harness.box.artifacts.elf import foreign_architecture, this_architecture
from harness.box.artifacts.images import Image
from harness.box.artifacts.progress import Event, Progress
from harness.box.artifacts.register import Component, Lock, Release
from harness.core.errors import ArtifactError

SOURCE = "release"
GO_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}  # architectures for which vendors publish programs
_HASH = re.compile(r"\b[0-9a-f]{64}\b")


def recipe_of(component: Component, lock: Lock) -> str:
    """The hash of everything that decides which programs a release has."""
    release = component.release
    decided = {
        "release": [release.url, release.image, release.member] if release else [],
        "version": lock.version,
        "platform": platform(),
        "files": {name: process.file for name, process in component.processes.items()},
    }
    return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()


def platform() -> str:
    return f"linux/{GO_NAMES.get(this_architecture(), this_architecture())}"


def install(component: Component, lock: Lock, progress: Progress) -> store.StoredArtifact:
    """Download all programs of a component and store them. Hold `store.exclusive`."""
    recipe = recipe_of(component, lock)
    digest_of: dict[str, str] = {}
    artifact = store.install(
        component,
        lock,
        "",
        SOURCE,
        lambda work: _download(_Job(component, lock, progress, work, digest_of)),
        recipe,
    )
    if digests.recorded(lock, platform()) != digest_of:
        digests.remember(lock, platform(), digest_of)
    progress(Event(component.name, lock.version, "done", "downloaded", elapsed=artifact.built_seconds))
    return artifact


def published_digests(component: Component, lock: Lock) -> dict[str, str]:
    """The digest of every program's download, as its vendor publishes it now."""
    release = _release(component)
    if release.image:
        return {name: _image(release, lock, name, component).digest() for name in component.processes}
    published = {name: _published(_url(release, lock, name, component), release, lock) for name in component.processes}
    if missing := [name for name, digest in published.items() if not digest]:
        raise ArtifactError(f"{component.name} {lock.version}: no checksum is published for {', '.join(missing)}")
    return published


class _Job:
    """One download of a component."""

    def __init__(
        self, component: Component, lock: Lock, progress: Progress, work: Path, digest_of: dict[str, str]
    ) -> None:
        self.component, self.lock, self.work, self.digest_of = component, lock, work, digest_of
        self._progress, self._started = progress, time.monotonic()

    def received(self, count: int, total: int, process: str = "") -> None:
        text, elapsed = f"downloading {process} (MB)", time.monotonic() - self._started
        event = Event(
            self.component.name, self.lock.version, "download", text, count >> 20, max(total >> 20, 1), elapsed
        )
        self._progress(event)


def _download(job: _Job) -> Mapping[str, Path]:
    """Every program, checked, in the folder that becomes the artifact."""
    release = _release(job.component)
    expected = digests.recorded(job.lock, platform())
    archives: dict[str, tuple[Path, str]] = {}  # URL -> what was downloaded from it, and its digest
    programs = {}
    for name, process in job.component.processes.items():
        target = job.work / store.STAGED / process.file

        def received(count: int, total: int, process: str = process.file) -> None:
            job.received(count, total, process)

        if release.image:
            image = _image(release, job.lock, name, job.component)
            digest = expected.get(name) or image.digest()
            image.extract(digest, fill_release(release.member, job.lock, name, job.component), target, received)
            job.digest_of[name] = digest
        else:
            url = _url(release, job.lock, name, job.component)
            if url not in archives:
                archive = job.work / f"download-{len(archives)}"
                archives[url] = archive, _fetch(url, archive, release, job.lock, name, expected.get(name), received)
            archive, job.digest_of[name] = archives[url]
            _place(archive, fill_release(release.member, job.lock, name, job.component), target)
        target.chmod(0o755)
        if foreign := foreign_architecture(target):
            raise ArtifactError(f"{job.component.name} {job.lock.version}: {process.file} is for {foreign}")
        programs[name] = target
    return programs


def _fetch(
    url: str,
    target: Path,
    release: Release,
    lock: Lock,
    process: str,
    expected: str | None,
    received: fetch.Received,
) -> str:
    """Download a file; its digest, which is the one that is written down or published."""
    published = expected or _published(url, release, lock)
    digest = "sha256:" + fetch.download(url, target, received)
    if published:
        digests.check(lock, process, published, digest, fetch.mirrored(url))
    return digest


def _published(url: str, release: Release, lock: Lock) -> str:
    """The checksum that the vendor publishes: beside the file, in a list of all files, or in the answer of an API."""
    if not release.checksum:
        return ""
    address = release.checksum.replace("{url}", url).replace("{version}", lock.version)
    content = fetch.text(address)
    name = url.rpartition("/")[2]
    if address == f"{url}.sha256":
        hashes = _HASH.findall(content)
    elif content.lstrip().startswith("{"):
        assets = {asset["name"]: str(asset.get("digest") or "") for asset in json.loads(content).get("assets", [])}
        hashes = _HASH.findall(assets.get(name, ""))
    else:
        hashes = [line.split()[0] for line in content.splitlines() if line.split()[1:] in ([name], [f"*{name}"])]
    if len(hashes) != 1:
        raise fetch.UnreachableError(f"{fetch.mirrored(address)}: no checksum of {name}")
    return f"sha256:{hashes[0]}"


def _place(archive: Path, member: str, target: Path) -> None:
    """The program out of what was downloaded: a file of an archive, or the file itself."""
    if not member:
        archive.rename(target)
        return
    with tarfile.open(archive) as content:
        try:
            file = content.extractfile(member)
        except KeyError:
            file = None
        if file is None:
            raise fetch.UnreachableError(f"the archive has no file {member}")
        with target.open("wb") as out:
            shutil.copyfileobj(file, out)


def _release(component: Component) -> Release:
    if component.release is None:
        raise fetch.UnreachableError(f"{component.name}: the register names no published programs")
    if this_architecture() not in GO_NAMES:
        raise fetch.UnreachableError(f"{component.name}: nothing is published for {this_architecture()}")
    return component.release


def _url(release: Release, lock: Lock, process: str, component: Component) -> str:
    return fill_release(release.url, lock, process, component)


def _image(release: Release, lock: Lock, process: str, component: Component) -> Image:
    return Image(fill_release(release.image, lock, process, component), GO_NAMES[this_architecture()])


def fill_release(template: str, lock: Lock, process: str, component: Component) -> str:
    """Put version, architecture, program and its file name into a template of the register."""
    values = {
        "version": lock.version,
        "arch": GO_NAMES.get(this_architecture(), ""),
        "process": process,
        "file": component.processes[process].file,
    }
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), template)
