"""Container images written by hand: an archive that `docker load`, `kind load` and containerd read, with no engine.

An image made of one of our binaries needs no Dockerfile and no daemon: it is a tar of a few files, a configuration and
a list. Everything that could differ between two writers (order, times, owners, names) is fixed, so the same content
always gives the same bytes, and the hash of an archive says what is in it.
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

from harness.box.artifacts.elf import stands_alone
from harness.core.errors import UsageError

PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CHUNK = 1 << 20
EPOCH = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Image:
    """What an image is made of: files by their path in it, and how it is started."""

    name: str  # with its tag
    files: Mapping[str, Path | str] = field(default_factory=dict)  # a file of ours, or `-> target` for a symlink
    entrypoint: Sequence[str] = ()
    command: Sequence[str] = ()
    environment: Sequence[str] = (PATH,)
    folders: Sequence[str] = ()  # empty ones it needs
    stop_signal: str = ""


def program_image(name: str, binary: Path, program: str = "") -> Image:
    """An image of one program and nothing else; UsageError for one that needs more than itself."""
    if not stands_alone(binary):
        raise UsageError(
            f"{binary} cannot be run in a kind box, where its image would hold this file alone: it is a script, or "
            "linked against libraries",
            hint="Link it statically (CGO_ENABLED=0 for Go), or use the embedded box.",
        )
    where = f"/{program or binary.name}"
    return Image(name, {where: binary}, (where,), folders=("tmp", "etc"))


def architecture() -> str:
    """This machine's, as images call it."""
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
    """Write an image around a layer that is there already; `digest` is the hash of its plain tar."""
    config = json.dumps(_config(image, digest), sort_keys=True).encode()
    name = f"{hashlib.sha256(config).hexdigest()}.json"
    listed = [{"Config": name, "RepoTags": [image.name], "Layers": [f"{digest}/layer.tar"]}]
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.new")
    with tarfile.open(temporary, "w", format=tarfile.GNU_FORMAT) as archive:
        for path, content in ((name, config), ("manifest.json", json.dumps(listed, sort_keys=True).encode())):
            archive.addfile(_member(path, size=len(content)), io.BytesIO(content))
        archive.addfile(_member(f"{digest}/layer.tar", size=size), layer)
    temporary.replace(target)
    return target


def tree(root: Path, sink: IO[bytes]) -> None:
    """A whole file system as a layer: sorted, without times, with the owners, modes and links it has."""
    seen: dict[tuple[int, int], str] = {}
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
                if key in seen:
                    entry.type, entry.linkname, entry.size = tarfile.LNKTYPE, seen[key], 0
                elif status.st_nlink > 1:
                    seen[key] = name
            if entry.isreg():
                entry.size = status.st_size
                with path.open("rb") as content:
                    layer.addfile(entry, content)
            else:
                layer.addfile(entry)


class _Packer(io.RawIOBase):
    """Compresses what is written, and hashes it on the way in."""

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
    """Every member of the layer in order: folders before what is in them."""
    folders = {parent.as_posix() for path in image.files for parent in Path(path.lstrip("/")).parents} - {"."}
    folders |= {folder.strip("/") for folder in image.folders}
    wanted: dict[str, Path | str | None] = dict.fromkeys(folders)
    wanted |= {path.lstrip("/"): source for path, source in image.files.items()}
    for path, source in sorted(wanted.items()):
        if source is None:
            yield _member(path, kind=tarfile.DIRTYPE, mode=0o1777 if path == "tmp" else 0o755), None
        elif isinstance(source, str):
            entry = _member(path, kind=tarfile.SYMTYPE, mode=0o777)
            entry.linkname = source.removeprefix("-> ")
            yield entry, None
        else:
            status = source.stat()
            yield _member(path, size=status.st_size, mode=0o755 if status.st_mode & 0o111 else 0o644), source


def _member(path: str, *, size: int = 0, mode: int = 0o644, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode, entry.type = size, mode, kind
    return entry


def _config(image: Image, digest: str) -> dict[str, object]:
    run: dict[str, object] = {"Env": list(image.environment), "WorkingDir": "/"}
    for key, value in (("Entrypoint", list(image.entrypoint)), ("Cmd", list(image.command))):
        if value:
            run[key] = value
    if image.stop_signal:
        run["StopSignal"] = image.stop_signal
    return {
        "architecture": architecture(), "os": "linux", "created": EPOCH, "config": run,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        "history": [{"created": EPOCH, "created_by": "muster"}],
    }  # fmt: skip
