"""`muster image`: images that are made here, where no registry can be reached: nodes of kind clusters, and muster."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from harness.box import image as images
from harness.box.image.archive import write
from harness.box.image.python import whole_image
from harness.box.image.recipe import recipe
from harness.cli.progress import build_progress
from harness.cli.terminal import console
from harness.core.errors import UsageError
from harness.core.version import __version__

NAME = re.compile(r"[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\d+(?:/[a-z0-9._/-]+))?(?::[\w][\w.-]{0,127})?")
EPILOG = """\b
Examples:
  muster image build                       for the default Kubernetes
  muster image build --kubernetes 1.36
  muster image build --mirror http://mirror.example/debian
  muster image list
  muster image muster --output muster.tar  muster itself; then: docker load --input muster.tar
"""


@click.group(epilog=EPILOG)
def image() -> None:
    """Images that need no registry: nodes for `--box kind`, and muster itself."""


@image.command()
@click.option("--kubernetes", metavar="X.Y[.Z]", help="Kubernetes version of the nodes.")
@click.option("--mirror", default=recipe().mirror, show_default=True, metavar="URL", help="Where Debian comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print what was made as JSON.")
def build(kubernetes: str | None, mirror: str, as_json: bool) -> None:
    """Build the image from Debian packages and locked Go modules, or find it in the cache.

    Needs root, debootstrap, gcc, pkg-config and libseccomp's headers; no engine. About a quarter of an hour the first
    time, under a minute when only a file changed, no time when nothing changed.
    """
    with build_progress() as progress:
        image_file = images.provide(kubernetes, progress, mirror)
    if as_json:
        click.echo(json.dumps({**asdict(image_file), "path": str(image_file.path)}, indent=1))
        return
    click.echo(f"{image_file.tag}  {image_file.size / 1e6:.0f} MB  {image_file.path}")


@image.command()
@click.option("--name", default=f"gang-muster:{__version__}", show_default=True, help="Name and tag of the image.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("muster.tar"),
    show_default=True,
    help="Archive to write.",
)
def muster(name: str, output: Path) -> None:
    """Write an image of muster itself, for clusters and CI servers that have no Python.

    It holds this interpreter, muster with its suites, and what both need: no base image, no engine. Engines take it by
    `docker load`, clusters by `ctr images import` or from a registry that it was pushed to. `docker run IMAGE run` is
    `muster run`; a reference controller is `--manifests --image IMAGE` of `muster controller`.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"--name: expected NAME or NAME:TAG as registries have them, given {name!r}",
            hint="Such as: registry.example.com/tools/muster:1.0",
        )
    with console(stderr=True).status("writing the image ..."):
        write(whole_image(name), output)
    click.echo(f"{name}  {output.stat().st_size / 1e6:.0f} MB  {output}")


@image.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def list_(as_json: bool) -> None:
    """Show the images in the cache."""
    stored = images.stored_images()
    if as_json:
        click.echo(json.dumps([{**asdict(entry), "path": str(entry.path)} for entry in stored], indent=1))
        return
    if not stored:
        console().print("no node image is in the cache; make one with: muster image build")
        return
    table = Table("KUBERNETES", "TAG", "SIZE", "BUILT IN", "ARCHIVE", box=None, pad_edge=False)
    for entry in stored:
        table.add_row(
            entry.kubernetes, entry.tag, f"{entry.size / 1e6:.0f} MB", f"{entry.seconds:.0f} s", str(entry.path)
        )
    console().print(table)
