"""junit.xml: what CI servers read."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from harness.core.results import RunResult
from harness.report.junit import junit_xml

from .hostile import hostile_run
from .sample import INTEGRATIONS, sample_run


def test_one_suite_per_integration_with_counts_that_add_up() -> None:
    root = Xml.fromstring(junit_xml(sample_run()))
    assert [suite.get("name") for suite in root] == list(INTEGRATIONS)
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.get("tests", "")) == len(cases)
        for tag, key in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.get(key, "")) == sum(case.find(tag) is not None for case in cases)
    assert root.get("failures") == "3" and root.get("errors") == "1" and root.get("skipped") == "7"


def test_a_failure_tells_the_story_and_carries_clauses() -> None:
    root = Xml.fromstring(junit_xml(sample_run()))
    case = next(case for case in root.iter("testcase") if case.find("failure") is not None)
    failure = case.find("failure")
    assert failure is not None and "4 of 8" in failure.get("message", "")
    for part in ("MUST", "train-3", "run again: muster run", "evidence: history/"):
        assert part in (failure.text or "")
    properties = [(p.get("name"), p.get("value")) for p in case.iter("property")]
    assert ("clause", "KEP-4671.7") in properties


def test_a_run_cut_off_is_an_error_of_its_own() -> None:
    root = Xml.fromstring(junit_xml(sample_run(interrupted=True, planned=50)))
    assert root[-1].get("name") == "muster" and root[-1].find("testcase/error") is not None
    empty = Xml.fromstring(junit_xml(RunResult("e", 0, 0, "0", "embedded", (), ())))
    assert empty.get("errors") == "1"


def test_names_that_would_break_xml_do_not() -> None:
    root = Xml.fromstring(junit_xml(hostile_run()))
    assert any("<script>" in (case.get("name") or "") for case in root.iter("testcase"))
