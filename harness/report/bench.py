"""The report of a measurement: bench.json, and one page for people with its pictures.

As every page of muster it is one file without a reference to anything else. Verdicts stand beside the figures: a
scheduler that is fast because it splits gangs is not fast.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from harness.core.errors import UsageError
from harness.core.files import as_json, put
from harness.core.measure.figures import MORE, NEITHER, figure_of
from harness.core.measure.model import FILE, FORMAT, BenchRun, Point, Sample, bench_from_data
from harness.core.measure.stats import Spread
from harness.core.measure.summary import Row, curves, names, rows
from harness.core.text import duration, stamp
from harness.core.untrusted import read_json
from harness.core.verdict import LOOKS, Outcome
from harness.report.numbers import number
from harness.report.svg import Axis, ChartLine, Picture, picture

COMPARED = ("pods_per_second", "latency_ms_p50", "latency_ms_p99", "held_gpu_seconds", "cpu_seconds_scheduler")
MOST_POINTS = 4  # whose pictures are drawn one by one; growth over more is a picture of its own


def write_bench(run: BenchRun, folder: Path) -> list[Path]:
    """Write bench.json and index.html into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return [put(folder / FILE, as_json(run.as_data())), put(folder / "index.html", page(run))]


def is_bench(place: Path) -> bool:
    """Whether this is a bench.json under any name, or a folder that has one."""
    path = place / FILE if place.is_dir() else place
    if path.suffix != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        return FORMAT.encode() in file.read(200)


def load_bench(place: Path) -> BenchRun:
    """The measurement in this folder or bench.json; a UsageError says what is wrong with it."""
    path = place / FILE if place.is_dir() else place
    hint = "Give a bench.json of `muster bench`, or its folder."
    try:
        return bench_from_data(read_json(path))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}", hint=hint) from error
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no measurement: {error}", hint=hint) from error


def page(run: BenchRun) -> str:
    """index.html."""
    source = resources.files("harness.report").joinpath("assets/bench.html.j2").read_text(encoding="utf-8")
    css = resources.files("harness.report").joinpath("assets/report.css").read_text(encoding="utf-8")
    engine = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    engine.filters.update(number=number, duration=duration, spread=spread_text)
    engine.globals["glyphs"] = {outcome: look.glyph for outcome, look in LOOKS.items()}
    return engine.from_string(source).render(
        run=run,
        headline=headline(run),
        facts=_facts(run),
        tables=[_table(run, point) for point in run.points],
        pictures=pictures(run),
        findings=_findings(run),
        css=Markup(css),
        notice=notice(run),
    )


def headline(run: BenchRun) -> str:
    """The measurement in one sentence."""
    if not run.samples:
        return "Nothing was measured."
    broken = sorted({sample.integration for sample in run.samples if sample.outcome is Outcome.VIOLATED})
    if broken:
        return f"{' and '.join(name.replace('@', ' ') for name in broken)} violated a law under load."
    unsure = sum(sample.outcome is Outcome.UNKNOWN for sample in run.samples)
    return "No law was violated under load." if not unsure else "No law was violated, but not all could be judged."


def notice(run: BenchRun) -> str:
    """What is missing, in a sentence."""
    taken = f"{len(run.samples)} of {run.planned} samples"
    if run.interrupted:
        return f"The measurement was stopped after {taken}."
    return f"Only {taken} could be taken." if len(run.samples) < run.planned else ""


def spread_text(value: Spread | None) -> str:
    """`12.3 (11 to 14)`."""
    if value is None:
        return ""
    least, most = number(value.least), number(value.most)
    return number(value.middle) if least == most else f"{number(value.middle)} ({least} to {most})"


def title_of(point: Point) -> str:
    return ", ".join(f"{name} {value}" for name, value in point.items())


def _facts(run: BenchRun) -> list[tuple[str, str]]:
    parameters = ", ".join(f"{name} {value}" for name, value in run.parameters.items() if value not in (0, False, ""))
    machine = f"{run.machine.get('processors', '?')} processors, {run.machine.get('memory_gb', '?')} GB"
    facts = [
        ("Load", parameters),
        ("Samples", f"{len(run.samples)} of {run.planned}"),
        ("Machine", machine),
        ("Measured", stamp(run.started)),
        ("Took", duration(max(0.0, run.finished - run.started))),
        ("muster", run.muster),
    ]
    return facts + [(f"Clause {clause}", text) for clause, text in run.clauses.items()]


def _table(run: BenchRun, point: Point) -> dict[str, Any]:
    """All figures at one point, a row for each with a cell for each integration."""
    at_point = [row for row in rows(run) if dict(row.point) == dict(point)]
    lines = []
    for name in names(run):
        cells = {row.integration: row for row in at_point if row.figure == name}
        if cells:
            lines.append({"name": name, "about": figure_of(name), "cells": [cells.get(i) for i in run.integrations]})
    outcomes = {i: [sample.outcome for sample in run.of(i, point)] for i in run.integrations}
    return {"title": title_of(point), "lines": lines, "outcomes": outcomes, "bars": _bars(run, at_point)}


def _bars(run: BenchRun, at_point: Sequence[Row]) -> list[dict[str, Any]]:
    """The figures that people compare, as bars; the number is always beside the bar."""
    drawn = []
    for name in COMPARED:
        cells = [row for row in at_point if row.figure == name]
        top = max((row.spread.most for row in cells), default=0.0)
        if top > 0 and len(run.integrations) > 1:
            better = {MORE: "More is better.", NEITHER: ""}.get(figure_of(name).better, "Less is better.")
            bars = [(row, 100 * row.spread.middle / top, 100 * row.spread.most / top) for row in cells]
            drawn.append({"about": figure_of(name), "better": better, "bars": bars})
    return drawn


def _findings(run: BenchRun) -> list[tuple[Sample, str, str]]:
    """What the checks found that is no pass, each once for an integration and point."""
    findings: dict[tuple[str, str, str], tuple[Sample, str, str]] = {}
    for sample in run.samples:
        for finding in sample.findings:
            if finding.outcome.is_bad:
                key = (sample.integration, title_of(sample.point), finding.check)
                findings.setdefault(key, (sample, finding.check, finding.reason))
    return list(findings.values())


# -- pictures ---------------------------------------------------------------------------------------------------------


def pictures(run: BenchRun) -> list[Picture]:
    """Distribution and utilisation of each point, if there are few, and the growth over all."""
    drawn: list[Picture | None] = []
    for point in run.points if len(run.points) <= MOST_POINTS else ():
        drawn += [_latency(run, point), _utilisation(run, point)]
    return [chart for chart in [*drawn, *_growth(run)] if chart is not None]


def _latency(run: BenchRun, point: Point) -> Picture | None:
    lines = []
    for integration in run.integrations:
        samples = [sample.latencies for sample in run.of(integration, point) if sample.latencies]
        steps = [statistics.median(values) / 1000 for values in zip(*samples, strict=False)]
        lines.append(
            ChartLine(integration, tuple((max(step, 0.001), float(share)) for share, step in enumerate(steps)))
        )
    return picture(
        _titled("Gang latency", point),
        "The share of gangs that had their quorum so long after their first pod was created. Further left is better.",
        lines,
        Axis("seconds", is_log=True),
        Axis("% of gangs", least=0, most=100, ticks=(0, 25, 50, 75, 100)),
    )


def _utilisation(run: BenchRun, point: Point) -> Picture | None:
    lines = []
    for integration in run.integrations:
        samples = [sample for sample in run.of(integration, point) if sample.used and sample.room]
        if samples:
            samples.sort(key=lambda sample: sample.figures.get("seconds", 0.0))
            middle = samples[len(samples) // 2]
            curve = tuple((at, 100 * gpus / middle.room) for at, gpus in middle.used)
            lines.append(ChartLine(integration, ((0.0, 0.0), *curve) if curve[0][0] > 0 else curve))
    return picture(
        _titled("GPUs in use", point),
        "Of all GPUs, over the time since the first pod was created; of each integration the round of middle length.",
        lines,
        Axis("seconds", least=0),
        Axis("% of GPUs", least=0, most=100, ticks=(0, 25, 50, 75, 100)),
        is_stepped=True,
    )


def _growth(run: BenchRun) -> list[Picture | None]:
    drawn: list[Picture | None] = []
    every = curves(run)
    for name in dict.fromkeys(curve.figure for curve in every):
        about = figure_of(name)
        lines = [
            ChartLine(
                curve.integration,
                tuple((max(x, 0.5), y) for x, y in curve.points if y > 0),
                f"slope {curve.growth.slope:.2f}" if curve.growth is not None else "",
            )
            for curve in every
            if curve.figure == name
        ]
        drawn.append(
            picture(
                f"{about.title} by {run.axis}",
                "Both axes are logarithmic: with a slope of 1 twice the size costs twice as much, with 2 four times.",
                lines,
                _places(run),
                Axis(about.unit or about.title, is_log=True),
                has_marks=True,
            )
        )
    return drawn


def _places(run: BenchRun) -> Axis:
    """The axis over which something grows, with a tick wherever it was measured; zero stands at its left end."""
    places = sorted({max(float(point[run.axis]), 0.5) for point in run.points if run.axis in point})
    ticks = tuple(place for place in places if place >= 1)
    return Axis(run.axis, is_log=True, least=places[0], most=places[-1], ticks=ticks)


def _titled(title: str, point: Point) -> str:
    return f"{title}, {title_of(point)}" if point else title
