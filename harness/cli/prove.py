"""`muster prove`: the kill matrix, which shows that the suite can fail."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from harness.cli.terminal import console
from harness.core.catalogue.cases import Case
from harness.core.errors import ExitCode, UsageError
from harness.core.text import counted, nearest
from harness.mutation import prove as proof
from harness.mutation.matrix import KillMatrix, read_record, write_record
from harness.mutation.mutants import Mutant, mutants, unkilled
from harness.report import write
from harness.report.folder import new_folder, point_latest
from harness.runner.collect import collect_cases, fingerprint
from harness.runner.config import RunConfig

EPILOG = """\b
Examples:
  muster prove --quick              the main mutants, each on the first case that must kill it
  muster prove                      every mutant on the cases that must kill it; all cases are among them
  muster prove --full               everything against everything; takes hours
  muster prove --record ci/proof.yaml
  muster prove --mutant starves --case waiting-gang-is-bound-when-room-appears
"""


@click.command(epilog=EPILOG)
@click.option("--quick", is_flag=True, help="Only the main mutants, each on the first case that must kill it.")
@click.option("--full", is_flag=True, help="Every mutant on every case that it is meant for.")
@click.option("--mutant", "names", multiple=True, metavar="NAME", help="Only this mutant; several may be given.")
@click.option("--case", "ids", multiple=True, metavar="ID", help="Only this case; several may be given.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File of the mutants that kill each case; unchanged cases in it are not proven again.",
)
@click.option(
    "--timeout-factor",
    "factor",
    type=click.FloatRange(0.1, 100),
    default=1.0,
    show_default=True,
    help="Multiplies every deadline, for slow machines.",
)
@click.option("-n", "--workers", type=click.IntRange(1, 16), default=1, show_default=True, help="Boxes side by side.")
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("muster-runs"), show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def prove(
    quick: bool,
    full: bool,
    names: tuple[str, ...],
    ids: tuple[str, ...],
    record: Path | None,
    factor: float,
    workers: int,
    output: Path,
    as_json: bool,
) -> int:
    """Run the suite against mutants: schedulers and controllers that break one rule each. Every one must be killed.

    Exit code 1 if no mutant kills a case, a mutant is not killed by the cases that must kill it, or a reference does
    not pass. With --mutant and no --case only these mutants count, not the cases that need other mutants.
    """
    if quick and full:
        raise UsageError("--quick and --full exclude each other", hint="Give one of them, or none.")
    every = collect_cases()
    cases = _cases(every, ids)
    sources = {case.id: fingerprint(case) for case in every} if record else {}
    recorded = read_record(record, sources) if record else {}
    by_name = {mutant.name: mutant for mutant in mutants()}
    named = frozenset(case for mutant in by_name.values() for case in mutant.killed_by)
    selected = _selected(by_name, names, ids, quick)
    plan = proof.ProofPlan(cases, selected, frozenset() if ids else named, quick, full, factor, workers, recorded)
    folder = new_folder(output, "prove", time.time())
    progress = console(stderr=True)

    def keep(matrix: KillMatrix) -> None:
        if record:
            write_record(record, matrix.killed, sources)

    matrix, result = proof.prove(plan, folder, lambda text: progress.print(text, markup=False), keep)
    data = _explained(matrix.as_data(), by_name)
    if names and not ids:
        data["unkilled_cases"] = []
    (folder / "kills.json").write_text(json.dumps(data, indent=1))
    if result is not None:
        write(replace(result, kills=matrix.as_kills()), folder)
        point_latest(folder)
    return _conclude(data, folder, as_json)


def _conclude(data: dict[str, Any], folder: Path, as_json: bool) -> int:
    """Print the result; the exit code."""
    if as_json:
        click.echo(json.dumps(data, indent=1))
    else:
        _print(data, folder)
    bad = any(data[key] for key in ("survivors", "missed_kills", "unkilled_cases", "false_positives"))
    return ExitCode.VIOLATED if bad else ExitCode.CONFORMANT


def _explained(data: dict[str, Any], by_name: Mapping[str, Mutant]) -> dict[str, Any]:
    """The result without the survivors and the cases whose reason the register has."""
    survivors = [name for name in data["survivors"] if not by_name[name].survives]
    cases = [case for case in data["unkilled_cases"] if case not in unkilled()]
    return {**data, "survivors": survivors, "unkilled_cases": cases}


def _cases(cases: Sequence[Case], ids: Sequence[str]) -> tuple[Case, ...]:
    """The cases of these ids, all if none is given."""
    RunConfig(cases=tuple(ids)).check_cases([case.id for case in cases])
    return tuple(case for case in cases if not ids or case.id in ids)


def _selected(
    by_name: Mapping[str, Mutant], names: Sequence[str], ids: Sequence[str], quick: bool
) -> tuple[Mutant, ...]:
    """The mutants that were asked for; those that a named case must kill come first."""
    for name in names:
        if name not in by_name:
            raise UsageError(
                f"there is no mutant {name!r}", hint=f"{nearest(name, by_name)}Mutants: {', '.join(by_name)}."
            )
    selected = [by_name[name] for name in names] or [mutant for mutant in by_name.values() if mutant.quick or not quick]
    return tuple(sorted(selected, key=lambda mutant: set(mutant.killed_by).isdisjoint(ids)))


def _print(data: dict[str, Any], folder: Path) -> None:
    out = console()
    out.print(f"\n{counted(len(data['cases']), 'case')}, {counted(len(data['mutants']), 'mutant')} tried")
    for title, bad in (
        ("unkilled cases (no mutant turned them red)", data["unkilled_cases"]),
        ("survivors (mutants that no case killed)", data["survivors"]),
        ("missed kills", [f"{kill['mutant']} by {kill['case']}" for kill in data["missed_kills"]]),
        ("false positives", [f"{kill['case']} on {kill['reference']}" for kill in data["false_positives"]]),
    ):
        out.print(f"{title}: {', '.join(bad) or 'none'}", style="red" if bad else "green")
    out.print(f"\nmatrix  {folder / 'index.html'}", markup=False)
