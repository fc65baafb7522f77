"""Stands in for the gang controller: with a sin, or so that it dies after so many writes.

    python tests/mutants/controllers/jobset_gang.py --sin no-owner --kubeconfig FILE ...

It takes every flag of `muster controller jobset-gang`.
"""

from __future__ import annotations

import json
from typing import Any

import click
from jobset_gang_sins import SINS
from mortal import make_mortal

from harness.cli.controller import run_options, service_options
from harness.controllers.cache import Cache
from harness.controllers.client import Client
from harness.controllers.jobset_gang import JobSetGang
from harness.controllers.jobset_gang_api import served
from harness.controllers.service import serve


@click.command()
@run_options
@click.option("--gangs", type=click.Choice(["on", "off"]), default="on")
@click.option("--sin", type=click.Choice(sorted(SINS)), help="The law to break; none by default.")
@click.option("--die-after", type=click.IntRange(1), help="Die of SIGKILL when this write has been answered.")
@click.option("--list", "listed", is_flag=True, help="Print the sins as JSON.")
def main(gangs: str, sin: str | None, die_after: int | None, listed: bool, **given: Any) -> None:
    if listed:
        rows = [{"name": name, "about": one.__doc__, "caught_by": one.caught_by} for name, one in SINS.items()]
        click.echo(json.dumps(rows))
        return
    chosen: type[JobSetGang] = SINS[sin] if sin else JobSetGang

    def make(client: Client, cache: Cache) -> JobSetGang:
        if die_after:
            make_mortal(client, die_after)
        dialect = served(client) if gangs == "on" or getattr(chosen, "always_on", False) else None
        return chosen(client, cache, dialect)

    serve(make, service_options(**given))


if __name__ == "__main__":
    main()
