"""`muster bench`: speed as ratios measured side by side in one run."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import click
from rich.table import Table

from harness.cli.terminal import console
from harness.core.text import nearest

BENCHES = {
    "box": "start, reset and stop of a box, compared with kwokctl and the lower bound",
    "controllers": "a thousand JobSets, compared with a client that makes the same writes",
    "first-run": "from an empty cache to the first verdict: downloaded programs compared with a build",
    "history": "recording and judging, compared with the speed of the API server itself",
    "kind": "a kind box compared with plain kind with the same image, and a barrier of containers",
    "start": "the time from `muster run` to its first case, compared with the box's own start",
}
LOADS = {
    "gangs": "gangs on real schedulers side by side: throughput, latency, cost, verdicts",
    "kep-4671": "the two benchmarks that KEP-4671 asks for: kinds of workload, and nominations",
}
EPILOG = """\b
Examples:
  muster bench gangs --integration workload --integration volcano --nodes 100 --gangs 100
  muster bench gangs --shape contended --grow nodes=100,500,1000
  muster bench box
"""


class Benches(click.Group):
    """Benches that are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*LOADS, *BENCHES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in LOADS:
            command: click.Command = getattr(import_module("harness.cli.bench_load"), cmd_name.replace("-", "_"))
            return command
        return _bench(cmd_name) if cmd_name in BENCHES else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Benches"):
            formatter.write_dl(list({**LOADS, **BENCHES}.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            hint = f"{nearest(args[0], names)}Benches: {', '.join(names)}."
            raise click.UsageError(f"there is no bench {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Benches, epilog=EPILOG)
def bench() -> None:
    """Measure speed and print ratios; machines are noisy, so both sides are measured in turn in one run."""


def _bench(name: str) -> click.Command:
    """The command of a bench that has nothing to choose but its rounds."""

    def run(rounds: int, as_json: bool) -> None:
        progress = console(stderr=True)
        module = import_module(f"harness.bench.{name.replace('-', '_')}")
        outcome = module.bench(rounds, lambda text: progress.print(text, style="dim"))
        if as_json:
            click.echo(json.dumps(outcome.as_data(), indent=1))
            return
        table = Table("", "MEASURED", "AIM", box=None, pad_edge=False)
        for key, value in {**outcome.ratios, **outcome.figures}.items():
            table.add_row(key, str(value), str(outcome.targets.get(key, "")))
        console().print(table)

    options: list[Any] = [
        click.Option(["--rounds"], type=click.IntRange(1, 100), default=5, show_default=True, help="Number of rounds."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object with a `ratios` map."),
    ]
    about = f"Measure {BENCHES[name]}. Nothing is asserted."
    return click.Command(name, callback=run, params=options, help=about)
