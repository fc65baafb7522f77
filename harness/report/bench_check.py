"""Is a bench.json what its histories give? Outcomes, findings and figures are made again from them.

What a history cannot tell (processor time, memory, requests) is taken as it is written. A measurement whose histories
are not there is not wrong, but not verified either, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.core.errors import UsageError
from harness.core.history import store
from harness.core.measure.course import course_of
from harness.core.measure.model import BenchRun, CheckFinding, Sample
from harness.core.oracle.judge import case_outcome, judge_case, spoke
from harness.core.version import __version__
from harness.report.bench import load_bench
from harness.report.verify import ReportCheck

MOST = 50  # problems that are listed


def check_bench(place: Path) -> ReportCheck:
    """Every problem of the measurement at this place."""
    try:
        run = load_bench(place)
    except UsageError as error:
        return ReportCheck((error.message,), 0, same_catalogue=True)
    folder = place if place.is_dir() else place.parent
    problems = list(_structure(run))
    judged = 0
    for sample in run.samples:
        path = (folder / sample.history).resolve()
        if not sample.history or not path.is_relative_to(folder.resolve()) or not path.is_file():
            continue
        judged += 1
        problems += [f"{sample.history}: {problem}" for problem in _sample(sample, path, run.muster)]
    more = [f"and {len(problems) - MOST} more problems"] if len(problems) > MOST else []
    return ReportCheck((*problems[:MOST], *more), judged, same_catalogue=True)


def _structure(run: BenchRun) -> Iterator[str]:
    keys: set[tuple[str, str, int]] = set()
    for sample in run.samples:
        key = (sample.integration, str(sorted(sample.point.items())), sample.number)
        if key in keys:
            yield f"{sample.integration}, round {sample.number} is there twice"
        keys.add(key)
        if sample.integration not in run.integrations:
            yield f"{sample.integration} has a sample and is not one of the integrations"
        if not any(dict(sample.point) == dict(point) for point in run.points):
            yield f"{sample.integration}, round {sample.number} is of a load that the measurement does not name"
    if run.baseline not in run.integrations:
        yield f"the baseline {run.baseline} is not one of the integrations"
    if len(run.samples) > run.planned:
        yield f"{run.planned} samples were planned, {len(run.samples)} are there"


def _sample(sample: Sample, path: Path, muster: str) -> Iterator[str]:
    try:
        history = store.read(path, is_large=True)
    except UsageError as error:
        yield error.message
        return
    if history.digest != sample.digest:
        yield f"the digest is {history.digest}, the measurement says {sample.digest}"
    verdicts = judge_case(history)
    outcome = case_outcome(verdicts)
    if outcome is not sample.outcome:
        yield f"the measurement says {sample.outcome}, the history gives {outcome}"
    if muster != __version__:
        return  # another muster may measure and say it differently
    if tuple(CheckFinding(v.check, v.outcome, v.reason) for v in verdicts if spoke(v)) != sample.findings:
        yield "the findings are not those of the history"
    for name, value in course_of(history).figures().items():
        if abs(sample.figures.get(name, float("nan")) - value) > 1e-6 or name not in sample.figures:
            yield f"{name} is {sample.figures.get(name)}, the history gives {value}"
