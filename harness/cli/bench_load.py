"""`muster bench gangs` and `muster bench kep-4671`: load on real schedulers, measured and judged."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import yaml

from harness.adapters.common.base import Settings
from harness.bench.load import kep_4671 as kep
from harness.bench.load.sample import Setup
from harness.bench.load.series import Series, measure
from harness.bench.load.shapes import AXES, SHAPES, Load, grown, load_of
from harness.cli.bench_tables import print_run, sample_line
from harness.cli.cluster import agree
from harness.cli.options import run_options, source_option, texts_of
from harness.cli.terminal import PhaseLines, console, leave_stdout
from harness.core.errors import ExitCode, HarnessError, UsageError
from harness.core.files import put
from harness.core.measure.limits import LEAST_RUNS, calibrate, hold
from harness.core.measure.model import BenchRun
from harness.core.shard import Shard, parse_shard
from harness.core.text import nearest
from harness.core.untrusted import read_yaml
from harness.core.verdict import Outcome
from harness.report.bench import write_bench
from harness.report.folder import new_folder, point_latest
from harness.runner import options
from harness.runner.config import DEFAULT, RunConfig

NAMES = (
    "integration",
    "kubernetes",
    "kubeconfig",
    "context",
    "audit-log",
    "binary",
    "implementation-version",
    "set",
    "gate",
    "timeout-factor",
    "shard",
)
MOST_NODES, MOST_GANGS, MOST_SIZE = 20_000, 100_000, 10_000
EXIT_CODES = """\b
Exit codes: 0 measured, and no law was violated; 1 a law was violated, or a limit
was broken; 2 something could not be judged; 3, 4 and 128 and above as for every command.
"""
GANGS_EPILOG = (
    """\b
Examples:
  muster bench gangs --integration workload --integration volcano
  muster bench gangs --shape contended --nodes 100 --gangs 400 --size 4
  muster bench gangs --shape huge                     9 gangs of 1,000 on 5,000 nodes
  muster bench gangs --grow nodes=100,500,1000,5000 --gangs 250
  muster bench gangs --nodes 100 --gangs 100 --rounds 5 --calibrate limits.yaml
  muster bench gangs --nodes 100 --gangs 100 --limits limits.yaml

\b
"""
    + "Shapes:\n"
    + "\n".join(f"  {name:<11} {shape.about}" for name, shape in SHAPES.items())
    + "\n\n"
    + EXIT_CODES
)


def load_options(command: Any) -> Any:
    """What both benches of load have."""
    for option in reversed(
        (
            click.option(
                "--rounds", type=click.IntRange(1, 100), default=3, show_default=True, help="Number of rounds."
            ),
            click.option(
                "--watch-cache/--no-watch-cache",
                default=True,
                help="Watch cache of a box's API server, as clusters have it.  [default: on]",
            ),
            click.option("--calibrate", type=click.Path(path_type=Path, dir_okay=False), help="Write limits to FILE."),
            click.option(
                "--limits",
                type=click.Path(path_type=Path, dir_okay=False),
                help="Compare the figures with the limits in FILE.",
            ),
            click.option(
                "--output",
                type=click.Path(path_type=Path, file_okay=False),
                default=Path("muster-runs"),
                show_default=True,
                help="Where the folder of the measurement goes.",
            ),
            click.option("--yes", is_flag=True, help="Do not ask before objects are created in an existing cluster."),
            click.option("--json", "as_json", is_flag=True, help="Print bench.json; lines for people go to stderr."),
        )
    ):
        command = option(command)
    return run_options(source_option(command), NAMES)


@click.command("gangs", epilog=GANGS_EPILOG)
@click.option("--shape", default="fit", show_default=True, metavar="NAME", help=", ".join(SHAPES))
@click.option("--nodes", type=click.IntRange(1, MOST_NODES), help="Fake nodes; 1000 for most shapes.")
@click.option("--gangs", type=click.IntRange(1, MOST_GANGS), help="Gangs that are measured; 2500 for most shapes.")
@click.option("--size", type=click.IntRange(1, MOST_SIZE), help="Members of a gang; 4 for most shapes.")
@click.option(
    "--waiting", type=click.IntRange(0, MOST_GANGS), default=0, help="Gangs that fit nowhere and wait meanwhile."
)
@click.option("--paused", is_flag=True, help="Pause the scheduler while the load is created.")
@click.option("--grow", metavar="AXIS=N,N,...", help=f"Measure several sizes. Axes: {', '.join(AXES)}.")
@load_options
def gangs(
    shape: str,
    nodes: int | None,
    gangs: int | None,
    size: int | None,
    waiting: int,
    paused: bool,
    grow: str | None,
    **values: Any,
) -> int:
    """Load real schedulers with gangs on fake nodes, record and judge everything, and compare the figures.

    Each sample is a box of its own. Integrations alternate from round to round, and ratios are of samples that followed
    each other. The baseline is the native integration, if it takes part, else the first.
    """
    load = load_of(shape, nodes, gangs, size, waiting=waiting, paused=paused)
    axis, sizes = _axis(grow)
    points: list[tuple[Mapping[str, Any], Load]] = [({axis: n}, grown(load, axis, n)) for n in sizes] or [({}, load)]
    parameters = {name: value for name, value in load.as_data().items() if name != axis}
    return _execute("gangs", tuple(points), parameters, axis, values)


@click.command("kep-4671", epilog=EXIT_CODES)
@click.option("--nodes", type=click.IntRange(1, MOST_NODES), default=kep.NODES, show_default=True, help="Fake nodes.")
@click.option(
    "--gangs", type=click.IntRange(1, MOST_GANGS), default=kep.GANGS, show_default=True, help="Gangs of four."
)
@click.option(
    "--nominated",
    metavar="N,N,...",
    default=",".join(map(str, kep.NOMINATED)),
    show_default=True,
    help="How many pods are nominated.",
)
@load_options
def kep_4671(nodes: int, gangs: int, nominated: str, **values: Any) -> int:
    """Measure what KEP-4671 asks for: throughput by kind of workload, and what many nominations cost single pods.

    This is how clause WL-80 is judged: it observes, and reports figures.
    """
    points = kep.points(nodes, gangs, _numbers("--nominated", nominated, least=0))
    return _execute("kep-4671", points, {"nodes": nodes, "gangs": gangs, "size": kep.SIZE}, "", values)


def _execute(
    bench: str,
    points: Sequence[tuple[Mapping[str, Any], Load]],
    parameters: Mapping[str, Any],
    axis: str,
    values: Mapping[str, Any],
) -> int:
    config = options.parse(texts_of(values))
    shard, limits = parse_shard(config.shard), _read_limits(values["limits"])
    _check(values, shard, limits)
    if values["as_json"]:
        leave_stdout()
    baseline = next((name for name in config.integrations if name.partition("@")[0] == DEFAULT), config.integrations[0])
    series = Series(bench, config.integrations, baseline, tuple(points), values["rounds"], parameters, axis, shard)
    series.check()
    if not config.box.installs:
        agree(config, yes=values["yes"])
    elif values["yes"]:
        raise UsageError("--yes is for an existing cluster", hint="Give --kubeconfig, or leave it out.")
    run, folder = _measure(series, config, values)
    return _conclude(run, folder, values, limits)


def _check(values: Mapping[str, Any], shard: Shard, limits: Mapping[str, Any] | None) -> None:
    if values["calibrate"] and limits is not None:
        raise UsageError(
            "--calibrate and --limits exclude each other", hint="Make limits first, then compare runs with them."
        )
    if values["calibrate"] and values["rounds"] < LEAST_RUNS:
        raise UsageError(
            f"limits are made of at least {LEAST_RUNS} rounds, given --rounds {values['rounds']}",
            hint=f"Add: --rounds {LEAST_RUNS}",
        )
    if str(shard) and (values["calibrate"] or limits is not None):
        raise UsageError(
            f"--shard {shard} takes a part of the samples, and limits are about all of them",
            hint="Put the parts together first: muster report merge DIR...",
        )


def _measure(series: Series, config: RunConfig, values: Mapping[str, Any]) -> tuple[BenchRun, Path]:
    out = console()
    names = "-".join(name.replace("@", "-") for name in series.integrations)
    folder = new_folder(values["output"], f"bench-{series.bench}-{names}"[:60], time.time())
    lines = PhaseLines()
    settings = Settings(None, config.binaries, config.settings, lines.build, config.implementation_version)
    setup = Setup(config.box, folder, config.timeout_factor, values["watch_cache"], settings, dict(config.gates), lines)
    samples = len(series.samples())
    out.print(f"measuring {', '.join(series.integrations)}: {samples} samples, baseline {series.baseline}")

    def done(run: BenchRun) -> None:
        write_bench(run, folder)
        out.print(sample_line(run.samples[-1]), markup=False)

    run = measure(series, setup, lambda text: out.print(f"   {text}", style="dim", markup=False), done)
    if series.bench == "kep-4671":
        run = replace(run, clauses=kep.observed(run))
    write_bench(run, folder)
    return run, folder


def _conclude(run: BenchRun, folder: Path, values: Mapping[str, Any], limits: Mapping[str, Any] | None) -> int:
    out = console()
    if values["as_json"]:
        click.echo(json.dumps(run.as_data(), indent=1, default=str))
    if not run.samples and not run.interrupted:
        raise HarnessError(
            f"nothing was measured: {run.missing[0].reason if run.missing else 'no sample belongs here'}"
        )
    print_run(run, out)
    point_latest(folder)
    out.print(f"\nreport  {folder / 'index.html'}", markup=False)
    if run.interrupted:
        out.print(f"interrupted after {len(run.samples)} of {run.planned} samples; boxes are stopped", style="yellow")
        return ExitCode.INTERRUPTED
    if values["calibrate"]:
        text = yaml.safe_dump(calibrate(run), sort_keys=False, allow_unicode=True)
        out.print(f"limits  {put(values['calibrate'], text)}", markup=False)
    broken = hold(run, limits) if limits is not None else []
    for limit in broken:
        out.print(f"beyond its limit  {limit}", style="bold red", markup=False)
    if broken or run.outcome is Outcome.VIOLATED:
        return ExitCode.VIOLATED
    return ExitCode.UNKNOWN if run.outcome is Outcome.UNKNOWN else ExitCode.CONFORMANT


def _read_limits(path: Path | None) -> Mapping[str, Any] | None:
    if path is None:
        return None
    hint = "Give a file that --calibrate has written."
    try:
        data = read_yaml(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", hint=hint) from error
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"{path} has no limits: {error}", hint=hint) from error
    if not isinstance(data, Mapping):
        raise UsageError(f"{path} has no limits", hint=hint)
    return data


def _axis(text: str | None) -> tuple[str, list[int]]:
    """`nodes=100,500` as the axis and its places."""
    if text is None:
        return "", []
    axis, separator, numbers = text.partition("=")
    if axis not in AXES or not separator:
        hint = f"{nearest(axis, AXES)}Such as --grow nodes=100,500,1000. Axes: {', '.join(AXES)}."
        raise UsageError(f"--grow: expected AXIS=N,N,..., given {text!r}", hint=hint)
    return axis, _numbers("--grow", numbers, least=0 if axis in ("waiting", "nominated") else 1)


def _numbers(option: str, text: str, least: int) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    numbers = [int(part) for part in parts if part.isascii() and part.isdigit() and least <= int(part) <= MOST_GANGS]
    if len(numbers) != len(parts) or len(set(numbers)) != len(numbers):
        raise UsageError(
            f"{option}: expected different whole numbers from {least} to {MOST_GANGS}, given {text!r}",
            hint="Separate them by commas.",
        )
    return numbers
