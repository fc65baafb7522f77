"""A static comparison site from many reports: one page per Kubernetes version, one table per profile.

For publishing as GitHub Pages. Input is what vendors publish: report.yaml files (run folders and results.json work as
well). Where several reports judge the same integration on the same Kubernetes, the newest complete one counts. Reports
that do not validate stop the build: a comparison with an edited report in it is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from harness.core.errors import UsageError
from harness.report.badge import badge
from harness.report.conformance import dump, report
from harness.report.files import put
from harness.report.load import load_run
from harness.report.model import counted
from harness.report.verify import load_report, problems


@dataclass(frozen=True, slots=True)
class Entry:
    """One integration of one report."""

    data: Mapping[str, Any]  # an item of `implementations`
    date: str
    complete: bool
    source: str  # file name of the report on the site
    muster: str

    @property
    def integration(self) -> str:
        return str(self.data["integration"])

    @property
    def kubernetes(self) -> str:
        return str(self.data["kubernetes"]) or "unknown"

    @property
    def minor(self) -> str:
        return ".".join(self.kubernetes.lstrip("v").split(".")[:2])

    def profile(self, name: str) -> Mapping[str, Any] | None:
        return next((p for p in self.data["profiles"] if p["name"] == name), None)


def build_site(folder: Path, reports: Sequence[Path]) -> list[Path]:
    """Write the site; the list of what was written."""
    if not reports:
        raise UsageError("no reports were given", hint="muster site DIR report.yaml ...")
    loaded = [_load(path) for path in reports]
    entries = newest(entry for number, data in enumerate(loaded) for entry in _entries(data, f"reports/{number}.yaml"))
    if not entries:
        raise UsageError("the reports have no implementations in them")
    written = [put(folder / f"reports/{number}.yaml", dump(data)) for number, data in enumerate(loaded)]
    versions = sorted({entry.minor for entry in entries}, key=_version, reverse=True)
    pages = [(version, f"{_slug(version)}.html") for version in versions]
    for entry in entries:
        for profile in entry.data["profiles"]:
            image = badge(profile["name"], profile["result"])
            written.append(put(folder / badge_path(entry, profile["name"]), image))
    template = _template()
    for place, (version, name) in enumerate(pages):
        own = sorted((entry for entry in entries if entry.minor == version), key=lambda e: e.integration)
        html = template.render(version=version, pages=pages, profiles=_tables(own), path=badge_path, css=_css())
        written.append(put(folder / name, html))
        if place == 0:
            written.append(put(folder / "index.html", html))
    return written


def newest(entries: Iterable[Entry]) -> list[Entry]:
    """One entry per integration and Kubernetes version: complete before cut off, then the latest."""
    best: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        key = (entry.integration, entry.kubernetes)
        if key not in best or (entry.complete, entry.date) >= (best[key].complete, best[key].date):
            best[key] = entry
    return [best[key] for key in sorted(best)]


def badge_path(entry: Entry, profile: str) -> str:
    """Where the badge of the profile lies, relative to the site."""
    return f"badges/{_slug(entry.kubernetes)}/{_slug(entry.integration)}/{_slug(profile)}.svg"


def _tables(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    names = sorted({profile["name"] for entry in entries for profile in entry.data["profiles"]})
    return [
        {
            "name": name,
            "slug": _slug(name),
            "cases": sorted({c["case"] for e in entries for c in e.data["cases"] if c["profile"] == name}),
            "rows": [
                {
                    "entry": entry,
                    "profile": profile,
                    "core": counted(profile["core"]["statistics"]) if "core" in profile else "",
                    "extended": counted(profile["extended"]["statistics"]) if "extended" in profile else "",
                    "outcomes": {c["case"]: c["outcome"] for c in entry.data["cases"] if c["profile"] == name},
                }
                for entry in entries
                if (profile := entry.profile(name)) is not None
            ],
        }
        for name in names
    ]


def _load(path: Path) -> dict[str, Any]:
    is_run = path.suffix == ".json" or (path.is_dir() and not (path / "report.yaml").exists())
    data = report(load_run(path)) if is_run else load_report(path)
    found = problems(data)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise UsageError(f"{path} is not sound: {found[0]}{more}", hint=f"see all with: muster report check {path}")
    return data


def _entries(data: Mapping[str, Any], source: str) -> list[Entry]:
    return [
        Entry(one, data["date"], bool(data["run"]["complete"]), source, data["musterVersion"])
        for one in data["implementations"]
    ]


def _slug(name: str) -> str:
    """A file name that is safe everywhere and still readable; never empty, never a path."""
    return re.sub(r"[^A-Za-z0-9.@_-]+", "-", name).strip(".-") or "unnamed"


def _version(name: str) -> tuple[tuple[int, int | str], ...]:
    return tuple((1, int(part)) if part.isdigit() else (0, part) for part in name.split("."))


def _css() -> Markup:
    return Markup(resources.files("harness.report").joinpath("assets/report.css").read_text(encoding="utf-8"))


def _template() -> jinja2.Template:
    source = resources.files("harness.report").joinpath("assets/site.html.j2").read_text(encoding="utf-8")
    made = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals["glyphs"] = {"pass": "✓", "violated": "✕", "unknown": "?", "not-supported": "–"}
    return made.from_string(source)
