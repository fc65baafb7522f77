"""The register of components: what muster can build, read from clusters/components.yaml and the locks on disk.

The register is data so that adding a scheduler is an entry and a lock, never code. It is checked when it is read: a
slip in it should fail here, with the name of the field, and not as an odd compiler message ten minutes later. Which
versions can be had is not written down twice: a version exists when its lock exists, in the repository or among the
user's own locks.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.box.data import data_root, user_data_root
from harness.core.errors import HarnessError, UsageError

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:[-+][0-9A-Za-z.+-]+)?")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
REFERENCES = ("jobset-gang.controller", "jobset-barrier.controller", "lws.provider")  # programs of muster itself
OWN = "muster.local/lock"  # the module that a lock is; a component's own program is its only package
_MAJOR_SUFFIX = re.compile(r"v[2-9]\d*|v1\d+")
_FIELDS = {
    "about", "homepage", "licence", "module", "staging", "swaps", "default", "tags", "ldflags", "disk_mb", "processes",
    "files", "cgo", "program",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Process:
    """One program of a component."""

    name: str
    package: str
    file: str

    @property
    def built_as(self) -> str:
        """The file name Go chooses: the last element of the path that is not a major version such as v3."""
        parts = self.package.split("/")
        return parts[-2] if _MAJOR_SUFFIX.fullmatch(parts[-1]) and len(parts) > 1 else parts[-1]


@dataclass(frozen=True, slots=True)
class Swap:
    """Modules that a component asks for in a version nobody serves, and the version taken instead."""

    prefix: str
    asked: str
    taken: str


@dataclass(frozen=True, slots=True)
class Component:
    """One entry of the register."""

    name: str
    module: str
    default: str
    processes: Mapping[str, Process]
    about: str = ""
    homepage: str = ""
    licence: str = ""
    staging: Sequence[tuple[str, str]] = ()
    swaps: Sequence[Swap] = ()
    tags: Sequence[str] = ()
    ldflags: Sequence[str] = ()
    disk_mb: int = 1000
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)  # name -> glob patterns inside the module
    cgo: bool = False  # needs a C compiler
    program: str = ""  # a main.go of ours below clusters/, built inside the lock's own module

    def linker_flags(self, version: str) -> str:
        """Stripped, and with the version where the component looks for it."""
        return " ".join(["-s", "-w", *(fill(flag, version) for flag in self.ldflags)])


@dataclass(frozen=True, slots=True)
class Lock:
    """A committed go.mod and go.sum: everything that decides which source is built."""

    component: str
    version: str
    path: Path

    @property
    def files(self) -> tuple[Path, Path]:
        return self.path / "go.mod", self.path / "go.sum"


@dataclass(frozen=True, slots=True)
class Register:
    """All components, and the folders in which their locks are looked for (first found wins)."""

    components: Mapping[str, Component]
    box: Sequence[str]
    lock_roots: Sequence[Path] = field(default_factory=tuple)

    def component(self, name: str) -> Component:
        """The component of this name, or a UsageError that offers the nearest one."""
        if name not in self.components:
            raise UsageError(
                f"unknown component {name!r}",
                hint=f"{nearest(name, self.components)}Components: {', '.join(sorted(self.components))}.",
            )
        return self.components[name]

    def process(self, full_name: str) -> Process:
        """The process named as COMPONENT.PROCESS."""
        name, _, process = full_name.partition(".")
        if full_name in REFERENCES:
            return Process(process, "harness", process)
        component = self.component(name)
        if process not in component.processes:
            raise UsageError(
                f"component {name} has no process {process!r}",
                hint=f"{nearest(process, component.processes)}Processes of {name}: {', '.join(component.processes)}.",
            )
        return component.processes[process]

    def locks(self, name: str) -> dict[str, Lock]:
        """Every locked version of a component, newest first."""
        found: dict[str, Lock] = {}
        for root in self.lock_roots:
            for path in (root / name).glob("*/go.mod"):
                version = path.parent.name
                if VERSION.fullmatch(version) and path.with_name("go.sum").is_file():
                    found.setdefault(version, Lock(name, version, path.parent))
        return dict(sorted(found.items(), key=lambda item: version_key(item[0]), reverse=True))

    def lock(self, name: str, version: str | None = None) -> Lock:
        """The lock to build from: of the default, of exactly this version, or of the newest patch of a minor."""
        component, locks = self.component(name), self.locks(name)
        wanted = (version or component.default).removeprefix("v")
        if wanted in locks:
            return locks[wanted]
        if re.fullmatch(r"\d+(\.\d+)?", wanted):
            for candidate, lock in locks.items():
                if candidate.startswith(wanted + ".") and "-" not in candidate:
                    return lock
        example = wanted if VERSION.fullmatch(wanted) else "X.Y.Z"
        raise UsageError(
            f"{name} {wanted} has no lock, so it cannot be built",
            hint=f"To be had: {', '.join(locks) or 'none'}. To add a version: `muster lock {name}@{example}`.",
        )


def load(path: Path | None = None) -> Register:
    """Read and check the register; by default the one that ships with muster, with the user's locks added."""
    roots: tuple[Path, ...]
    if path is None:
        path = data_root() / "clusters" / "components.yaml"
        roots = (path.parent / "locks", user_data_root() / "locks")
    else:
        roots = (path.parent / "locks",)
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(raw, dict) or set(raw) != {"box", "components"}:
        raise HarnessError(f"{path}: expected the two keys `box` and `components`")
    components = {name: _component(path, name, entry) for name, entry in raw["components"].items()}
    unknown = [name for name in raw["box"] if name not in components]
    if unknown:
        raise HarnessError(f"{path}: box names unknown components: {', '.join(unknown)}")
    return Register(components, tuple(raw["box"]), roots)


def fill(template: str, version: str) -> str:
    """Put a version and its parts into a template of the register."""
    match = VERSION.fullmatch(version)
    if match is None:
        raise UsageError(f"{version!r} is not a version", hint="A version has three numbers, such as 1.37.1.")
    return template.format(version=version, major=match[1], minor=match[2], patch=match[3])


def version_key(version: str) -> tuple[int, int, int, bool, str]:
    """Order of versions: by number, and a release after its own pre-releases."""
    match = VERSION.fullmatch(version)
    assert match is not None, version
    return int(match[1]), int(match[2]), int(match[3]), "-" not in version, version


def nearest(name: str, allowed: Iterable[str]) -> str:
    """`Did you mean ...? ` for a name that is nearly right, else nothing."""
    close = difflib.get_close_matches(name, list(allowed), n=1)
    return f"Did you mean {close[0]!r}? " if close else ""


def _component(path: Path, name: str, entry: Any) -> Component:
    """One checked entry; a fault in the register is ours, not the user's, hence HarnessError."""

    def fault(text: str) -> HarnessError:
        return HarnessError(f"{path}: component {name}: {text}")

    if not _NAME.fullmatch(str(name)) or not isinstance(entry, dict):
        raise fault("needs a lower-case name and a mapping")
    if extra := set(entry) - _FIELDS:
        raise fault(f"unknown fields {', '.join(sorted(extra))}; allowed: {', '.join(sorted(_FIELDS))}")
    for required in ("module", "default", "processes"):
        if not entry.get(required):
            raise fault(f"{required} is missing")
    if not isinstance(entry["default"], str) or not VERSION.fullmatch(entry["default"]):
        raise fault(f"default {entry['default']!r} is not a version such as 1.37.1")
    processes = {}
    for process, value in entry["processes"].items():
        if not isinstance(value, dict) or set(value) - {"package", "file"} or "package" not in value:
            raise fault(f"process {process}: expected package, and file if the binary has another name")
        processes[process] = Process(process, value["package"], value.get("file", process))
    for what, names in (
        ("file", [p.file for p in processes.values()]),
        ("package", [p.built_as for p in processes.values()]),
    ):
        if len(set(names)) != len(names):
            raise fault(f"two processes have the same {what} name: {', '.join(names)}")
    for files, patterns in entry.get("files", {}).items():
        if not isinstance(patterns, list) or not patterns or not all(_inside(pattern) for pattern in patterns):
            raise fault(f"files {files}: expected a list of patterns relative to the module, such as config/crd/*.yaml")
    for swap in entry.get("swaps", ()):
        if set(swap) != {"prefix", "asked", "taken"}:
            raise fault("a swap has the fields prefix, asked and taken")
    values = dict(entry) | {
        "processes": processes,
        "swaps": tuple(Swap(**swap) for swap in entry.get("swaps", ())),
        "staging": tuple((rule["prefix"], rule["version"]) for rule in entry.get("staging", ())),
    }
    component = Component(name=name, **values)
    try:
        component.linker_flags(component.default)
        [fill(template, component.default) for _, template in component.staging]
    except (KeyError, IndexError, ValueError) as error:
        raise fault(f"a template uses an unknown placeholder: {error}") from error
    return component


def _inside(pattern: Any) -> bool:
    """Whether a glob pattern stays inside the folder it is used in."""
    return isinstance(pattern, str) and bool(pattern) and not pattern.startswith("/") and ".." not in pattern.split("/")
