"""Which programs ran, and whose build they are, in words.

A report names every program with its checksum and its source. Programs that muster builds come from committed locks
with pinned tools, so a reader who has built the same version can compare the checksums. A program that was given with
`--binary` is known by its checksum alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from harness.core.results import Implementation

USER_SOURCE = "given"  # source of a program that the user named
Builds = Mapping[tuple[str, str, str], str]  # component, version, process -> checksum of muster's own build


def lines(implementations: Iterable[Implementation], builds: Builds) -> Iterator[str]:
    """One line for each program, each once."""
    rows = {
        tuple(str(artifact.get(key, "")) for key in ("component", "version", "process", "sha256", "source"))
        for implementation in implementations
        for artifact in implementation.artifacts
    }
    for component, version, process, checksum, source in sorted(rows):
        whose = _whose(source, builds.get((component, version, process)), checksum)
        yield f"{component} {version} {process} sha256:{checksum}: {whose}"


def _whose(source: str, build: str | None, checksum: str) -> str:
    if source == USER_SOURCE:
        return "given by the user of the run; only its checksum is known"
    if build is None:
        return f"built from muster's lock ({source}); this machine has no build to compare it with"
    if build == checksum:
        return f"built from muster's lock ({source}); this machine has built the same"
    return f"built from muster's lock ({source}); the build of this machine is another one, sha256:{build}"
