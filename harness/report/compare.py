"""Two runs side by side: is the upgrade safe, is the other scheduler better, did the fix fix it?

Cases are matched by id. Where both runs have the same integrations each is compared with itself; where each run has
exactly one and they differ (two versions, two schedulers) they are compared with one another; otherwise integrations
are matched by the name before `@`, if that is unambiguous on both sides. Figures count as changed when they move by
more than a fifth and by more than noise, since no two runs measure the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources

import jinja2
from markupsafe import Markup

from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome
from harness.report.charts import number
from harness.report.markdown import cell
from harness.report.model import figure, missing, why

NOISE = {"skew_ms": 5.0, "held_gpu_seconds": 0.5}  # smaller moves are the machine, not the scheduler
UNITS = {"skew_ms": ("skew", "ms"), "held_gpu_seconds": ("held", "GPU·s")}
SHARE = 0.2
# what counts as going down: pass is best; losing support is worse than pass but no violation
_RANK = {Outcome.PASS: 0, Outcome.NOT_SUPPORTED: 1, Outcome.UNKNOWN: 2, Outcome.VIOLATED: 3}
TITLES = {"worse": "Worse", "better": "Better", "gone": "Gone", "new": "New", "figures": "Figures changed"}


@dataclass(frozen=True, slots=True)
class Change:
    """One case that is not as it was."""

    kind: str  # worse, better, gone, new, figures
    case: str
    on: str
    before: str
    after: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that changed from one run to the other."""

    before: RunResult
    after: RunResult
    changes: tuple[Change, ...]
    same: int

    def of(self, kind: str) -> list[Change]:
        return [change for change in self.changes if change.kind == kind]

    @property
    def headline(self) -> str:
        counted = [f"{len(self.of(kind))} {title.lower()}" for kind, title in TITLES.items() if self.of(kind)]
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
        found = _change(key, old.get(key), new.get(key))
        changes += found
        same += not found
    order = list(TITLES)
    return Comparison(before, after, tuple(sorted(changes, key=lambda c: (order.index(c.kind), c.on, c.case))), same)


def as_text(comparison: Comparison) -> str:
    """For a terminal."""
    lines = [f"{comparison.before.name} -> {comparison.after.name}: {comparison.headline}", *comparison.warnings]
    for kind, title in TITLES.items():
        if comparison.of(kind):
            lines += ["", f"{title}:"]
        for change in comparison.of(kind):
            lines.append(f"  {change.case} on {change.on}: {change.before} -> {change.after}")
            lines += [f"      {change.detail}"] if change.detail else []
    return "\n".join(lines) + "\n"


def as_markdown(comparison: Comparison) -> str:
    """For a pull request."""
    names = f"{cell(comparison.before.name)} → {cell(comparison.after.name)}"
    lines = [f"## {names}", "", f"{cell(comparison.headline)}.", ""]
    lines += [f"> {cell(warning)}\n" for warning in comparison.warnings]
    for kind, title in TITLES.items():
        found = comparison.of(kind)
        if found:
            lines += [f"### {title}", "", "| case | integration | before | after | |", "| --- " * 5 + "|"]
            lines += ["| " + " | ".join(map(cell, (c.case, c.on, c.before, c.after, c.detail))) + " |" for c in found]
            lines.append("")
    return "\n".join(lines)


def as_html(comparison: Comparison) -> str:
    """One self-contained page in the clothes of index.html."""
    assets = resources.files("harness.report").joinpath("assets")
    engine = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    css = Markup(assets.joinpath("report.css").read_text(encoding="utf-8"))
    source = assets.joinpath("compare.html.j2").read_text(encoding="utf-8")
    return engine.from_string(source).render(c=comparison, titles=TITLES, css=css)


def _change(key: tuple[str, str], old: CaseResult | None, new: CaseResult | None) -> list[Change]:
    on, case = key
    if old is None and new is not None:
        return [Change("new", case, on, "", str(new.outcome), why(new) if not _fine(new) else "")]
    if new is None and old is not None:
        return [Change("gone", case, on, str(old.outcome), "")]
    assert old is not None and new is not None
    if old.outcome is not new.outcome:
        kind = "worse" if _RANK[new.outcome] > _RANK[old.outcome] else "better"
        return [
            Change(
                kind, case, on, str(old.outcome), str(new.outcome), why(new) if kind == "worse" else f"was: {why(old)}"
            )
        ]
    return list(_figures(case, on, old, new))


def _figures(case: str, on: str, old: CaseResult, new: CaseResult) -> Iterable[Change]:
    for key, (name, unit) in UNITS.items():
        before, after = figure(old, key), figure(new, key)
        if before is None or after is None or abs(after - before) <= max(NOISE[key], SHARE * abs(before)):
            continue
        word = "less" if after < before else "more"
        times = f", {after / before:.1f}×" if before else ""
        was, now = f"{name} {number(before)} {unit}", f"{number(after)} {unit}"
        yield Change("figures", case, on, was, now, f"{word}{times}")


def _pairs(old: list[str], new: list[str]) -> dict[str, str]:
    """Old integration -> the new one it is compared with."""
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


def _fine(case: CaseResult) -> bool:
    return case.outcome in (Outcome.PASS, Outcome.NOT_SUPPORTED)
