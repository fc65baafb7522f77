"""index.html in a real browser: no errors, filters, jumps, keyboard, phone, light and dark.

Chromium comes from the distribution (`apt-get install chromium`) or from MUSTER_CHROMIUM; nothing is downloaded.
Screenshots are kept under MUSTER_SCREENSHOTS if that is set, else in pytest's temporary folder.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import report
from harness.report.bench import write_bench
from harness.report.site import build_site

from .bench_sample import bench_run
from .hostile import hostile_history, hostile_run
from .sample import large_history, large_run, run_of_coscheduling, sample_run

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install -e '.[dev]'")
CHROMIUM = os.environ.get("MUSTER_CHROMIUM") or shutil.which("chromium")
QUIET = ("background-networking", "component-update", "sync", "gpu")
ARGS = ["--headless", "--no-sandbox", "--no-first-run", *(f"--disable-{what}" for what in QUIET)]
KILLED = "scheduler-killed-between-two-binds-leaves-no-partial-gang"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")

Open = Callable[..., Any]
expect = playwright.expect  # asks again until it holds: a page draws an open case, and fills a list, a moment later


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = Path(os.environ.get("MUSTER_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    place.mkdir(parents=True, exist_ok=True)
    return place


@pytest.fixture
def visit(browser: Any, folder: Path) -> Iterator[Open]:
    """Opens a page and, at the end of the test, insists that nothing complained and nothing was fetched."""
    pages: list[Any] = []
    complaints: list[str] = []

    def opened(path: Path | None = None, hash: str = "", width: int = 1280, scheme: str = "light") -> Any:
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(("file:", "data:")) else complaints.append(r.url))
        page.goto((path or folder / "index.html").as_uri() + hash)
        pages.append(page)
        return page

    yield opened
    for page in pages:
        page.close()
    assert complaints == []


def cards(page: Any) -> list[str]:
    shown = "Array.from(document.querySelectorAll('details.case')).filter(c => c.getClientRects().length)"
    return list(page.evaluate(f"{shown}.map(c => c.dataset.on + '/' + c.dataset.case)"))


def rows(page: Any) -> int:
    return int(page.locator(".matrix tr.row:visible").count())


def test_findings_come_first_and_the_first_is_open_with_its_timeline(visit: Open) -> None:
    page = visit()
    assert len(cards(page)) == 4
    expect(page.locator("details.case[open]")).to_have_count(1)
    expect(page.locator("details.case[open] .chart svg [data-bar]")).not_to_have_count(0)
    expect(page.locator("details.case[open] .badline")).to_have_count(1)


def test_filters_work_together_and_live_in_the_address(visit: Open) -> None:
    page = visit()
    assert rows(page) == 11
    page.fill("#q", "gang")
    page.select_option("#profile", "GANG-CORE")
    assert 0 < rows(page) < 11
    page.click(".chip[data-outcome=violated]")
    assert rows(page) == 1 and page.get_attribute(".chip[data-outcome=violated]", "aria-pressed") == "true"
    assert "outcome=violated" in page.url and "profile=GANG-CORE" in page.url and "q=gang" in page.url
    again = visit(hash=page.url[page.url.index("#") :])
    assert rows(again) == 1 and again.input_value("#q") == "gang"
    page.fill("#q", "no such case")
    assert rows(page) == 0 and page.is_visible("#nothing")
    page.click("[data-clear]")
    assert rows(page) == 11 and "#" not in page.url


def test_one_integration_hides_the_other_columns(visit: Open) -> None:
    page = visit()
    page.select_option("#on", "yunikorn@1.9.0")
    assert page.locator(".matrix thead th[data-on]:visible").count() == 1
    assert all(name.startswith("yunikorn") for name in cards(page))


def test_cases_that_are_not_asked_fold_into_lines_and_are_still_found(visit: Open, tmp_path: Path) -> None:
    run = run_of_coscheduling()
    report.write(run, tmp_path)
    page = visit(tmp_path / "index.html")
    lines = page.locator(".matrix tr.not-asked:visible")
    assert rows(page) == len(run.cases) - 4 and 0 < lines.count() < 4
    assert page.inner_text("#shown") == f"{len(run.cases)} cases (4 not asked)"
    page.fill("#q", "placeholders")
    assert (rows(page), lines.count(), page.inner_text("#shown")) == (0, 1, f"1 of {len(run.cases)} cases")
    lines.locator("summary").click()
    expect(page.locator(".matrix tr.not-asked li:visible")).to_have_count(1)
    page.click(".chip[data-outcome=pass]")
    assert lines.count() == 0 and page.is_visible("#nothing")
    page.click("[data-clear]")
    page.click(".chip[data-outcome=not-supported]")
    assert rows(page) == 0 and page.inner_text("#shown") == f"4 of {len(run.cases)} cases"


def test_a_cell_opens_its_case_even_one_that_passed(visit: Open) -> None:
    page = visit()
    page.click("td[data-on='workload@1.37.1'] a[aria-label^='Deleted gang']")
    assert "workload@1.37.1/deleted-gang-leaves-nothing" in cards(page)
    assert "open=workload" in page.url
    again = visit(hash=page.url[page.url.index("#") :])
    opened = again.locator("details[data-case='deleted-gang-leaves-nothing'][data-on='workload@1.37.1'][open]")
    expect(opened).to_have_count(1)


def test_show_all_and_back(visit: Open) -> None:
    page = visit()
    page.click("#all")
    assert len(cards(page)) == len(sample_run().cases)
    page.click("#all")
    assert len(cards(page)) < len(sample_run().cases)


def test_jump_to_the_first_violation(visit: Open, pictures: Path) -> None:
    page = visit(hash=f"#open=volcano@1.14.1/{KILLED}")
    card = page.locator(f"details[data-case='{KILLED}'][data-on='volcano@1.14.1']")
    expect(card.locator(".badline")).to_have_count(1)
    before = card.locator(".axis").count(), card.locator(".chart svg").text_content()
    card.locator("[data-do=jump]").click()
    expect(card.locator(".readout")).to_contain_text("revision 1093")
    assert (card.locator(".axis").count(), card.locator(".chart svg").text_content()) != before
    middle = card.evaluate(
        "c => { const l = c.querySelector('.badline').getBoundingClientRect(), s = c.querySelector('.chart svg')"
        ".getBoundingClientRect(); return (l.left - s.left) / s.width }"
    )
    assert 0.3 < middle < 0.8
    assert page.evaluate("document.activeElement.tagName") == "svg"
    card.screenshot(path=pictures / "violation.png")
    page.keyboard.press("Home")
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")


def test_bars_are_described_on_hover_and_as_text(visit: Open) -> None:
    page = visit(hash=f"#open=volcano@1.14.1/{KILLED}")
    card = page.locator(f"details[data-case='{KILLED}'][data-on='volcano@1.14.1']")
    card.locator("[data-bar]").nth(5).hover()
    expect(card.locator(".readout")).to_contain_text("member of muster-x/")
    card.locator(".as-text summary").click()
    expect(card.locator(".as-text table")).to_be_visible()
    expect(card.locator(".as-text")).to_contain_text("scheduler killed")


def test_everything_can_be_reached_by_keyboard_and_is_seen_there(visit: Open) -> None:
    page = visit()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    focused = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        focused.add(
            page.evaluate(
                "document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
            )
        )
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
    assert {"q", "chip", "profile", "on"} <= focused
    page.focus("td[data-on='volcano@1.14.1'] a")
    page.keyboard.press("Enter")
    expect(page.locator("details.case > summary:focus")).to_have_count(1)


def test_copy_gives_the_command(visit: Open) -> None:
    page = visit()
    button = page.locator("details.case[open] [data-copy]")
    button.click()
    expect(button).not_to_have_text("Copy")


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_is_photographed(visit: Open, pictures: Path, width: int, scheme: str) -> None:
    page = visit(width=width, scheme=scheme)
    page.click("#all")
    for place in ("#environment details", "details.case:not([open])"):
        page.evaluate(f"document.querySelectorAll('{place}').forEach((d, i) => {{ if (i < 12) d.open = true; }})")
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.reload()
    page.screenshot(path=pictures / f"report-{width}-{scheme}.png", full_page=True)


def test_it_can_be_printed(visit: Open, pictures: Path) -> None:
    page = visit()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("details.case[open] .chart svg")).to_have_count(4)
    page.pdf(path=pictures / "report.pdf", format="A4")
    assert (pictures / "report.pdf").stat().st_size > 10_000


def test_hostile_names_do_nothing(visit: Open, tmp_path: Path) -> None:
    report.write(hostile_run(), tmp_path, histories=hostile_history)
    page = visit(tmp_path / "index.html", width=390)
    assert page.evaluate("window.pwned") is None
    page.locator("details.case .as-text summary").click()
    page.locator("[data-bar]").first.hover()
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_runs_that_are_empty_or_cut_off(visit: Open, tmp_path: Path) -> None:
    report.write(sample_run(cases=(), implementations=(), planned=7, interrupted=True, kills=None), tmp_path)
    page = visit(tmp_path / "index.html")
    assert "stopped after 0 of 7" in page.inner_text(".notice")


def test_five_hundred_cases(visit: Open, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    report.write(large_run(500), tmp_path, histories=large_history)
    page = visit(tmp_path / "index.html")
    paint = page.evaluate(
        "new Promise(done => new PerformanceObserver(list => done(list.getEntriesByName('first-contentful-paint')[0]"
        "?.startTime)).observe({type: 'paint', buffered: true}))"
    )
    filtering = page.evaluate(
        "(() => { const q = document.querySelector('#q'), t = performance.now(); q.value = 'victim';"
        "q.dispatchEvent(new Event('input')); document.body.offsetHeight; return performance.now() - t })()"
    )
    record_property("first_paint_ms", paint)
    record_property("filter_ms", filtering)
    print(f"500 cases: first paint {paint:.0f} ms, a filter {filtering:.0f} ms")
    assert rows(page) > 0


def test_the_page_of_a_measurement(visit: Open, tmp_path: Path, pictures: Path) -> None:
    write_bench(bench_run(), tmp_path)
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light")):
        page = visit(tmp_path / "index.html", width=width, scheme=scheme)
        plots = page.locator("#pictures figure > svg.plot")
        assert plots.count() == 11
        for index in range(plots.count()):
            box = plots.nth(index).bounding_box()
            assert box is not None and box["width"] > 200 and box["height"] > 100
        strokes = page.locator("svg.plot:not(.key) path.line").evaluate_all(
            "lines => lines.map(l => getComputedStyle(l).stroke + getComputedStyle(l).strokeDasharray)"
        )
        assert len(set(strokes)) == 2, "each integration has a colour and a pattern of its own, and the same everywhere"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.screenshot(path=pictures / f"bench-{scheme}-{width}.png", full_page=True)
    page = visit(tmp_path / "index.html")
    page.emulate_media(media="print")
    assert plots_fit(page)
    page.pdf(path=pictures / "bench.pdf", format="A4")
    assert (pictures / "bench.pdf").stat().st_size > 20_000


def plots_fit(page: Any) -> bool:
    """Whether no text of a picture lies outside of it."""
    return bool(
        page.evaluate(
            """Array.from(document.querySelectorAll("svg.plot:not(.key)")).every(plot => {
                 const outer = plot.getBoundingClientRect();
                 return Array.from(plot.querySelectorAll("text")).every(text => {
                   const inner = text.getBoundingClientRect();
                   return inner.left >= outer.left - 1 && inner.right <= outer.right + 1
                     && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
                 });
               })"""
        )
    )


def test_trends_of_a_site(visit: Open, tmp_path: Path, pictures: Path) -> None:
    write_bench(bench_run(), tmp_path / "bench")
    (tmp_path / "run.json").write_text(json.dumps(sample_run().as_data()))
    build_site(tmp_path / "site", [tmp_path / "run.json", tmp_path / "bench"])
    page = visit(tmp_path / "site" / "trend.html", width=1280)
    assert page.locator("section").count() >= 4
    assert page.locator("figure > svg.plot").count() >= 3
    assert plots_fit(page)
    page.screenshot(path=pictures / "trend.png", full_page=True)
