"""Turn the output of a failed Go command into one message that a person can act on.

Go reports every failure through the same stream and the same exit code, and often reports several for one cause. The
causes below are the ones that users meet: each has a pattern of Go's output, a sentence and a next step. Any other
output is shown as it is.
"""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from harness.box.data import cache_root
from harness.core.errors import ArtifactError

_MISMATCH = re.compile(
    r"verifying (?P<module>\S+?):? checksum mismatch\s+downloaded:\s+(?P<got>\S+)\s+(?P<where>\S+?):\s+(?P<want>\S+)"
)
_TOO_OLD = re.compile(r"requires go >= (?P<needed>[\d.]+) \(running go (?P<version>[\w.]+)")
_REFUSED = re.compile(r"reading (?P<url>\S+): (?P<status>(?:401|403|404|410) [A-Z][A-Za-z ]+)")
_MODULE = re.compile(r"(?P<module>[\w.~-]+(?:/[\w.~-]+)+@v[\w.+-]+)")
_NO_SUM = re.compile(r"missing go\.sum entry for (?:module providing package )?(?P<what>\S+)")
_UNTIDY = re.compile(
    r"updates to go\.mod needed|(?:no required module provides|cannot find module providing) package (?P<what>[^\s;:]+)"
)
_NETWORK_SIGNS = (
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
_NO_NETWORK = re.compile(rf"^.*(?:{'|'.join(map(re.escape, _NETWORK_SIGNS))}).*$", re.MULTILINE)
_KILLED = re.compile(r"signal: killed|cannot allocate memory|out of memory")
_LOW_DISK = 50 << 20  # bytes; below this Go's complaints are random ("package math is not in std")


def explain(what: str, output: str, cache: Path) -> ArtifactError:
    """The error to raise for a failed Go command; `what` names the artifact, such as `kubernetes 1.37.1`."""
    if "no space left on device" in output or _free(cache) < _LOW_DISK:
        return no_space(what, cache, _free(cache))
    for pattern, error_of in _CAUSES:
        if match := pattern.search(output):
            return error_of(what, match)
    tail = "\n".join(f"  {line}" for line in output.strip().splitlines()[-12:]) or "  (no output)"
    return ArtifactError(f"{what}: the build failed; Go says:\n{tail}", hint="Nothing was installed.")


def _mismatch(what: str, match: re.Match[str]) -> ArtifactError:
    return ArtifactError(
        f"{what}: checksum mismatch for {match['module']}\n"
        f"  downloaded: {match['got']}\n"
        f"  locked:     {match['want']}  ({match['where']})",
        hint="Nothing was built. The module was changed after it was locked, or something between you and it "
        "changes it: try another GOPROXY, and do not use what was downloaded.",
    )


def _too_old(what: str, match: re.Match[str]) -> ArtifactError:
    return ArtifactError(
        f"{what}: Go is too old: {match['needed']} is needed, {match['version']} was found",
        hint="Put a newer Go on PATH or name it with MUSTER_GO.",
    )


def _refused(what: str, match: re.Match[str]) -> ArtifactError:
    module = _MODULE.search(match.string)
    return ArtifactError(
        f"{what}: module refused: {module['module'] if module else 'unknown module'}: "
        f"{match['status'].strip()} from {match['url']}",
        hint="The module proxy does not serve this version. Choose another version (`muster get --list`), or set "
        "GOPROXY to a proxy that has it.",
    )


def _no_network(what: str, match: re.Match[str]) -> ArtifactError:
    return ArtifactError(
        f"{what}: no network: {_trim(match[0])}",
        hint="Source modules have to be downloaded. Check GOPROXY and HTTPS_PROXY, or give finished binaries "
        "with --binary COMPONENT.PROCESS=PATH.",
    )


def _no_checksum(what: str, match: re.Match[str]) -> ArtifactError:
    return _bad_lock(what, f"no checksum for {match['what'].rstrip(';')}")


def _not_covered(what: str, match: re.Match[str]) -> ArtifactError:
    return _bad_lock(what, f"it does not cover {match['what'] or 'all it needs'}")


def _killed(what: str, match: re.Match[str]) -> ArtifactError:
    return ArtifactError(
        f"{what}: the compiler was killed, probably because the machine ran out of memory",
        hint="Free some memory (2 GB are enough for one build) and run the same command again; packages that are "
        "compiled already are reused.",
    )


# In this order: Go often prints several of these at once, and the first is the cause.
_CAUSES: tuple[tuple[re.Pattern[str], Callable[[str, re.Match[str]], ArtifactError]], ...] = (
    (_MISMATCH, _mismatch),
    (_TOO_OLD, _too_old),
    (_REFUSED, _refused),
    (_NO_NETWORK, _no_network),
    (_NO_SUM, _no_checksum),
    (_UNTIDY, _not_covered),
    (_KILLED, _killed),
)


def no_space(what: str, path: Path, free: int, needed: int | None = None) -> ArtifactError:
    """The message for a full disk."""
    need = f", {needed / 1e9:.1f} GB are needed" if needed is not None else ""
    return ArtifactError(
        f"{what}: no disk space: {free / 1e9:.1f} GB are free at {path}{need}",
        hint=f"Free some space, or move the cache with XDG_CACHE_HOME. Compiled packages may go: {path / 'go'}.",
    )


def cannot_write(what: str, error: OSError) -> ArtifactError:
    """The message for a cache that is full, read-only, or not a folder."""
    if error.errno == errno.ENOSPC:
        return no_space(what, cache_root(), _free(cache_root()))
    return ArtifactError(
        f"{what}: the cache cannot be written: {error.strerror}: {error.filename or cache_root()}",
        hint="Make the folder writable, or set XDG_CACHE_HOME to one that is.",
    )


def require_space(what: str, path: Path, needed: int) -> None:
    """Raise before a build starts that would run out of disk space."""
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
