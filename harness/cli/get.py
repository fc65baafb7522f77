"""`muster get` and `muster lock`: build the binaries of components, and lock new versions of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from harness.box.artifacts import (
    Artifact,
    Component,
    Lock,
    Register,
    digests,
    load,
    parse_binaries,
    release,
    resolve,
    store,
)
from harness.box.artifacts.lock import make_lock
from harness.box.artifacts.sbom import document
from harness.box.artifacts.sources import all_binaries
from harness.cli.options import source_option
from harness.cli.progress import build_progress
from harness.core.errors import UsageError
from harness.core.files import put
from harness.runner.config import RunConfig

__all__ = ["get", "lock"]

_GET_EPILOG = """\b
Examples:
  muster get                          what the default box needs
  muster get kubernetes@1.36 etcd     the newest locked 1.36, and etcd
  muster get --integration volcano    what a run of Volcano needs
  muster get --all                    every locked version of everything
  muster get --list                   what is available, and what is in the cache
  muster get --verify                 hash every cached binary and file again
  muster get --integration volcano --sbom volcano.cdx.json
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
    digest: str = ""  # of what was downloaded, for programs of a release


@click.command(epilog=_GET_EPILOG)
@click.argument("components", nargs=-1, metavar="[COMPONENT[@VERSION]]...")
@click.option(
    "--integration", "integrations", multiple=True, metavar="NAME[@VERSION]", help="Everything that a run of it needs."
)
@click.option("--all", "everything", is_flag=True, help="Every locked version of every component.")
@click.option("--list", "listing", is_flag=True, help="Show what is available and what is in the cache; build nothing.")
@click.option("--verify", "verifying", is_flag=True, help="Hash the cached binaries and files again; build nothing.")
@source_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option("--binary", "binaries", multiple=True, metavar="COMPONENT.PROCESS=PATH", help="Use this binary instead.")
@click.option(
    "--sbom",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write what they are made of, as a CycloneDX document.",
)
def get(
    components: tuple[str, ...],
    integrations: tuple[str, ...],
    everything: bool,
    listing: bool,
    verifying: bool,
    as_json: bool,
    binaries: tuple[str, ...],
    sbom: Path | None,
) -> None:
    """Make the binaries of COMPONENT ready: from --binary, the cache, its vendor, or a build from its Go module lock.

    A first build of a control plane takes minutes; afterwards it comes from the cache at once.
    """
    if sbom is not None and (listing or verifying):
        raise UsageError("--sbom is about programs that are made ready", hint="Leave out --list and --verify.")
    if listing and verifying:
        raise UsageError("--list and --verify cannot be used together", hint="Run one after the other.")
    if everything and (components or integrations):
        some = " ".join((*components, *integrations))
        raise UsageError("--all takes no components and no integrations", hint=f"Leave out --all to get only {some}.")
    register = load()
    replaced = parse_binaries(binaries, register=register)
    components = (*components, *(spec for name in integrations for spec in components_of(register, name)))
    if listing:
        locks = [pair for name in register.components for pair in ((name, v) for v in register.locks(name))]
        selected = _locked(register, components) if components else locks
        _print(_listed(register, selected, all_binaries(replaced, register)), as_json)
    elif verifying:
        _print(_verified(register, components), as_json)
    else:
        names = register.components if everything else register.box
        selected = _locked(register, components)
        if not components:
            selected = [
                (n, v) for n in names for v in (register.locks(n) if everything else [register.lock(n).version])
            ]
        with build_progress() as progress:
            artifacts = [resolve(name, version, binaries=replaced, progress=progress) for name, version in selected]
        if sbom is not None:
            put(sbom, document(artifacts, register))
        _print([row for artifact in artifacts for row in _rows(artifact)], as_json)


@click.command(epilog=_LOCK_EPILOG)
@click.argument("what", metavar="NAME@VERSION")
@click.option("--output", type=click.Path(path_type=Path), help="Folder of locks to write into.")
@click.option("--digests", "digesting", is_flag=True, help="Write the digests of its release beside an existing lock.")
def lock(what: str, output: Path | None, digesting: bool) -> None:
    """Write the Go module lock of a component in a new version, so that muster can build it.

    The lock goes into clusters/locks in a checkout, else into your own data folder; both are found by every command.
    """
    name, _, version = what.partition("@")
    if digesting:
        register = load()
        existing = register.lock(name, version or None)
        published = release.published_digests(register.component(name), existing)
        click.echo(f"wrote {digests.write(existing, release.platform(), published)}")
        return
    with build_progress() as progress:
        new_lock = make_lock(name, version, output=output, progress=progress)
    click.echo(f"wrote {new_lock.path}/go.mod and go.sum")
    click.echo(f"next: muster get {new_lock.component}@{new_lock.version}")


def components_of(register: Register, integration: str) -> list[str]:
    """COMPONENT[@VERSION] of everything that a run of NAME[@VERSION] needs: its box, and its own programs."""
    from harness.adapters import adapter

    RunConfig(integrations=(integration,)).check()
    name, _, version = integration.partition("@")
    implementation = adapter(name)
    parts = {part.component for part in implementation.cluster if part.component}
    main = {implementation.component} & register.components.keys()
    versions = {"kubernetes": implementation.kubernetes, implementation.component: version}
    return [
        f"{component}@{versions[component]}" if versions.get(component) else component
        for component in dict.fromkeys((*register.box, *sorted(main | parts)))
    ]


def _locked(register: Register, components: Iterable[str]) -> list[tuple[str, str]]:
    """COMPONENT[@VERSION] as pairs of names that exist, each once; checked before anything is built."""
    pairs: dict[tuple[str, str], None] = {}
    for spec in components:
        name, at, version = spec.partition("@")
        if at and not version:
            raise UsageError(f"COMPONENT@VERSION must name a version after the @; given: {spec!r}")
        pairs[name, register.lock(name, version or None).version] = None
    return list(pairs)


def _listed(register: Register, selected: Iterable[tuple[str, str]], replaced: dict[str, Path]) -> Iterator[Row]:
    for name, path in replaced.items():
        component, _, process = name.partition(".")
        yield Row(component, "-", process, "given", path.stat().st_size, store.sha256(path), str(path))
    for name, version in selected:
        lock = register.lock(name, version)
        records = _records(register.component(name), lock)
        if not records:
            yield Row(name, version, "", "not built", 0, "", "")
        for record in records:
            if record.source == release.SOURCE:
                yield from _stored(record, release.SOURCE, digests.recorded(lock, release.platform()))
            else:
                yield from _stored(record)


def _records(component: Component, lock: Lock) -> list[store.StoredArtifact]:
    """What the store has of a version: a build, a release, both or nothing."""
    recipes = [store.recipe_hash(component, lock)]
    recipes += [release.recipe_of(component, lock)] if component.release else []
    records = (store.find(component, lock, recipe) for recipe in recipes)
    return [record for record in records if record is not None]


def _verified(register: Register, components: tuple[str, ...]) -> list[Row]:
    """All cached binaries, hashed; the first wrong one raises."""
    pairs = _locked(register, components)
    selected = [r for r in store.stored_artifacts() if not components or (r.component, r.version) in pairs]
    if absent := [pair for pair in pairs if pair not in {(r.component, r.version) for r in selected}]:
        text = ", ".join("@".join(pair) for pair in absent)
        raise UsageError(f"--verify needs cached binaries; not built: {text}", hint="Build first: `muster get`.")
    for record in selected:
        store.verify(record)
    return [row for record in selected for row in _stored(record, "verified")]


def _stored(
    record: store.StoredArtifact, source: str = "cache", digest_of: Mapping[str, str] | None = None
) -> Iterator[Row]:
    for process, binary in record.binaries.items():
        where, digest = str(record.path / binary.file), (digest_of or {}).get(process, "")
        yield Row(record.component, record.version, process, source, binary.size, binary.sha256, where, digest)


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
    table.add_column("RELEASE")
    table.add_column("WHERE", overflow="fold")
    for row in rows:
        size = f"{row.size / 1e6:.0f} MB" if row.size >= 1e6 else f"{row.size / 1e3:.0f} kB" if row.size else "-"
        where = row.path.replace(str(Path.home()), "~", 1) or f"muster get {row.component}@{row.version}"
        hashes = row.sha256[:12] or "-", row.digest[7:19] or "-"
        table.add_row(row.component, row.version, row.process or "-", row.source, size, *hashes, where)
    # A pipe has no width: do not fold there.
    Console(width=None if sys.stdout.isatty() else 250, highlight=False).print(table)
