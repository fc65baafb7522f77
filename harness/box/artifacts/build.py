"""Build a component from its lock, and report progress as a number of packages.

Go reports no progress of a whole build. So `go list -deps` runs first: it downloads the modules, names every package
and says which of them are compiled already. `go build -v` then prints each package when it is compiled. Progress is
the sum of both, plus one step per linked binary. The lock is copied, so a build can never change the repository.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.box.artifacts import failures, gocmd, store
from harness.box.artifacts.elf import foreign_architecture, this_architecture
from harness.box.artifacts.progress import Event, Progress
from harness.box.artifacts.register import Component, Lock
from harness.box.artifacts.toolchain import Toolchain
from harness.box.data import cache_root
from harness.core.errors import ArtifactError

_LIST = "{{.ImportPath}}\t{{.Stale}}\t{{.StaleReason}}"
_CACHED = "available in build cache"
_BINARIES_MB = 500  # space for the temporary files of the linker and for the binaries


@dataclass(slots=True)
class _Build:
    component: Component
    lock: Lock
    toolchain: Toolchain
    work: Path
    progress: Progress
    started: float = field(default_factory=time.monotonic)
    shown: float = 0.0

    @property
    def what(self) -> str:
        return f"{self.component.name} {self.lock.version}"

    def show(self, stage: str, text: str, done: int = 0, total: int = 0) -> None:
        """Emit an event, at most ten a second."""
        now = time.monotonic()
        if now - self.shown >= 0.1 or (total and done == total):
            self.shown = now
            elapsed = now - self.started
            self.progress(Event(self.component.name, self.lock.version, stage, text, done, total, elapsed))

    def flags(self) -> list[str]:
        tags = ["-tags", ",".join(self.component.tags)] if self.component.tags else []
        return ["-mod=readonly", "-trimpath", *tags, "-ldflags", self.component.linker_flags(self.lock.version)]

    def packages(self) -> list[str]:
        return [process.package for process in self.component.processes.values()]


def build(component: Component, lock: Lock, toolchain: Toolchain, work: Path, progress: Progress) -> Mapping[str, Path]:
    """Build every process of the component inside `work`; returns the binaries, named as the register says."""
    job = _Build(component, lock, toolchain, work, progress)
    _check_lock(job)
    for name in ("source", "scratch", "out"):
        (work / name).mkdir()
    for file in lock.files:
        shutil.copyfile(file, work / "source" / file.name)
    if component.program:
        shutil.copyfile(store.program_file(component), work / "source" / "main.go")
    if not _module_is_here(job):
        failures.require_space(job.what, cache_root(), component.disk_mb << 20)
    total, fresh = _survey(job)
    failures.require_space(job.what, cache_root(), int(component.disk_mb * fresh / total + _BINARIES_MB) << 20)
    _compile(job, total, fresh)
    return {name: _collect(job, name) for name in component.processes}


def _check_lock(job: _Build) -> None:
    """ArtifactError for a lock in the wrong folder, which would build another version than its name says."""
    required = f"{job.component.module} v{job.lock.version}"
    if not re.search(rf"^(require|\t) ?{re.escape(required)}$", job.lock.files[0].read_text("utf-8"), re.MULTILINE):
        raise ArtifactError(
            f"{job.what}: {job.lock.files[0]} does not require {required}",
            hint=f"Make the lock again: `muster lock {job.component.name}@{job.lock.version}`.",
        )


def _survey(job: _Build) -> tuple[int, int]:
    """Download the modules; count all packages and those not compiled yet."""
    downloads = 0

    def line(text: str) -> None:
        nonlocal downloads
        downloads += text.startswith("go: downloading ")
        job.show("modules", f"downloading modules ({downloads})")

    job.show("modules", "looking at modules")
    output = _go(job, ["list", *job.flags(), "-deps", "-f", _LIST, *job.packages()], line)
    rows = [row.split("\t") for row in output.splitlines()]
    fresh = sum(len(row) == 3 and row[1] == "true" and _CACHED not in row[2] for row in rows)
    return max(len(rows), 1), fresh


def _compile(job: _Build, total: int, fresh: int) -> None:
    """Compile and link; one step per package and one per binary."""
    steps = total + len(job.component.processes)
    compiled = 0

    def show() -> None:
        linked = sum(1 for _ in (job.work / "out").iterdir())
        done = min(total - fresh + compiled, total) + linked
        linking = compiled >= fresh
        job.show("link" if linking else "build", "linking" if linking else "compiling packages", done, steps)

    def line(text: str) -> None:
        nonlocal compiled
        compiled += bool(text) and " " not in text and not text.startswith("#")
        show()

    show()
    _go(job, ["build", "-v", *job.flags(), "-o", f"{job.work / 'out'}/", *job.packages()], line, show)


def _collect(job: _Build, name: str) -> Path:
    """One finished binary, checked and renamed as the register says."""
    process = job.component.processes[name]
    built = job.work / "out" / process.built_as
    if not built.is_file():
        raise ArtifactError(f"{job.what}: Go reported success but did not create {process.built_as}")
    if foreign := foreign_architecture(built):
        raise ArtifactError(
            f"{job.what}: wrong architecture: {process.file} was built for {foreign}, this machine is "
            f"{this_architecture()}",
            hint="Check `go env GOOS GOARCH`; a setting made with `go env -w` is undone with `go env -u GOOS GOARCH`.",
        )
    target = job.work / store.STAGED / process.file
    built.rename(target)
    target.chmod(0o755)
    return target


def _go(job: _Build, arguments: list[str], on_line: gocmd.OnLine, on_tick: gocmd.OnTick = gocmd.nothing) -> str:
    code, stdout, stderr = gocmd.run(
        [job.toolchain.go, *arguments],
        cwd=job.work / "source",
        env=job.toolchain.environment(job.work / "scratch") | ({"CGO_ENABLED": "1"} if job.component.cgo else {}),
        on_line=on_line,
        on_tick=on_tick,
    )
    if code != 0:
        raise failures.explain(job.what, stderr + stdout, cache_root())
    return stdout


def _module_is_here(job: _Build) -> bool:
    escaped = "".join(f"!{char.lower()}" if char.isupper() else char for char in job.component.module)
    return (cache_root() / "go" / "mod" / f"{escaped}@v{job.lock.version}").is_dir()
