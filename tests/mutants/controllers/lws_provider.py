"""Stands in for the reference provider of LeaderWorkerSets: with a sin, or so that it dies after so many writes.

    python tests/mutants/controllers/lws_provider.py --provider coscheduling --sin owned-by-nobody --kubeconfig FILE ...

It takes every flag of `muster controller lws-provider`.
"""

from __future__ import annotations

import json
from typing import Any

import click
from lws_admission_sins import SINS as ADMISSION_SINS
from lws_admission_sins import YUNIKORN_SINS
from lws_sins import SINS as GROUP_SINS
from mortal import make_mortal

from harness.cli.controller import run_options, service_options
from harness.controllers import lws_provider
from harness.controllers.cache import Cache
from harness.controllers.client import Client
from harness.controllers.service import Controller, serve

SINS: dict[str, dict[str, Any]] = {"coscheduling": {**GROUP_SINS, **ADMISSION_SINS}, "yunikorn": YUNIKORN_SINS}


@click.command()
@run_options
@click.option("--provider", type=click.Choice(sorted(SINS)), default="coscheduling")
@click.option("--sin", help="The law to break; none by default.")
@click.option("--die-after", type=click.IntRange(1), help="Die of SIGKILL when this write has been answered.")
@click.option("--list", "listed", is_flag=True, help="Print the sins as JSON.")
def main(provider: str, sin: str | None, die_after: int | None, listed: bool, **given: Any) -> None:
    if listed:
        rows = [
            {"provider": scheduler, "name": name, "about": one.__doc__, "caught_by": one.caught_by}
            for scheduler, sins in SINS.items()
            for name, one in sins.items()
        ]
        click.echo(json.dumps(rows))
        return

    def make(client: Client, cache: Cache) -> Controller:
        if die_after:
            make_mortal(client, die_after)
        chosen: Controller = SINS[provider][sin](client, cache) if sin else lws_provider.make(client, cache, provider)
        return chosen

    serve(make, service_options(**given))


if __name__ == "__main__":
    main()
