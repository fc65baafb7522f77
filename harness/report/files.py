"""Writing report files so that nobody ever reads half of one.

A report may be made while a browser, a CI upload or `muster serve` looks at the folder, and a run may be stopped at any
moment. Each file is therefore written beside its place and renamed into it, which is atomic on one file system.
"""

from __future__ import annotations

import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def put(path: Path, content: str | bytes, *, mode: int = 0o644) -> Path:
    """Write the whole file or nothing; an older one stays until the new one is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content if isinstance(content, bytes) else text(content).encode())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path


def text(value: object) -> str:
    """A string that can be encoded: lone surrogates, which some logs contain, become U+FFFD."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def as_json(data: Any) -> str:
    """JSON as muster stores it: stable, readable, and with every character kept."""
    return json.dumps(data, indent=2, ensure_ascii=False, default=str) + "\n"


def stamp(seconds: float) -> str:
    """Unix seconds as the UTC time a person and a schema can read; "" for a moment that never came."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


def duration(seconds: float) -> str:
    """Seconds the way a person says them: `840 ms`, `12.3 s`, `4 min 05 s`."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {whole % 60:02} s"
