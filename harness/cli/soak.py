"""`muster soak`: whether a case has the same verdict every time, whatever the machine does beside it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from harness.adapters import adapter
from harness.adapters.common.base import features_of
from harness.box import artifacts
from harness.cli.judge import complain
from harness.cli.parting import tell_parting
from harness.cli.terminal import console
from harness.core.catalogue.cases import Case
from harness.core.errors import ExitCode, UsageError
from harness.core.history import store
from harness.core.oracle.checks import judge_all
from harness.core.oracle.judge import case_outcome, judge_case, needs_stalls
from harness.core.results import CaseResult
from harness.core.second import differences, second_opinion
from harness.core.text import counted
from harness.core.verdict import Outcome
from harness.report.folder import new_folder
from harness.runner import baseline, options, session
from harness.runner.collect import collect_cases
from harness.runner.config import RunConfig
from harness.runner.disturb import Disturbances
from harness.runner.soak import FILE, SecondLook, SoakPlan, Tally
from harness.runner.soak import soak as run_soak

PROGRESS_EVERY = 15.0  # seconds between two lines of progress
SHOWN = 5  # cases whose histories are shown side by side
EPILOG = """\b
Examples:
  muster soak --integration reference --runs 1000 --load 8
  muster soak --integration workload --profile GANG-CORE --runs 200 --expected ci/expected
  muster soak --integration reference --set mutant=trickles --case gang-that-fits-is-bound-whole
  muster soak --case one-of-two-gangs-wins-whole --runs 100 --load 0 --no-pauses --no-disk

\b
Exit codes: 0 no unknown outcome, and no violation but known ones; 1 a violation
that --expected does not know, or the two judges of a history disagree; 2 a case
was unknown at times; 3, 4 and 128 and above as for every command.
"""


@click.command("soak", epilog=EPILOG)
@click.option("--integration", default="workload", show_default=True, metavar="NAME[@VERSION]")
@click.option("--kubernetes", metavar="X.Y[.Z]", help="Kubernetes version of the box.")
@click.option("--profile", default="all", show_default=True, metavar="LEVEL|NAME", help="As for muster run.")
@click.option("--case", "ids", multiple=True, metavar="ID", help="Only this case; several may be given.")
@click.option(
    "--runs", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="Case runs, rounded up."
)
@click.option("--load", type=click.IntRange(0, 256), default=4, show_default=True, help="Busy processes meanwhile.")
@click.option(
    "--pauses/--no-pauses", default=True, help="Pause components and muster at random for up to 2 s.  [default: on]"
)
@click.option("--disk/--no-disk", default=True, help="Keep the disk busy.  [default: on]")
@click.option("--seed", metavar="NUMBER", help="Seed of the order and of the pauses; a new one if not given.")
@click.option("--slow", is_flag=True, help="Also the cases that take minutes.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the integration.")
@click.option(
    "--expected",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Known violations with their rates, as for muster run; without it every violation is a failure.",
)
@click.option("-n", "--workers", type=click.IntRange(1, 16), default=1, show_default=True, help="Boxes side by side.")
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("muster-runs"), show_default=True
)
def soak(
    load: int, pauses: bool, disk: bool, runs: int, slow: bool, expected: Path | None, output: Path, **texts: Any
) -> int:
    """Run cases over and over in random order on a disturbed machine, and show every case with two outcomes.

    Each history is judged by a second, slow judge as well. The summary is in soak.json of the folder, after every round
    of about a thousand case runs; Ctrl-C keeps what was measured.
    """
    config = replace(_config(texts, pauses), expected=expected)
    if expected is not None:
        baseline.require(expected, config.integrations[0])
    cases = _supported(config, slow)
    plan = SoakPlan(
        replace(config, cases=tuple(case.id for case in cases)),
        len(cases),
        runs,
        {"load": load, "pauses": pauses, "disk": disk, "workers": config.workers},
    )
    folder = new_folder(output, f"soak-{config.integrations[0]}".replace("@", "-"), time.time())
    lines = Progress(plan)
    lines.begin()
    with Disturbances(folder, load=load, disk=disk, pauses=pauses, seed=config.seed or 0) as disturbances:
        tally = run_soak(plan, folder, session.both(lines, disturbances.watch), second_judge)
    lines.close()
    unexplained = tally.unexplained(expected)
    _show(tally, unexplained, folder)
    if tally.interrupted:
        console().print(f"interrupted after {tally.runs} case runs; everything is stopped", style="yellow")
        return ExitCode.INTERRUPTED
    if tally.faults:
        complain(session.HarnessFaults(outputs=tally.faults), folder)
    return code(tally, unexplained)


def code(tally: Tally, unexplained: Sequence[str]) -> ExitCode:
    """What a soak ends with."""
    if tally.disagreements or unexplained:
        return ExitCode.VIOLATED
    return ExitCode.UNKNOWN if tally.total(Outcome.UNKNOWN) else ExitCode.CONFORMANT


def second_judge(result: CaseResult, path: Path) -> SecondLook:
    """What is said otherwise: by the second judge of the stored history, and by the first one when it judges again."""
    try:
        history = store.read(path)
        verdicts = judge_case(history, result.strength)
        checked, opinion = judge_all(history), second_opinion(history)
    except Exception as error:  # a judge that cannot judge is a fault of it, and no reason to end a soak of hours
        return SecondLook([f"it cannot be judged again: {error!r}"])
    differing = differences(opinion, checked)
    if not result.error and case_outcome(verdicts) is not result.outcome:
        differing.append(f"the case was {result.outcome}, and judged again it is {case_outcome(verdicts)}")
    silent = tuple(verdict.check for verdict in checked if verdict.check not in opinion)
    return SecondLook(differing, needs_stalls(history, verdicts, result.strength), silent)


def _config(texts: dict[str, Any], pauses: bool) -> RunConfig:
    arguments = {
        "integration": [texts["integration"]],
        "kubernetes": [texts["kubernetes"]] if texts["kubernetes"] else [],
        "profile": [texts["profile"]],
        "case": list(texts["ids"]),
        "workers": [str(texts["workers"])],
        "order": ["random"],
        "seed": [texts["seed"]] if texts["seed"] is not None else [],
        "set": list(texts["settings"]),
    }
    config = options.parse(arguments).with_seed()
    if len(config.integrations) > 1:
        raise UsageError(
            f"--integration: one at a time, given {', '.join(config.integrations)}", hint="Start a soak for each."
        )
    return replace(config.only(config.integrations[0]), pauses=pauses)


def _supported(config: RunConfig, slow: bool) -> Sequence[Case]:
    """The cases that are asked for and that the integration can be held to; UsageError if there are none."""
    every = collect_cases()
    config.check_cases([case.id for case in every])
    name, _, version = config.integrations[0].partition("@")
    minor = artifacts.load().lock("kubernetes", config.box.kubernetes).version
    features = features_of(adapter(name), minor, version)
    selected = [case for case in every if config.selects(case) and not case.unmet(name, features, minor)]
    selected = [case for case in selected if slow or config.cases or not case.slow]
    if not selected:
        raise UsageError(
            f"no case that is selected asks for anything that {name} claims on Kubernetes {minor}",
            hint=f"It claims: {', '.join(sorted(features))}. See: muster list cases",
        )
    return selected


class Progress:
    """A line for every result that is not a pass, and a line of figures now and then."""

    def __init__(self, plan: SoakPlan) -> None:
        self._planned = plan.passes * plan.cases
        self._plan = plan
        self._out = console()
        self._began = self._printed_at = time.monotonic()
        self._counts = dict.fromkeys(Outcome, 0)

    def begin(self) -> None:
        config, what = self._plan.config, self._plan.disturbances
        beside = [counted(what["load"], "busy process")] if what["load"] else []
        beside += [word for key, word in (("pauses", "pauses"), ("disk", "a busy disk")) if what[key]]
        self._out.print(
            f"soaking {config.integrations[0]}: {counted(self._plan.cases, 'case')}, {self._plan.passes} times each, "
            f"in random order (--seed {config.seed}), beside {', '.join(beside) or 'nothing'}",
            highlight=False,
        )

    def __call__(self, event: dict[str, Any]) -> None:
        if event["event"] != "case":
            return
        result = event["result"]
        outcome = Outcome(result["outcome"])
        self._counts[outcome] += 1
        if outcome.is_bad:
            bad = [verdict for verdict in result["verdicts"] if verdict["outcome"] == outcome]
            reason = f"{bad[0]['check']}: {bad[0]['reason']}" if bad else result["error"]
            look = outcome.look
            self._out.print(f" {look.glyph} {result['case']}: {reason}", style=look.style, markup=False)
        if time.monotonic() - self._printed_at > PROGRESS_EVERY:
            self._figures()

    def close(self) -> None:
        self._figures()

    def _figures(self) -> None:
        self._printed_at = time.monotonic()
        done = sum(self._counts.values())
        seconds = self._printed_at - self._began
        left = f", {(self._planned - done) * seconds / done / 60:.0f} min left" if 0 < done < self._planned else ""
        figures = ", ".join(f"{count} {outcome}" for outcome, count in self._counts.items() if count)
        self._out.print(
            f"{done} of {self._planned} case runs in {seconds:.0f} s: {figures or 'none'}{left}", style="dim"
        )


def _show(tally: Tally, unexplained: Sequence[str], folder: Path) -> None:
    """Every case with more than one outcome, with two of its histories side by side, and what is not explained."""
    out = console()
    for case in tally.differing:
        counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(tally.counts[case].items()))
        out.print(f"\n[yellow]differs[/yellow]  {case}: {counts}")
        for outcome in (Outcome.VIOLATED, Outcome.UNKNOWN):
            for reason in tally.reasons.get((case, outcome), [])[:3]:
                out.print(f"     {outcome}: {reason}", markup=False)
    for case in tally.differing[:SHOWN]:
        paths = [
            tally.histories[case, outcome][0]
            for outcome in sorted(tally.counts[case])
            if tally.histories.get((case, outcome))
        ]
        if len(paths) > 1:
            out.print(f"\n{case}")
            left, right = paths[:2]
            tell_parting(store.read(left), store.read(right), (str(left), str(right)))
            out.print(f"again: muster history --diff {left} {right}", style="dim", markup=False)
    if excused := tally.excused_by_stalls.total():
        out.print(f"\n{counted(excused, 'case run')} would be violated if the time of stalls counted", style="dim")
    for disagreement in tally.disagreements:
        text = f"the judges disagree  {disagreement['case']}: {disagreement['what']} ({disagreement['history']})"
        out.print(text, style="bold red", markup=False)
    for text in unexplained:
        out.print(f"not explained  {text}", style="bold red", markup=False)
    out.print(f"\nsummary  {folder / FILE}")
