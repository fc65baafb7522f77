"""`muster image`: the node image of kind clusters, built here where no registry can be reached."""

from __future__ import annotations

import json
from dataclasses import asdict

import click
from rich.table import Table

from harness.box import image as images
from harness.box.image.recipe import recipe
from harness.cli.progress import build_progress
from harness.cli.terminal import console

EPILOG = """\b
Examples:
  muster image build                       for the default Kubernetes
  muster image build --kubernetes 1.36
  muster image build --mirror http://mirror.example/debian
  muster image list
"""


@click.group(epilog=EPILOG)
def image() -> None:
    """Node images for `--box kind` that need no registry."""


@image.command()
@click.option("--kubernetes", metavar="X.Y[.Z]", help="Kubernetes version of the nodes.")
@click.option("--mirror", default=recipe().mirror, show_default=True, metavar="URL", help="Where Debian comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print what was made as JSON.")
def build(kubernetes: str | None, mirror: str, as_json: bool) -> None:
    """Build the image from Debian packages and locked Go modules, or find it in the cache.

    Needs root, debootstrap, gcc, pkg-config and libseccomp's headers; no engine. About a quarter of an hour the first
    time, under a minute when only a file changed, nothing when nothing did.
    """
    with build_progress() as progress:
        image_file = images.provide(kubernetes, progress, mirror)
    if as_json:
        click.echo(json.dumps({**asdict(image_file), "path": str(image_file.path)}, indent=1))
        return
    click.echo(f"{image_file.tag}  {image_file.size / 1e6:.0f} MB  {image_file.path}")


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
