"""Write container images without a container engine: archives for `docker load`, `kind load` and containerd.

An image with one binary needs no Dockerfile and no daemon: it is a tar of a few files, a configuration and a list.
Order, times, owners and names are fixed, so the same content always gives the same bytes, and the hash of an archive
identifies its content.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from harness.box.artifacts.elf import is_static
from harness.core.errors import UsageError
from harness.core.files import replaced

PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CHUNK = 1 << 20
EPOCH = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Image:
    """The content of an image: files by their path, and how it is started."""

    name: str  # with its tag
    files: Mapping[str, Path | str] = field(
        default_factory=dict
    )  # a file of this machine, or `-> target` for a symlink
    entrypoint: Sequence[str] = ()
    command: Sequence[str] = ()
    environment: Sequence[str] = (PATH,)
    folders: Sequence[str] = ()  # empty folders
    stop_signal: str = ""


def program_image(name: str, binary: Path, program: str = "") -> Image:
    """An image with one program and nothing else; UsageError for a program that needs other files."""
    if not is_static(binary):
        raise UsageError(
            f"{binary} cannot run in a kind box: its image would contain this file only, and it is a script or needs "
            "shared libraries",
            hint="Link it statically (CGO_ENABLED=0 for Go), or use the embedded box.",
        )
    where = f"/{program or binary.name}"
    return Image(name, {where: binary}, (where,), folders=("tmp", "etc"))


def architecture() -> str:
    """The architecture of this machine, as images name it."""
    return ARCHITECTURES.get(platform.machine(), platform.machine())


def write(image: Image, target: Path) -> Path:
    """Write an image of a few files; its one layer is compressed."""
    plain, packed = hashlib.sha256(), io.BytesIO()
    with _Packer(packed, plain) as sink, tarfile.open(fileobj=sink, mode="w|", format=tarfile.GNU_FORMAT) as layer:
        for entry, source in _entries(image):
            if source is None:
                layer.addfile(entry)
            else:
                with source.open("rb") as content:
                    layer.addfile(entry, content)
    packed.seek(0)
    return write_layer(image, packed, len(packed.getvalue()), plain.hexdigest(), target)


def write_layer(image: Image, layer: IO[bytes], size: int, digest: str, target: Path) -> Path:
    """Write an image with a finished layer; `digest` is the hash of its uncompressed tar."""
    config = json.dumps(_config(image, digest), sort_keys=True).encode()
    name = f"{hashlib.sha256(config).hexdigest()}.json"
    listed = [{"Config": name, "RepoTags": [image.name], "Layers": [f"{digest}/layer.tar"]}]
    with replaced(target) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, content in ((name, config), ("manifest.json", json.dumps(listed, sort_keys=True).encode())):
            archive.addfile(_member(path, size=len(content)), io.BytesIO(content))
        archive.addfile(_member(f"{digest}/layer.tar", size=size), layer)
    return target


def tree(root: Path, sink: IO[bytes]) -> None:
    """A whole file system as a layer: sorted, without times, with its owners, modes and links."""
    first_link: dict[tuple[int, int], str] = {}
    with tarfile.open(fileobj=sink, mode="w|", format=tarfile.GNU_FORMAT) as layer:
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            entry = layer.gettarinfo(path, name)
            if entry is None:  # a socket
                continue
            entry.mtime, entry.uname, entry.gname = 0, "", ""
            status = path.lstat()
            key = (status.st_dev, status.st_ino)
            if entry.isreg() or entry.islnk():
                entry.type = tarfile.REGTYPE
                if key in first_link:
                    entry.type, entry.linkname, entry.size = tarfile.LNKTYPE, first_link[key], 0
                elif status.st_nlink > 1:
                    first_link[key] = name
            if entry.isreg():
                entry.size = status.st_size
                with path.open("rb") as content:
                    layer.addfile(entry, content)
            else:
                layer.addfile(entry)


class _Packer(io.RawIOBase):
    """Compresses what is written, and hashes the uncompressed bytes."""

    def __init__(self, sink: IO[bytes], digest: hashlib._Hash) -> None:
        self._sink, self._digest = sink, digest
        self._packer = zlib.compressobj(1, wbits=31)  # gzip, with no time and no name in its header

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        content = bytes(data)  # type: ignore[call-overload]
        self._digest.update(content)
        self._sink.write(self._packer.compress(content))
        return len(content)

    def close(self) -> None:
        if not self.closed:
            self._sink.write(self._packer.flush())
        super().close()


def _entries(image: Image) -> Iterator[tuple[tarfile.TarInfo, Path | None]]:
    """Every member of the layer in order: folders before their content."""
    folders = {parent.as_posix() for path in image.files for parent in Path(path.lstrip("/")).parents} - {"."}
    folders |= {folder.strip("/") for folder in image.folders}
    members: dict[str, Path | str | None] = dict.fromkeys(folders)
    members |= {path.lstrip("/"): source for path, source in image.files.items()}
    for path, source in sorted(members.items()):
        if source is None:
            yield _member(path, member_type=tarfile.DIRTYPE, mode=0o1777 if path == "tmp" else 0o755), None
        elif isinstance(source, str):
            entry = _member(path, member_type=tarfile.SYMTYPE, mode=0o777)
            entry.linkname = source.removeprefix("-> ")
            yield entry, None
        else:
            status = source.stat()
            yield _member(path, size=status.st_size, mode=0o755 if status.st_mode & 0o111 else 0o644), source


def _member(path: str, *, size: int = 0, mode: int = 0o644, member_type: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode, entry.type = size, mode, member_type
    return entry


def _config(image: Image, digest: str) -> dict[str, object]:
    run: dict[str, object] = {"Env": list(image.environment), "WorkingDir": "/"}
    for key, value in (("Entrypoint", list(image.entrypoint)), ("Cmd", list(image.command))):
        if value:
            run[key] = value
    if image.stop_signal:
        run["StopSignal"] = image.stop_signal
    return {
        "architecture": architecture(),
        "os": "linux",
        "created": EPOCH,
        "config": run,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        "history": [{"created": EPOCH, "created_by": "muster"}],
    }
