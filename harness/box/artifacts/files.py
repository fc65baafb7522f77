"""Files of a component other than binaries, copied from its locked Go module.

A CRD, a webhook manifest or a vendor's default configuration belongs to a version of the program as its code does, so
it comes from the same module under the same lock. The register names these files by patterns. Before a file is copied
the module's folder is hashed as Go does it and compared with go.sum, so a change in the module cache is noticed. No
build is needed: the files are also there if the user gives all binaries.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from harness.box.artifacts import failures, gocmd, store, toolchain
from harness.box.artifacts.progress import Event
from harness.box.artifacts.register import Component, Lock
from harness.box.artifacts.sources import Request
from harness.box.artifacts.toolchain import Toolchain
from harness.box.data import cache_root
from harness.core.errors import ArtifactError

Files = Mapping[str, tuple[Path, ...]]


def supply(request: Request) -> Files:
    """Every file set of the component, from the store or copied into it now."""
    component, lock = request.component, request.lock
    if not component.files:
        return {}
    recipe = recipe_hash(component, lock)
    artifact = store.find(component, lock, recipe)
    if artifact is None:
        try:
            artifact = _fetch(request, recipe)
        except OSError as error:
            raise failures.cannot_write(f"{component.name} {lock.version}", error) from error
    paths_of: dict[str, list[Path]] = {name: [] for name in component.files}
    for name, file in sorted(artifact.binaries.items()):
        paths_of[name.partition("/")[0]].append(artifact.path / file.file)
    return {name: tuple(paths) for name, paths in paths_of.items()}


def recipe_hash(component: Component, lock: Lock) -> str:
    """The hash of the module and of the patterns."""
    recipe = [locked_sum(component, lock), sorted((name, list(value)) for name, value in component.files.items())]
    return hashlib.sha256(json.dumps(recipe).encode()).hexdigest()


def locked_sum(component: Component, lock: Lock) -> str:
    """The `h1:` hash that go.sum has for the component's own module."""
    prefix = f"{component.module} v{lock.version} "
    for line in lock.files[1].read_text(encoding="utf-8").splitlines():
        if line.startswith(prefix):
            return line.removeprefix(prefix)
    raise ArtifactError(
        f"{component.name} {lock.version}: {lock.files[1]} has no checksum of {prefix.strip()}",
        hint=f"Make the lock again: `muster lock {component.name}@{lock.version}`.",
    )


def folder_sum(folder: Path, prefix: str) -> str:
    """The hash of a module's folder as go.sum writes it; `prefix` is module@version."""
    names = sorted(f"{prefix}/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{store.sha256(folder / name.removeprefix(prefix + '/'))}  {name}\n".encode())
    return "h1:" + base64.b64encode(digest.digest()).decode()


def _fetch(request: Request, recipe: str) -> store.StoredArtifact:
    component, lock, progress = request.component, request.lock, request.progress
    with store.exclusive(component, lock, progress, recipe):
        artifact = store.find(component, lock, recipe)  # another worker may have copied them while we waited
        if artifact is not None:
            return artifact
        go = toolchain.find("1.21", progress, component=component.name, version=lock.version)
        return store.install(component, lock, go.version, "go-module", lambda work: _copy(request, go, work), recipe)


def _copy(request: Request, go: Toolchain, work: Path) -> Mapping[str, Path]:
    """Download and check the module, then copy the files that the patterns name."""
    component, lock = request.component, request.lock
    what, module = f"{component.name} {lock.version}", f"{component.module}@v{lock.version}"
    folder = _download(request, go, work, module)
    actual, locked = folder_sum(folder, module), locked_sum(component, lock)
    if actual != locked:
        raise ArtifactError(
            f"{what}: {module} is not what was locked\n"
            f"  locked: {locked}  ({lock.files[1]})\n"
            f"  found:  {actual}  ({folder})",
            hint=f"Something changed the module cache. Remove {folder} and run the same command again.",
        )
    copied: dict[str, Path] = {}
    for name, patterns in component.files.items():
        target = work / store.STAGED / name
        target.mkdir(parents=True)
        for pattern in patterns:
            matches = sorted(path for path in folder.glob(pattern) if path.is_file())
            if not matches:
                raise ArtifactError(f"{what}: nothing in {module} matches {pattern} (files {name} of the register)")
            for path in matches:
                if f"{name}/{path.name}" in copied:
                    raise ArtifactError(f"{what}: two files of {module} are called {path.name} (files {name})")
                shutil.copyfile(path, target / path.name)
                copied[f"{name}/{path.name}"] = target / path.name
    return copied


def _download(request: Request, go: Toolchain, work: Path, module: str) -> Path:
    """The folder of the module in the module cache; Go verifies what it downloads by the lock's go.sum."""
    component, lock = request.component, request.lock
    request.progress(Event(component.name, lock.version, "modules", f"downloading {module}"))
    for name in ("source", "scratch"):
        (work / name).mkdir()
    for file in lock.files:
        shutil.copyfile(file, work / "source" / file.name)
    code, stdout, stderr = gocmd.run(
        [go.go, "mod", "download", "-json", module],
        cwd=work / "source",
        env=go.environment(work / "scratch"),
        on_line=lambda line: None,
    )
    if code != 0:
        raise failures.explain(f"{component.name} {lock.version}", stderr + stdout, cache_root())
    return Path(json.loads(stdout)["Dir"])
