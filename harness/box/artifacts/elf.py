"""Read from an ELF header whether a binary can run, because the error message of the kernel does not explain it."""

from __future__ import annotations

import platform
import struct
import sys
from pathlib import Path

_MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64", 22: "s390x", 21: "ppc64le", 40: "arm", 3: "x86"}
_LOADER = 3  # type of the segment that names the dynamic loader (PT_INTERP)
_ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}


def foreign_architecture(path: Path) -> str | None:
    """The architecture a binary is for if it is not this machine's, else None.

    Scripts and unknown formats give None: a user may name a wrapper script.
    """
    with path.open("rb") as file:
        header = file.read(20)
    if header[:4] in (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"):
        return None if sys.platform == "darwin" else "Mach-O (macOS)"
    if header[:2] == b"MZ":
        return "PE (Windows)"
    if header[:4] != b"\x7fELF" or len(header) < 20:
        return None
    (machine,) = struct.unpack("<H" if header[5] == 1 else ">H", header[18:20])
    architecture = _MACHINES.get(machine, f"ELF machine {machine}")
    return None if sys.platform == "linux" and architecture == this_architecture() else architecture


def is_static(path: Path) -> bool:
    """Whether a binary runs in an empty file system: it is not a script and needs no dynamic loader."""
    with path.open("rb") as file:
        header = file.read(64)
        if header[:5] != b"\x7fELF\x02" or len(header) < 64:
            return False
        order = "<" if header[5] == 1 else ">"
        (begin,) = struct.unpack(f"{order}Q", header[32:40])
        size, count = struct.unpack(f"{order}HH", header[54:58])
        file.seek(begin)
        segments = [file.read(size) for _ in range(count)]
    return all(struct.unpack(f"{order}I", segment[:4])[0] != _LOADER for segment in segments)


def this_architecture() -> str:
    """The name of this machine's architecture, as the table above has it."""
    name = platform.machine().lower()
    return _ALIASES.get(name, name)
