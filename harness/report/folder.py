"""Where a run's files go: `muster-runs/<time>-<name>/`, and `latest` pointing at the newest.

The folder exists before the first case, so that histories and logs of a run that is cut off are found where those of a
whole run are. `latest` is a relative link, replaced in one step: it never points at nothing.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path


def new_folder(base: Path, name: str, started: float) -> Path:
    """A fresh folder for the run; a number is added where two runs begin in the same second."""
    when = datetime.fromtimestamp(started, UTC).strftime("%Y%m%dT%H%M%SZ")
    stem = f"{when}-{re.sub(r'[^A-Za-z0-9._@-]+', '-', name).strip('.-')[:60] or 'run'}"
    base.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = base / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
            continue
        return folder


def point_latest(folder: Path) -> Path | None:
    """Make `latest` beside the folder point at it; None where the file system has no links."""
    link, temporary = folder.parent / "latest", folder.parent / f".latest.{os.getpid()}"
    try:
        temporary.unlink(missing_ok=True)
        temporary.symlink_to(folder.name, target_is_directory=True)
        temporary.replace(link)
    except OSError:
        temporary.unlink(missing_ok=True)
        return None
    return link
