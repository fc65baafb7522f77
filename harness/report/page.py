"""index.html: the report a person looks at.

One file without any reference to the network, so it can be mailed, kept beside the histories and opened from a disk.
Everything in words is plain HTML made here, with Jinja's autoescape on; only timelines are drawn by the inlined script,
from compact JSON, when a case is opened. That keeps 500 cases light and leaves nothing to the browser but drawing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib import resources
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from harness.core.errors import MusterError
from harness.core.history import History
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome
from harness.report import charts
from harness.report.files import duration, stamp, text
from harness.report.kills import kill_matrix
from harness.report.model import Judged, deciding, figure, headline, judged, missing, why, worst_first
from harness.report.timeline import MOST_BARS, timeline

GLYPHS = {"pass": "✓", "violated": "✕", "unknown": "?", "not-supported": "–"}
WORDS = {"pass": "pass", "violated": "violated", "unknown": "unknown", "not-supported": "not supported"}
BUDGET = 2_200_000  # bytes of timelines in one page, so that 500 cases stay below 5 MB
BAR_BYTES = 56  # what one bar takes in JSON with its share of marks, measured

Histories = Callable[[CaseResult], History | None]


def page(run: RunResult, histories: Histories) -> str:
    """The whole page."""
    found = judged(run)
    ordered = worst_first(run.cases)
    shares = _shares(ordered)
    keys = {id(case): f"c{i}" for i, case in enumerate(ordered)}
    return _environment().get_template("index.html.j2").render(
        run=run,
        headline=headline(run),
        missing=missing(run),
        facts=_facts(run),
        implementations=[_implementation(one) for one in found],
        profiles=sorted({case.profile for case in run.cases}),
        groups=_groups(found, keys),
        cases=(_detail(case, keys[id(case)], histories, shares[case.outcome]) for case in ordered),
        counts={str(o): sum(case.outcome is o for case in run.cases) for o in Outcome},
        first_bad=next((keys[id(c)] for c in ordered if c.outcome is Outcome.VIOLATED), ""),
        charts=charts.charts(found),
        kills=kill_matrix(run.kills),
        many=len(ordered) > 80,
        environment=_flat(run.environment),
        css=Markup(_asset("report.css")),
        js=Markup(_asset("report.js")),
    )  # fmt: skip


def embed(data: Any) -> Markup:
    """JSON that may stand in a script element: no `<`, so neither `</script>` nor `<!--` can appear."""
    plain = json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=str)
    for character, escape in (("<", "\\u003c"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        plain = plain.replace(character, escape)
    return Markup(text(plain))


def _shares(cases: Iterable[CaseResult]) -> dict[Outcome, int]:
    """How many bars a case may draw: what is looked at closely gets more of the page's budget."""
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
    """The timeline, or the reason there is none: a broken history must not cost the reader the rest of the report."""
    if not case.history:
        return None, "No history was recorded for this case."
    try:
        history = histories(case)
    except (MusterError, ValueError, OSError) as error:
        return None, f"The history could not be read: {error}"
    if history is None:
        return None, f"The history {case.history} is not in the run folder."
    return timeline(history, case.verdicts, most_bars=most), ""


def _implementation(one: Judged) -> dict[str, Any]:
    who = one.implementation
    return {
        "judged": one,
        "integration": who.integration,
        "short": who.integration.partition("@")[0],
        "version": who.version or who.integration.partition("@")[2],
        "profiles": {profile.name: profile for profile in one.profiles},
    }


def _groups(found: Iterable[Judged], keys: dict[int, str]) -> list[dict[str, Any]]:
    """The matrix: folders, in each the cases, in each a cell per integration."""
    columns = list(found)
    by_case: dict[str, dict[str, CaseResult]] = {}
    for one in columns:
        for case in one.cases:
            by_case.setdefault(case.case, {})[case.integration] = case
    groups: dict[str, list[dict[str, Any]]] = {}
    for name in sorted(by_case):
        results = by_case[name]
        sample = next(iter(results.values()))
        cells = []
        for one in columns:
            result = results.get(one.implementation.integration)
            key = keys[id(result)] if result else ""
            cells.append({"on": one.implementation.integration, "result": result, "key": key})
        groups.setdefault(sample.folder, []).append({"case": sample, "title": titled(name), "cells": cells})
    return [{"folder": folder, "rows": groups[folder]} for folder in sorted(groups)]


def _facts(run: RunResult) -> list[tuple[str, str]]:
    versions = sorted({one.kubernetes for one in run.implementations if one.kubernetes})
    facts = [
        ("Run", run.name),
        ("Finished", stamp(run.finished or run.started).replace("T", " ").replace("Z", " UTC")),
        ("Took", duration(max(0.0, run.finished - run.started))),
        ("Kubernetes", ", ".join(versions)),
        ("Box", run.box),
        ("muster", run.muster),
    ]
    return [(name, value) for name, value in facts if value]


def titled(case: str) -> str:
    """`gang-that-fits` as a reader says it: `Gang that fits`."""
    words = case.replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]


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
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(glyphs=GLYPHS, words=WORDS)
    made.filters.update(link=lambda path: quote(text(path)), duration=duration, number=charts.number)
    return made
