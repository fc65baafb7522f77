"""`muster prove`: the kill matrix, which shows that the suite can fail."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from harness import prove as proving
from harness.box.artifacts.register import nearest
from harness.cli.terminal import console
from harness.collect import collect_cases, fingerprint
from harness.controls import Control, controls
from harness.core.catalogue import Case
from harness.core.errors import ExitCode, UsageError
from harness.kills import Matrix, read_record, write_record
from harness.report import write
from harness.report.folder import new_folder, point_latest
from harness.run import case_options

EPILOG = """\b
Examples:
  muster prove --quick              the main sins, each against the first case that must notice it
  muster prove                      every sin against the cases that must notice it; all cases are among them
  muster prove --full               everything against everything; takes hours
  muster prove --record ci/proof.yaml
  muster prove --sin starves --case waiting-gang-is-bound-when-room-appears
"""


@click.command(epilog=EPILOG)
@click.option("--quick", is_flag=True, help="Only the main sins, each on the first case that must notice it.")
@click.option("--full", is_flag=True, help="Every sin on every case that it is meant for.")
@click.option("--sin", "names", multiple=True, metavar="NAME", help="Only this sin or control; several may be given.")
@click.option("--case", "ids", multiple=True, metavar="ID", help="Only this case; several may be given.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write down here who turns each case red; what is there and has not changed is not proven again.",
)
@click.option(
    "--timeout-factor", "factor", type=click.FloatRange(0.1, 100), default=1.0, show_default=True,
    help="Multiplies every deadline, for slow machines.",
)  # fmt: skip
@click.option("-n", "--workers", type=click.IntRange(1, 16), default=1, show_default=True, help="Boxes side by side.")
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("muster-runs"), show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def prove(
    quick: bool, full: bool, names: tuple[str, ...], ids: tuple[str, ...], record: Path | None, factor: float,
    workers: int, output: Path, as_json: bool,
) -> int:  # fmt: skip
    """Run the suite against schedulers that break one law each; every one must be caught.

    Exit code 1 if a case is turned red by no sin, a sin is not caught by the cases that must notice it, or the honest
    scheduler is blamed. With --sin and no --case only those sins are in question, and not the cases that need others.
    """
    if quick and full:
        raise UsageError("--quick and --full exclude each other", hint="Give one of them, or none.")
    every = collect_cases()
    cases = _cases(every, ids)
    sources = {case.id: fingerprint(case) for case in every} if record else {}
    recorded = read_record(record, sources) if record else {}
    known = {control.name: control for control in controls()}
    named = frozenset(case for control in known.values() for case in control.caught_by)
    chosen = _chosen(known, names, ids, quick)
    aim = proving.Aim(cases, chosen, frozenset() if ids else named, quick, full, factor, workers, recorded)
    folder = new_folder(output, "prove", time.time())
    progress = console(stderr=True)

    def keep(matrix: Matrix) -> None:
        if record:
            write_record(record, matrix.killed, sources)

    matrix, honest = proving.prove(aim, folder, lambda text: progress.print(text, markup=False), keep)
    found = matrix.as_data()
    if names and not ids:
        found["unproven"] = []
    (folder / "kills.json").write_text(json.dumps(found, indent=1))
    if honest is not None:
        write(replace(honest, kills=matrix.as_kills()), folder)
        point_latest(folder)
    if as_json:
        click.echo(json.dumps(found, indent=1))
    else:
        _print(found, folder)
    bad = found["holes"] or found["missed"] or found["unproven"] or found["innocent_blamed"]
    return ExitCode.VIOLATED if bad else ExitCode.CONFORMANT


def _cases(found: Sequence[Case], ids: Sequence[str]) -> tuple[Case, ...]:
    """The cases of these ids, all if none is given."""
    case_options(ids, [case.id for case in found])
    for case in found:
        if case.id in ids and case.profile in proving.ELSEWHERE:
            raise UsageError(
                f"{case.id} is about a controller, and no scheduler can turn it red",
                hint="Controllers with a sin are run by the project's tests: pytest -m thorough tests/controllers",
            )
    return tuple(case for case in found if case.profile not in proving.ELSEWHERE and (not ids or case.id in ids))


def _chosen(known: dict[str, Control], names: Sequence[str], ids: Sequence[str], quick: bool) -> tuple[Control, ...]:
    """The controls that were asked for; those that a named case must notice come first."""
    for name in names:
        if name not in known:
            raise UsageError(f"there is no sin {name!r}", hint=f"{nearest(name, known)}Sins: {', '.join(known)}.")
    chosen = [known[name] for name in names] or [one for one in known.values() if one.quick or not quick]
    return tuple(sorted(chosen, key=lambda one: not set(one.caught_by) & set(ids)))


def _print(found: dict[str, Any], folder: Path) -> None:
    out = console()
    out.print(f"\n{len(found['cases'])} cases, {len(found['sins'])} sins tried")
    missed = [f"{one['sin']} by {one['case']}" for one in found["missed"]]
    for words, bad in (
        ("cases that no sin turned red", found["unproven"]),
        ("sins that no case noticed", found["holes"]),
        ("sins that were not noticed where they must be", missed),
        ("cases that blamed the honest scheduler", found["innocent_blamed"]),
    ):
        out.print(f"{words}: {', '.join(bad) or 'none'}", style="red" if bad else "green")
    out.print(f"\nmatrix  {folder / 'index.html'}")
