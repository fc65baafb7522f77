"""Run the barrier controller for JobSets, or a mutant: `python -m harness.mutation.controllers.jobset_barrier`."""

from __future__ import annotations

from typing import Any

import click

from harness.controllers.jobset_barrier.controller import Barrier
from harness.mutation.controllers.command import mutant_options, run
from harness.mutation.controllers.jobset_barrier import MUTATIONS


@click.command(help=__doc__)
@mutant_options(MUTATIONS)
@click.option("--init-image", default="bash")
def main(init_image: str, mutant: str | None, crash_after: int | None, **options: Any) -> None:
    controller = MUTATIONS[mutant] if mutant else Barrier
    run(lambda client, cache: controller(client, cache, init_image=init_image), crash_after, **options)


if __name__ == "__main__":
    main()
