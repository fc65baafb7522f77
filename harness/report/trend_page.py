"""trend.html and trend.json of a site: one part for each integration, with its cases, figures and flakes over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from importlib import resources

import jinja2
from markupsafe import Markup

from harness.core.files import as_json
from harness.core.measure.figures import figure_of
from harness.core.text import counted
from harness.core.verdict import LOOKS
from harness.report.numbers import number
from harness.report.svg import Axis, ChartLine, Picture, picture
from harness.report.trend import FIGURES, Trend, TrendEntry

FORMAT = "muster.trend/1"
MOST_SHOWN = 40  # outcomes of a case that are shown, the newest


def trend_json(trends: Sequence[Trend]) -> str:
    """All of it for programs."""
    return as_json({"format": FORMAT, "integrations": [trend.as_data() for trend in trends]})


def trend_page(trends: Sequence[Trend], pages: Sequence[tuple[str, str]], css: Markup) -> str:
    """The page for people."""
    source = resources.files("harness.report").joinpath("assets/trend.html.j2").read_text(encoding="utf-8")
    engine = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    engine.globals["glyphs"] = {str(outcome): look.glyph for outcome, look in LOOKS.items()}
    engine.filters.update(number=number, counted=counted)
    parts = [{"trend": trend, "pictures": pictures(trend)} for trend in trends]
    return engine.from_string(source).render(parts=parts, pages=pages, css=css, most=MOST_SHOWN)


def pictures(trend: Trend) -> list[Picture]:
    """Figures of measurements over time, a line for each load, and those of reports."""
    dates = [entry.date for entry in trend.entries] + [row[0] for row in trend.measured]
    if not dates:
        return []
    first = min(dates)
    axis = Axis(f"days since {first[:10]}", least=0)
    drawn = [_measured(trend, name, first, axis) for name in FIGURES]
    drawn += [
        _of_reports(trend, "Skew in the suite", "ms", lambda entry: entry.skew_ms, first, axis),
        _of_reports(trend, "Held in the suite", "GPU·s", lambda entry: entry.held_gpu_seconds, first, axis),
    ]
    return [chart for chart in drawn if chart is not None]


def _measured(trend: Trend, name: str, first: str, axis: Axis) -> Picture | None:
    loads = dict.fromkeys(row[2] for row in trend.measured)
    lines = [
        ChartLine(
            load,
            tuple((_days(first, row[0]), row[3][name]) for row in trend.measured if row[2] == load and name in row[3]),
        )
        for load in loads
    ]
    about = figure_of(name)
    return picture(about.title, about.about, lines, axis, Axis(about.unit, least=0), has_marks=True)


def _of_reports(
    trend: Trend, title: str, unit: str, read: Callable[[TrendEntry], float | None], first: str, axis: Axis
) -> Picture | None:
    names = dict.fromkeys(entry.integration for entry in trend.entries)
    lines = [
        ChartLine(
            name,
            tuple(
                (_days(first, entry.date), value)
                for entry in trend.entries
                if entry.integration == name and (value := read(entry)) is not None
            ),
        )
        for name in names
    ]
    return picture(title, "Over the cases of a report.", lines, axis, Axis(unit, least=0), has_marks=True)


def _days(first: str, date: str) -> float:
    begin, end = (datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (first, date))
    return round((end - begin).total_seconds() / 86400, 4)
