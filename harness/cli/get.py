"""`muster get` and `muster lock`: have the binaries, and add versions to what can be had."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from harness.box.artifacts import Artifact, Register, load, parse_binaries, resolve, store
from harness.box.artifacts.lock import make_lock
from harness.box.artifacts.sources import all_binaries
from harness.cli.progress import build_progress
from harness.core.errors import UsageError

__all__ = ["get", "lock"]

_GET_EPILOG = """\b
Examples:
  muster get                          what the default box needs
  muster get kubernetes@1.36 etcd     the newest locked 1.36, and etcd
  muster get --all                    every locked version of everything
  muster get --list                   what can be had, and what is here
  muster get --verify                 hash every cached binary and file again
"""
_LOCK_EPILOG = """\b
Examples:
  muster lock kubernetes@1.37.2
  muster lock etcd@3.6.13 --output ./locks
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a listing: a binary, or a version that is not built yet (no process, size 0)."""

    component: str
    version: str
    process: str
    source: str
    size: int
    sha256: str
    path: str


@click.command(epilog=_GET_EPILOG)
@click.argument("wanted", nargs=-1, metavar="[COMPONENT[@VERSION]]...")
@click.option("--all", "everything", is_flag=True, help="Every locked version of every component.")
@click.option("--list", "listing", is_flag=True, help="Show what can be had and what is here; fetch nothing.")
@click.option("--verify", "verifying", is_flag=True, help="Hash the cached binaries and files again; build nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option("--binary", "binaries", multiple=True, metavar="COMPONENT.PROCESS=PATH", help="Use this binary instead.")
def get(
    wanted: tuple[str, ...],
    everything: bool,
    listing: bool,
    verifying: bool,
    as_json: bool,
    binaries: tuple[str, ...],
) -> None:
    """Have the binaries of COMPONENT: from --binary, the cache, or a build from its Go module lock.

    A first build of a control plane takes minutes; afterwards it comes from the cache at once.
    """
    if listing and verifying:
        raise UsageError("--list and --verify cannot be used together", hint="Run one after the other.")
    if everything and wanted:
        raise UsageError("--all takes no components", hint=f"Leave out --all to get only {' '.join(wanted)}.")
    register = load()
    given = parse_binaries(binaries, register=register)
    if listing:
        locks = [pair for name in register.components for pair in ((name, v) for v in register.locks(name))]
        chosen = _chosen(register, wanted) if wanted else locks
        _print(_listed(register, chosen, all_binaries(given, register)), as_json)
    elif verifying:
        _print(_verified(register, wanted), as_json)
    else:
        names = register.components if everything else register.box
        chosen = _chosen(register, wanted)
        if not wanted:
            chosen = [(n, v) for n in names for v in (register.locks(n) if everything else [register.lock(n).version])]
        with build_progress() as progress:
            artifacts = [resolve(name, version, binaries=given, progress=progress) for name, version in chosen]
        _print([row for artifact in artifacts for row in _rows(artifact)], as_json)


@click.command(epilog=_LOCK_EPILOG)
@click.argument("what", metavar="NAME@VERSION")
@click.option("--output", type=click.Path(path_type=Path), help="Folder of locks to write into.")
def lock(what: str, output: Path | None) -> None:
    """Write the Go module lock of a component in a new version, so that muster can build it.

    The lock goes into clusters/locks in a checkout, else into your own data folder; both are found by every command.
    """
    name, _, version = what.partition("@")
    with build_progress() as progress:
        made = make_lock(name, version, output=output, progress=progress)
    click.echo(f"wrote {made.path}/go.mod and go.sum")
    click.echo(f"next: muster get {made.component}@{made.version}")


def _chosen(register: Register, wanted: Iterable[str]) -> list[tuple[str, str]]:
    """COMPONENT[@VERSION] as pairs of names that exist, each once; checked before anything is built."""
    pairs: dict[tuple[str, str], None] = {}
    for spec in wanted:
        name, at, version = spec.partition("@")
        if at and not version:
            raise UsageError(f"COMPONENT@VERSION must name a version after the @; given: {spec!r}")
        pairs[name, register.lock(name, version or None).version] = None
    return list(pairs)


def _listed(register: Register, chosen: Iterable[tuple[str, str]], given: dict[str, Path]) -> Iterator[Row]:
    for name, path in given.items():
        component, _, process = name.partition(".")
        yield Row(component, "-", process, "given", path.stat().st_size, store.sha256(path), str(path))
    for name, version in chosen:
        record = store.find(register.component(name), register.lock(name, version))
        if record is None:
            yield Row(name, version, "", "not built", 0, "", "")
        else:
            yield from _stored(record)


def _verified(register: Register, wanted: tuple[str, ...]) -> list[Row]:
    """All cached binaries, hashed; the first wrong one raises."""
    pairs = _chosen(register, wanted)
    chosen = [r for r in store.records() if not wanted or (r.component, r.version) in pairs]
    if absent := [pair for pair in pairs if pair not in {(r.component, r.version) for r in chosen}]:
        text = ", ".join("@".join(pair) for pair in absent)
        raise UsageError(f"--verify needs cached binaries; not built: {text}", hint="Build first: `muster get`.")
    for record in chosen:
        store.verify(record)
    return [row for record in chosen for row in _stored(record, "verified")]


def _stored(record: store.Record, source: str = "cache") -> Iterator[Row]:
    for process, binary in record.binaries.items():
        where = str(record.path / binary.file)
        yield Row(record.component, record.version, process, source, binary.size, binary.sha256, where)


def _rows(artifact: Artifact) -> Iterator[Row]:
    for process, path in artifact.binaries.items():
        source, size, checksum = artifact.sources[process], artifact.sizes[process], artifact.checksums[process]
        yield Row(artifact.component, artifact.version, process, source, size, checksum, str(path))


def _print(rows: Iterable[Row], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], indent=2))
        return
    table = Table("COMPONENT", "VERSION", "PROCESS", "SOURCE", box=None, pad_edge=False)
    table.add_column("SIZE", justify="right")
    table.add_column("SHA256")
    table.add_column("WHERE", overflow="fold")
    for row in rows:
        size = f"{row.size / 1e6:.0f} MB" if row.size >= 1e6 else f"{row.size / 1e3:.0f} kB" if row.size else "-"
        where = row.path.replace(str(Path.home()), "~", 1) or f"muster get {row.component}@{row.version}"
        table.add_row(row.component, row.version, row.process or "-", row.source, size, row.sha256[:12] or "-", where)
    # A pipe has no width: do not fold there.
    Console(width=None if sys.stdout.isatty() else 250, highlight=False).print(table)
