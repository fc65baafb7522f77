"""`muster run --list`: what would run, and why the rest would not; nothing is started."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import click

from harness.adapters import adapter
from harness.adapters.common.base import features_of
from harness.box.artifacts import load
from harness.cli.terminal import console
from harness.core.catalogue.cases import Case
from harness.core.text import counted
from harness.runner.config import RunConfig

NOT_SELECTED = "not selected"


def print_plan(config: RunConfig, cases: Sequence[Case], as_json: bool) -> None:
    """Every case with what a run would do with it, for each integration."""
    plans = {integration: _reasons(config.only(integration), cases) for integration in config.integrations}
    if as_json:
        rows = [
            {"integration": name, "case": case, "folder": folder, "runs": not reason, "reason": reason}
            for name, plan in plans.items()
            for (folder, case), reason in plan.items()
        ]
        click.echo(json.dumps(rows, indent=1))
        return
    out = console()
    for name, plan in plans.items():
        running = [place for place, reason in plan.items() if not reason]
        for folder, case in running:
            out.print(f"{folder}/{case}", markup=False)
        out.print(f"{counted(len(running), 'case')} of {len(plan)} would run on {name}", style="bold")
        counts = Counter((folder, reason) for (folder, _), reason in plan.items() if reason)
        for (folder, reason), count in counts.items():
            out.print(f"  {folder}: {counted(count, 'case')} would not: {reason}", markup=False, style="dim")
        if config.settings or config.gates:
            out.print("  settings and gates may add features, which are known when it is installed", style="dim")


def _reasons(config: RunConfig, cases: Sequence[Case]) -> dict[tuple[str, str], str]:
    """Why each case would not run, by folder and id; empty if it would."""
    (integration,) = config.integrations
    name, _, version = integration.partition("@")
    implementation = adapter(name)
    kubernetes = load().lock("kubernetes", config.box.kubernetes).version
    features = features_of(implementation, kubernetes, version)
    reasons = {}
    for case in cases:
        unmet = "" if config.probe else case.unmet(implementation.title, features, kubernetes)
        reasons[case.folder, case.id] = unmet if config.selects(case) else NOT_SELECTED
    return reasons
