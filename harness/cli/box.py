"""`muster up`, `down`, `ps`, `kubectl`, `logs`: boxes to work with by hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from harness.box import registry
from harness.box.artifacts import parse_binaries, store
from harness.box.base import Box
from harness.box.kind import docker, removal
from harness.box.nodes import parse_pools
from harness.box.options import BoxOptions
from harness.box.spec import DEFAULT_NODES, BoxSpec
from harness.cli.options import source_option
from harness.cli.terminal import PhaseLines, console
from harness.core.errors import HarnessError, MusterError, UsageError
from harness.core.kinds import NODE
from harness.core.text import printable

if TYPE_CHECKING:
    from harness.adapters.common.base import Adapter, Settings
    from harness.box.phases import Listener

UP_EPILOG = """\b
Examples:
  muster up                               until Ctrl-C
  muster up --keep --name demo            until: muster down demo
  muster up --kubernetes 1.36 --nodes 4x8,2x4
  muster up --integration volcano         with a scheduler installed
  muster up --box kind --workers 2        with real kubelets, in Docker
"""


@click.command(epilog=UP_EPILOG)
@click.option("--kubernetes", metavar="X.Y[.Z]", help="Kubernetes version; `muster list versions` shows which.")
@click.option("--nodes", metavar="COUNTxGPUS[,...]", help="Pools of fake nodes.  [default: 8x8, none with kind]")
@click.option("--box", "kind", default="embedded", show_default=True, metavar="KIND", help="embedded, or kind.")
@click.option("--workers", type=click.IntRange(1, 20), help="Real workers of a kind box, of 8 GPUs each.  [default: 2]")
@click.option("--image", metavar="IMAGE", help="Node image of a kind box: auto, official, own, or the name of one.")
@click.option("--sync", metavar="TIME", help="How often kubelets of a kind box sync their pods, such as 2s.")
@click.option("--name", metavar="NAME", help="Name of the box; generated if not given.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the API server; a free one if not given.")
@click.option("--keep", is_flag=True, help="Return at once and leave the box running until `muster down`.")
@click.option("--integration", metavar="NAME[@VERSION]", help="Install this scheduler too.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Option of the integration.")
@click.option("--gate", "gates", multiple=True, metavar="GATE=true|false", help="Feature gate of Kubernetes.")
@click.option("--binary", "binaries", multiple=True, metavar="COMPONENT.PROCESS=PATH", help="Use this binary instead.")
@source_option
def up(
    kubernetes: str | None,
    nodes: str | None,
    kind: str,
    workers: int | None,
    image: str | None,
    sync: str | None,
    name: str | None,
    port: int | None,
    keep: bool,
    integration: str | None,
    settings: tuple[str, ...],
    gates: tuple[str, ...],
    binaries: tuple[str, ...],
) -> None:
    """Bring up a box: a control plane and fake GPU nodes, or with --box kind a cluster with real kubelets."""
    from harness.runner.option_values import gates as parse_gates
    from harness.runner.option_values import pairs

    spec = BoxSpec(kind, kubernetes, workers, image, sync)
    if not spec.installs:
        raise UsageError(
            "an existing cluster is up already", hint="Judge it: muster run --kubeconfig FILE --context NAME"
        )
    spec.check()
    nodes = (DEFAULT_NODES[kind] or None) if nodes is None else nodes
    listener = PhaseLines()
    programs, set_options = parse_binaries(binaries), pairs("--set", settings)
    options = BoxOptions(
        nodes=parse_pools(nodes) if nodes is not None else [],
        name=name,
        binaries=programs,
        gates=parse_gates("--gate", gates),
        port=port or 0,
        listener=listener,
    )
    if set_options and integration is None:
        raise UsageError("--set is for an integration", hint="Name it: --integration NAME")
    request = _Integration.parse(integration, programs, set_options, listener) if integration else None
    box = (request.box(spec, options) if request else spec.make(options)).start()
    _serve(box, request, keep)


def _serve(box: Box, request: _Integration | None, keep: bool) -> None:
    """Install the integration and leave the box to its user: until Ctrl-C, or with `keep` until `muster down`."""
    try:
        if request is not None:
            request.install(box)
        _greet(box, keep)
        if keep:
            box.keep()
        else:
            threading.Event().wait()
    except KeyboardInterrupt:
        console(stderr=True).print("stopping ...", style="dim")
    except MusterError as error:  # the integration could not be installed: its logs say why
        box.fail(error)
        raise
    finally:
        box.stop()


@click.command()
@click.argument("name", required=False)
@click.option("--all", "everything", is_flag=True, help="Every box of this user that no running command uses.")
def down(name: str | None, everything: bool) -> None:
    """Stop a box and remove everything it wrote."""
    if name and everything:
        raise UsageError("give a name or --all, not both")
    for cluster in left_clusters() if everything else [cluster for cluster in left_clusters() if cluster == name]:
        removal.remove(f"{docker.PREFIX}{cluster}")
        console().print(f"{cluster}, left by an earlier run, is removed")
        if cluster == name:
            return
    for entry in registry.running() if everything else [registry.find(name)]:
        if everything and not entry.persistent:
            console().print(f"{entry.name} is in use by a command that runs, and is left to it")
            continue
        began = time.monotonic()
        registry.stop(entry)
        console().print(f"{entry.name} stopped in {time.monotonic() - began:.1f} s")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def ps(as_json: bool) -> None:
    """Show running boxes. Leftovers of dead boxes are removed, but those in Docker only shown."""
    boxes = registry.running()
    clusters = left_clusters()
    if as_json:
        rows = [{**asdict(entry), "kubeconfig": str(entry.kubeconfig), "left": False} for entry in boxes]
        rows += [{"name": cluster, "kind": "kind", "left": True} for cluster in clusters]
        click.echo(json.dumps(rows, indent=1))
        return
    if not boxes and not clusters:
        console().print("no box is running; start one with: muster up")
        return
    table = Table("NAME", "KIND", "KUBERNETES", "NODES", "AGE", "KEPT", "KUBECONFIG", box=None, pad_edge=False)
    for entry in boxes:
        age = f"{(time.time() - entry.created) / 60:.0f} min"
        table.add_row(
            entry.name,
            entry.kind,
            entry.kubernetes,
            str(entry.nodes),
            age,
            "yes" if entry.persistent else "no",
            str(entry.kubeconfig),
        )
    for cluster in clusters:
        table.add_row(cluster, "kind", "-", "-", "-", "left by an earlier run", f"remove it: muster down {cluster}")
    console().print(table)


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--name", metavar="NAME", help="Which box, if several are running.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def kubectl(name: str | None, arguments: tuple[str, ...]) -> int:
    """Run kubectl against a box: muster kubectl -- get pods -A"""
    entry = registry.find(name)
    program = shutil.which("kubectl") or _kubectl_of(entry)
    if program is None:
        raise HarnessError(
            "kubectl is not on PATH", hint=f"Install it, or use another client with KUBECONFIG={entry.kubeconfig}"
        )
    environment = {**os.environ, "KUBECONFIG": str(entry.kubeconfig)}
    return subprocess.run([program, *arguments], env=environment, check=False).returncode


@click.command()
@click.argument("component")
@click.option("--name", metavar="NAME", help="Which box, if several are running.")
@click.option("--tail", type=click.IntRange(1), default=200, show_default=True, help="How many lines.")
@click.option("-f", "--follow", is_flag=True, help="Keep printing what is added.")
def logs(component: str, name: str | None, tail: int, follow: bool) -> None:
    """Print the log of a component of a box, such as kube-scheduler."""
    entry = registry.find(name)
    folder = entry.directory / "logs"
    path = folder / f"{component}.log"
    if not path.is_file():
        components = ", ".join(sorted(file.stem for file in folder.glob("*.log")))
        raise UsageError(f"box {entry.name} has no component {component!r}", hint=f"It has: {components}.")
    with path.open(errors="replace") as file:
        for line in file.readlines()[-tail:]:
            sys.stdout.write(_shown(line))
        while follow and entry.alive:
            added = file.read()
            sys.stdout.write(_shown(added))
            sys.stdout.flush()
            time.sleep(0.2)


def _shown(text: str) -> str:
    """What a component has logged: as it is for a program or a file, without control characters for a terminal."""
    return printable(text) if sys.stdout.isatty() else text


@dataclass(frozen=True, slots=True)
class _Integration:
    """The integration that `muster up` installs, with the user's settings for it."""

    adapter: Adapter
    settings: Settings

    @staticmethod
    def parse(text: str, binaries: Mapping[str, Path], options: Mapping[str, str], listener: Listener) -> _Integration:
        from harness.adapters import adapter
        from harness.adapters.common.base import Settings

        name, _, version = text.partition("@")
        return _Integration(adapter(name), Settings(version or None, binaries, options, listener.build))

    def box(self, spec: BoxSpec, options: BoxOptions) -> Box:
        from harness.testbed.install import box_for

        return box_for(self.adapter, spec, self.settings, options)

    def install(self, box: Box) -> None:
        from harness.box.phases import phase
        from harness.testbed.install import install

        with phase(box.listener, f"Installing {self.adapter.title}"):
            install(self.adapter, box, self.settings)


def left_clusters() -> list[str]:
    """The names of kind boxes whose muster is gone but whose containers are not."""
    running = {entry.name for entry in registry.running()}
    return [name for cluster in docker.clusters() if (name := cluster.removeprefix(docker.PREFIX)) not in running]


def _kubectl_of(entry: registry.Entry) -> str | None:
    """The kubectl that came with a node image, if there is one."""
    if (program := entry.directory / "kubectl").is_file():
        return str(program)
    nodes = [record for record in store.stored_artifacts("kubernetes-node") if store.complete(record)]
    return str(nodes[-1].path / nodes[-1].binaries["kubectl"].file) if nodes else None


def _greet(box: Box, keep: bool) -> None:
    out = console()
    nodes = len(box.api.list(NODE))
    out.print(f"\nbox [bold]{box.name}[/bold]: Kubernetes {box.kubernetes}, {nodes} nodes, {box.server}")
    out.print(f"  export KUBECONFIG={box.kubeconfig}", markup=False)
    out.print("  kubectl get nodes")
    out.print(f"\nstop it with: muster down {box.name}" if keep else "\nCtrl-C stops it.")
