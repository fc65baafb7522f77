"""GitHub, CNCF, comparison, site, badges and the commands: everything that is not the page."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
import yaml
from click.testing import CliRunner

from harness.cli.report import compare as compare_command
from harness.cli.report import report as report_group
from harness.cli.report import site as site_command
from harness.core.catalogue.selection import Selection
from harness.core.errors import UsageError
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome
from harness.report import github
from harness.report.badge import badge
from harness.report.cncf import events, log, write_cncf
from harness.report.compare import as_data, as_html, as_markdown, as_text, compare
from harness.report.load import load_run
from harness.report.site import build_site

from .hostile import EVIL, hostile_run
from .sample import large_run, sample_run


def test_workflow_commands_are_escaped() -> None:
    assert github.command("error", "a%b\r\nc:d,e", title="x:y,z%\n") == (
        "::error title=x%3Ay%2Cz%25%0A::a%25b%0D%0Ac:d,e"
    )
    assert github.command("endgroup") == "::endgroup::"


def test_at_most_ten_annotations_worst_first() -> None:
    lines = github.annotate(large_run(300))
    assert len(lines) == github.MOST_ANNOTATIONS
    assert lines[0].startswith("::error") and "more" in lines[-1]
    assert [line[:7] for line in lines[:-1]] == ["::error"] * 9
    few = github.annotate(sample_run())
    assert len(few) == 4 and [line.startswith("::error") for line in few] == [True, True, True, False]


def test_annotations_are_single_lines_whatever_the_names() -> None:
    for line in github.annotate(hostile_run()):
        assert "\n" not in line and "\r" not in line
        assert line.count("::") >= 2


def test_the_summary_stays_below_its_limit_and_counts_what_is_left_out() -> None:
    big = github.summary(large_run(3000, 5), limit=60_000)
    assert len(big.encode()) <= 60_000 and "more findings" in big
    small = github.summary(sample_run())
    assert small.count("| --- ") and "KEP" not in small and "and 0 more" not in small
    prose = re.sub(r"`` .*? ``", "", github.summary(hostile_run()))  # code spans show anything as it is
    assert "<script>" not in prose and "@here" not in prose


def test_publish_fills_the_runners_files(tmp_path: Path) -> None:
    env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(tmp_path / "s"), "GITHUB_OUTPUT": str(tmp_path / "o")}
    out = io.StringIO()
    github.publish(sample_run(), out, tmp_path, env)
    assert out.getvalue().count("::error") == 3
    assert "GANG-CORE" in (tmp_path / "s").read_text()
    assert "violated<<" in (tmp_path / "o").read_text()
    quiet = io.StringIO()
    github.publish(sample_run(), quiet, tmp_path, {})
    assert quiet.getvalue() == ""


def test_groups_close_even_when_something_fails() -> None:
    out = io.StringIO()
    with pytest.raises(ValueError), github.group("box\nup", out):
        raise ValueError
    assert out.getvalue() == "::group::box%0Aup\n::endgroup::\n"


def test_the_cncf_files(tmp_path: Path) -> None:
    write_cncf(sample_run(), tmp_path, "volcano@1.14.1", "https://example.org/evidence/")
    entry = yaml.safe_load((tmp_path / "gang_scheduling.yaml").read_text())["spec"]["schedulingOrchestration"][0]
    assert (entry["id"], entry["level"], entry["status"]) == ("gang_scheduling", "MUST", "Partially Implemented")
    assert entry["evidence"][0] == "https://example.org/evidence/e2e.log"
    assert "GANG-RECOVERY: Core: 1 violated." in entry["notes"]
    parsed = [json.loads(line) for line in (tmp_path / "results.json").read_text().splitlines()]
    assert parsed[0]["Action"] == "start" and parsed[-1]["Action"] == "fail"
    tests = {event["Test"] for event in parsed if "Test" in event}
    assert len(tests) == 11 + 3
    assert {"TestGangScheduling", "TestGangScheduling/PositiveGangScheduling"} < tests
    for test in tests:
        actions = [event["Action"] for event in parsed if event.get("Test") == test]
        assert actions[0] == "run" and actions[-1] in ("pass", "fail", "skip")
    text = (tmp_path / "e2e.log").read_text()
    assert text.count("=== RUN ") == text.count("\n--- ") == 11 + 3 and text.endswith("FAIL\n")
    assert Xml.parse(tmp_path / "junit.xml").getroot().get("tests") == "14"


def test_cncf_wants_one_integration() -> None:
    with pytest.raises(UsageError, match="no single integration"):
        write_cncf(sample_run(), Path("unused"))
    with pytest.raises(UsageError, match="no integration 'nobody'"):
        write_cncf(sample_run(), Path("unused"), "nobody")


def test_cncf_of_a_conformant_run_is_implemented(tmp_path: Path) -> None:
    promises = ("bound", "refused")
    whole = tuple(
        replace(c, outcome=Outcome.PASS, promises=promises)
        for c in sample_run().cases
        if c.integration == "workload@1.37.1"
    )
    run = sample_run(cases=whole, planned=len(whole), selection=Selection(("workload",)))
    write_cncf(run, tmp_path)
    assert "status: Implemented" in (tmp_path / "gang_scheduling.yaml").read_text()
    assert log(run).endswith("PASS\n") and json.loads(events(run).splitlines()[-1])["Action"] == "pass"


def changed_run() -> RunResult:
    run = sample_run(name="after")
    cases = list(run.cases)
    fixed = next(i for i, c in enumerate(cases) if c.outcome is Outcome.VIOLATED)
    broken = next(i for i, c in enumerate(cases) if c.outcome is Outcome.PASS)
    slow = next(i for i, c in enumerate(cases) if c.outcome is Outcome.PASS and i > broken and c.figures)
    cases[fixed] = replace(cases[fixed], outcome=Outcome.PASS)
    cases[broken] = replace(cases[broken], outcome=Outcome.VIOLATED)
    cases[slow] = replace(cases[slow], figures={"g": {"skew_ms": 9000.0}})
    cases[-1] = replace(cases[-1], case="a-new-case")
    return replace(run, cases=tuple(cases))


def test_compare_says_what_changed() -> None:
    comparison = compare(sample_run(), changed_run())
    assert {kind: len(comparison.of(kind)) for kind in ("worse", "better", "new", "gone", "figures")} == {
        "worse": 1,
        "better": 1,
        "new": 1,
        "gone": 1,
        "figures": 1,
    }
    assert comparison.same == len(sample_run().cases) - 3, "a figure that moved changes no verdict"
    for page in (as_text(comparison), as_markdown(comparison), as_html(comparison)):
        assert "a-new-case" in page or "a\\-new" in page
    assert compare(sample_run(), sample_run()).headline == "nothing changed in 44 cases"


def test_a_comparison_of_the_same_is_one_line_however_figures_move() -> None:
    cases = [replace(case, figures={"g": {"skew_ms": 9000.0}}) for case in sample_run().cases]
    comparison = compare(sample_run(), replace(sample_run(), cases=tuple(cases)))

    assert comparison.of("figures") and not comparison.worse
    assert as_text(comparison).count("\n") == 1 + len(comparison.warnings)
    assert "nothing changed in 44 cases" in as_text(comparison)
    assert "Figures changed:" in as_text(comparison, figures=True)


def test_a_new_case_that_is_bad_and_a_judged_case_that_is_gone_are_worse() -> None:
    run = sample_run()
    bad = next(case for case in run.cases if case.outcome is Outcome.VIOLATED)
    good = next(case for case in run.cases if case.outcome is Outcome.PASS)
    unasked = next(case for case in run.cases if case.outcome is Outcome.NOT_SUPPORTED)

    def without(*cases: CaseResult) -> RunResult:
        return replace(run, cases=tuple(case for case in run.cases if case not in cases))

    assert [change.case for change in compare(without(bad), run).worse] == [bad.case]
    assert compare(without(good), run).worse == []
    assert [change.case for change in compare(run, without(good)).worse] == [good.case]
    assert compare(run, without(unasked)).worse == []
    assert f"{bad.strength:<7} {bad.case}" in as_text(compare(without(bad), run))


def test_a_comparison_names_what_was_judged_and_can_be_read_by_a_program() -> None:
    data = as_data(compare(sample_run(), changed_run()))

    assert "volcano@1.14.1" in data["before"]
    assert data["counts"]["better"] == 1 and data["worse"] >= data["counts"]["worse"] == 1
    assert {change["direction"] for change in data["changes"]} == {"worse", "better", "new", "gone", "figures"}


def test_compare_matches_versions_of_one_scheduler() -> None:
    def only(on: str, name: str) -> RunResult:
        cases = tuple(replace(c, integration=name) for c in sample_run().cases if c.integration == on)
        return sample_run(cases=cases, planned=len(cases))

    old, new = only("volcano@1.14.1", "volcano@1.14.1"), only("volcano@1.14.1", "volcano@1.15.0")
    assert compare(old, new).changes == ()
    assert compare(old, only("yunikorn@1.9.0", "yunikorn@1.9.0")).of("better")


def test_compare_is_not_fooled_by_names() -> None:
    comparison = compare(sample_run(), hostile_run())
    assert "<script>window" not in as_html(comparison) and "<script>window" not in as_markdown(comparison)


def test_the_site(tmp_path: Path, folder: Path) -> None:
    other = sample_run(
        cases=tuple(replace(c, kubernetes="1.36.2") for c in sample_run().cases),
        implementations=tuple(replace(i, kubernetes="1.36.2") for i in sample_run().implementations),
    )
    (tmp_path / "other.json").write_text(json.dumps(other.as_data()))
    (tmp_path / "published.yaml").write_text((folder / "report.yaml").read_text())
    written = build_site(tmp_path / "site", [tmp_path / "published.yaml", tmp_path / "other.json"])
    names = {path.name for path in written}
    assert {"index.html", "1.37.html", "1.36.html", "0.yaml", "1.yaml"} <= names
    html = (tmp_path / "site/1.37.html").read_text()
    assert html == (tmp_path / "site/index.html").read_text(), "the newest Kubernetes is the front page"
    for name in ("GANG-CORE", "GANG-RECOVERY", "volcano@1.14.1", "success", "failure", 'aria-current="page"'):
        assert name in html
    badges = list((tmp_path / "site/badges").rglob("*.svg"))
    assert len(badges) == 4 * 4 * 2


def test_the_site_takes_the_newest_complete_report(tmp_path: Path) -> None:
    for name, run in (
        ("old", sample_run()),
        ("cut", sample_run(finished=sample_run().finished + 999, interrupted=True, cases=sample_run().cases[:40])),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(run.as_data()))
    build_site(tmp_path / "site", [tmp_path / "cut.json", tmp_path / "old.json"])
    assert "incomplete run" not in (tmp_path / "site/index.html").read_text()


def test_the_site_refuses_an_edited_report(tmp_path: Path, folder: Path) -> None:
    edited = (folder / "report.yaml").read_text().replace("result: failure", "result: success")
    (tmp_path / "edited.yaml").write_text(edited)
    with pytest.raises(UsageError, match="is not sound"):
        build_site(tmp_path / "site", [tmp_path / "edited.yaml"])


def test_hostile_names_stay_inside_the_site(tmp_path: Path) -> None:
    run = hostile_run()
    (tmp_path / "evil.json").write_text(json.dumps(run.as_data()))
    with pytest.raises(UsageError, match="url"):
        build_site(tmp_path / "site", [tmp_path / "evil.json"])
    run = replace(run, implementations=tuple(replace(entry, url="") for entry in run.implementations))
    (tmp_path / "evil.json").write_text(json.dumps(run.as_data()))
    written = build_site(tmp_path / "site", [tmp_path / "evil.json"])
    assert all(path.resolve().is_relative_to((tmp_path / "site").resolve()) for path in written)
    assert "<script>window" not in (tmp_path / "site/index.html").read_text()


@pytest.mark.parametrize("result", ["success", "partial", "failure", "unknown"])
def test_badges_are_well_formed(result: str) -> None:
    root = Xml.fromstring(badge('GANG-CORE <&>"', result))
    assert result in "".join(root.itertext())


def test_the_commands(folder: Path, verified: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert "sound, 37 histories judged again" in run(report_group, ["check", str(verified / "report.yaml")]).output
    (tmp_path / "bad.yaml").write_text((folder / "report.yaml").read_text().replace("result: failure", "result: nice"))
    bad = run(report_group, ["check", str(tmp_path / "bad.yaml")])
    assert bad.exit_code == 1 and "'nice' is not one of" in bad.output
    html = run(report_group, ["html", str(folder)])
    assert html.exit_code == 0 and html.output.strip().endswith("index.html")
    cncf = run(report_group, ["cncf", str(folder), "--on", "volcano@1.14.1", "--output", str(tmp_path / "c")])
    assert cncf.exit_code == 1 and "not shown: " in cncf.output, "Volcano's sample run has violations"
    assert len([line for line in cncf.stdout.splitlines() if not line.startswith("not shown")]) == 5
    (tmp_path / "after.json").write_text(json.dumps(changed_run().as_data()))
    worse = run(compare_command, [str(folder), str(tmp_path / "after.json"), "--format", "markdown"])
    assert worse.exit_code == 1 and "### Worse" in worse.output
    assert run(site_command, [str(tmp_path / "site"), str(verified)]).exit_code == 0


def test_a_run_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "b.json").write_text("no")
    (tmp_path / "c.json").write_text('{"format": "muster.results/1", "cases": 3}')
    for name in ("a.json", "b.json", "c.json", "missing"):
        with pytest.raises(UsageError):
            load_run(tmp_path / name)


def test_results_come_back_as_they_were(folder: Path) -> None:
    assert load_run(folder).cases[0].case == sample_run().cases[0].case
    assert EVIL in load_run_from(hostile_run())


def load_run_from(run: RunResult) -> str:
    from harness.core.results import run_from_data

    return run_from_data(json.loads(json.dumps(run.as_data()))).name
