"""Compare two runs: is an upgrade safe, is another scheduler better, did a fix work?

Cases are matched by id. Where both runs have the same integrations each is compared with itself; where each run has
exactly one and they differ (two versions, two schedulers) they are compared with one another; otherwise integrations
are matched by the name before `@`, if that is unambiguous on both sides.

A run got worse when a verdict did, when a new case is bad, and when a case that was judged is gone: a gate that lets a
violation pass because its case is new, or no longer runs, is none. Figures never make a run worse. They count as moved
when they change by more than a fifth and by more than noise, and are shown when asked for: two runs never measure
exactly the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome
from harness.report.markdown import cell
from harness.report.model import figure, missing, why
from harness.report.numbers import number

NOISE = {"skew_ms": 5.0, "held_gpu_seconds": 0.5}  # smaller changes come from the machine, not from the scheduler
UNITS = {"skew_ms": ("skew", "ms"), "held_gpu_seconds": ("held", "GPU·s")}
SHARE = 0.2
# from best to worst: a case that is no longer supported is worse than a pass, but it is no violation
_RANK = {Outcome.PASS: 0, Outcome.NOT_SUPPORTED: 1, Outcome.UNKNOWN: 2, Outcome.VIOLATED: 3}
FIGURES = "figures"
TITLES = {"worse": "Worse", "better": "Better", "gone": "Gone", "new": "New", FIGURES: "Figures changed"}


@dataclass(frozen=True, slots=True)
class Change:
    """One case that changed."""

    direction: str  # worse, better, gone, new, figures
    case: str
    on: str
    before: str
    after: str
    detail: str = ""
    strength: str = ""  # of the case: MUST, SHOULD, MAY or OBSERVE
    is_worse: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that changed from one run to the other."""

    before: RunResult
    after: RunResult
    changes: tuple[Change, ...]
    same: int

    def of(self, direction: str) -> list[Change]:
        return [change for change in self.changes if change.direction == direction]

    @property
    def worse(self) -> list[Change]:
        """Worse verdicts, new cases that are bad, and cases that were judged and are gone."""
        return [change for change in self.changes if change.is_worse]

    @property
    def names(self) -> tuple[str, str]:
        """Both runs, with what was judged in them."""
        before, after = (
            f"{run.name} ({', '.join(i.integration for i in run.implementations)})" for run in (self.before, self.after)
        )
        return before, after

    @property
    def headline(self) -> str:
        counted = [
            f"{len(self.of(direction))} {title.lower()}"
            for direction, title in TITLES.items()
            if direction != FIGURES and self.of(direction)
        ]
        return f"{', '.join(counted)}; {self.same} the same" if counted else f"nothing changed in {self.same} cases"

    @property
    def warnings(self) -> list[str]:
        return [f"{run.name}: {missing(run)}" for run in (self.before, self.after) if missing(run)]


def compare(before: RunResult, after: RunResult) -> Comparison:
    """What changed from `before` to `after`."""
    pairs = _pairs(_integrations(before.cases), _integrations(after.cases))
    old = {(pairs.get(c.integration, c.integration), c.case): c for c in before.cases}
    new = {(c.integration, c.case): c for c in after.cases}
    changes: list[Change] = []
    same = 0
    for key in sorted(old.keys() | new.keys()):
        differences = _change(key, old.get(key), new.get(key))
        changes += differences
        same += all(change.direction == FIGURES for change in differences)
    order = list(TITLES)
    changes.sort(key=lambda change: (order.index(change.direction), change.on, change.case))
    return Comparison(before, after, tuple(changes), same)


def as_text(comparison: Comparison, figures: bool = False) -> str:
    """For a terminal; one line if nothing changed."""
    lines = [f"{' -> '.join(comparison.names)}: {comparison.headline}", *comparison.warnings]
    for direction, title in TITLES.items():
        if direction == FIGURES and not figures:
            continue
        if comparison.of(direction):
            lines += ["", f"{title}:"]
        for change in comparison.of(direction):
            verdicts = f"{change.before or 'was not there'} -> {change.after or 'is gone'}"
            lines.append(f"  {change.strength:<7} {change.case} on {change.on}: {verdicts}")
            lines += [f"      {change.detail}"] if change.detail else []
    return "\n".join(lines) + "\n"


def as_data(comparison: Comparison) -> dict[str, Any]:
    """For a program."""
    before, after = comparison.names
    counts = {direction: len(comparison.of(direction)) for direction in TITLES}
    changes = [asdict(change) for change in comparison.changes]
    return {"before": before, "after": after, "worse": len(comparison.worse), "counts": counts, "changes": changes}


def as_markdown(comparison: Comparison) -> str:
    """For a pull request."""
    names = " → ".join(map(cell, comparison.names))
    lines = [f"## {names}", "", f"{cell(comparison.headline)}.", ""]
    lines += [f"> {cell(warning)}\n" for warning in comparison.warnings]
    for direction, title in TITLES.items():
        changes = comparison.of(direction)
        if changes:
            lines += [f"### {title}", "", "| case | integration | before | after | |", "| --- " * 5 + "|"]
            lines += ["| " + " | ".join(map(cell, (c.case, c.on, c.before, c.after, c.detail))) + " |" for c in changes]
            lines.append("")
    return "\n".join(lines)


def as_html(comparison: Comparison) -> str:
    """One self-contained page in the style of index.html."""
    assets = resources.files("harness.report").joinpath("assets")
    engine = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    css = Markup(assets.joinpath("report.css").read_text(encoding="utf-8"))
    source = assets.joinpath("compare.html.j2").read_text(encoding="utf-8")
    return engine.from_string(source).render(c=comparison, titles=TITLES, css=css)


def _change(key: tuple[str, str], old: CaseResult | None, new: CaseResult | None) -> list[Change]:
    on, case = key
    if old is None and new is not None:
        bad = new.outcome.is_bad
        return [Change("new", case, on, "", str(new.outcome), why(new) if bad else "", new.strength, bad)]
    if new is None and old is not None:
        judged = old.outcome is not Outcome.NOT_SUPPORTED
        return [Change("gone", case, on, str(old.outcome), "", "", old.strength, judged)]
    assert old is not None and new is not None
    if old.outcome is not new.outcome:
        worse = _RANK[new.outcome] > _RANK[old.outcome]
        detail = why(new) if worse else f"was: {why(old)}"
        direction = "worse" if worse else "better"
        return [Change(direction, case, on, str(old.outcome), str(new.outcome), detail, new.strength, worse)]
    return list(_figures(case, on, old, new))


def _figures(case: str, on: str, old: CaseResult, new: CaseResult) -> Iterable[Change]:
    for key, (name, unit) in UNITS.items():
        before, after = figure(old, key), figure(new, key)
        if before is None or after is None or abs(after - before) <= max(NOISE[key], SHARE * abs(before)):
            continue
        sense = "less" if after < before else "more"
        times = f", {after / before:.1f}×" if before else ""
        was, now = f"{name} {number(before)} {unit}", f"{number(after)} {unit}"
        yield Change(FIGURES, case, on, was, now, f"{sense}{times}", new.strength)


def _pairs(old: list[str], new: list[str]) -> dict[str, str]:
    """For each old integration the new integration that it is compared with."""
    pairs = {name: name for name in old if name in new}
    rest_old, rest_new = [n for n in old if n not in pairs], [n for n in new if n not in pairs]
    if len(old) == len(new) == 1:
        return {old[0]: new[0]}
    for name in rest_old:
        project = name.partition("@")[0]
        there = [n for n in rest_new if n.partition("@")[0] == project]
        if len(there) == 1 and sum(n.partition("@")[0] == project for n in rest_old) == 1:
            pairs[name] = there[0]
    return pairs


def _integrations(cases: Iterable[CaseResult]) -> list[str]:
    return sorted({case.integration for case in cases})
