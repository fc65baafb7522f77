"""index.html without a browser: one file, nothing from the network, nothing injected, small and quick to make."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from harness import report
from harness.core.results import RunResult
from harness.core.verdict import Outcome
from harness.report.page import embed, page
from harness.report.write import reproduce

from .hostile import EVIL, hostile_history, hostile_run
from .sample import large_history, large_run, run_of_coscheduling, sample_histories, sample_run, store_histories


class ParsedPage(HTMLParser):
    """Counts elements and keeps what would load something or run something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("href", "src", "action", "data", "srcset"):
                self.links.append(value or "")
            if name.startswith("on"):
                self.handlers.append(value or "")
            if name == "id":
                self.ids.append(value or "")


def parse(html: str) -> ParsedPage:
    parser = ParsedPage()
    parser.feed(html)
    return parser


def test_it_is_one_file_that_asks_the_network_for_nothing(folder: Path) -> None:
    html = (folder / "index.html").read_text()
    parsed = parse(html)
    assert "link" in parsed.tags and parsed.tags.count("style") == 1 and "img" not in parsed.tags
    loads = [link for link in parsed.links if re.match(r"(https?:)?//", link)]
    assert all(link.startswith("https://example.org/") for link in loads), "only links a reader may follow"
    assert "default-src 'none'" in html and "url(http" not in html and "@import" not in html
    assert len(parsed.ids) == len(set(parsed.ids))


def test_every_case_is_there_in_words_without_any_script(folder: Path) -> None:
    html = re.sub(r"<script.*?</script>", "", (folder / "index.html").read_text(), flags=re.DOTALL)
    run = sample_run()
    assert html.count('<details class="case') == len(run.cases)
    for case in run.cases:
        assert case.case in html
    assert "5 of 8 members bound" in html and "Revision 1093" in html and "KEP-4671.6" in html
    assert "10 of 11 cases killed at least one" in html


def test_cases_that_nobody_is_asked_for_are_one_line_for_each_folder() -> None:
    run = run_of_coscheduling()
    unasked = [case for case in run.cases if case.outcome is Outcome.NOT_SUPPORTED]
    html = page(run, lambda case: None)
    assert html.count('<tr class="row"') == html.count('<details class="case') == len(run.cases) - len(unasked)
    assert html.count('<tr class="not-asked"') == len({case.folder for case in unasked}) < len(unasked) == 4
    for case in unasked:
        assert f'title="{case.case}"' in html
    assert "not asked of coscheduling@0.35.1" in html
    assert 'class="not-asked"' not in page(sample_run(), lambda case: None), "a case that one of them is asked for"


def test_landmarks_headers_and_labels(folder: Path) -> None:
    html = (folder / "index.html").read_text()
    for part in ('<html lang="en">', "<main>", "<header", "<nav aria-label", '<th scope="col"', '<th scope="row"'):
        assert part in html
    assert html.count("<h1") == 1


def test_a_scheduler_with_a_period_of_its_own_is_said_to_have_one(folder: Path) -> None:
    assert "<dt>Pace</dt><dd>It decides once a second.</dd>" in (folder / "index.html").read_text()


def test_names_with_markup_stay_names() -> None:
    html = page(hostile_run(), hostile_history)
    parsed = parse(html)
    assert parsed.tags.count("script") == parse(page(one_case(), sample_histories)).tags.count("script")
    assert "<script>window.pwned" not in html
    assert not any(link.startswith("javascript:") for link in parsed.links)
    assert parsed.handlers == ["return false"]


def one_case() -> RunResult:
    run = sample_run()
    return sample_run(cases=tuple(c for c in run.cases if c.history)[:1], planned=1)


def test_embedded_json_cannot_end_its_script() -> None:
    script = embed({"a": "</script><!--\u2028"})
    assert "<" not in script and "\u2028" not in script
    assert json.loads(script) == {"a": "</script><!--\u2028"}


def test_a_run_cut_off_says_so_on_top() -> None:
    html = page(sample_run(interrupted=True, planned=99), sample_histories)
    assert html.index("44 of 99 cases") < html.index("<h1")


def test_an_empty_run_and_missing_histories_still_give_a_page(tmp_path: Path) -> None:
    empty = RunResult("empty", 0.0, 0.0, "0.1.0", "embedded", (), ())
    assert "There are no cases to show." in page(empty, sample_histories)
    run = sample_run()
    report.write(run, tmp_path)
    assert "is not in the run folder" in (tmp_path / "index.html").read_text()
    bad = next(case for case in run.cases if case.history)
    (tmp_path / bad.history).parent.mkdir(parents=True)
    (tmp_path / bad.history).write_bytes(b"nonsense")
    report.write(run, tmp_path)
    assert "The history could not be read" in (tmp_path / "index.html").read_text()


def test_a_history_path_cannot_leave_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"x")
    run = one_case()

    sly = replace(run, cases=(replace(run.cases[0], history="../secret"),))
    report.write(sly, tmp_path / "run")
    assert "is not in the run folder" in (tmp_path / "run" / "index.html").read_text()


def test_the_folder_is_complete_and_made_without_leftovers(folder: Path) -> None:
    names = {path.name for path in folder.iterdir() if path.is_file()}
    assert names == {"results.json", "environment.json", "reproduce.sh", "report.yaml", "junit.xml", "index.html"}


def test_the_same_run_gives_the_same_files(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for place in (first, second):
        report.write(store_histories(sample_run(), place), place)
    for name in ("results.json", "report.yaml", "junit.xml", "index.html", "reproduce.sh", "environment.json"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_reproduce_quotes_what_it_runs(tmp_path: Path) -> None:
    run = one_case()
    mark = tmp_path / "ran"
    evil = replace(run.cases[0], case=f"x\ntouch {tmp_path / 'injected'}", rerun=f"touch '{mark}'")
    script = tmp_path / "r.sh"
    script.write_text(reproduce(replace(run, cases=(evil,), name=EVIL.replace("\ud800", "").replace("\x00", ""))))
    subprocess.run(["sh", str(script), "--all"], check=True, capture_output=True)
    assert mark.exists() and not (tmp_path / "injected").exists()


def test_folders_do_not_collide_and_latest_follows(tmp_path: Path) -> None:
    folders = [report.new_folder(tmp_path, "../a b/<x>", 1_790_000_000.0) for _ in range(2)]
    assert [path.name for path in folders] == ["20260921T141320Z-a-b-x", "20260921T141320Z-a-b-x-2"]
    for path in folders:
        report.point_latest(path)
        assert (tmp_path / "latest").resolve() == path.resolve()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("cases", [100, pytest.param(500, marks=pytest.mark.thorough)])
def test_a_large_run_is_quick_and_small(tmp_path: Path, cases: int) -> None:
    run = store_histories(large_run(cases), tmp_path, large_history)
    start = time.perf_counter()
    report.write(run, tmp_path)
    took = time.perf_counter() - start
    size = (tmp_path / "index.html").stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{cases} cases: {took:.1f} s, {size / 1e6:.2f} MB, peak {peak} MB")
    assert size < 5_000_000
