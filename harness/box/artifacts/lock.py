"""Make the lock of a component: the go.mod and go.sum that pin the source of every build.

The lock is a module of its own that lists the component's programs as Go tools and requires the component in one
version. Most of these projects are not meant to be dependencies, so four rules are needed:

- A module that the source tree replaces by a local folder (`=> ./staging/...`) is not part of the published module.
  If the register names a published version for it, that is used; otherwise the replacement is dropped.
- Other replacements are copied: Go ignores the replacements of a module that is not the main module.
- A version that no proxy serves is swapped for another one, if the register says so.
- go.sum starts with the go.sum of the component, which is part of its verified module. So only the component and the
  staging modules have to be looked up in the checksum database.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.box.artifacts import failures, gocmd, toolchain
from harness.box.artifacts.progress import Event, Progress, silent
from harness.box.artifacts.register import LOCK_MODULE, VERSION, Component, Lock, Register, fill, load
from harness.box.artifacts.store import program_file
from harness.box.data import cache_root, data_root, in_checkout, user_data_root
from harness.core.errors import ArtifactError, UsageError

# The first Go with tool directives; the `go` line of the module is checked after its download.
_ANY_GO = "1.24"


@dataclass(slots=True)
class _Maker:
    component: Component
    version: str
    work: Path
    progress: Progress
    go: toolchain.Toolchain
    started: float

    def run(self, *arguments: str) -> str:
        """Run Go in the working folder."""
        code, stdout, stderr = gocmd.run(
            [self.go.go, *arguments],
            cwd=self.work,
            env=self.go.environment(self.work) | ({"CGO_ENABLED": "1"} if self.component.cgo else {}),
            on_line=lambda line: self.show(line.removeprefix("go: ")),
        )
        if code != 0:
            raise failures.explain(f"{self.component.name} {self.version}", stderr + stdout, cache_root())
        return stdout

    def show(self, text: str) -> None:
        elapsed = time.monotonic() - self.started
        self.progress(Event(self.component.name, self.version, "lock", text, elapsed=elapsed))


def default_folder() -> Path:
    """The folder for new locks: in the repository in a checkout, else in the user's data."""
    return data_root() / "clusters" / "locks" if in_checkout() else user_data_root() / "locks"


def make_lock(
    name: str,
    version: str,
    *,
    output: Path | None = None,
    progress: Progress | None = None,
    register: Register | None = None,
) -> Lock:
    """Write <output>/<name>/<version>/go.mod and go.sum; both or neither, and an existing lock is replaced."""
    component = (register or load()).component(name)
    version = version.removeprefix("v")
    if not VERSION.fullmatch(version):
        raise UsageError(
            f"a lock needs a full version; given: {name}@{version}", hint=f"For example: muster lock {name}@1.2.3"
        )
    target = (output or default_folder()) / name / version
    with tempfile.TemporaryDirectory(prefix="muster-lock-") as folder:
        report = progress or silent
        go = toolchain.find(_ANY_GO, report, component=name, version=version)
        _make(_Maker(component, version, Path(folder), report, go, time.monotonic()))
        _write(Path(folder), target)
    return Lock(name, version, target)


def _make(maker: _Maker) -> None:
    """Write go.mod and go.sum into the working folder, and let Go add everything that the programs need."""
    component, version = maker.component, maker.version
    module = _download(maker)
    source = json.loads(maker.run("mod", "edit", "-json", module["GoMod"]))
    maker.go = toolchain.find(source.get("Go", _ANY_GO), maker.progress, component=component.name, version=version)
    (maker.work / "go.mod").write_text(go_mod(component, version, source), encoding="utf-8")
    (maker.work / "go.sum").write_text(_go_sum(module), encoding="utf-8")
    if component.program:
        shutil.copyfile(program_file(component), maker.work / "main.go")
    packages = [process.package for process in component.processes.values()]
    tags = ["-tags", ",".join(component.tags)] if component.tags else []
    maker.show("resolving the modules that the programs need")
    maker.run("list", "-mod=mod", *tags, "-deps", "-f", "{{.ImportPath}}", *packages)


def go_mod(component: Component, version: str, source: dict[str, Any]) -> str:
    """The go.mod to start from; `source` is the component's own, as `go mod edit -json` prints it."""
    lines = [f"module {LOCK_MODULE}", "", f"go {source.get('Go', _ANY_GO)}", ""]
    lines += [f"godebug {setting['Key']}={setting['Value']}" for setting in source.get("GoDebug") or []]
    tools = [process.package for process in component.processes.values() if process.package != LOCK_MODULE]
    lines += ["", "tool (", *(f"\t{package}" for package in tools), ")", ""] if tools else [""]
    lines += [f"require {component.module} v{version}", ""]
    if replaces := sorted(_replaces(component, version, source)):
        lines += ["replace (", *(f"\t{line}" for line in replaces), ")"]
    return "\n".join(lines) + "\n"


def _replaces(component: Component, version: str, source: dict[str, Any]) -> Iterator[str]:
    staged, replaced = set(), set()
    for replace in source.get("Replace") or []:
        old, new = replace["Old"], replace["New"]
        replaced.add(old["Path"])
        if new.get("Version"):
            left = f"{old['Path']} {old['Version']}" if old.get("Version") else old["Path"]
            yield f"{left} => {new['Path']} {_served(component, new['Path'], new['Version'])}"
        else:
            staged.add(old["Path"])
    for needed in source.get("Require") or []:
        path, asked = needed["Path"], needed["Version"]
        if path not in replaced and (taken := _served(component, path, asked)) != asked:
            yield f"{path} => {path} {taken}"
    # Some versions keep the local folders in go.work and require v0.0.0, which is never published.
    staged |= {needed["Path"] for needed in source.get("Require") or [] if needed["Version"] == "v0.0.0"}
    for path in staged:
        for prefix, template in component.staging:
            if path.startswith(prefix):
                yield f"{path} => {path} {fill(template, version)}"
                break


def _served(component: Component, path: str, version: str) -> str:
    """The version of a module that replaces the required one; the same version if the register has no swap."""
    for swap in component.swaps:
        if path.startswith(swap.prefix) and version == swap.asked:
            return swap.taken
    return version


def _download(maker: _Maker) -> dict[str, str]:
    """Fetch the component's own module, verified by Go against the checksum database."""
    module = f"{maker.component.module}@v{maker.version}"
    maker.show(f"downloading {module}")
    try:
        info: dict[str, str] = json.loads(maker.run("mod", "download", "-json", module))
    except json.JSONDecodeError as error:
        raise ArtifactError(f"Go gave no answer about {module}: {error}") from error
    return info


def _go_sum(module: dict[str, str]) -> str:
    go_sum = Path(module["Dir"]) / "go.sum"
    lines = set(go_sum.read_text(encoding="utf-8").splitlines()) if go_sum.is_file() else set()
    lines.add(f"{module['Path']} {module['Version']} {module['Sum']}")
    lines.add(f"{module['Path']} {module['Version']}/go.mod {module['GoModSum']}")
    return "\n".join(sorted(lines)) + "\n"


def _write(work: Path, target: Path) -> None:
    """Copy both files next to their final place, then rename them."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in ("go.sum", "go.mod"):  # go.mod last: a lock without it does not exist for the register
            fresh = target / f".{name}.new"
            shutil.copyfile(work / name, fresh)
            fresh.replace(target / name)
    except OSError as error:
        where = target.parent.parent
        raise UsageError(f"--output must be a folder that can be written; given: {where}: {error}") from error
