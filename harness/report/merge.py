"""One report from the parts of a run that several machines shared.

The parts must be parts of the same whole: the same muster, catalogue, selection and programs, each number once and none
missing. What does not fit together is refused with the difference, since a report of cases that were judged in
different ways would look like a whole one. Histories and logs are copied, so the merged folder is one that
`muster recheck`, `muster report check` and `muster report pack` take as any other.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from harness.core.errors import UsageError
from harness.core.measure.model import BenchRun
from harness.core.results import Implementation, RunResult
from harness.core.shard import parse_shard
from harness.report.bench import is_bench, load_bench, write_bench
from harness.report.load import load_run
from harness.report.write import write

Run = TypeVar("Run", RunResult, BenchRun)
COPIED = ("history", "logs")
HINT = "Give the folders of all parts of one run: `--shard 1/8` to `--shard 8/8`."


def merge(parts: Sequence[Path], make_folder: Callable[[], Path]) -> Path:
    """Write the run that these folders are the parts of; UsageError, and no folder, if they do not fit together."""
    kinds = {is_bench(place) for place in parts}
    if len(kinds) > 1:
        raise UsageError("some of these are runs and others are measurements", hint="Merge one kind at a time.")
    names = [str(place) for place in parts]
    if kinds == {True}:
        measured = merged_bench([load_bench(place) for place in parts], names)
        folder = _copied(parts, make_folder())
        write_bench(replace(measured, name=folder.name), folder)
    else:
        run = merged_run([load_run(place) for place in parts], names)
        folder = _copied(parts, make_folder())
        write(replace(run, name=folder.name), folder)
    return folder


def merged_run(runs: Sequence[RunResult], names: Sequence[str]) -> RunResult:
    """The whole that these runs are parts of."""
    _check_parts([run.selection.shard for run in runs], names)
    _check_equal(
        runs,
        names,
        {
            "version of muster": lambda run: run.muster,
            "kind of box": lambda run: run.box,
            "catalogue of cases": lambda run: run.catalogue,
            "timeout factor": lambda run: run.timeout_factor,
            "selection": lambda run: replace(run.selection, shard=""),
        },
    )
    cases = sorted(
        (case for run in runs for case in run.cases), key=lambda case: (case.folder, case.case, case.integration)
    )
    first = runs[0]
    _check_once(Counter((case.integration, case.case) for case in cases), first.selection.repeat)
    return replace(
        first,
        started=min(run.started for run in runs),
        finished=max(run.finished for run in runs),
        implementations=_implementations(runs, names),
        cases=tuple(cases),
        planned=sum(run.planned for run in runs),
        interrupted=any(run.interrupted for run in runs),
        faults=tuple(fault for run in runs for fault in run.faults),
        selection=replace(first.selection, shard=""),
        environment={**first.environment, "parts": len(runs)},
    )


def merged_bench(runs: Sequence[BenchRun], names: Sequence[str]) -> BenchRun:
    """The measurement that these are parts of."""
    _check_parts([run.shard for run in runs], names)
    _check_equal(
        runs,
        names,
        {
            "version of muster": lambda run: run.muster,
            "bench": lambda run: run.bench,
            "kind of box": lambda run: run.box,
            "load": lambda run: (dict(run.parameters), run.axis, [dict(point) for point in run.points]),
        },
    )
    first = runs[0]
    samples = sorted((sample for run in runs for sample in run.samples), key=lambda sample: sample.started)
    _check_once(Counter((s.integration, f"{dict(s.point)} round {s.number}") for s in samples), 1)
    versions = _versions(runs)
    return replace(
        first,
        started=min(run.started for run in runs),
        finished=max(run.finished for run in runs),
        integrations=tuple(versions.values()),
        baseline=versions[first.baseline.partition("@")[0]],
        samples=tuple(samples),
        planned=sum(run.planned for run in runs),
        interrupted=any(run.interrupted for run in runs),
        missing=tuple(item for run in runs for item in run.missing),
        shard="",
    )


def _versions(runs: Sequence[BenchRun]) -> dict[str, str]:
    """Each integration with the version that any part has measured; a part without a sample of it does not know."""
    versions: dict[str, str] = {}
    for integration in (name for run in runs for name in run.integrations):
        project, _, version = integration.partition("@")
        if version or project not in versions:
            earlier = versions.setdefault(project, integration)
            versions[project] = earlier if "@" in earlier else integration
            if version and "@" in earlier and earlier != integration:
                raise UsageError(f"the parts measured {earlier} and {integration}", hint=HINT)
    return versions


def _check_parts(shards: Sequence[str], names: Sequence[str]) -> None:
    """UsageError unless these are all parts of one whole, each once."""
    if len(shards) == 1 and not shards[0]:
        return
    if lone := [name for name, shard in zip(names, shards, strict=True) if not shard]:
        raise UsageError(f"{lone[0]} is a whole run and no part of one", hint=HINT)
    parsed = [parse_shard(shard) for shard in shards]
    counts = sorted({shard.count for shard in parsed})
    if len(counts) > 1:
        raise UsageError(f"these are parts of {' and of '.join(map(str, counts))}", hint=HINT)
    indices = Counter(shard.index for shard in parsed)
    missing = [f"{index}/{counts[0]}" for index in range(1, counts[0] + 1) if not indices[index]]
    twice = [f"{index}/{counts[0]}" for index in sorted(indices) if indices[index] > 1]
    if missing or twice:
        problems = {"missing": ", ".join(missing), "twice": ", ".join(twice)}
        listed = "; ".join(f"{word}: {parts}" for word, parts in problems.items() if parts)
        raise UsageError(f"the parts do not make a whole; {listed}", hint=HINT)


def _check_equal(runs: Sequence[Run], names: Sequence[str], facts: dict[str, Callable[[Run], Any]]) -> None:
    for what, read in facts.items():
        for run, name in zip(runs[1:], names[1:], strict=True):
            if read(run) != read(runs[0]):
                raise UsageError(
                    f"{names[0]} and {name} differ in their {what}: {read(runs[0])!s:.200} and {read(run)!s:.200}",
                    hint=HINT,
                )


def _check_once(counts: Counter[tuple[str, str]], allowed: int) -> None:
    for (integration, name), count in counts.items():
        if count > allowed:
            raise UsageError(f"{name} on {integration} is in more than one part", hint=HINT)


def _implementations(runs: Sequence[RunResult], names: Sequence[str]) -> tuple[Implementation, ...]:
    """Each integration once; UsageError if two parts judged different programs under one name."""
    merged: dict[str, Implementation] = {}
    for run, name in zip(runs, names, strict=True):
        for implementation in run.implementations:
            earlier = merged.setdefault(implementation.integration, implementation)
            if _programs(earlier) != _programs(implementation):
                raise UsageError(
                    f"{name} judged other programs of {implementation.integration} than the parts before it", hint=HINT
                )
    return tuple(merged.values())


def _programs(implementation: Implementation) -> list[tuple[str, str, str]]:
    keys = ("component", "process", "sha256")
    rows = [tuple(str(artifact.get(key, "")) for key in keys) for artifact in implementation.artifacts]
    return sorted((a, b, c) for a, b, c in rows)


def _copied(parts: Sequence[Path], folder: Path) -> Path:
    """The folder, with the histories and logs of all parts."""
    folder.mkdir(parents=True, exist_ok=True)
    for place in parts:
        source = place if place.is_dir() else place.parent
        for name in COPIED:
            if (source / name).is_dir():
                shutil.copytree(source / name, folder / name, dirs_exist_ok=True)
    return folder
