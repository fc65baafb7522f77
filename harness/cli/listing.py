"""`muster list` and `muster render`: what there is to choose from, and what a gang looks like for a scheduler."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click
from rich.table import Table

from harness.box.artifacts import load
from harness.box.profile import default_minor, profile
from harness.cli.terminal import console
from harness.core.errors import UsageError


@click.group(name="list")
def list_() -> None:
    """Show versions, integrations, cases or clauses."""


@list_.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def versions(as_json: bool) -> None:
    """Kubernetes versions a box can be made of."""
    register = load()
    rows = []
    for version in register.locks("kubernetes"):
        about = profile(version)
        rows.append({
            "kubernetes": version, "default": about.minor == default_minor(), "gang api": about.group,
            "selectable gates": ", ".join(sorted(about.selectable)),
        })  # fmt: skip
    show(rows, as_json)


@list_.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def integrations(as_json: bool) -> None:
    """Schedulers that can be judged, their versions and features."""
    from harness.adapters import adapter, names

    register = load()
    rows = []
    for name in names():
        one = adapter(name)
        locked = list(register.locks(one.component)) if one.component in register.components else []
        newest = locked[0] if locked else ""
        kubernetes = newest if one.component == "kubernetes" else f"{default_minor()}.0"
        rows.append({
            "integration": name, "title": one.title, "versions": ", ".join(locked), "scheduler": one.scheduler,
            "features": ", ".join(sorted(one.features(newest, kubernetes))),
            "limits": [asdict(limit) for limit in one.limits] if as_json else str(len(one.limits)),
        })  # fmt: skip
    show(rows, as_json)


@list_.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def cases(as_json: bool) -> None:
    """Cases of the suite: what each one holds a scheduler to."""
    from harness.collect import collect_cases

    fields = ("id", "profile", "level", "strength", "sentence")
    found = collect_cases()
    rows = [asdict(case) for case in found] if as_json else [{f: getattr(case, f) for f in fields} for case in found]
    show(rows, as_json)


@list_.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--coverage", is_flag=True, help="Show the cases of each clause, or why it has none.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def clauses(ids: tuple[str, ...], coverage: bool, as_json: bool) -> None:
    """Clauses of the register: every sentence a scheduler is held to."""
    from harness.collect import clause_coverage

    found = clause_coverage(ids)
    if coverage:
        rows = [one.as_data() for one in found]
        show(rows if as_json else [{**row, "cases": ", ".join(row["cases"])} for row in rows], as_json)
        if not as_json:
            console().print(f"{sum(1 for one in found if one.cases)} of {len(found)} clauses have cases", style="dim")
        return
    fields = ("id", "level", "versions", "sentence")
    data = [asdict(one.clause) for one in found]
    show(data if as_json else [{name: row[name] for name in fields} for row in data], as_json)


@click.command(epilog="\b\nExample:\n  muster render --integration workload --gang size=4,gpus=2 | kubectl apply -f -")
@click.option("--integration", default="workload", show_default=True, metavar="NAME")
@click.option("--kubernetes", metavar="X.Y", help="For which Kubernetes.")
@click.option(
    "--gang", "text", default="size=2", metavar="KEY=VALUE,...", help="size, quorum, gpus, total_gpus, name, ..."
)
@click.option("--namespace", default="default", show_default=True)
def render(integration: str, kubernetes: str | None, text: str, namespace: str) -> None:
    """Print a gang as the YAML that this integration understands."""
    from harness.adapters import adapter
    from harness.adapters.render import gang_yaml

    version = load().lock("kubernetes", kubernetes).version
    click.echo(gang_yaml(adapter(integration), parse_gang(text), namespace, version), nl=False)


def parse_gang(text: str) -> Any:
    """`size=4,gpus=2` as a Gang."""
    from dataclasses import fields

    from harness.core.gang import Gang
    from harness.options import pairs

    kinds: Mapping[str, type] = {
        "size": int,
        "quorum": int,
        "gpus": int,
        "total_gpus": int,
        "timeout": int,
        "gated": int,
        "lifetime": float,
    }
    plain = {one.name for one in fields(Gang)} - {"roles", "group", "selector", "missing"}
    values: dict[str, Any] = {}
    for key, value in pairs("--gang", text).items():
        if key not in plain:
            raise UsageError(f"a gang has no {key!r}", hint=f"Allowed: {', '.join(sorted(plain))}.")
        try:
            values[key] = kinds.get(key, str)(value)
        except ValueError:
            raise UsageError(f"--gang {key}: expected a number, given {value!r}") from None
    return Gang(**values)


def show(rows: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    """A table for people, JSON for programs."""
    if as_json:
        click.echo(json.dumps(list(rows), indent=1))
        return
    out = console()
    if not rows:
        out.print("nothing to show")
        return
    table = Table(*(column.upper() for column in rows[0]), box=None, pad_edge=False)
    for row in rows:
        table.add_row(*("yes" if value is True else "" if value is False else str(value) for value in row.values()))
    out.print(table)
