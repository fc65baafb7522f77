"""What a version was the first time it was downloaded, so that it can never be something else later.

The digests of a component are in digests.json beside its lock, where `muster lock NAME@VERSION --digests` writes them
and a repository keeps them; those that were seen first on this machine are in the user's data folder. A download that
differs is refused with both values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from harness.box.artifacts.register import Lock
from harness.box.data import user_data_root
from harness.core.errors import ArtifactError
from harness.core.files import as_json, put

FILE = "digests.json"


def recorded(lock: Lock, platform: str) -> dict[str, str]:
    """The digest of each process's download on this platform, as far as one is written down."""
    return {**_read(_user_file(lock)).get(platform, {}), **_read(lock.path / FILE).get(platform, {})}


def remember(lock: Lock, platform: str, digests: Mapping[str, str]) -> None:
    """Write down what was downloaded the first time, for this user."""
    _write(_user_file(lock), platform, digests)


def write(lock: Lock, platform: str, digests: Mapping[str, str]) -> Path:
    """Write the digests beside the lock, for everybody who has it."""
    return _write(lock.path / FILE, platform, digests)


def check(lock: Lock, process: str, expected: str, received: str, place: str) -> None:
    """ArtifactError with both values if a download is not what was written down or published."""
    if expected != received:
        raise ArtifactError(
            f"{lock.component} {lock.version}: {process} is not what it was\n"
            f"  expected: {expected}\n"
            f"  received: {received}  ({place})",
            hint="Nothing was installed. A version is published once; find out who changed it, or use --source build.",
        )


def _write(path: Path, platform: str, digests: Mapping[str, str]) -> Path:
    content = _read(path)
    content[platform] = dict(sorted(digests.items()))
    return put(path, as_json(dict(sorted(content.items()))))


def _user_file(lock: Lock) -> Path:
    return user_data_root() / "digests" / lock.component / f"{lock.version}.json"


def _read(path: Path) -> dict[str, dict[str, str]]:
    """The file; nothing if there is none. One that cannot be read is no reason to trust anything."""
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): {str(key): str(value) for key, value in table.items()} for name, table in data.items()}
    except (OSError, ValueError, AttributeError) as error:
        hint = "Remove it, and digests are written down anew."
        raise ArtifactError(f"{path} cannot be read: {error}", hint=hint) from error
