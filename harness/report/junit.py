"""junit.xml: the format every CI server reads.

One suite per integration. Violated is a failure with the whole story; unknown is an error, because the harness, not the
scheduler, did not deliver; not-supported is skipped with its reason. JUnit has no field for clauses, so they are
properties of the case.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome
from harness.report.files import stamp
from harness.report.model import Judged, figure, judged, missing, why

# XML 1.0 has no way at all to write these characters, escaped or not.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(run: RunResult) -> str:
    """The run as JUnit XML."""
    root = Xml.Element("testsuites", name=_clean(run.name), time=f"{max(0.0, run.finished - run.started):.3f}")
    lacking = missing(run)
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for one in judged(run):
        suite = _suite(root, one, stamp(run.started))
        for key in totals:
            totals[key] += int(suite.get(key, "0"))
    if lacking:
        suite = Xml.SubElement(root, "testsuite", name="muster", tests="1", failures="0", errors="1", skipped="0")
        case = Xml.SubElement(suite, "testcase", classname="muster", name="the run is complete", time="0")
        Xml.SubElement(case, "error", message=lacking, type="incomplete")
        totals["tests"] += 1
        totals["errors"] += 1
    for key, value in totals.items():
        root.set(key, str(value))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _suite(root: Xml.Element, one: Judged, started: str) -> Xml.Element:
    outcomes = [case.outcome for case in one.cases]
    suite = Xml.SubElement(
        root,
        "testsuite",
        name=_clean(one.implementation.integration),
        tests=str(len(outcomes)),
        failures=str(outcomes.count(Outcome.VIOLATED)),
        errors=str(outcomes.count(Outcome.UNKNOWN)),
        skipped=str(outcomes.count(Outcome.NOT_SUPPORTED)),
        time=f"{sum(case.seconds for case in one.cases):.3f}",
        timestamp=started.removesuffix("Z"),
    )
    _properties(suite, [("kubernetes", one.implementation.kubernetes), ("version", one.implementation.version)])
    for case in one.cases:
        _case(suite, case)
    return suite


def _case(suite: Xml.Element, case: CaseResult) -> None:
    element = Xml.SubElement(
        suite,
        "testcase",
        classname=_clean(f"{case.integration}.{case.folder}"),
        name=_clean(case.case),
        time=f"{case.seconds:.3f}",
    )
    clauses = [("clause", clause) for clause in case.clauses]
    figures = [(key, figure(case, key)) for key in ("skew_ms", "held_gpu_seconds")]
    _properties(
        element,
        [*clauses, ("profile", case.profile), ("level", case.level), ("strength", case.strength)]
        + [(key, f"{value:g}") for key, value in figures if value is not None]
        + [("history", case.history), ("digest", case.digest)],
    )
    reason = _clean(why(case))
    if case.outcome is Outcome.VIOLATED:
        Xml.SubElement(element, "failure", message=reason, type="violated").text = _clean(story(case))
    elif case.outcome is Outcome.UNKNOWN:
        kind = "harness" if case.error else "unknown"
        Xml.SubElement(element, "error", message=reason, type=kind).text = _clean(story(case))
    elif case.outcome is Outcome.NOT_SUPPORTED:
        Xml.SubElement(element, "skipped", message=reason or "not supported by this integration")


def story(case: CaseResult) -> str:
    """What was promised, what was seen, where the evidence is, what to run next: plain text."""
    parts = [case.sentence]
    parts += [f"harness fault: {case.error}"] if case.error else []
    parts += [verdict.story() for verdict in case.verdicts if not verdict]
    parts += [f"evidence: {place}" for place in (case.history, case.logs) if place]
    parts += [f"run again: {case.rerun}"] if case.rerun else []
    return "\n".join(parts)


def _properties(parent: Xml.Element, pairs: list[tuple[str, str]]) -> None:
    given = [(name, value) for name, value in pairs if value]
    if given:
        holder = Xml.SubElement(parent, "properties")
        for name, value in given:
            Xml.SubElement(holder, "property", name=name, value=_clean(value))


def _clean(value: str) -> str:
    return _FORBIDDEN.sub("\ufffd", value)
