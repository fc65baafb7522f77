"""Run a gang provider for LeaderWorkerSets, or a mutant of it: `python -m harness.mutation.controllers.lws`."""

from __future__ import annotations

from typing import Any

import click

from harness.controllers.lws.provider import make
from harness.controllers.runtime.cache import Cache
from harness.controllers.runtime.client import Client
from harness.controllers.runtime.service import Controller
from harness.mutation.controllers.command import mutant_options, run
from harness.mutation.controllers.lws import MUTATIONS


@click.command(help=__doc__)
@mutant_options([name for mutants in MUTATIONS.values() for name in mutants])
@click.option("--provider", type=click.Choice(sorted(MUTATIONS)), default="coscheduling")
def main(provider: str, mutant: str | None, crash_after: int | None, **options: Any) -> None:
    def controller(client: Client, cache: Cache) -> Controller:
        if mutant is None:
            return make(client, cache, provider)
        return MUTATIONS[provider][mutant](client, cache)

    run(controller, crash_after, **options)


if __name__ == "__main__":
    main()
