"""A violation that the baseline of a run knows is shown as expected, everywhere, and never as a pass."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import yaml
from click.testing import CliRunner

from harness.cli.recheck import recheck
from harness.core.catalogue.deviations import Unsteady
from harness.core.catalogue.expected import Expected
from harness.core.results import RunResult
from harness.core.verdict import Outcome
from harness.report import github
from harness.report.conformance import report
from harness.report.junit import junit_xml
from harness.report.model import headline, violations, worst_first
from harness.report.page import page
from harness.report.verify import problems
from harness.runner.baseline import explained

from .sample import sample_run

REASON = "A member that waits is not counted <by this version>; it is fixed upstream."


def expected_run(run: RunResult, *, all_of_them: bool = True) -> RunResult:
    """The run with its violations expected, or all but one of them."""
    violated = [case for case in run.cases if case.outcome is Outcome.VIOLATED][0 if all_of_them else 1 :]
    return replace(run, cases=tuple(replace(c, expected=REASON) if c in violated else c for c in run.cases))


def test_the_baseline_explains_violations_and_nothing_else() -> None:
    run = sample_run()
    violated = next(case for case in run.cases if case.outcome is Outcome.VIOLATED)
    expected = Expected(violated={violated.case: REASON})

    assert expected.reason(violated) == REASON
    assert Expected(unsteady={violated.case: Unsteady(6, 20, REASON)}).reason(violated) == REASON
    assert Expected().reason(violated) == ""
    assert all(expected.reason(replace(violated, outcome=o)) == "" for o in Outcome if o is not Outcome.VIOLATED)
    assert explained(None, violated) == violated


def test_a_ci_server_shows_it_as_skipped_with_the_reason() -> None:
    root = Xml.fromstring(junit_xml(expected_run(sample_run())))
    skipped = [case.find("skipped") for case in root.iter("testcase") if case.find("skipped") is not None]

    assert root.get("failures") == "0" and root.get("skipped") == "10"
    messages = [element.get("message", "") for element in skipped if element is not None]
    assert messages.count(f"expected violation: {REASON}") == 3
    assert any("run again: muster run" in (element.text or "") for element in skipped if element is not None)


def test_annotations_are_notices_and_come_last() -> None:
    levels = [line.partition(" ")[0] for line in github.annotate(expected_run(sample_run(), all_of_them=False))]

    assert levels == ["::error", "::warning", "::notice", "::notice"]
    assert REASON in github.summary(expected_run(sample_run())).replace("&lt;", "<").replace("&gt;", ">")
    assert github.outputs(expected_run(sample_run()))["violated"] == "3"
    assert github.outputs(expected_run(sample_run()))["unexpected"] == "1", "one case is unknown"


def test_the_headline_counts_them_and_what_is_new_comes_first() -> None:
    run = expected_run(sample_run(), all_of_them=False)

    assert headline(run).endswith("violated 3 cases (2 expected).")
    assert not worst_first(run.cases)[0].expected
    should = [replace(case, strength="SHOULD") for case in run.cases if case.outcome is Outcome.VIOLATED]
    assert violations(should) == "3 (3 SHOULD; 2 expected)"
    assert violations(()) == "0"


def test_the_page_and_the_report_say_so_and_stay_a_failure() -> None:
    run = expected_run(sample_run())

    html = page(run, lambda case: None)
    assert html.count("<dt>Expected</dt>") == 3 and "&lt;by this version&gt;" in html
    data = report(run)
    assert data["outcome"] == "violated"
    rows = [row for entry in data["implementations"] for row in entry["cases"] if row.get("expected")]
    assert [row["expected"] for row in rows] == [REASON] * 3
    assert problems(yaml.safe_load(yaml.safe_dump(data))) == []


def test_recheck_counts_only_what_the_given_baseline_does_not_know(verified: Path, tmp_path: Path) -> None:
    """What results.json says about itself is no excuse; the folder that the user gives is."""
    stored = json.loads((verified / "results.json").read_text())
    violated = [case for case in stored["cases"] if case["outcome"] == "violated"]
    for case in violated:
        path = tmp_path / f"{case['integration']}.yaml"
        path.write_text("violated: {}\n")

    def code(*options: str) -> int:
        answer = CliRunner().invoke(recheck, [str(verified), *options], standalone_mode=False)
        assert answer.exception is None, answer.exception
        return int(answer.return_value)

    assert violated and code() == code("--expected", str(tmp_path)) == 1
