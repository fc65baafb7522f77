"""A static comparison site from many reports: one page per Kubernetes version, one table per profile, and trends.

It can be published as GitHub Pages. The input is archives of `muster report pack`, which the pages link to, report.yaml
files (run folders and results.json work too), and bench.json files of `muster bench`. What `muster report verify` or
`muster report check` refuses stops the build: a comparison with an edited report is worse than none. A report without
its histories is shown as "not verified".

Each profile of an integration is shown from one report. The newest report that has all cases of the profile counts; a
later one with fewer cases replaces it only if it is a failure and the whole one is none. So a later, smaller run never
hides a failure. A result that is more than two minors behind the newest, of Kubernetes or of its scheduler, is shown as
out of date. All reports together, old ones too, are drawn over time in trend.html.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from harness.core import text
from harness.core.catalogue.cases import Case
from harness.core.errors import UsageError
from harness.core.files import put
from harness.core.verdict import LOOKS
from harness.report import archive, pack, signature
from harness.report.badge import badge, endpoint
from harness.report.bench import is_bench, load_bench
from harness.report.conformance import dump, report
from harness.report.load import load_run
from harness.report.model import LEVELS, Result, counted
from harness.report.trend import entries_of, out_of_date, trends
from harness.report.trend_page import trend_json, trend_page
from harness.report.verify import checked, load_report

ENDINGS = {"evidence": archive.SUFFIX, "signature": f"{archive.SUFFIX}{signature.SUFFIX}"}


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One profile of one integration of one report."""

    data: Mapping[str, Any]  # an item of `implementations`
    profile: Mapping[str, Any]  # an item of its `profiles`
    date: str
    complete: bool
    verified: bool  # every row was compared with its history
    links: tuple[tuple[str, str], ...]  # word and file name on the site: the report, and its evidence if that is there
    is_current: bool = True  # not more than two minors behind the newest

    @property
    def integration(self) -> str:
        return str(self.data["integration"])

    @property
    def project(self) -> str:
        return self.integration.partition("@")[0]

    @property
    def version(self) -> str:
        """Of the integration."""
        return self.integration.partition("@")[2]

    @property
    def kubernetes(self) -> str:
        return str(self.data["kubernetes"]) or "unknown"

    @property
    def minor(self) -> str:
        return ".".join(self.kubernetes.lstrip("v").split(".")[:2])

    @property
    def name(self) -> str:
        return str(self.profile["name"])

    @property
    def whole(self) -> bool:
        """Every case of the profile is in the report."""
        levels = [self.profile[level] for level in LEVELS if level in self.profile]
        return self.complete and all(sum(level["statistics"].values()) == level["total"] for level in levels)

    @property
    def badness(self) -> int:
        return Result(self.profile["result"]).badness

    @property
    def failed(self) -> bool:
        return Result(self.profile["result"]) is Result.FAILURE

    def level(self, name: str) -> str:
        """What of a level of the profile passed, in words."""
        level = self.profile.get(name)
        if level is None:
            return ""
        ran = sum(level["statistics"].values())
        numbers = counted(level["statistics"])
        return numbers if ran == level["total"] else f"{ran} of {level['total'] or '?'} cases ran: {numbers}"

    @property
    def outcomes(self) -> dict[str, str]:
        """The outcome of each case of the profile."""
        return {case["case"]: case["outcome"] for case in self.data["cases"] if case["profile"] == self.name}


@dataclass(frozen=True, slots=True)
class PublishedReport:
    """A report that was given, and the files that the site has of it."""

    data: Mapping[str, Any]
    verified: bool
    place: str  # path on the site, without an ending
    copies: Mapping[str, Path]  # word -> a file that is published as it was given

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        copies = {word: f"{self.place}{ENDINGS[word]}" for word in self.copies}
        return (("report", f"{self.place}.yaml"), *copies.items())

    def put(self, folder: Path) -> list[Path]:
        written = [put(folder / f"{self.place}.yaml", dump(self.data))]
        for word, path in self.copies.items():
            target = folder / f"{self.place}{ENDINGS[word]}"
            shutil.copyfile(path, target)
            written.append(target)
        return written


def build_site(folder: Path, reports: Sequence[Path], catalogue: Sequence[Case] = ()) -> list[Path]:
    """Write the site; returns the files."""
    if not reports:
        raise UsageError("no reports were given", hint="muster site DIR report.yaml ...")
    benches = [load_bench(path) for path in reports if is_bench(path)]
    reports = [path for path in reports if not is_bench(path)]
    sources = [_load(path, f"reports/{number}", catalogue) for number, path in enumerate(reports)]
    entries = dated(newest(entry for source in sources for entry in _entries(source)))
    if not entries and not benches:
        raise UsageError("the reports have no implementations", hint="Give report.yaml files of finished runs.")
    _check_slugs(entries)
    written = [file for source in sources for file in source.put(folder)]
    versions = sorted({entry.minor for entry in entries}, key=_version, reverse=True)
    pages = [(version, f"{_slug(version)}.html") for version in versions]
    written += [file for entry in entries for file in _put_badges(folder, entry)]
    over_time = trends((item for source in sources for item in entries_of(source.data)), benches)
    links = [*pages, ("over time", "trend.html")]
    written.append(put(folder / "trend.html", trend_page(over_time, links, _css())))
    written.append(put(folder / "trend.json", trend_json(over_time)))
    template = _template()
    for place, (version, name) in enumerate(pages):
        rows = [entry for entry in entries if entry.minor == version]
        html = template.render(version=version, pages=links, profiles=_tables(rows), path=badge_path, css=_css())
        written.append(put(folder / name, html))
        if place == 0:
            written.append(put(folder / "index.html", html))
    if not pages:
        written.append(put(folder / "index.html", (folder / "trend.html").read_text(encoding="utf-8")))
    return written


def _put_badges(folder: Path, entry: PublishedResult) -> list[Path]:
    """The picture and, for shields.io, the data."""
    path, result = folder / badge_path(entry), entry.profile["result"]
    return [
        put(path, badge(entry.name, result, is_current=entry.is_current)),
        put(path.with_suffix(".json"), endpoint(entry.name, result, is_current=entry.is_current)),
    ]


def dated(entries: Sequence[PublishedResult]) -> list[PublishedResult]:
    """The same entries, each of which knows whether it is out of date."""
    minors = [entry.kubernetes for entry in entries]
    versions: dict[str, list[str]] = {}
    for entry in entries:
        versions.setdefault(entry.project, []).append(entry.version)
    return [
        replace(
            entry,
            is_current=not out_of_date(entry.kubernetes, minors)
            and not out_of_date(entry.version, versions[entry.project]),
        )
        for entry in entries
    ]


def newest(entries: Iterable[PublishedResult]) -> list[PublishedResult]:
    """One entry per integration, Kubernetes version and profile, by the rule at the top of this module."""
    groups: dict[tuple[str, str, str], list[PublishedResult]] = {}
    for entry in entries:
        groups.setdefault((entry.integration, entry.kubernetes, entry.name), []).append(entry)
    return [_newest_of(groups[key]) for key in sorted(groups)]


def _newest_of(entries: Sequence[PublishedResult]) -> PublishedResult:
    by_date = sorted(entries, key=lambda entry: entry.date)
    whole = [entry for entry in by_date if entry.whole]
    if not whole:
        return max(by_date, key=lambda entry: (entry.badness, entry.date))
    later = [entry for entry in by_date if entry.date > whole[-1].date and entry.failed and not whole[-1].failed]
    return later[-1] if later else whole[-1]


def badge_path(entry: PublishedResult) -> str:
    """The path of the badge of the profile, relative to the site."""
    return f"badges/{_slug(entry.kubernetes)}/{_slug(entry.integration)}/{_slug(entry.name)}.svg"


def _check_slugs(entries: Iterable[PublishedResult]) -> None:
    """UsageError if two results would be written to one badge."""
    paths: dict[str, PublishedResult] = {}
    for entry in entries:
        other = paths.setdefault(badge_path(entry).lower(), entry)
        if other is not entry:
            names = [f"{e.integration!r} on {e.kubernetes!r} ({e.name!r})" for e in (other, entry)]
            raise UsageError(
                f"{names[0]} and {names[1]} have the same file name on the site", hint="Rename one of the two."
            )


def _tables(entries: Sequence[PublishedResult]) -> list[dict[str, Any]]:
    tables = []
    for name in sorted({entry.name for entry in entries}):
        rows = sorted((entry for entry in entries if entry.name == name), key=lambda entry: entry.integration)
        cases = sorted({case for entry in rows for case in entry.outcomes})
        tables.append({"name": name, "slug": _slug(name), "cases": cases, "rows": rows})
    return tables


def _load(path: Path, place: str, catalogue: Sequence[Case]) -> PublishedReport:
    """The report at this path; UsageError if `muster report verify` or `check` would refuse it."""
    if path.name.endswith(archive.SUFFIX):
        evidence = pack.verify(path, catalogue)
        _refuse(path, evidence.problems, "verify")
        signed = {"signature": signature.beside(path)} if signature.beside(path).is_file() else {}
        return PublishedReport(evidence.report, True, place, {"evidence": path, **signed})
    is_run = path.suffix == ".json" or (path.is_dir() and not (path / "report.yaml").exists())
    data = report(load_run(path)) if is_run else load_report(path)
    result = checked(data, path if path.is_dir() else path.parent, catalogue)
    _refuse(path, result.problems, "check")
    return PublishedReport(data, result.verified, place, {})


def _refuse(path: Path, problems: Sequence[str], command: str) -> None:
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        hint = f"see all with: muster report {command} {path}"
        raise UsageError(f"{path} is not sound: {problems[0]}{more}", hint=hint)


def _entries(source: PublishedReport) -> list[PublishedResult]:
    data, complete = source.data, bool(source.data["run"]["complete"])
    return [
        PublishedResult(implementation, profile, data["date"], complete, source.verified, source.links)
        for implementation in data["implementations"]
        for profile in implementation["profiles"]
    ]


def _slug(name: str) -> str:
    """A readable file name that is valid everywhere; never empty, never a path."""
    return re.sub(r"[^A-Za-z0-9.@_-]+", "-", name).strip(".-") or "unnamed"


def _version(name: str) -> tuple[tuple[int, int | str], ...]:
    return tuple((1, int(part)) if part.isdigit() else (0, part) for part in name.split("."))


def _css() -> Markup:
    return Markup(resources.files("harness.report").joinpath("assets/report.css").read_text(encoding="utf-8"))


def _template() -> jinja2.Template:
    source = resources.files("harness.report").joinpath("assets/site.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["glyphs"] = {str(outcome): look.glyph for outcome, look in LOOKS.items()}
    environment.filters["counted"] = text.counted
    return environment.from_string(source)
