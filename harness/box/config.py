"""The config file: muster.toml in this folder or one above it, else config.toml in the user's config folder.

    [binaries]
    "kubernetes.kube-scheduler" = "./bin/kube-scheduler"     # relative to this file

Anything unknown is refused: a misspelt table that is silently ignored would test the wrong binary.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.box.data import config_root
from harness.core.errors import UsageError

_TABLES = ("binaries",)


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a config file; `path` is None if there is no file."""

    path: Path | None = None
    binaries: Mapping[str, str] = field(default_factory=dict)


def load(start: Path | None = None) -> Config:
    """The nearest config file, checked."""
    path = find(start or Path.cwd())
    if path is None:
        return Config()
    try:
        raw: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    for name in raw:
        if name not in _TABLES:
            raise UsageError(f"{path}: unknown table or key {name!r}", hint=f"Allowed: {', '.join(_TABLES)}.")
    binaries = raw.get("binaries", {})
    if not isinstance(binaries, dict):
        raise UsageError(f"{path}: binaries must be a table", hint='[binaries]\n"kubernetes.kube-scheduler" = "path"')
    resolved: dict[str, str] = {}
    for name, value in binaries.items():
        if not isinstance(value, str):
            raise UsageError(
                f"{path}: [binaries] {name} must be a path in quotes; given: {value!r}",
                hint='Names contain a dot and need quotes: "kubernetes.kube-scheduler" = "path".',
            )
        resolved[name] = str(path.parent / Path(value).expanduser())
    return Config(path, resolved)


def find(start: Path) -> Path | None:
    """The file that applies in a folder."""
    for folder in (start, *start.parents):
        if (folder / "muster.toml").is_file():
            return folder / "muster.toml"
    user = config_root() / "config.toml"
    return user if user.is_file() else None
