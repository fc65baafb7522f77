"""What `muster run` does once its options are read: check them, run the cases, report, compare.

It is apart from the options because it needs much more than they do, and the child of the run starts in between.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from harness import report
from harness.box.parent import hold_signals, release_signals
from harness.cli.choose import Choice, choose
from harness.cli.limit import FailureLimit
from harness.cli.live import LiveLines
from harness.cli.terminal import console
from harness.core.catalogue.cases import PROFILES, Case
from harness.core.errors import ExitCode, HarnessError, UsageError
from harness.core.results import RunResult
from harness.core.text import counted
from harness.core.verdict import Outcome
from harness.report.folder import new_folder, point_latest
from harness.report.model import violations
from harness.runner import memory, options, session, spare
from harness.runner.collect import collect_cases
from harness.runner.config import RunConfig

CODES = {
    Outcome.PASS: ExitCode.CONFORMANT,
    Outcome.NOT_SUPPORTED: ExitCode.CONFORMANT,
    Outcome.UNKNOWN: ExitCode.UNKNOWN,
    Outcome.VIOLATED: ExitCode.VIOLATED,
}
SLOWEST = 10


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asks of `muster run`, beside the options of the run itself."""

    texts: Mapping[str, Sequence[str]]  # the options of the run
    choice: Choice
    output: Path
    expected: Path | None
    most_failures: int | None
    accept: bool
    listing: bool
    watch: bool
    yes: bool
    dry_run: bool
    as_json: bool
    quiet: bool
    verbose: bool


def judge(request: Request) -> int:
    """Do it; the exit code."""
    config = options.parse(request.texts).with_seed()
    config.check_cases([case.id for case in collect_cases()])
    config = choose(config, request.choice, collect_cases(), request.output)
    config = replace(config, expected=None if request.accept else request.expected)
    if request.listing:
        from harness.cli.plan import print_plan

        print_plan(config, collect_cases(), request.as_json)
        return ExitCode.CONFORMANT
    _announce(config, request.quiet)
    if not config.box.installs:
        from harness.cli.cluster import agree
        from harness.cli.examples import print_objects

        if request.dry_run:
            return print_objects(config)
        agree(config, yes=request.yes)
    elif request.dry_run or request.yes:
        raise UsageError(
            "--yes and --dry-run are for an existing cluster", hint="Give --kubeconfig, or leave them out."
        )
    return _run(config, request)


def _run(config: RunConfig, request: Request) -> int:
    output, expected = request.output, request.expected
    limit = FailureLimit(request.most_failures)
    lines = LiveLines(quiet=request.quiet, verbose=request.verbose)
    if request.watch:
        from harness.cli.watch import repeat_on_change

        return repeat_on_change(config, lambda: _execute(config, output, lines, request.as_json, limit.begin()))
    result = _execute(config, output, lines, request.as_json, limit)
    code = ExitCode.INTERRUPTED if result.interrupted else CODES[result.outcome]
    if expected is None or result.interrupted:
        return code
    from harness.cli.baseline import accept_verdicts, hold_against, once_more

    if request.accept:
        return accept_verdicts(expected, result)

    def again(integration: str, cases: Sequence[str]) -> RunResult:
        return _again(once_more(config, integration, cases), integration, output, lines)

    return hold_against(expected, result, again)


def _announce(config: RunConfig, quiet: bool) -> None:
    """Check everything that can be checked before something is started, and say what is going to happen."""
    selected = [case for case in collect_cases() if config.selects(case)]
    if config.box.keep_failed and config.workers > 1:
        raise UsageError("--keep failed keeps one box, and several workers have one each", hint="Leave out -n.")
    _check_claims(config, selected)
    if config.expected is not None:
        from harness.runner import baseline

        for integration in config.integrations:
            baseline.require(config.expected, integration, config.binaries, config.implementation_version)
    if not quiet:
        times = f", {config.repeat} times each" if config.repeat > 1 else ""
        part = f", part {config.shard}" if config.shard else ""
        order = f", in random order (--seed {config.seed})" if config.order == "random" else ""
        names = ", ".join(config.integrations)
        console().print(f"judging {names}: {counted(len(selected), 'case')}{part}{times}{order}", highlight=False)


def _execute(config: RunConfig, output: Path, lines: LiveLines, as_json: bool, limit: FailureLimit) -> RunResult:
    """Run the cases, write the report, and print what came out."""
    names = "-".join(name.replace("@", "-") for name in config.integrations)[:60]
    hold_signals()  # until the run can end with a report: no folder is left without one
    try:
        folder = new_folder(output, names, time.time())
    except BaseException:
        release_signals()
        raise
    result, faults = session.run(config, folder, lines, is_enough=limit)
    lines.close()
    memory.remember(output, result.cases)
    if as_json:
        click.echo(json.dumps(result.as_data(), indent=1, default=str))
    if result.cases or result.interrupted or result.faults:
        _report(result, folder, lines.is_quiet)
    complain(faults, folder)
    if config.box.spare and not result.interrupted:
        spare.leave(folder, config.integrations[0])
    if result.interrupted:
        text = f"interrupted after {len(result.cases)} of {result.planned} cases; boxes are stopped"
        console().print(text, style="yellow")
    elif limit.reached:
        left = result.planned - len(result.cases)
        text = f"stopped after {counted(limit.count, 'failure')}; {counted(left, 'case')} did not run"
        console().print(text, style="yellow")
    elif not result.cases and result.planned:
        raise HarnessError("no case could be run to its end", hint=f"Logs: {folder / 'logs'}")
    elif not result.cases:
        part = f" belongs to part {config.shard}" if config.shard else " was selected"
        raise UsageError(f"no case{part}", hint="Use fewer parts." if config.shard else "See: muster list cases")
    return result


def _report(result: RunResult, folder: Path, quiet: bool) -> None:
    from harness.report import github

    report.write(result, folder)
    if github.detected():
        github.publish(result, sys.stdout, folder)
    summary(result, quiet=quiet)
    point_latest(folder)
    console().print(f"\nreport  {folder / 'index.html'}", markup=False)


def _again(config: RunConfig, integration: str, output: Path, lines: LiveLines) -> RunResult:
    """Run what a race may have hit once more, in a folder of its own."""
    folder = new_folder(output, f"{integration}-again".replace("@", "-"), time.time())
    result, faults = session.run(config, folder, lines)
    lines.close()
    report.write(result, folder)
    complain(faults, folder)
    return result


def _check_claims(config: RunConfig, selected: Sequence[Case]) -> None:
    """UsageError for an integration that claims nothing a case of the profile asks for."""
    only_profiles = set(config.profile.split(",")) <= set(PROFILES)
    if not only_profiles or config.cases or config.settings or config.gates or config.probe:
        return  # those can add what is missing
    from harness.adapters import adapter
    from harness.adapters.common.base import features_of
    from harness.box.artifacts import load

    for integration in config.integrations:
        name, _, version = integration.partition("@")
        if not config.box.installs:
            return  # its version is not known yet
        minor = load().lock("kubernetes", config.only(integration).box.kubernetes).version
        features = features_of(adapter(name), minor, version)
        if all(case.unmet(name, features, minor) for case in selected):
            raise UsageError(
                f"no case of the profile {config.profile} asks for anything that {name} claims on Kubernetes {minor}",
                hint=f"It claims: {', '.join(sorted(features))}. Profiles: {', '.join(PROFILES)}.",
            )


def complain(faults: session.HarnessFaults, folder: Path) -> None:
    """What the harness could not do, as the error that ends the command."""
    for fault in faults.messages:
        raise (
            HarnessError(fault["message"], hint=fault["hint"])
            if fault["code"] == 3
            else UsageError(fault["message"], hint=fault["hint"])
        )
    if faults.outputs:
        raise HarnessError(f"the suite did not run to its end:\n{faults.outputs[0]}", hint=f"Logs: {folder / 'logs'}")


def summary(result: RunResult, *, quiet: bool = False) -> None:
    """Counts per integration, and the slowest cases."""
    from rich.table import Table

    from harness.core.catalogue.expected import unsteady_cases

    out = console()
    table = Table("INTEGRATION", "KUBERNETES", "PASS", "VIOLATED", "UNKNOWN", "NOT SUPPORTED", box=None, pad_edge=False)
    for implementation in result.implementations:
        counts = Counter(case.outcome for case in result.cases if case.integration == implementation.integration)
        violated = violations(case for case in result.cases if case.integration == implementation.integration)
        others = (str(counts[outcome]) for outcome in (Outcome.UNKNOWN, Outcome.NOT_SUPPORTED))
        passed = str(counts[Outcome.PASS])
        table.add_row(implementation.integration, implementation.kubernetes, passed, violated, *others)
    out.print()
    out.print(table)
    for name, outcomes in unsteady_cases(result.cases).items():
        out.print(f"[yellow]unsteady[/yellow]  {name}: {', '.join(outcomes)}")
    if stalled := [f"{case.case} ({case.integration})" for case in result.cases if case.needs_stalls]:
        text = "would be violated if the time counted in which nothing could run: this machine is too busy"
        out.print(f"[yellow]busy[/yellow]  {counted(len(stalled), 'case')} {text}: {', '.join(stalled[:SLOWEST])}")
    slow = sorted(result.cases, key=lambda case: -case.seconds)[:SLOWEST]
    if len(result.cases) > SLOWEST and not quiet:
        out.print("\nslowest cases", style="dim")
        for case in slow:
            out.print(f"  {case.seconds:6.1f} s  {case.case} ({case.integration})", style="dim")
        for implementation in result.implementations:
            if implementation.pace and any(case.integration == implementation.integration for case in slow):
                out.print(f"  {implementation.integration}: {implementation.pace}", style="dim")
