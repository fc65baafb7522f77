"""`muster prove`: the kill matrix, which shows that the suite can fail."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import click

from harness import prove as proving
from harness.box.artifacts.register import nearest
from harness.cli.terminal import console
from harness.collect import collect_cases
from harness.core.errors import ExitCode, UsageError
from harness.report import write
from harness.report.folder import new_folder, point_latest
from harness.run import case_options

EPILOG = """\b
Examples:
  muster prove --quick              each sin against the cases that are known to notice it
  muster prove                      every case against every sin
  muster prove --sin starves --case waiting-gang-is-bound-when-room-appears
"""


@click.command(epilog=EPILOG)
@click.option("--quick", is_flag=True, help="Only the cases that are known to notice each sin.")
@click.option("--sin", "names", multiple=True, metavar="NAME", help="Only this sin; several may be given.")
@click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case; several may be given.")
@click.option("-n", "--workers", type=click.IntRange(1, 16), default=1, show_default=True, help="Boxes side by side.")
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("muster-runs"), show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def prove(
    quick: bool, names: tuple[str, ...], cases: tuple[str, ...], workers: int, output: Path, as_json: bool
) -> int:
    """Run the suite against schedulers that break one law each; every one must be caught.

    Exit code 1 if a case is proven by no sin, a sin is caught by no case, or the honest scheduler is blamed.
    """
    known = {sin.name: sin for sin in proving.sins()}
    for name in names:
        if name not in known:
            raise UsageError(f"there is no sin {name!r}", hint=f"{nearest(name, known)}Sins: {', '.join(known)}.")
    case_options(cases, [case.id for case in collect_cases()] if cases else [])
    chosen = [known[name] for name in names] or list(known.values())
    folder = new_folder(output, "prove", time.time())
    progress = console(stderr=True)
    matrix, honest = proving.prove(
        chosen, folder, quick=quick, cases=cases, workers=workers, say=lambda text: progress.print(text, markup=False)
    )
    found = matrix.as_data()
    (folder / "kills.json").write_text(json.dumps(found, indent=1))
    if honest is not None:
        write(replace(honest, kills=matrix.as_kills()), folder)
        point_latest(folder)
    if as_json:
        click.echo(json.dumps(found, indent=1))
    else:
        _print(found, folder)
    bad = found["holes"] or found["unproven"] or found["innocent_blamed"]
    return ExitCode.VIOLATED if bad else ExitCode.CONFORMANT


def _print(found: dict[str, list[str]], folder: Path) -> None:
    out = console()
    out.print(f"\n{len(found['cases'])} cases, {len(found['sins'])} sins")
    for what, words in (
        ("unproven", "cases that no sin turned red"),
        ("holes", "sins that no case noticed"),
        ("innocent_blamed", "cases that blamed the honest scheduler"),
    ):
        listed = ", ".join(found[what]) or "none"
        out.print(f"{words}: {listed}", style="red" if found[what] else "green")
    out.print(f"\nmatrix  {folder / 'index.html'}")
