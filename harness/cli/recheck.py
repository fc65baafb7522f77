"""`muster recheck` and `muster history`: judge and read stored histories, without any cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from harness.cli.parting import tell_parting
from harness.cli.terminal import console
from harness.core.errors import ExitCode, UsageError
from harness.core.history import store
from harness.core.history.records import History
from harness.core.history.validate import impossible
from harness.core.oracle.describe import describe
from harness.core.oracle.figures import gang_figures
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.results import RunResult
from harness.core.text import counted, printable
from harness.core.verdict import EXPECTED, Outcome, worst
from harness.report.evidence import JudgedHistory, Problem, judge_again
from harness.report.load import load_run
from harness.report.verify import disagreements, load_report, unlike_results
from harness.runner import baseline


@click.command(
    epilog="\b\nExamples:\n  muster recheck muster-runs/latest\n"
    "  muster recheck muster-runs/latest --expected ci/expected\n  muster recheck some.jsonl.zst --json"
)
@click.argument("where", type=click.Path(path_type=Path))
@click.option(
    "--expected",
    type=click.Path(path_type=Path, file_okay=False),
    help="Violations of the run that the baseline in this folder knows are shown as expected and do not count.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of lines.")
def recheck(where: Path, expected: Path | None, as_json: bool) -> int:
    """Judge stored histories again and print where the report does not follow from them.

    WHERE is a run's folder or one history file. In a run's folder every history that results.json names must be there
    and no other, and report.yaml must say the same as results.json.
    """
    results = where / "results.json" if where.is_dir() else None
    compared = results is not None and results.is_file()
    run = load_run(where) if compared else None
    entries = judge_again(run.cases, where) if run is not None else _alone(where)
    rejudged: list[JudgedHistory] = []
    problems: list[Problem] = []
    unlike: list[str] = []
    reasons: dict[Path, str] = {}  # why a violation is known
    for entry in entries:
        if isinstance(entry, Problem):
            problems.append(entry)
            continue
        rejudged.append(entry)
        if run is not None and not entry.differs:
            unlike += disagreements(entry, run.muster)
        reasons[entry.path] = _reason(entry, expected)
        if not as_json:
            _tell(entry, reasons[entry.path])
    unlike += _unlike_report(where, run) if run is not None else ()
    if as_json:
        click.echo(json.dumps([_row(entry, reasons[entry.path]) for entry in rejudged], indent=1))
    for problem in (*problems, *unlike):
        console(stderr=True).print(f"error: {printable(problem)}", markup=False, style="red")
    differing = sum(entry.differs for entry in rejudged)
    if not as_json:
        _summary(len(rejudged), differing + len(unlike), compared, len(problems))
    if problems:
        return ExitCode.USAGE
    if differing or unlike:
        return ExitCode.VIOLATED
    return {Outcome.VIOLATED: ExitCode.VIOLATED, Outcome.UNKNOWN: ExitCode.UNKNOWN}.get(
        worst(entry.outcome for entry in rejudged if not reasons[entry.path]), ExitCode.CONFORMANT
    )


def _alone(where: Path) -> Iterator[JudgedHistory]:
    """Histories that no results name."""
    for path, stored in _histories(where):
        verdicts = judge_case(stored)
        yield JudgedHistory(path, stored, verdicts, case_outcome(verdicts), None)


def _unlike_report(where: Path, run: RunResult) -> Iterator[str]:
    path = where / "report.yaml"
    if path.is_file():
        yield from (f"{path}: {text}" for text in unlike_results(load_report(path), run))


def _reason(entry: JudgedHistory, folder: Path | None) -> str:
    """Why the violation is known, by the baseline in the folder; it has to be a run's, which names the integration."""
    if folder is None or entry.result is None:
        return ""
    return baseline.explained(folder, replace(entry.result, outcome=entry.outcome)).expected


def _tell(entry: JudgedHistory, reason: str) -> None:
    out, look = console(), EXPECTED if reason else entry.outcome.look
    about = escape(printable(f"{entry.history.case} ")), escape(printable(entry.history.header.get("integration", "")))
    out.print(f" [{look.style}]{look.glyph}[/{look.style}] {about[0]}[dim]({about[1]})[/dim]")
    if reason:
        out.print(f"     expected: {printable(reason)}", markup=False, style="dim")
    for verdict in entry.verdicts:
        if not verdict and not reason:
            out.print(printable(verdict.story()), markup=False)
    if entry.differs and entry.result is not None:
        text = f"   the report says {entry.result.outcome}, the history says {entry.outcome}"
        out.print(text, style="bold red")


def _summary(number: int, differing: int, compared: bool, problems: int) -> None:
    text = f"{differing} differ from the report" if compared else "there is no results.json to compare them with"
    trouble = f"; {counted(problems, 'problem')} with histories" if problems else ""
    console().print(f"\n{counted(number, 'history')} judged again, {text}{trouble}")


def _row(entry: JudgedHistory, reason: str) -> dict[str, Any]:
    return {
        "history": str(entry.path),
        "case": entry.history.case,
        "integration": entry.history.header.get("integration", ""),
        "outcome": str(entry.outcome),
        "reported": str(entry.result.outcome) if entry.result else None,
        "differs": entry.differs,
        "expected": reason,
        "verdicts": [verdict.as_data() for verdict in entry.verdicts],
    }


@click.command(
    epilog="\b\nExamples:\n  muster history muster-runs/latest --case one-of-two-gangs-wins-whole --gang red\n"
    "  muster history --diff FIRST.jsonl.zst SECOND.jsonl.zst"
)
@click.argument("where", type=click.Path(path_type=Path))
@click.argument("other", type=click.Path(path_type=Path), required=False)
@click.option("--diff", is_flag=True, help="Show where two history files begin to differ; exit 1 if they do.")
@click.option("--case", "case_id", metavar="ID", help="Only histories of this case.")
@click.option("--gang", metavar="NAME", help="Only what concerns this gang.")
@click.option("--json", "as_json", is_flag=True, help="Print the records as JSON lines.")
def history(
    where: Path, other: Path | None, diff: bool, case_id: str | None, gang: str | None, as_json: bool
) -> int | None:
    """Print a stored history as text, one line per record, or where two of one case begin to differ.

    Two histories are the same if the same things happened between any two actions of the case, whatever the names, the
    times, and the order in which members were bound.
    """
    if diff or other is not None:
        return _diff(where, other, case_id or gang or as_json, diff)
    out = console()
    shown = 0
    for path, stored in _histories(where):
        if case_id and stored.case != case_id:
            continue
        shown += 1
        if fault := impossible(stored):
            raise UsageError(f"{path} is not a valid history: {printable(fault)}", hint="Use the file the run wrote.")
        gangs = gang_figures(stored)
        if gang and not any(key.partition("/")[2] == gang or key == gang for key in gangs):
            names = ", ".join(sorted(key.partition("/")[2] for key in gangs)) or "none"
            raise UsageError(f"{path.name} has no gang {gang!r}", hint=f"It has: {names}.")
        if not as_json:
            about = escape(printable(stored.case)), escape(printable(stored.header.get("integration", "")))
            out.print(f"{about[0]} [dim]{about[1]}, {len(stored.records)} records[/dim]")
        for record in stored.records:
            gangs_of = (record.state.get("gang"), *(record.state.get("gangs") or ()), record.name)
            keys = [key for key in gangs_of if isinstance(key, str)]
            if gang and not any(key.rpartition("/")[2] == gang for key in keys):
                continue
            click.echo(json.dumps(record.as_data()) if as_json else f"  {printable(describe(record, stored.began))}")
    if not shown:
        raise UsageError(f"{where} has no history" + (f" of the case {case_id!r}" if case_id else ""))
    return None


def _diff(where: Path, other: Path | None, more: object, asked: bool) -> int:
    hint = "Give two history files: muster history --diff FIRST.jsonl.zst SECOND.jsonl.zst"
    if other is None or not asked:
        raise UsageError(
            "--diff compares two histories" if asked else "two histories are compared by --diff", hint=hint
        )
    if more:
        raise UsageError("--diff cannot be combined with other options", hint=hint)
    for path in (where, other):
        if not path.is_file():
            raise UsageError(f"{path} is no file", hint=hint)
    left, right = store.read(where, is_large=True), store.read(other, is_large=True)
    parted = tell_parting(left, right, (str(where), str(other)))
    return ExitCode.VIOLATED if parted else ExitCode.CONFORMANT


def _histories(where: Path) -> Iterator[tuple[Path, History]]:
    if where.is_file():
        yield where, store.read(where, is_large=True)
        return
    if not where.is_dir():
        raise UsageError(
            f"{where} is neither a file nor a folder",
            hint="Give a run's folder, such as muster-runs/latest, or a history.",
        )
    paths = sorted(where.rglob("*.jsonl.zst"))
    if not paths:
        raise UsageError(f"{where} holds no history", hint="A run's folder has them in history/.")
    for path in paths:
        yield path, store.read(path, is_large=True)
