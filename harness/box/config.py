"""The config file: muster.toml or `[tool.muster]` of pyproject.toml, in this folder or one above it.

Where there is none, config.toml in the user's config folder is read.

    [binaries]
    "kubernetes.kube-scheduler" = "./bin/kube-scheduler"     # relative to this file

    source = "build"                                         # as --source; above the first table

    [mirrors]                                                # beginnings of URLs, and what is asked instead
    "https://dl.k8s.io" = "https://mirror.example.com/k8s"

    [run]                                                    # defaults of `muster run`; `up`, `get` and `prove` too
    integration = ["volcano"]
    timeout-factor = 2

Anything unknown is refused: a misspelt table that is silently ignored would test the wrong binary. What the options of
a command are is checked where the command is known.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.box.data import config_root
from harness.core.errors import UsageError

SOURCES = ("auto", "release", "build")  # where programs come from
SOURCE_VARIABLE = "MUSTER_SOURCE"

FILE = "muster.toml"
PROJECT = "pyproject.toml"
COMMANDS = ("run", "up", "get", "prove")  # commands that may have defaults in the file
_TABLES = ("binaries", "mirrors", *COMMANDS)
_KEYS = ("source", *_TABLES)


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a config file; `path` is None if there is no file."""

    path: Path | None = None
    binaries: Mapping[str, str] = field(default_factory=dict)
    mirrors: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # defaults of options, by command


def load(start: Path | None = None) -> Config:
    """The nearest config file, checked."""
    path = find(start or Path.cwd())
    if path is None:
        return Config()
    raw = _read(path)
    for name, table in raw.items():
        if name not in _KEYS:
            raise UsageError(f"{path}: unknown table or key {name!r}", hint=f"Allowed: {', '.join(_KEYS)}.")
        if name in _TABLES and not isinstance(table, dict):
            example = '"kubernetes.kube-scheduler" = "path"' if name == "binaries" else "OPTION = VALUE"
            raise UsageError(f"{path}: {name} must be a table", hint=f"[{name}]\n{example}")
    binaries = raw.get("binaries", {})
    resolved: dict[str, str] = {}
    for name, value in binaries.items():
        if not isinstance(value, str):
            raise UsageError(
                f"{path}: [binaries] {name} must be a path in quotes; given: {value!r}",
                hint='Names contain a dot and need quotes: "kubernetes.kube-scheduler" = "path".',
            )
        resolved[name] = str(path.parent / Path(value).expanduser())
    mirrors = {str(prefix): str(mirror) for prefix, mirror in raw.get("mirrors", {}).items()}
    for prefix, mirror in mirrors.items():
        if not prefix.startswith("https://") or not mirror.startswith(("https://", "http://")):
            raise UsageError(f"{path}: [mirrors] must map URLs to URLs; given: {prefix!r} = {mirror!r}")
    commands = {name: raw[name] for name in COMMANDS if name in raw}
    return Config(path, resolved, mirrors, str(raw.get("source", "")), commands)


def find(start: Path) -> Path | None:
    """The file that applies in a folder."""
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            return folder / FILE
        if (folder / PROJECT).is_file() and _read(folder / PROJECT):
            return folder / PROJECT
    user = config_root() / "config.toml"
    return user if user.is_file() else None


def _read(path: Path) -> dict[str, Any]:
    """What the file says to muster; nothing for a pyproject.toml without `[tool.muster]`."""
    try:
        raw: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        if path.name == PROJECT:
            return {}  # its own tools report that
        raise UsageError(f"{path} cannot be read: {error}") from error
    if path.name == PROJECT:
        tools = raw.get("tool")
        raw = tools.get("muster", {}) if isinstance(tools, dict) else {}
    if not isinstance(raw, dict):
        raise UsageError(f"{path}: tool.muster must be a table", hint="[tool.muster.run]\nOPTION = VALUE")
    return raw
