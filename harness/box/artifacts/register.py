"""The register of components: what muster can build, read from clusters/components.yaml and the locks on disk.

The register is data, so a new scheduler is an entry and a lock, not code. It is checked against
components.schema.json when it is read: a mistake fails here, with the name of the field, and not as a compiler message
ten minutes later. There is no list of versions: a version exists when its lock exists, in the repository or among the
locks of the user.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from harness.box.data import cache_root, data_root, user_data_root
from harness.core.errors import HarnessError, UsageError
from harness.core.files import put
from harness.core.text import nearest

if TYPE_CHECKING:
    import jsonschema

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:[-+][0-9A-Za-z.+-]+)?")
REFERENCES = ("jobset-gang.controller", "jobset-barrier.controller", "lws.provider")  # programs of muster itself
LOCK_MODULE = "muster.local/lock"  # the Go module of every lock; a program of ours is its only package
_MAJOR_SUFFIX = re.compile(r"v[2-9]\d*|v1\d+")


@dataclass(frozen=True, slots=True)
class ComponentProcess:
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
    """Modules that a component requires in a version that no proxy serves, and the version to use instead."""

    prefix: str
    asked: str
    taken: str


@dataclass(frozen=True, slots=True)
class Release:
    """Where a vendor publishes the programs; templates with {version}, {arch}, {process} and {file}."""

    url: str = ""  # of a file for each program, or of an archive
    checksum: str = ""  # where its sha256 is published; {url} is the URL of the file
    image: str = ""  # or a container image for each program: HOST/REPOSITORY:TAG
    member: str = ""  # the program in the archive or the image; empty: the file is the program


@dataclass(frozen=True, slots=True)
class Component:
    """One entry of the register."""

    name: str
    module: str
    default: str
    processes: Mapping[str, ComponentProcess]
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
    release: Release | None = None  # None: it is always built
    program: str = ""  # a main.go of ours below clusters/, built inside the lock's own module

    def linker_flags(self, version: str) -> str:
        """Flags that strip the binary and set its version."""
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
    """All components, and the folders in which their locks are looked for (the first folder wins)."""

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

    def process(self, full_name: str) -> ComponentProcess:
        """The process named as COMPONENT.PROCESS."""
        name, _, process = full_name.partition(".")
        if full_name in REFERENCES:
            return ComponentProcess(process, "harness", process)
        component = self.component(name)
        if process not in component.processes:
            raise UsageError(
                f"component {name} has no process {process!r}",
                hint=f"{nearest(process, component.processes)}Processes of {name}: {', '.join(component.processes)}.",
            )
        return component.processes[process]

    def locks(self, name: str) -> dict[str, Lock]:
        """Every locked version of a component, newest first."""
        locks: dict[str, Lock] = {}
        for root in self.lock_roots:
            for path in (root / name).glob("*/go.mod"):
                version = path.parent.name
                if VERSION.fullmatch(version) and path.with_name("go.sum").is_file():
                    locks.setdefault(version, Lock(name, version, path.parent))
        return dict(sorted(locks.items(), key=lambda item: version_key(item[0]), reverse=True))

    def lock(self, name: str, version: str | None = None) -> Lock:
        """The lock to build from: of the default, of exactly this version, or of the newest patch of a minor."""
        component, locks = self.component(name), self.locks(name)
        requested = (version or component.default).removeprefix("v")
        if requested in locks:
            return locks[requested]
        if re.fullmatch(r"\d+(\.\d+)?", requested):
            for candidate, lock in locks.items():
                if candidate.startswith(requested + ".") and "-" not in candidate:
                    return lock
        example = requested if VERSION.fullmatch(requested) else "X.Y.Z"
        raise UsageError(
            f"{name} {requested} has no lock, so it cannot be built",
            hint=f"Available: {', '.join(locks) or 'none'}. To add a version: `muster lock {name}@{example}`.",
        )


def load(path: Path | None = None) -> Register:
    """Read and check the register; by default the one that ships with muster, with the user's locks added."""
    roots: tuple[Path, ...]
    if path is None:
        path = data_root() / "clusters" / "components.yaml"
        roots = (path.parent / "locks", user_data_root() / "locks")
    else:
        roots = (path.parent / "locks",)
    components, box = _read(path, path.stat().st_mtime_ns)
    return Register(components, box, roots)


@lru_cache(maxsize=8)  # it is asked for at every turn
def _read(path: Path, changed: int) -> tuple[dict[str, Component], tuple[str, ...]]:
    content = path.read_text(encoding="utf-8")
    raw = yaml.safe_load(content)
    _check_once(path, content, raw)
    components = {name: _component(path, name, entry) for name, entry in raw["components"].items()}
    unknown = [name for name in raw["box"] if name not in components]
    if unknown:
        raise HarnessError(f"{path}: box names unknown components: {', '.join(unknown)}")
    return components, tuple(raw["box"])


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


def _check_once(path: Path, content: str, raw: Any) -> None:
    """Check the register, unless the cache folder tells that this very text passed before.

    To import the library that checks takes a tenth of a second, and two seconds where its optional parts are installed.
    """
    schema = Path(__file__).with_name("components.schema.json").read_text(encoding="utf-8")
    stamp = cache_root() / "checked" / hashlib.sha256(f"{schema}\0{content}".encode()).hexdigest()[:32]
    if stamp.exists():
        return
    _check(path, raw, json.loads(schema))
    with contextlib.suppress(OSError):  # a cache that cannot be written costs time, nothing else
        put(stamp, f"{path.name} follows components.schema.json\n")


def _check(path: Path, raw: Any, schema: Any) -> None:
    """HarnessError with every fault of the register; the register belongs to muster, so this is no UsageError."""
    import jsonschema

    errors = jsonschema.Draft202012Validator(schema).iter_errors(raw)
    if faults := dict.fromkeys(_fault(error) for error in errors):
        raise HarnessError("\n".join(f"{path}: {fault}" for fault in faults))


def _fault(error: jsonschema.ValidationError) -> str:
    """One sentence for one fault: where it is, what is expected, what is there."""
    schema: Any = error.schema
    keys = [key for key in error.absolute_path if isinstance(key, str)]
    where = f"component {' '.join(keys[1:])}: " if len(keys) > 1 else ""
    if expected := schema.get("description"):
        return f"{where}expected {expected}; given: {reprlib.repr(error.instance)}"
    if error.validator == "additionalProperties":
        return f"{where}{error.message}; allowed: {', '.join(sorted(schema['properties']))}"
    return f"{where}{error.message}"


def _component(path: Path, name: str, entry: Mapping[str, Any]) -> Component:
    """The component of an entry that follows the schema, with the checks that a schema cannot make."""
    processes = {
        process: ComponentProcess(process, value["package"], value.get("file", process))
        for process, value in entry["processes"].items()
    }
    values = dict(entry) | {
        "processes": processes,
        "release": Release(**entry["release"]) if "release" in entry else None,
        "swaps": tuple(Swap(**swap) for swap in entry.get("swaps", ())),
        "staging": tuple((rule["prefix"], rule["version"]) for rule in entry.get("staging", ())),
    }
    component = Component(name=name, **values)
    for what, names in (
        ("file", [process.file for process in processes.values()]),
        ("package", [process.built_as for process in processes.values()]),
    ):
        if len(set(names)) != len(names):
            raise HarnessError(f"{path}: component {name}: two processes have the same {what} name: {', '.join(names)}")
    try:
        component.linker_flags(component.default)
        [fill(template, component.default) for _, template in component.staging]
    except (KeyError, IndexError, ValueError) as error:
        raise HarnessError(f"{path}: component {name}: a template uses an unknown placeholder: {error}") from error
    return component
