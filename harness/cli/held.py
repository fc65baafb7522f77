"""A run held against the expected verdicts: what differs, and what a known race has struck.

A race strikes where it likes, and a suite that is red once a week for a reason that everybody knows is soon looked at
by nobody. So a case that should pass, and broke only what a race written down for this scheduler breaks, is run again
at once: it is a race if it passes at least twice as often as not, and a difference otherwise. A gang that came to its
quorum later than its window allows is looked at again in the same way, for that is what a machine under load does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from harness import expectations
from harness import run as running
from harness.cli.terminal import console
from harness.core.errors import ExitCode
from harness.core.expected import AGAIN
from harness.core.results import RunResult

ATTEMPTS = 3  # how often a case that a race may have struck is looked at again
Again = Callable[[str, Sequence[str]], RunResult]  # integration with its version, cases


def hold_against(folder: Path, result: RunResult, again: Again) -> int:
    """Say what differs from the expected verdicts, after up to three more looks at what a known race has struck."""
    out = console()
    expectations.compare(folder, result.cases)  # a missing file is told before anything is run again
    results = list(result.cases)
    for _ in range(ATTEMPTS):
        hits = expectations.hit_by_races(folder, results)
        open_ = [key for key, hit in hits.items() if not hit.rare and hit.violated <= hit.passed + 1]
        for integration in dict.fromkeys(name for name, _ in open_):
            cases = [case for name, case in open_ if name == integration]
            said = f"a known race or a slow moment may have struck {integration}, {AGAIN} times again"
            out.print(f"{said}: {', '.join(cases)}")
            more = again(integration, cases)
            if more.interrupted:
                return ExitCode.INTERRUPTED
            results += more.cases
    found = expectations.compare(folder, results)
    for (integration, case), hit in expectations.hit_by_races(folder, results).items():
        if hit.rare:
            out.print(f"[yellow]race[/yellow]  {case} ({integration}): violated {hit.violated} of "
                      f"{hit.violated + hit.passed} times. {hit.race.reason}")  # fmt: skip
    for difference in found:
        out.print(f"[red]differs[/red]  {difference}")
    if not found:
        out.print(f"as expected: {len(result.cases)} cases")
    return ExitCode.VIOLATED if found else ExitCode.CONFORMANT


def once_more(plan: running.Plan, integration: str, cases: Sequence[str]) -> running.Plan:
    """The plan for some cases of one integration, each five times."""
    name = integration.partition("@")[0]
    kept = [one for one in plan.options if not one.startswith(("--muster-case=", "--muster-repeat="))]
    options = (*kept, f"--muster-case={','.join(cases)}", f"--muster-repeat={AGAIN}")
    same = tuple(one for one in plan.integrations if one.partition("@")[0] == name)
    return replace(plan, integrations=same, options=options)
