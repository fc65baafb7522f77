"""index.html: the report for people.

It is one file without any reference to the network, so it can be sent by mail, stored beside the histories and opened
from a disk. All text is plain HTML made here, with Jinja's autoescape on. Only the timelines are drawn by the inlined
script, from compact JSON, when a case is opened: a page of 500 cases stays small and fast.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from importlib import resources
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from harness.core.errors import MusterError
from harness.core.history.records import History
from harness.core.history.validate import impossible
from harness.core.results import CaseResult, RunResult
from harness.core.text import duration, stamp, text
from harness.core.verdict import LOOKS, Outcome
from harness.report import charts
from harness.report.kill_matrix import kill_matrix
from harness.report.model import (
    ImplementationResult,
    deciding,
    figure,
    headline,
    implementation_results,
    missing,
    why,
    worst_first,
)
from harness.report.numbers import number
from harness.report.timeline import MOST_BARS, timeline

BUDGET = 2_200_000  # bytes of timelines in one page, so that 500 cases stay below 5 MB
BAR_BYTES = 56  # measured: size of one bar in JSON with its share of marks

Histories = Callable[[CaseResult], History | None]


def page(run: RunResult, histories: Histories) -> str:
    """The whole page."""
    results = implementation_results(run)
    asked = {case.case for case in run.cases if case.outcome is not Outcome.NOT_SUPPORTED}
    ordered = worst_first(case for case in run.cases if case.case in asked)
    shares = _shares(ordered)
    keys = {id(case): f"c{i}" for i, case in enumerate(ordered)}
    return (
        _environment()
        .get_template("index.html.j2")
        .render(
            run=run,
            headline=headline(run),
            as_expected=run.outcome.is_bad and not any(case.is_unexpected for case in run.cases) and not missing(run),
            missing=missing(run),
            faults=run.faults,
            facts=_facts(run),
            clusters=_clusters(run),
            implementations=[_implementation(result) for result in results],
            profiles=sorted({case.profile for case in run.cases}),
            groups=_groups(results, keys),
            cases=(_detail(case, keys[id(case)], histories, shares[case.outcome]) for case in ordered),
            results_asked=len(ordered),
            counts={str(o): sum(case.outcome is o for case in run.cases) for o in Outcome},
            first_bad=next((keys[id(c)] for c in ordered if c.outcome is Outcome.VIOLATED), ""),
            charts=charts.charts(results),
            kills=kill_matrix(run.kills),
            many=len(ordered) > 80,
            environment=_flat(run.environment),
            css=Markup(_asset("report.css")),
            js=Markup(_asset("report.js")),
        )
    )


def embed(data: Any) -> Markup:
    """JSON that may stand in a script element: no `<`, so neither `</script>` nor `<!--` can appear."""
    plain = json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=str)
    for character, escape in (("<", "\\u003c"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        plain = plain.replace(character, escape)
    return Markup(text(plain))


def _shares(cases: Iterable[CaseResult]) -> dict[Outcome, int]:
    """How many bars a case may draw: violated and unknown cases get more of the page's budget."""
    weights = {Outcome.VIOLATED: 6, Outcome.UNKNOWN: 3, Outcome.PASS: 1, Outcome.NOT_SUPPORTED: 1}
    total = sum(weights[case.outcome] for case in cases) or 1
    return {outcome: min(MOST_BARS, BUDGET * weight // total // BAR_BYTES) for outcome, weight in weights.items()}


def _detail(case: CaseResult, key: str, histories: Histories, most: int) -> dict[str, Any]:
    verdict = deciding(case)
    drawn, undrawn = _drawn(case, histories, most)
    return {
        "key": key,
        "case": case,
        "title": titled(case.case),
        "verdict": verdict,
        "witness": verdict.witness if verdict is not None and verdict.outcome is Outcome.VIOLATED else None,
        "reason": why(case),
        "skew": figure(case, "skew_ms"),
        "held": figure(case, "held_gpu_seconds"),
        "timeline": embed(drawn) if drawn else None,
        "undrawn": undrawn,
        "jump": bool(drawn and drawn["bad"]),
    }


def _drawn(case: CaseResult, histories: Histories, most: int) -> tuple[dict[str, Any] | None, str]:
    """The timeline, or the reason why there is none: a broken history must not break the rest of the report."""
    if not case.history:
        return None, "No history was recorded for this case."
    try:
        history = histories(case)
    except (MusterError, ValueError, OSError) as error:
        return None, f"The history could not be read: {error}"
    if history is None:
        return None, f"The history {case.history} is not in the run folder."
    if fault := impossible(history):
        return None, f"This is not a valid history, so it is not drawn: {fault}"
    return timeline(history, case.verdicts, most_bars=most), ""


def _implementation(result: ImplementationResult) -> dict[str, Any]:
    implementation = result.implementation
    return {
        "result": result,
        "integration": implementation.integration,
        "short": implementation.integration.partition("@")[0],
        "version": implementation.version or implementation.integration.partition("@")[2],
        "profiles": {profile.name: profile for profile in result.profiles},
    }


def _groups(columns: Sequence[ImplementationResult], keys: dict[int, str]) -> list[dict[str, Any]]:
    """The matrix: folders, in each the cases, in each a cell per integration.

    A case that no integration of the run is asked for has no row: most are suites of other integrations. Each folder
    lists them with the reason in one line that can be opened.
    """
    by_case: dict[str, dict[str, CaseResult]] = {}
    for column in columns:
        for case in column.cases:
            by_case.setdefault(case.case, {})[case.integration] = case
    groups: dict[str, dict[str, Any]] = {}
    for name in sorted(by_case):
        results = by_case[name]
        sample = next(iter(results.values()))
        group = groups.setdefault(sample.folder, {"folder": sample.folder, "rows": [], "not_asked": []})
        if all(result.outcome is Outcome.NOT_SUPPORTED for result in results.values()):
            group["not_asked"].append({"case": sample, "title": titled(name), "reason": why(sample)})
            continue
        cells = []
        for column in columns:
            result = results.get(column.implementation.integration)
            key = keys[id(result)] if result else ""
            cells.append({"on": column.implementation.integration, "result": result, "key": key})
        group["rows"].append({"case": sample, "title": titled(name), "cells": cells})
    return [groups[folder] for folder in sorted(groups)]


def _facts(run: RunResult) -> list[tuple[str, str]]:
    versions = sorted(
        {implementation.kubernetes for implementation in run.implementations if implementation.kubernetes}
    )
    facts = [
        ("Run", run.name),
        ("Finished", stamp(run.finished or run.started).replace("T", " ").replace("Z", " UTC")),
        ("Took", duration(max(0.0, run.finished - run.started))),
        ("Kubernetes", ", ".join(versions)),
        ("Box", run.box),
        ("muster", run.muster),
    ]
    return [(name, value) for name, value in facts if value]


def _clusters(run: RunResult) -> list[str]:
    """A sentence for each cluster that was there before the run: what it was, and whether others were left alone."""
    sentences = []
    for implementation in run.implementations:
        facts = implementation.cluster
        if not facts:
            continue
        log = "with" if facts.get("audit_log") else "no"
        text = f"{implementation.integration}: {facts.get('nodes', '?')} nodes of its own, {log} audit log."
        changes = facts.get("foreign_changes")
        if changes is None:
            text += " What others have was not compared."
        elif changes:
            text += f" {len(changes)} objects of others changed meanwhile: {', '.join(map(str, changes[:3]))}."
        else:
            text += f" None of {facts.get('foreign_objects', '?')} objects of others changed."
        sentences.append(text)
    return sentences


def titled(case: str) -> str:
    """The id of a case as a title: `gang-that-fits` becomes `Gang that fits`."""
    title = case.replace("-", " ").replace("_", " ")
    return title[:1].upper() + title[1:]


def _flat(data: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Nested environment facts as rows of a table."""
    rows: list[tuple[str, str]] = []
    for key in sorted(data, key=str):
        value, name = data[key], f"{prefix}{key}"
        if isinstance(value, dict):
            rows += _flat(value, f"{name}.")
        elif isinstance(value, list | tuple):
            rows.append((name, ", ".join(map(str, value))))
        else:
            rows.append((name, str(value)))
    return rows


def _asset(name: str) -> str:
    return resources.files("harness.report").joinpath(f"assets/{name}").read_text(encoding="utf-8")


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        glyphs={str(outcome): look.glyph for outcome, look in LOOKS.items()},
        labels={str(outcome): look.label for outcome, look in LOOKS.items()},
    )
    environment.filters.update(link=lambda path: quote(text(path).lstrip("/")), duration=duration, number=number)
    return environment
