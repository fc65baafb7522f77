"""The folder of a run: `muster-runs/<time>-<name>/`, and the link `latest` to the newest.

The folder exists before the first case, so the histories and logs of a run that was cut off are in the usual place.
`latest` is a relative link and is replaced in one step, so it is never broken.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from harness.core.errors import UsageError


def new_folder(base: Path, name: str, started: float) -> Path:
    """A new folder for the run; its name gets a number if two runs begin in the same second."""
    when = datetime.fromtimestamp(started, UTC).strftime("%Y%m%dT%H%M%SZ")
    stem = f"{when}-{re.sub(r'[^A-Za-z0-9._@-]+', '-', name).strip('.-')[:60] or 'run'}"
    number = 1
    while True:
        folder = base / (stem if number == 1 else f"{stem}-{number}")
        try:
            base.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except FileExistsError:
            number += 1
            continue
        except OSError as error:
            hint = "Give a folder that can be written to --output."
            raise UsageError(f"no run can be stored in {base}: {error.strerror}", hint=hint) from error
        return folder


def point_latest(folder: Path) -> Path | None:
    """Make `latest` beside the folder point to it; None if the file system has no symbolic links."""
    link, temporary = folder.parent / "latest", folder.parent / f".latest.{os.getpid()}"
    try:
        temporary.unlink(missing_ok=True)
        temporary.symlink_to(folder.name, target_is_directory=True)
        temporary.replace(link)
    except OSError:
        temporary.unlink(missing_ok=True)
        return None
    return link
