"""Stands in for the barrier controller: with a sin, or so that it dies after so many writes.

    python tests/mutants/controllers/jobset_barrier.py --sin one-pod-early --kubeconfig FILE ...

It takes every flag of `muster controller jobset-barrier`.
"""

from __future__ import annotations

import json
from typing import Any

import click
import jobset_barrier_admission_sins
import jobset_barrier_sins
from mortal import make_mortal

from harness.cli.controller import run_options, service_options
from harness.controllers.cache import Cache
from harness.controllers.client import Client
from harness.controllers.jobset_barrier import Barrier
from harness.controllers.service import serve

MODULES = (jobset_barrier_sins, jobset_barrier_admission_sins)


def _name(sin: type[Barrier]) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in sin.__name__)[1:]


SINS = {_name(one): one for module in MODULES for one in vars(module).values() if hasattr(one, "caught_by")}


@click.command()
@run_options
@click.option("--init-image", default="bash")
@click.option("--sin", type=click.Choice(sorted(SINS)), help="The law to break; none by default.")
@click.option("--die-after", type=click.IntRange(1), help="Die of SIGKILL when this write has been answered.")
@click.option("--list", "listed", is_flag=True, help="Print the sins as JSON.")
def main(init_image: str, sin: str | None, die_after: int | None, listed: bool, **given: Any) -> None:
    if listed:
        rows = [{"name": name, "about": one.__doc__, "caught_by": one.caught_by} for name, one in SINS.items()]
        click.echo(json.dumps(rows))
        return
    chosen: type[Barrier] = SINS[sin] if sin else Barrier

    def make(client: Client, cache: Cache) -> Barrier:
        if die_after:
            make_mortal(client, die_after)
        return chosen(client, cache, init_image=init_image)

    serve(make, service_options(**given))


if __name__ == "__main__":
    main()
