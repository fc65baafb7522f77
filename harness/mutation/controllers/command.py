"""The command line of a mutant: that of its reference controller, with `--mutant` and `--crash-after`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click

from harness.controllers.runtime.cache import Cache
from harness.controllers.runtime.client import Client
from harness.controllers.runtime.command import run_options, service_options
from harness.controllers.runtime.service import Controller, serve
from harness.mutation.controllers.crash import crash_after

Command = TypeVar("Command", bound=Callable[..., Any])


def mutant_options(mutants: Collection[str]) -> Callable[[Command], Command]:
    """The options of a reference controller, of these mutants of it, and of a crash."""

    def decorate(command: Command) -> Command:
        command = click.option("--crash-after", type=click.IntRange(1), help="End by SIGKILL after this write.")(
            command
        )
        command = click.option("--mutant", type=click.Choice(sorted(mutants)), help="None by default.")(command)
        return run_options(command)

    return decorate


def run(make: Callable[[Client, Cache], Controller], crash: int | None, **options: Any) -> None:
    """Serve the controller until it is ended, or until it crashes."""

    def controller(client: Client, cache: Cache) -> Controller:
        if crash:
            crash_after(client, crash)
        return make(client, cache)

    serve(controller, service_options(**options))
