"""The page of a measurement, trends over many, and parts that are put together."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from harness import report
from harness.core.catalogue.selection import Selection
from harness.core.errors import UsageError
from harness.core.results import RunResult
from harness.core.shard import parse_shard
from harness.core.verdict import Outcome
from harness.report.bench import is_bench, load_bench, page, pictures, write_bench
from harness.report.merge import merge, merged_bench, merged_run
from harness.report.site import build_site
from harness.report.trend import TrendEntry, out_of_date, trends
from harness.report.verify import check

from .bench_sample import NATIVE, OTHER, bench_run
from .sample import judged_run, sample_catalogue, sample_run


def test_the_page_shows_figures_ratios_and_verdicts_beside_each_other() -> None:
    html = page(bench_run())
    assert "volcano 1.14.1 violated a law under load." in html
    assert "stood at 2 of 4 members" in html
    assert "0.5 ×" in html and "2 ×" in html, "ratios to the baseline"
    assert "slope 1.00" in html, "latency grows with the nodes"
    assert "&lt;preemption&gt;" in html
    assert not re.search(r"(src|href)=\"(?!#|history/)", html), "nothing is fetched"


def test_every_picture_is_drawn() -> None:
    titles = [chart.title for chart in pictures(bench_run())]
    assert titles[:2] == ["Gang latency, nodes 100", "GPUs in use, nodes 100"]
    assert "Gang latency, p50 by nodes" in titles
    for chart in pictures(bench_run()):
        assert "NaN" not in chart.svg and "inf" not in chart.svg
        assert 'role="img"' in chart.svg and len(chart.legend) == 2


def test_a_measurement_without_samples_has_a_page() -> None:
    html = page(bench_run(samples=(), interrupted=True))
    assert "Nothing was measured." in html
    assert "stopped after 0 of 18 samples" in html


def test_it_is_written_and_loaded(tmp_path: Path) -> None:
    write_bench(bench_run(), tmp_path)
    assert is_bench(tmp_path) and is_bench(tmp_path / "bench.json")
    assert load_bench(tmp_path) == bench_run()
    (tmp_path / "bench.json").write_text('{"format": "muster.bench/1", "samples": 7}')
    with pytest.raises(UsageError, match="is no measurement"):
        load_bench(tmp_path)


# -- trends -----------------------------------------------------------------------------------------------------------


def entry(day: int, version: str = "1.14.1", **outcomes: str) -> TrendEntry:
    return TrendEntry(f"volcano@{version}", "1.37.1", f"2026-09-{day:02}T00:00:00Z", outcomes, 10.0 * day, None)


def test_streaks_and_flakes_follow_from_the_reports() -> None:
    entries = [
        entry(1, a="pass", b="pass"),
        entry(2, a="pass", b="violated"),
        entry(3, a="pass", b="pass"),
        entry(4, "1.15.0", a="violated", b="pass"),
    ]
    (trend,) = trends(reversed(entries))
    cases = {case.case: case for case in trend.cases}
    assert (cases["a"].streak, cases["a"].latest, cases["a"].flakes, cases["a"].compared) == (1, "violated", 0, 2)
    assert (cases["b"].streak, cases["b"].latest, cases["b"].flakes, cases["b"].compared) == (2, "pass", 2, 2)
    assert trend.flake_rate == 0.5
    assert [case.case for case in trend.cases] == ["b", "a"], "what flakes comes first"


@pytest.mark.parametrize(
    ("version", "newest", "old"),
    [
        ("1.35.4", ["1.37.1", "1.35.4"], False),
        ("1.34.0", ["1.37.1"], True),
        ("1.37.1", ["1.37.1"], False),
        ("1.9.0", ["2.0.0"], True),
        ("given", ["1.37.1"], False),
        ("1.2", [], False),
    ],
)
def test_more_than_two_minors_behind_is_out_of_date(version: str, newest: list[str], old: bool) -> None:
    assert out_of_date(version, newest) is old


def test_a_site_has_trends_badges_and_what_is_out_of_date(tmp_path: Path) -> None:
    old = sample_run(
        cases=tuple(replace(case, kubernetes="1.33.2") for case in sample_run().cases),
        implementations=tuple(replace(i, kubernetes="1.33.2") for i in sample_run().implementations),
    )
    for name, run in (("new", sample_run()), ("old", old)):
        (tmp_path / f"{name}.json").write_text(json.dumps(run.as_data()))
    write_bench(bench_run(), tmp_path / "bench")
    build_site(tmp_path / "site", [tmp_path / "new.json", tmp_path / "old.json", tmp_path / "bench"])
    site = tmp_path / "site"
    assert "out of date" in (site / "1.33.html").read_text()
    assert "out of date</span>" not in (site / "1.37.html").read_text()
    html = (site / "trend.html").read_text()
    assert "Gang latency, p99" in html and "Flake rate" in html
    data = json.loads((site / "trend.json").read_text())
    volcano = next(item for item in data["integrations"] if item["integration"] == "volcano")
    assert len(volcano["benches"]) == 3 and len(volcano["reports"]) == 2
    shields = json.loads((site / "badges/1.37.1/volcano@1.14.1/GANG-CORE.json").read_text())
    assert shields["schemaVersion"] == 1 and shields["label"] == "GANG-CORE" and shields["message"]
    stale = json.loads((site / "badges/1.33.2/volcano@1.14.1/GANG-CORE.json").read_text())
    assert stale["message"].endswith("out of date")


def test_a_site_of_measurements_alone(tmp_path: Path) -> None:
    write_bench(bench_run(), tmp_path / "bench")
    build_site(tmp_path / "site", [tmp_path / "bench"])
    assert "Gang scheduling over time" in (tmp_path / "site/index.html").read_text()


# -- parts ------------------------------------------------------------------------------------------------------------


def part(run: RunResult, shard: str) -> RunResult:
    cases = tuple(case for case in run.cases if parse_shard(shard).has_name(case.case))
    return replace(run, cases=cases, planned=len(cases), selection=replace(run.selection, shard=shard))


def test_parts_of_a_run_make_the_whole(tmp_path: Path) -> None:
    whole = judged_run(tmp_path / "whole")
    for number in (1, 2, 3):
        folder = tmp_path / str(number)
        run = part(judged_run(folder), f"{number}/3")
        for path in folder.rglob("*.zst"):
            if str(path.relative_to(folder)) not in {case.history for case in run.cases}:
                path.unlink()
        report.write(run, folder)
    merged = merge([tmp_path / name for name in "123"], lambda: tmp_path / "merged")
    again = report.load_run(merged)
    key = [
        (case.integration, case.case) for case in sorted(whole.cases, key=lambda c: (c.folder, c.case, c.integration))
    ]
    assert [(case.integration, case.case) for case in again.cases] == key
    assert (again.planned, again.selection.shard) == (len(whole.cases), "")
    result = check(merged / "report.yaml", sample_catalogue())
    assert result.problems == () and result.judged > 0
    alone = check(tmp_path / "2" / "report.yaml", sample_catalogue())
    assert alone.problems == ()


def test_parts_that_do_not_fit_together_are_refused() -> None:
    run = sample_run()
    first, two = part(run, "1/2"), part(run, "2/2")
    names = ["a", "b"]
    for runs, message in (
        ([first, first], "missing: 2/2; twice: 1/2"),
        ([first, part(run, "2/3")], "parts of 2 and of 3"),
        ([first, replace(two, muster="9")], "differ in their version of muster"),
        ([first, replace(two, selection=replace(two.selection, profile="core"))], "differ in their selection"),
        ([first, run], "b is a whole run"),
        ([replace(first, cases=run.cases), two], "in more than one part"),
    ):
        with pytest.raises(UsageError, match=message):
            merged_run(runs, names)
    other = replace(run.implementations[0], artifacts=({"component": "x", "process": "y", "sha256": "z"},))
    with pytest.raises(UsageError, match="judged other programs"):
        merged_run([first, replace(two, implementations=(other, *run.implementations[1:]))], names)


def test_parts_of_a_measurement_make_the_whole() -> None:
    run = bench_run()
    parts = [
        replace(run, samples=run.samples[n::2], planned=len(run.samples[n::2]), shard=f"{n + 1}/2") for n in (0, 1)
    ]
    merged = merged_bench(parts, ["a", "b"])
    assert len(merged.samples) == len(run.samples)
    assert (merged.shard, merged.planned, merged.integrations) == ("", 18, (NATIVE, OTHER))
    with pytest.raises(UsageError, match="differ in their load"):
        merged_bench([parts[0], replace(parts[1], parameters={"shape": "huge"})], ["a", "b"])


def test_the_parts_of_a_selection_are_all_of_it() -> None:
    catalogue = sample_catalogue()
    for count in (1, 2, 5):
        selections = [Selection(shard=f"{n}/{count}" if count > 1 else "") for n in range(1, count + 1)]
        ids = [case.id for selection in selections for case in catalogue if selection.selects(case)]
        assert sorted(ids) == sorted(case.id for case in catalogue)


def test_outcome_of_a_measurement_is_its_worst() -> None:
    assert bench_run().outcome is Outcome.VIOLATED
