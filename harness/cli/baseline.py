"""A run compared with the expected verdicts: what differs, and what a known race has hit.

A race hits any case, and a suite that is red once a week for a known reason is soon ignored. So a case that should
pass, and broke only what a race written down for this scheduler breaks, is run again at once: it is a race if it passes
at least twice as often as not and the race struck no more often than it may, and a difference otherwise. A gang that
reached its quorum later than its window allows is run again in the same way, because that is what a machine under load
does. Cases are run again in a single box, so that no other box is that load.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from harness.cli.terminal import console
from harness.core.catalogue.expected import REPEATS, Difference
from harness.core.errors import ExitCode
from harness.core.results import CaseResult, RunResult
from harness.core.text import counted
from harness.runner import baseline
from harness.runner.config import RunConfig

ATTEMPTS = 3  # how often a case that a race may have hit is tried again, some repeats each
Again = Callable[[str, Sequence[str]], RunResult]  # integration with its version, cases


def hold_against(folder: Path, result: RunResult, again: Again) -> int:
    """Print what differs from the expected verdicts, after up to three more attempts at what a known race has hit."""
    baseline.compare(folder, result.cases)  # a missing file is reported before anything is run again
    results = list(result.cases)
    for _ in range(ATTEMPTS):
        for integration, cases in _undecided(folder, results).items():
            text = f"a known race or a slow moment may have hit {integration}, {REPEATS} times again"
            console().print(f"{text}: {', '.join(cases)}")
            more = again(integration, cases)
            if more.interrupted:
                return ExitCode.INTERRUPTED
            results += more.cases
    _print_races(folder, results)
    return _print_differences(baseline.compare(folder, results), len(result.cases))


def accept_verdicts(folder: Path, result: RunResult) -> int:
    """Write the deviations of a run down; what cannot be accepted (no reason yet, or unknown) stays a difference."""
    out = console()
    for path in baseline.accept(folder, result.cases):
        out.print(f"expected verdicts written: {path}", markup=False)
    different = baseline.compare(folder, result.cases)
    if any(difference.note for difference in different):
        out.print("a violation is accepted when its reason is written into that file", style="yellow")
    return _print_differences(different, len(result.cases))


def _undecided(folder: Path, results: Sequence[CaseResult]) -> dict[str, list[str]]:
    """Cases that a race may have hit and that are worth another attempt, by integration."""
    cases: dict[str, list[str]] = {}
    for (integration, case), hit in baseline.hit_by_races(folder, results).items():
        if hit.is_within_rate and not hit.is_rare and hit.violated <= hit.passed + 1:
            cases.setdefault(integration, []).append(case)
    return cases


def _print_races(folder: Path, results: Sequence[CaseResult]) -> None:
    for (integration, case), hit in baseline.hit_by_races(folder, results).items():
        if hit.is_excused:
            counts = f"violated {hit.violated} of {hit.violated + hit.passed} times"
            console().print(f"[yellow]race[/yellow]  {case} ({integration}): {counts}. {hit.race.reason}")


def _print_differences(different: Sequence[Difference], count: int) -> int:
    for difference in different:
        console().print(f"[red]differs[/red]  {difference}")
    if not different:
        console().print(f"as expected: {counted(count, 'case')}")
    return ExitCode.VIOLATED if different else ExitCode.CONFORMANT


def once_more(config: RunConfig, integration: str, cases: Sequence[str]) -> RunConfig:
    """The configuration for some cases of one integration, with repeats, and no box beside theirs."""
    name = integration.partition("@")[0]
    same = tuple(integration for integration in config.integrations if integration.partition("@")[0] == name)
    box = replace(config.box, keep_failed=False)
    return replace(config, integrations=same, cases=tuple(cases), repeat=REPEATS, workers=1, box=box)
