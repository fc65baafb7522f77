"""`muster recheck` and `muster history`: judge and read stored histories, without any cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from harness.cli.terminal import STYLES, console
from harness.core import store
from harness.core.errors import ExitCode, UsageError
from harness.core.figures import gang_figures
from harness.core.history import History
from harness.core.judge import case_outcome, judge_case
from harness.core.replay import describe
from harness.core.results import CaseResult, run_from_data
from harness.core.verdict import Outcome, worst


@click.command(epilog="\b\nExamples:\n  muster recheck muster-runs/latest\n  muster recheck some.jsonl.zst --json")
@click.argument("where", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of lines.")
def recheck(where: Path, as_json: bool) -> int:
    """Judge stored histories again and say where the report does not follow from them.

    WHERE is a run's folder or one history file.
    """
    reported = _reported(where)
    out = console()
    rows = []
    outcomes: list[Outcome] = []
    differing = 0
    for path, history in _histories(where):
        known = reported.get(str(path.relative_to(where))) if where.is_dir() else None
        verdicts = judge_case(history, known.strength if known else "MUST")
        outcome = case_outcome(verdicts)
        differs = known is not None and _expected(known) is not outcome
        differing += differs
        outcomes.append(outcome)
        rows.append({
            "history": str(path), "case": history.case, "integration": history.header.get("integration", ""),
            "outcome": str(outcome), "reported": str(known.outcome) if known else None, "differs": differs,
            "verdicts": [verdict.as_data() for verdict in verdicts],
        })  # fmt: skip
        if not as_json:
            mark, style = STYLES[outcome]
            out.print(f" [{style}]{mark}[/{style}] {history.case} [dim]({history.header.get('integration', '')})[/dim]")
            for verdict in verdicts:
                if not verdict:
                    out.print(verdict.story(), markup=False)
            if differs and known is not None:
                out.print(f"   the report says {known.outcome}, the history says {outcome}", style="bold red")
    if as_json:
        click.echo(json.dumps(rows, indent=1))
    else:
        out.print(f"\n{len(rows)} histories judged again, {differing} differ from the report")
    if differing:
        return ExitCode.VIOLATED
    return {Outcome.VIOLATED: ExitCode.VIOLATED, Outcome.UNKNOWN: ExitCode.UNKNOWN}.get(
        worst(outcomes), ExitCode.CONFORMANT
    )


@click.command(epilog="\b\nExample:\n  muster history muster-runs/latest --case one-of-two-gangs-wins-whole --gang red")
@click.argument("where", type=click.Path(path_type=Path))
@click.option("--case", "case_id", metavar="ID", help="Only histories of this case.")
@click.option("--gang", metavar="NAME", help="Only what concerns this gang.")
@click.option("--json", "as_json", is_flag=True, help="Print the records as JSON lines.")
def history(where: Path, case_id: str | None, gang: str | None, as_json: bool) -> None:
    """Print a stored history in words, one line per record."""
    out = console()
    shown = 0
    for path, stored in _histories(where):
        if case_id and stored.case != case_id:
            continue
        shown += 1
        gangs = gang_figures(stored)
        if gang and not any(key.partition("/")[2] == gang or key == gang for key in gangs):
            names = ", ".join(sorted(key.partition("/")[2] for key in gangs)) or "none"
            raise UsageError(f"{path.name} has no gang {gang!r}", hint=f"It has: {names}.")
        if not as_json:
            out.print(f"{stored.case} [dim]{stored.header.get('integration', '')}, {len(stored.records)} records[/dim]")
        for record in stored.records:
            about = (record.state.get("gang"), *(record.state.get("gangs") or ()), record.name)
            keys = [one for one in about if isinstance(one, str)]
            if gang and not any(key.rpartition("/")[2] == gang for key in keys):
                continue
            click.echo(json.dumps(record.as_data()) if as_json else f"  {describe(record, stored.began)}")
    if not shown:
        raise UsageError(f"{where} has no history" + (f" of the case {case_id!r}" if case_id else ""))


def _histories(where: Path) -> Iterator[tuple[Path, History]]:
    if where.is_file():
        yield where, store.read(where)
        return
    if not where.is_dir():
        raise UsageError(
            f"{where} does not exist", hint="Give a run's folder, such as muster-runs/latest, or a history."
        )
    paths = sorted(where.rglob("*.jsonl.zst"))
    if not paths:
        raise UsageError(f"{where} holds no history", hint="A run's folder has them in history/.")
    for path in paths:
        yield path, store.read(path)


def _reported(where: Path) -> dict[str, CaseResult]:
    path = where / "results.json"
    if not path.is_file():
        return {}
    try:
        run = run_from_data(json.loads(path.read_text()))
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", hint="Was it edited, or made by another version?"
        ) from error
    return {case.history: case for case in run.cases if case.history}


def _expected(case: CaseResult) -> Outcome:
    """What the history alone must give; a harness fault during the run made a pass unknown, which no history shows."""
    return case_outcome(case.verdicts) if case.error else case.outcome
