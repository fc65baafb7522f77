"""One file that holds many: a tar archive with Zstandard, written the same way every time and read with checks.

The archive is made to be published, so its reader does not know who wrote it. Any tar program can unpack it. muster
itself reads only what `write` writes: plain files of plain names, named with size and digest in a manifest that comes
first. Links, devices, long headers, names that lead elsewhere, files that are named twice or not at all, and contents
that are larger than they claim to be are refused before they are on the disk.
"""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any

import zstandard

from harness.core.errors import UsageError
from harness.core.files import as_json
from harness.core.untrusted import parse_json

FORMAT = "muster.evidence/1"
TOP = "evidence"  # the folder that the archive unpacks to
MANIFEST = "manifest.json"
SUFFIX = ".tar.zst"
MOST_FILES = 20_000
MOST_CONTENT = 1 << 30  # bytes of all files; a run of all cases of one integration has some megabytes
MOST_MANIFEST = 8 << 20
LEAST_ROOM = 64 << 20  # bytes that any archive may hold
MOST_EXPANSION = 100  # bytes per compressed byte of a larger one; logs have about 20
MOST_WINDOW = 1 << 25  # bytes of memory that decompressing may ask for
_CHUNK = 1 << 20
_BLOCK = 512  # of a tar file
_MAGIC = b"\x28\xb5\x2f\xfd"  # every Zstandard frame begins so


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A file of the archive, as the manifest names it."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the archive holds; its digest identifies the content, however it is compressed."""

    about: Mapping[str, Any]
    files: Mapping[str, ArchivedFile]
    digest: str


def write(target: IO[bytes], folder: Path, names: list[str], about: Mapping[str, Any]) -> Manifest:
    """Write these files of the folder; equal files give equal bytes."""
    files = {name: ArchivedFile((folder / name).stat().st_size, _digest(folder / name)) for name in sorted(names)}
    manifest = as_json(
        {
            "format": FORMAT,
            **about,
            "files": {name: {"bytes": e.size, "sha256": e.sha256} for name, e in files.items()},
        }
    ).encode()
    _check_limits(files, len(manifest), f"{folder}")
    compressor = zstandard.ZstdCompressor(level=9, write_checksum=True)
    with (
        compressor.stream_writer(target, closefd=False) as out,
        tarfile.open(fileobj=out, mode="w|", format=tarfile.USTAR_FORMAT) as tar,
    ):
        tar.addfile(_header(MANIFEST, len(manifest)), BytesIO(manifest))
        for name, entry in files.items():
            with (folder / name).open("rb") as file:
                tar.addfile(_header(name, entry.size), file)
    return Manifest(about, files, _named(manifest))


def _header(name: str, size: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo(f"{TOP}/{name}")
    header.size, header.mode = size, 0o644
    return header


def unpack(path: Path, folder: Path) -> Manifest:
    """Put the files of the archive into an empty folder; UsageError if it is not one that muster wrote."""
    try:
        with path.open("rb") as file:
            if file.read(4) != _MAGIC:
                raise UsageError(
                    f"{path} is no archive of muster: it is not Zstandard-compressed",
                    hint="Give a file that `muster report pack` wrote.",
                )
            file.seek(0)
            decompressor = zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW)
            return _Reader(path, decompressor.stream_reader(file, read_across_frames=False)).unpack(folder)
    except zstandard.ZstdError as error:
        raise _damaged(path, f"its compressed data is broken ({error})") from error


class _Reader:
    """Reads the members of an archive one after the other."""

    def __init__(self, path: Path, stream: Any) -> None:
        self._path, self._stream = path, stream

    def unpack(self, folder: Path) -> Manifest:
        manifest = self._manifest(folder)
        left = dict(manifest.files)
        while (member := self._next()) is not None:
            name, size = member
            entry = left.pop(name, None)
            if entry is None:
                there = "twice" if name in manifest.files else "and its manifest does not name it"
                raise _damaged(self._path, f"{name!r} is in it, {there}")
            if size != entry.size:
                raise _damaged(self._path, f"{name!r} has {size} bytes, its manifest says {entry.size}")
            digest = self._copy(folder / name, size)
            if digest != entry.sha256:
                raise _damaged(self._path, f"{name!r} is another file than the manifest names: it has sha256 {digest}")
        if left:
            raise _damaged(self._path, f"{min(left)!r} is missing, and {len(left) - 1} more")
        return manifest

    def _manifest(self, folder: Path) -> Manifest:
        name, size = self._next() or ("", 0)
        if name != MANIFEST or size > MOST_MANIFEST:
            raise _damaged(self._path, f"it does not begin with {TOP}/{MANIFEST}")
        self._copy(folder / MANIFEST, size)
        content = (folder / MANIFEST).read_bytes()
        try:
            about = parse_json(content, f"{self._path}: {MANIFEST}")
            form, rows = about.pop("format"), about.pop("files")
            if form != FORMAT:
                hint = f"This muster reads {FORMAT}."
                raise UsageError(f"{self._path} has the format {form!r}, which this muster does not know", hint=hint)
            files = {str(key): ArchivedFile(_size(row["bytes"]), str(row["sha256"])) for key, row in rows.items()}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise _damaged(self._path, f"its {MANIFEST} cannot be read: {error}") from error
        _check_limits(files, size, str(self._path))
        if sum(e.size for e in files.values()) > max(LEAST_ROOM, MOST_EXPANSION * self._path.stat().st_size):
            raise _damaged(self._path, "its content is more than a hundred times larger than the file")
        return Manifest(about, files, _named(content))

    def _next(self) -> tuple[str, int] | None:
        """Name and size of the next member; None at the end."""
        block = self._read(_BLOCK)
        if block.count(0) == _BLOCK:
            self._end()
            return None
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        except (tarfile.HeaderError, ValueError) as error:
            raise _damaged(self._path, f"a header in it is no tar header ({error})") from error
        top, _, name = header.name.partition("/")
        if header.type != tarfile.REGTYPE or top != TOP or not is_plain(name):
            raise _damaged(self._path, f"{header.name!r} is no plain file below {TOP}/")
        return name, _size(header.size)

    def _copy(self, target: Path, size: int) -> str:
        digest, left = hashlib.sha256(), size
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as out:
                while left:
                    chunk = self._read(min(_CHUNK, left))
                    digest.update(chunk)
                    out.write(chunk)
                    left -= len(chunk)
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise _damaged(self._path, f"{target.name!r} is a file and a folder") from error
        self._read(-size % _BLOCK)
        return digest.hexdigest()

    def _read(self, size: int) -> bytes:
        parts, left = [], size
        while left:
            data = self._stream.read(left)
            if not data:
                raise _damaged(self._path, "it was cut off")
            parts.append(data)
            left -= len(data)
        return b"".join(parts)

    def _end(self) -> None:
        """After the end of a tar file comes nothing but a few zeros."""
        rest = self._stream.read(tarfile.RECORDSIZE + 1)
        if rest.strip(b"\0") or len(rest) > tarfile.RECORDSIZE:
            raise _damaged(self._path, "there is something after its end")


def is_plain(name: str) -> bool:
    """Whether this is the relative path of a file, in printable characters, that leads nowhere else."""
    parts = PurePosixPath(name).parts
    return (
        name.isprintable()
        and "\\" not in name
        and str(PurePosixPath(*parts)) == name
        and bool(parts)
        and parts[0] != "/"
        and not {"..", "."} & set(parts)
    )


def _check_limits(files: Mapping[str, ArchivedFile], manifest: int, place: str) -> None:
    """UsageError for more than `unpack` accepts, on both ways."""
    content = sum(entry.size for entry in files.values())
    for what, number, most in (
        ("files", len(files), MOST_FILES),
        ("bytes", content, MOST_CONTENT),
        ("bytes of names", manifest, MOST_MANIFEST),
    ):
        if number > most:
            raise UsageError(f"{place} has {number} {what}", hint=f"An archive may have {most}.")
    odd = next((name for name in files if not is_plain(name) or name == MANIFEST), None)
    if odd is not None:
        raise UsageError(f"{place} has a file of the name {odd!r}", hint="Names are plain relative paths.")


def _size(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is no size")
    return value


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _named(manifest: bytes) -> str:
    return f"sha256:{hashlib.sha256(manifest).hexdigest()}"


def _damaged(path: Path, what: str) -> UsageError:
    return UsageError(
        f"{path} is not as `muster report pack` wrote it: {what}", hint="Use the file that was published, unchanged."
    )
