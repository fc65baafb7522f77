"""Tell a binary for another machine from one that can run here, before the kernel says `Exec format error`."""

from __future__ import annotations

import platform
import struct
import sys
from pathlib import Path

_MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64", 22: "s390x", 21: "ppc64le", 40: "arm", 3: "x86"}
_ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}


def foreign_architecture(path: Path) -> str | None:
    """The architecture a binary is for if it is not this machine's, else None.

    Scripts and unknown formats give None: whoever names a wrapper script means it.
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
    found = _MACHINES.get(machine, f"ELF machine {machine}")
    return None if sys.platform == "linux" and found == this_architecture() else found


def this_architecture() -> str:
    """The name of this machine's architecture, as the table above has it."""
    name = platform.machine().lower()
    return _ALIASES.get(name, name)
