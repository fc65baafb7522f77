"""What an error of the file system means for the user: what is wrong, where, and what to do next.

Files are read and written everywhere; one place explains what can go wrong with them. A path that the user gave is the
user's to mend (exit 4); a full disk, or a folder of muster's own that cannot be used, is a fault of the machine (3).
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

from harness.box.data import PACKAGE, cache_root, state_root
from harness.core.errors import HarnessError, MusterError, UsageError

FULL = (errno.ENOSPC, errno.EDQUOT)
NEARLY_FULL = 1 << 20  # bytes; a disk with less free space is taken for the full one


def explain(error: OSError) -> MusterError | None:
    """The error as a message for the user; None if it is no matter of files, or of muster's own."""
    if error.errno in FULL:
        return _full(error)
    if not isinstance(error.filename, str | bytes | os.PathLike):
        return None
    path = Path(os.fsdecode(error.filename))
    if path.is_relative_to(PACKAGE):
        return None
    reason = f"{path} cannot be used: {error.strerror}"
    for root, variable in _own_folders():
        if path.is_relative_to(root) or root.is_relative_to(path):
            hint = f"Mend the folder or its permissions, or set {variable} to a folder that you can read and write."
            return HarnessError(reason, hint=hint)
    return UsageError(reason, hint="Give a path that can be read and written.")


def _full(error: OSError) -> MusterError:
    written = error.filename2 or error.filename  # of a copy the second is the new file
    place = os.fsdecode(written) if written else _full_folder()
    cache = f"the cache, {cache_root()}, holds only what can be made again"
    return HarnessError(f"the disk is full: {place}", hint=f"Free space there, then try again; {cache}.")


def _full_folder() -> str:
    """The folder whose disk is full, for errors that do not name the file."""
    folders = [*(root for root, _ in _own_folders()), Path(tempfile.gettempdir()), Path.cwd()]
    for folder in folders:
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        if shutil.disk_usage(existing).free < NEARLY_FULL:
            return str(folder)
    return "no space was left for a file that was written"


def _own_folders() -> tuple[tuple[Path, str], ...]:
    return (cache_root(), "XDG_CACHE_HOME"), (state_root(), "XDG_STATE_HOME")
