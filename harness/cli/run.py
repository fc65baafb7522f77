"""`muster run`: judge schedulers, with a line for every case and a report at the end."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from rich.table import Table

from harness import expectations, report
from harness import run as running
from harness.adapters import adapter
from harness.adapters.base import Settings, check_options
from harness.box.artifacts import load, parse_binaries
from harness.box.kinds import Wanted
from harness.cli.draw import Draw
from harness.cli.held import hold_against, once_more
from harness.cli.terminal import console, leave_stdout
from harness.collect import collect_cases
from harness.core.catalogue import LEVELS, PROFILES
from harness.core.errors import ExitCode, HarnessError, UsageError
from harness.core.expected import unsteady
from harness.core.results import RunResult
from harness.core.verdict import Outcome
from harness.options import kubernetes_of, pairs
from harness.report import github
from harness.report.folder import new_folder, point_latest

CODES = {
    Outcome.PASS: ExitCode.CONFORMANT, Outcome.NOT_SUPPORTED: ExitCode.CONFORMANT,
    Outcome.UNKNOWN: ExitCode.UNKNOWN, Outcome.VIOLATED: ExitCode.VIOLATED,
}  # fmt: skip
SLOWEST = 10
EPILOG = """\b
Examples:
  muster run                                          Kubernetes' own gangs, core profile
  muster run --integration workload --kubernetes 1.36 --profile all
  muster run --case one-of-two-gangs-wins-whole -v
  muster run --box kind                               with real kubelets
  muster run --binary kubernetes.kube-scheduler=./kube-scheduler
"""


@click.command(epilog=EPILOG)
@click.option(
    "--integration",
    "integrations",
    multiple=True,
    metavar="NAME[@VERSION]",
    help="Scheduler to judge; several are run one after another.  [default: workload]",
)
@click.option("--kubernetes", metavar="X.Y[.Z]", help="Kubernetes version of the box.")
@click.option(
    "--profile",
    default="core",
    show_default=True,
    metavar="LEVEL|NAME",
    help="core, extended, all, or a profile such as GANG-CORE.",
)
@click.option("--box", "kind", default="embedded", show_default=True, metavar="KIND", help="embedded, or kind.")
@click.option("--kind-workers", type=click.IntRange(1, 20), help="Real workers of a kind box.  [default: 2]")
@click.option("--image", metavar="IMAGE", help="Node image of a kind box: auto, official, own, or the name of one.")
@click.option("--sync", metavar="TIME", help="How often kubelets of a kind box look after their pods, such as 2s.")
@click.option("--keep", type=click.Choice(["failed"]), help="Keep a kind cluster that could not be set up.")
@click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case; several may be given.")
@click.option(
    "-n", "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Cases side by side, a box each."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("muster-runs"),
    show_default=True,
    help="Where run folders go.",
)
@click.option("--binary", "binaries", multiple=True, metavar="NAME.PROCESS=PATH", help="Use this binary instead.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Setting of the integration.")
@click.option("--gate", "gates", multiple=True, metavar="GATE=true|false", help="Feature gate of Kubernetes.")
@click.option("--timeout-factor", type=float, default=1.0, show_default=True, help="Multiplies every deadline.")
@click.option("--repeat", type=click.IntRange(1, 1000), default=1, show_default=True, help="Run each case this often.")
@click.option("--probe", is_flag=True, help="Also run cases whose features are not claimed.")
@click.option(
    "--expected",
    type=click.Path(path_type=Path, file_okay=False),
    help="Hold the run against the verdicts in this folder: any difference is exit 1. What a known race may have "
    "struck is run again first.",
)
@click.option("--accept", is_flag=True, help="Write what was found into the folder of --expected instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON; lines for people go to stderr.")
@click.option("-q", "--quiet", is_flag=True, help="Only violations and the summary.")
@click.option("-v", "--verbose", is_flag=True, help="Also the figures of every gang.")
def run(
    integrations: tuple[str, ...], kubernetes: str | None, profile: str, cases: tuple[str, ...], workers: int,
    kind: str, kind_workers: int | None, image: str | None, sync: str | None, keep: str | None, output: Path,
    binaries: tuple[str, ...], settings: tuple[str, ...], gates: tuple[str, ...], timeout_factor: float, repeat: int,
    probe: bool, expected: Path | None, accept: bool, as_json: bool, quiet: bool, verbose: bool,
) -> int:  # fmt: skip
    """Judge gang schedulers from the full history of every case, and write a report."""
    chosen = integrations or ("workload",)
    if accept and expected is None:
        raise UsageError("--accept needs the folder of --expected", hint="Such as: --expected ci/expected --accept")
    if as_json:
        leave_stdout()
    if quiet and verbose:
        raise UsageError("--quiet and --verbose exclude each other")
    _check(chosen, kubernetes, profile, pairs("--set", ",".join(settings)))
    if profile in PROFILES and not (cases or settings or gates or probe):  # those can add what is missing
        _check_profile(chosen, kubernetes, profile)
    if expected is not None and not accept:
        for name in chosen:
            expectations.require(expected, name)
    options = [f"--muster-profile={profile}", f"--muster-timeout-factor={timeout_factor}", f"--muster-repeat={repeat}"]
    if cases:
        options += running.case_options(cases, [case.id for case in collect_cases()])
    parse_binaries(binaries)
    Wanted(kind, kubernetes, kind_workers, image, sync).check()
    about_box = {"box": kind, "kind-workers": kind_workers, "image": image, "sync": sync, "keep": keep}
    for flag, value in about_box.items():
        options += [f"--muster-{flag}={value}"] if value is not None else []
    for flag, values in (("binary", binaries), ("set", settings), ("gates", gates)):
        options += [f"--muster-{flag}={','.join(values)}"] if values else []
    options += [f"--muster-kubernetes={kubernetes}"] if kubernetes else []
    options += ["--muster-probe=true"] if probe else []
    folder = new_folder(output, "-".join(name.replace("@", "-") for name in chosen)[:60], time.time())
    draw = Draw(quiet=quiet, verbose=verbose)
    plan = running.Plan(tuple(chosen), tuple(options), workers, kind)
    result, faults = running.run(plan, folder, draw)
    draw.close()
    if as_json:
        click.echo(json.dumps(result.as_data(), indent=1, default=str))
    code = conclude(result, faults, folder)
    if expected is None or code == ExitCode.INTERRUPTED:
        return code
    if accept:
        for path in expectations.accept(expected, result.cases):
            console().print(f"expected verdicts written: {path}")
        return ExitCode.CONFORMANT

    def again(integration: str, cases: Sequence[str]) -> RunResult:
        other = new_folder(output, f"{integration}-again".replace("@", "-"), time.time())
        more, broken = running.run(once_more(plan, integration, cases), other, draw)
        draw.close()
        report.write(more, other)
        complain(broken, other)
        return more

    return hold_against(expected, result, again)


def conclude(result: RunResult, faults: running.Faults, folder: Path) -> int:
    """Write the report, say how it went, and choose the exit code."""
    out = console()
    if result.cases:
        report.write(result, folder)
        if github.detected():
            github.publish(result, sys.stdout, folder)
        summary(result)
        point_latest(folder)
        out.print(f"\nreport  {folder / 'index.html'}")
    complain(faults, folder)
    if result.interrupted:
        out.print(f"interrupted after {len(result.cases)} of {result.planned} cases; boxes are stopped", style="yellow")
        return ExitCode.INTERRUPTED
    if not result.cases:
        raise UsageError("no case was selected", hint="See: muster list cases")
    return CODES[result.outcome]


def complain(faults: running.Faults, folder: Path) -> None:
    """What the harness could not do, as the error that ends the command."""
    for fault in faults.messages:
        raise (
            HarnessError(fault["message"], hint=fault["hint"])
            if fault["code"] == 3
            else UsageError(fault["message"], hint=fault["hint"])
        )
    if faults.outputs:
        raise HarnessError(f"the suite did not run to its end:\n{faults.outputs[0]}", hint=f"Logs: {folder / 'logs'}")


def summary(result: RunResult) -> None:
    """Counts per integration, and the slowest cases."""
    out = console()
    table = Table("INTEGRATION", "KUBERNETES", "PASS", "VIOLATED", "UNKNOWN", "NOT SUPPORTED", box=None, pad_edge=False)
    for one in result.implementations:
        counts = Counter(case.outcome for case in result.cases if case.integration == one.integration)
        order = (Outcome.PASS, Outcome.VIOLATED, Outcome.UNKNOWN, Outcome.NOT_SUPPORTED)
        table.add_row(one.integration, one.kubernetes, *(str(counts[outcome]) for outcome in order))
    out.print()
    out.print(table)
    for name, outcomes in unsteady(result.cases).items():
        out.print(f"[yellow]unsteady[/yellow]  {name}: {', '.join(outcomes)}")
    slow = sorted(result.cases, key=lambda case: -case.seconds)[:SLOWEST]
    if len(result.cases) > SLOWEST:
        out.print("\nslowest cases", style="dim")
        for case in slow:
            out.print(f"  {case.seconds:6.1f} s  {case.case} ({case.integration})", style="dim")
        for one in result.implementations:
            if one.pace and any(case.integration == one.integration for case in slow):
                out.print(f"  {one.integration}: {one.pace}", style="dim")


def _check(integrations: tuple[str, ...], kubernetes: str | None, profile: str, settings: Mapping[str, str]) -> None:
    register = load()
    for integration in integrations:
        name, _, version = integration.partition("@")
        chosen = adapter(name)
        if version and chosen.component in register.components:
            register.lock(chosen.component, version)
        elif version:
            raise UsageError(f"{name} has no versions to choose from, {integration!r} was given", hint=f"Say {name}.")
        kubernetes_of(integration, kubernetes or "")
        check_options(chosen, Settings(options=settings))
    if kubernetes:
        register.lock("kubernetes", kubernetes)
    allowed = (*LEVELS, "all", *PROFILES)
    if profile not in allowed:
        raise UsageError(f"there is no profile {profile!r}", hint=f"Allowed: {', '.join(allowed)}.")


def _check_profile(integrations: tuple[str, ...], kubernetes: str | None, profile: str) -> None:
    """UsageError for an integration that claims nothing a case of the profile asks for."""
    wanted = [case for case in collect_cases() if case.profile == profile]
    for integration in integrations:
        name, _, version = integration.partition("@")
        minor = load().lock("kubernetes", kubernetes_of(integration, kubernetes or "") or None).version
        features = adapter(name).features(version, minor)
        if all(case.unmet(name, features, minor) for case in wanted):
            raise UsageError(
                f"no case of the profile {profile} asks for anything that {name} claims on Kubernetes {minor}",
                hint=f"It claims: {', '.join(sorted(features))}. Profiles: {', '.join(PROFILES)}.",
            )
