"""`muster open`: the report of a run in the browser."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path

import click

from harness.core.errors import HarnessError, UsageError

PAGE = "index.html"


@click.command(name="open", epilog="\b\nExamples:\n  muster open\n  muster open muster-runs/20261116T053900Z-workload")
@click.argument("run", default="muster-runs/latest", metavar="[RUN]", type=click.Path(path_type=Path))
@click.option("--print", "printing", is_flag=True, help="Only print where the page is.")
def open_(run: Path, printing: bool) -> None:
    """Show the report of a run, by default of the latest one, in the browser."""
    page = (run / PAGE if run.is_dir() else run).resolve()
    if not page.is_file():
        raise UsageError(f"{run} has no report", hint="Give the folder of a run; `muster run` makes one.")
    click.echo(page)
    if printing:
        return
    if not _has_display() or not webbrowser.open(page.as_uri()):
        raise HarnessError("no browser could be started here", hint="Open the file above in one.")


def _has_display() -> bool:
    """Whether a browser could show anything; one in a terminal is of no use for this page."""
    return bool(os.environ.get("BROWSER") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) or (
        os.uname().sysname == "Darwin"
    )
