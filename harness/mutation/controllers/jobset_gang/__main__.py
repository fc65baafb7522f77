"""Run the gang controller for JobSets, or a mutant of it: `python -m harness.mutation.controllers.jobset_gang`."""

from __future__ import annotations

from typing import Any

import click

from harness.controllers.jobset_gang.api import served
from harness.controllers.jobset_gang.controller import JobSetGang
from harness.controllers.runtime.cache import Cache
from harness.controllers.runtime.client import Client
from harness.mutation.controllers.command import mutant_options, run
from harness.mutation.controllers.jobset_gang import MUTATIONS
from harness.mutation.controllers.jobset_gang.state import NeverOff


@click.command(help=__doc__)
@mutant_options(MUTATIONS)
@click.option("--gangs", type=click.Choice(["on", "off"]), default="on")
def main(gangs: str, mutant: str | None, crash_after: int | None, **options: Any) -> None:
    controller = MUTATIONS[mutant] if mutant else JobSetGang

    def make(client: Client, cache: Cache) -> JobSetGang:
        on = gangs == "on" or controller is NeverOff
        return controller(client, cache, served(client) if on else None)

    run(make, crash_after, **options)


if __name__ == "__main__":
    main()
