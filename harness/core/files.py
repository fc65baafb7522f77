"""Write a file completely or not at all.

A browser or a CI upload may read a file while it is written, and a run may be stopped at any moment. So each file is
written under another name in the same folder and then renamed, which is atomic on one file system.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from harness.core.text import text


def put(path: Path, content: str | bytes, *, mode: int = 0o644) -> Path:
    """Write the whole file or nothing; an older one stays until the new one is complete."""
    with replaced(path, mode=mode) as out:
        out.write(content if isinstance(content, bytes) else text(content).encode())
    return path


@contextlib.contextmanager
def replaced(path: Path, *, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """A file to write to that takes the place of `path` when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, name):
            error.filename = str(path)  # a full disk does not say for which file, and users do not know the other name
        raise


def write_private(path: Path, content: bytes) -> Path:
    """Write a file that only its owner can read, from the first byte on and whatever the umask."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return path


def as_json(data: Any) -> str:
    """JSON as muster stores it: stable, readable, and with every character kept."""
    return json.dumps(data, indent=2, ensure_ascii=False, default=str) + "\n"
