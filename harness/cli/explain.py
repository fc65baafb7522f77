"""`muster explain`: all that is known about a case, a clause or a check, in one place."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import click
from click.shell_completion import CompletionItem

from harness.box.data import data_root
from harness.cli.terminal import console
from harness.core.catalogue.cases import Case
from harness.core.catalogue.clauses import OBSERVED, ClauseCoverage
from harness.core.errors import UsageError
from harness.core.oracle.checks import CHECKS, Check
from harness.core.text import nearest
from harness.runner import baseline
from harness.runner.collect import case_file, clause_coverage, collect_cases

EPILOG = """\b
Examples:
  muster explain gang-that-fits-is-bound-whole    a case
  muster explain WL-29                            a clause
  muster explain held-resources                   a check
"""


def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    names = [*(case.id for case in collect_cases()), *(entry.clause.id for entry in clause_coverage())]
    names += [check.NAME for check in CHECKS]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command(epilog=EPILOG)
@click.argument("name", metavar="CASE|CLAUSE|CHECK", shell_complete=complete)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def explain(name: str, as_json: bool) -> None:
    """Say what a case, a clause or a check is about, and what is known about it."""
    cases = {case.id: case for case in collect_cases()}
    clauses = {entry.clause.id: entry for entry in clause_coverage()}
    checks = {check.NAME: check for check in CHECKS}
    if name in cases:
        data = about_case(cases[name], clauses)
    elif name in clauses:
        data = about_clause(clauses[name])
    elif name in checks:
        data = about_check(checks[name])
    else:
        hint = nearest(name, [*cases, *clauses, *checks]) + "See: muster list cases, muster list clauses"
        raise UsageError(f"there is no case, clause or check {name!r}", hint=hint)
    if as_json:
        click.echo(json.dumps(data, indent=1))
    else:
        _print(data)


def about_case(case: Case, clauses: Mapping[str, ClauseCoverage]) -> dict[str, Any]:
    """A case: its sentence, its clauses, its code, what it was proven by, and how known schedulers do."""
    return {
        "case": case.id,
        "sentence": case.sentence,
        "declared": ", ".join((case.folder, case.profile, case.level, case.strength)),
        "needs": ", ".join(case.needs),
        "kubernetes": case.kubernetes or "all versions",
        "clauses": [f"{name}: {clauses[name].clause.sentence}" for name in case.clauses if name in clauses],
        "steps": steps(case),
        "killed by": _mutants(case),
        "expected": _verdicts(case),
        "run it": f"muster run --case {case.id}",
    }


def about_clause(entry: ClauseCoverage) -> dict[str, Any]:
    clause = asdict(entry.clause)
    cases = [case.id for case in collect_cases() if entry.clause.id in case.clauses]
    return {
        "clause": clause["id"],
        "sentence": clause["sentence"],
        "source": clause["source"],
        "level": clause["level"],
        "versions": clause["versions"],
        "observed": OBSERVED[clause["observed"]],
        "cases": cases or [f"none: {clause['explained']}"],
    }


def about_check(check: Check) -> dict[str, Any]:
    return {
        "check": check.NAME,
        "law": check.LAW,
        "why": inspect.getdoc(check) or "",
        "more": "docs/explanation/checks.md",
    }


def steps(case: Case) -> list[str]:
    """What a case does, line by line: its function without the declaration, and why it exists."""
    text = case_file(case).read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))
    body = textwrap.dedent("\n".join(lines[function.body[0].lineno - 1 : function.end_lineno]))
    return [*(ast.get_docstring(tree) or "").splitlines(), "", *body.splitlines()]


def _mutants(case: Case) -> list[str]:
    from harness.mutation.matrix import read_record

    path = data_root() / "ci" / "proof.yaml"
    return read_record(path).get(case.id, []) if path.is_file() else []


def _verdicts(case: Case) -> list[str]:
    """The expected outcome on every integration that has a file of them."""
    verdicts = []
    for path in sorted((data_root() / "ci" / "expected").glob("*.yaml")):
        expected = baseline.load(path.parent, path.stem, baseline.kubernetes_for(path.stem))
        if expected is None:
            continue
        race = expected.unsteady.get(case.id)
        reason = expected.known_reason(case.id)
        outcome = f"unsteady, violated in {race.violated} of {race.runs} runs" if race else expected.outcome(case.id)
        verdicts.append(f"{path.stem}: {outcome}{f' ({reason})' if reason else ''}")
    return verdicts


def _print(data: Mapping[str, Any]) -> None:
    out = console()
    width = max(map(len, data)) + 2
    for key, value in data.items():
        lines: Sequence[str] = value if isinstance(value, list) else [value]
        for number, line in enumerate(lines or ["nothing"]):
            out.print(f"{key if number == 0 else '':<{width}}", end="", style="bold")
            out.print(line, markup=False)
