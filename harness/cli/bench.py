"""`muster bench`: speed as ratios measured side by side in one run."""

from __future__ import annotations

import json
from importlib import import_module

import click
from rich.table import Table

from harness.cli.terminal import console
from harness.core.errors import UsageError
from harness.core.text import nearest

BENCHES = {
    "box": "start, reset and stop of a box, beside kwokctl and the floor",
    "controllers": "a thousand JobSets, beside a client that makes the same writes",
    "first-run": "from an empty cache to the first verdict: downloaded programs beside a build",
    "history": "recording and judging, beside what the API server itself can do",
    "kind": "a kind box beside plain kind with the same image, and a barrier of containers",
}


@click.command(
    epilog="\b\nExamples:\n  muster bench box\n  muster bench history --json\n\n\b\nBenches: " + ", ".join(BENCHES)
)
@click.argument("name")
@click.option("--rounds", type=click.IntRange(1, 100), default=5, show_default=True, help="How often to measure each.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with a `ratios` map.")
def bench(name: str, rounds: int, as_json: bool) -> None:
    """Measure NAME and print ratios; nothing is asserted, machines are noisy."""
    if name not in BENCHES:
        raise UsageError(f"there is no bench {name!r}", hint=f"{nearest(name, BENCHES)}Benches: {', '.join(BENCHES)}.")
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
