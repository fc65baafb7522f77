"""`muster list`: what there is to choose from."""

from __future__ import annotations

from dataclasses import asdict

import click

from harness.cli.table import show


@click.group(name="list")
def list_() -> None:
    """Show versions, integrations, cases or clauses."""


@list_.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def versions(as_json: bool) -> None:
    """Kubernetes versions that a box can run."""
    from harness.box.artifacts import load
    from harness.box.minor import default_minor, minor_of

    register = load()
    rows = []
    for version in register.locks("kubernetes"):
        about = minor_of(version)
        rows.append(
            {
                "kubernetes": version,
                "default": about.version == default_minor(),
                "gang api": about.gang_api.version,
                "selectable gates": ", ".join(sorted(about.selectable)),
            }
        )
    show(rows, as_json)


@list_.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def integrations(as_json: bool) -> None:
    """Schedulers that can be judged, their versions and features."""
    from harness.adapters import adapter, names
    from harness.adapters.common.base import features_of
    from harness.box.artifacts import load

    register = load()
    rows = []
    for name in names():
        integration = adapter(name)
        locked = list(register.locks(integration.component)) if integration.component in register.components else []
        rows.append(
            {
                "integration": name,
                "title": integration.title,
                "versions": ", ".join(locked),
                "variants": ", ".join(f"{name}+{variant}" for variant in integration.variants),
                "scheduler": integration.scheduler,
                "features": ", ".join(sorted(features_of(integration))),
                "limits": [asdict(limit) for limit in integration.limits] if as_json else str(len(integration.limits)),
            }
        )
    show(rows, as_json)


@list_.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def cases(as_json: bool) -> None:
    """Cases of the suite: what each requires of a scheduler."""
    from harness.runner.collect import collect_cases

    fields = ("id", "profile", "level", "strength", "sentence")
    if as_json:
        show([asdict(case) for case in collect_cases()], as_json)
    else:
        show([{field: getattr(case, field) for field in fields} for case in collect_cases()], as_json)


@list_.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--coverage", is_flag=True, help="Show the cases of each clause, or why it has none.")
@click.option("--audit", is_flag=True, help="Show how strongly each clause is judged, on what, and what is missing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def clauses(ids: tuple[str, ...], coverage: bool, audit: bool, as_json: bool) -> None:
    """Clauses of the register: every requirement on a scheduler."""
    if audit:
        _audit(ids, as_json)
        return
    from harness.runner.collect import clause_coverage

    covered = clause_coverage(ids)
    if coverage:
        rows = [entry.as_data() for entry in covered]
        show(rows if as_json else [{**row, "cases": ", ".join(row["cases"])} for row in rows], as_json)
        if not as_json:
            click.echo(f"{sum(1 for entry in covered if entry.cases)} of {len(covered)} clauses have cases")
        return
    fields = ("id", "level", "versions", "sentence")
    data = [asdict(entry.clause) for entry in covered]
    show(data if as_json else [{name: row[name] for name in fields} for row in data], as_json)


def _audit(ids: tuple[str, ...], as_json: bool) -> None:
    from harness.cli.audit import audit_rows
    from harness.core.catalogue.audit import PROBLEMS, SHARED

    rows = audit_rows(ids)
    if as_json:
        show([row.as_data() for row in rows], as_json)
        return
    table = [
        {
            "id": row.covered.clause.id,
            "level": row.covered.clause.level,
            "strongest case": row.strength,
            "cases": str(len(row.covered.cases)),
            "integrations": str(len(row.judged_on)),
            "mutants": str(len(row.proven_by)),
            "missing": ", ".join(row.problems),
        }
        for row in rows
    ]
    show(table, as_json)
    for problem, meaning in PROBLEMS.items():
        names = [row.covered.clause.id for row in rows if problem in row.problems]
        click.echo(f"{problem} ({meaning}): {', '.join(names) or 'none'}")
    shared = [row.covered.clause.id for row in rows if row.is_shared]
    click.echo(f"shared ({SHARED}): {', '.join(shared) or 'none'}")
