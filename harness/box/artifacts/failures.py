"""Turn what Go prints when it fails into one message a person can act on.

Go reports everything through the same stream and the same exit code, often as a cascade. The causes below are the
ones users meet; each has a pattern of Go's own words, a sentence and a next step. Anything else is shown as it is.
"""

from __future__ import annotations

import errno
import re
import shutil
from pathlib import Path

from harness.box.data import cache_root
from harness.core.errors import ArtifactError

_MISMATCH = re.compile(
    r"verifying (?P<module>\S+?):? checksum mismatch\s+downloaded:\s+(?P<got>\S+)\s+(?P<where>\S+?):\s+(?P<want>\S+)"
)
_TOO_OLD = re.compile(r"requires go >= (?P<needed>[\d.]+) \(running go (?P<found>[\w.]+)")
_REFUSED = re.compile(r"reading (?P<url>\S+): (?P<status>(?:401|403|404|410) [A-Z][A-Za-z ]+)")
_MODULE = re.compile(r"(?P<module>[\w.~-]+(?:/[\w.~-]+)+@v[\w.+-]+)")
_NO_SUM = re.compile(r"missing go\.sum entry for (?:module providing package )?(?P<what>\S+)")
_UNTIDY = re.compile(
    r"updates to go\.mod needed|(?:no required module provides|cannot find module providing) package (?P<what>[^\s;:]+)"
)
_NETWORK = (
    "no such host",
    "connection refused",
    "connection reset by peer",
    "network is unreachable",
    "no route to host",
    "i/o timeout",
    "TLS handshake timeout",
    "context deadline exceeded",
    "temporary failure in name resolution",
    "server misbehaving",
    "proxyconnect tcp",
    "module lookup disabled by GOPROXY=off",
)
_LOW_DISK = 50 << 20  # bytes; below this Go's complaints are random ("package math is not in std")


def explain(what: str, output: str, cache: Path) -> ArtifactError:
    """The error to raise for a failed Go command; `what` names the artifact, such as `kubernetes 1.37.1`."""
    if "no space left on device" in output or _free(cache) < _LOW_DISK:
        return no_space(what, cache, _free(cache))
    if match := _MISMATCH.search(output):
        return ArtifactError(
            f"{what}: checksum mismatch for {match['module']}\n"
            f"  downloaded: {match['got']}\n"
            f"  locked:     {match['want']}  ({match['where']})",
            hint="Nothing was built. The module was changed after it was locked, or something between you and it "
            "changes it: try another GOPROXY, and do not use what was downloaded.",
        )
    if match := _TOO_OLD.search(output):
        return ArtifactError(
            f"{what}: Go is too old: {match['needed']} is needed, {match['found']} was found",
            hint="Put a newer Go on PATH or name it with MUSTER_GO.",
        )
    if match := _REFUSED.search(output):
        named = _MODULE.search(output)
        return ArtifactError(
            f"{what}: module refused: {named['module'] if named else 'unknown module'}: "
            f"{match['status'].strip()} from {match['url']}",
            hint="The module proxy does not serve this version. Choose another version (`muster get --list`), or set "
            "GOPROXY to a proxy that has it.",
        )
    for line in output.splitlines():
        if any(sign in line for sign in _NETWORK):
            return ArtifactError(
                f"{what}: no network: {_trim(line)}",
                hint="Source modules have to be downloaded. Check GOPROXY and HTTPS_PROXY, or give finished binaries "
                "with --binary COMPONENT.PROCESS=PATH.",
            )
    if match := _NO_SUM.search(output):
        return _bad_lock(what, f"no checksum for {match['what'].rstrip(';')}")
    if match := _UNTIDY.search(output):
        return _bad_lock(what, f"it does not cover {match['what'] or 'all it needs'}")
    if re.search(r"signal: killed|cannot allocate memory|out of memory", output):
        return ArtifactError(
            f"{what}: the compiler was killed, most likely for want of memory",
            hint="Free some memory (2 GB are enough for one build) and run the same command again; what is compiled "
            "already is kept.",
        )
    tail = "\n".join(f"  {line}" for line in output.strip().splitlines()[-12:]) or "  (no output)"
    return ArtifactError(f"{what}: the build failed; Go says:\n{tail}", hint="Nothing was installed.")


def no_space(what: str, path: Path, free: int, needed: int | None = None) -> ArtifactError:
    """The one message for a full disk."""
    need = f", {needed / 1e9:.1f} GB are needed" if needed is not None else ""
    return ArtifactError(
        f"{what}: no disk space: {free / 1e9:.1f} GB are free at {path}{need}",
        hint=f"Make room, or move the cache by setting XDG_CACHE_HOME. Old compiled packages can go: {path / 'go'}.",
    )


def cannot_write(what: str, error: OSError) -> ArtifactError:
    """A cache that is full, read-only, or no folder at all."""
    if error.errno == errno.ENOSPC:
        return no_space(what, cache_root(), _free(cache_root()))
    return ArtifactError(
        f"{what}: the cache cannot be written: {error.strerror}: {error.filename or cache_root()}",
        hint="Make the folder writable, or set XDG_CACHE_HOME to one that is.",
    )


def require_space(what: str, path: Path, needed: int) -> None:
    """Refuse to begin what cannot end."""
    free = _free(path)
    if free < needed:
        raise no_space(what, path, free, needed)


def _bad_lock(what: str, text: str) -> ArtifactError:
    name = what.replace(" ", "@")
    return ArtifactError(f"{what}: the lock is incomplete: {text}", hint=f"Make it again: `muster lock {name}`.")


def _free(path: Path) -> int:
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free


def _trim(line: str) -> str:
    return line.removeprefix("go: ").strip()[:300]
