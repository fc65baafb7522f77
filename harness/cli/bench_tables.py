"""A measurement in the terminal: a line for each sample, a table of figures at the end."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from harness.core.measure.figures import figure_of
from harness.core.measure.model import BenchRun, Sample
from harness.core.measure.summary import Row, curves, rows
from harness.core.verdict import Outcome
from harness.report.bench import spread_text, title_of
from harness.report.numbers import number

SHOWN = (
    "pods_per_second",
    "latency_ms_p50",
    "latency_ms_p99",
    "skew_ms_p99",
    "gangs_started",
    "attempts_per_gang",
    "calls_per_gang",
    "held_gpu_seconds",
    "placement_percent",
    "cpu_seconds_scheduler",
    "cpu_seconds_apiserver",
    "memory_mb_scheduler",
    "memory_mb_apiserver",
    "muster_percent",
    "memory_mb_muster",
)


def sample_line(sample: Sample) -> str:
    """One sample in a line."""
    figures, where = sample.figures, title_of(sample.point)
    parts = [f"{number(figures[name])} {unit}" for name, unit in _UNITS.items() if name in figures]
    checks = f" ({', '.join(sample.violated)})" if sample.violated else ""
    place = f"round {sample.number}{f', {where}' if where else ''}"
    return f" {sample.outcome.look.glyph} {sample.integration}, {place}: {', '.join(parts)}; {sample.outcome}{checks}"


_UNITS = {
    "pods_per_second": "pods/s",
    "latency_ms_p50": "ms latency p50",
    "latency_ms_p99": "ms p99",
    "held_gpu_seconds": "GPU·s held",
}


def print_run(run: BenchRun, out: Console) -> None:
    """The figures that people ask for first; all of them are in the report."""
    shown = rows(run, SHOWN)
    for point in run.points:
        cells = [row for row in shown if dict(row.point) == dict(point)]
        if not cells:
            continue
        out.print()
        table = Table(title_of(point).upper() or "FIGURE", *run.integrations, box=None, pad_edge=False)
        for name in SHOWN:
            line = {row.integration: row for row in cells if row.figure == name}
            if line:
                about = figure_of(name)
                label = f"{about.title}{f' ({about.unit})' if about.unit else ''}"
                table.add_row(label, *(_cell(line.get(name_)) for name_ in run.integrations))
        verdicts = [_verdicts(run.of(name, point)) for name in run.integrations]
        table.add_row("Verdicts", *verdicts)
        out.print(table)
    for curve in curves(run):
        if curve.growth is not None:
            text = f"{curve.integration}: {curve.figure} grows with {run.axis} to the power of {curve.growth.slope:.2f}"
            out.print(f"{text} ({100 * curve.growth.explained:.0f} % explained)", style="dim", markup=False)
    for item in run.missing:
        where = f" ({title_of(item.point)})" if item.point else ""
        out.print(f"not measured  {item.integration}{where}: {item.reason}", style="yellow", markup=False)
    for clause, text in run.clauses.items():
        out.print(f"{clause}  {text}", markup=False)


def _cell(row: Row | None) -> str:
    if row is None:
        return "–"
    ratio = f"  {number(row.ratio.middle)}×" if row.ratio is not None else ""
    return f"{spread_text(row.spread)}{ratio}"


def _verdicts(samples: list[Sample]) -> str:
    counts = {outcome: sum(sample.outcome is outcome for sample in samples) for outcome in Outcome}
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count) or "–"
