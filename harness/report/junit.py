"""junit.xml, which every CI server reads.

There is one suite per integration. A violated case is a failure with the full text; an unknown case is an error,
because the harness could not judge it; a not-supported case is skipped with its reason. A violation that the baseline
of the run knows is skipped too, and says so: a CI server knows no other way to show what must not stop a build. JUnit
has no field for clauses, so they are properties of the case.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from harness.core.results import CaseResult, RunResult
from harness.core.text import stamp
from harness.core.verdict import Outcome
from harness.report.model import ImplementationResult, figure, implementation_results, missing, why
from harness.report.programme import TEST, Part

# XML 1.0 cannot contain these characters, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(run: RunResult, programme: Sequence[Part] = ()) -> str:
    """The run as JUnit XML; `programme` are tests of a conformance programme that stand beside ours."""
    root = Xml.Element("testsuites", name=_valid(run.name), time=f"{max(0.0, run.finished - run.started):.3f}")
    lacking = missing(run)
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for result in implementation_results(run):
        suite = _suite(root, result, stamp(run.started))
        for key in totals:
            totals[key] += int(suite.get(key, "0"))
    if programme:
        suite = _programme(root, programme)
        for key in totals:
            totals[key] += int(suite.get(key, "0"))
    if lacking:
        suite = Xml.SubElement(root, "testsuite", name="muster", tests="1", failures="0", errors="1", skipped="0")
        case = Xml.SubElement(suite, "testcase", classname="muster", name="the run is complete", time="0")
        Xml.SubElement(case, "error", message=lacking, type="incomplete").text = _valid("\n".join(run.faults))
        totals["tests"] += 1
        totals["errors"] += 1
    for key, value in totals.items():
        root.set(key, str(value))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _suite(root: Xml.Element, result: ImplementationResult, started: str) -> Xml.Element:
    outcomes = [case.outcome for case in result.cases if not case.expected]
    suite = Xml.SubElement(
        root,
        "testsuite",
        name=_valid(result.implementation.integration),
        tests=str(len(result.cases)),
        failures=str(outcomes.count(Outcome.VIOLATED)),
        errors=str(outcomes.count(Outcome.UNKNOWN)),
        skipped=str(outcomes.count(Outcome.NOT_SUPPORTED) + len(result.cases) - len(outcomes)),
        time=f"{sum(case.seconds for case in result.cases):.3f}",
        timestamp=started.removesuffix("Z"),
    )
    _properties(suite, [("kubernetes", result.implementation.kubernetes), ("version", result.implementation.version)])
    for case in result.cases:
        _case(suite, case)
    return suite


def _programme(root: Xml.Element, parts: Sequence[Part]) -> Xml.Element:
    outcomes = [part.outcome for part in parts]
    suite = Xml.SubElement(
        root,
        "testsuite",
        name=TEST,
        tests=str(len(parts)),
        failures=str(outcomes.count(Outcome.VIOLATED)),
        errors=str(outcomes.count(Outcome.UNKNOWN)),
        skipped=str(outcomes.count(Outcome.NOT_SUPPORTED)),
    )
    for part in parts:
        element = Xml.SubElement(suite, "testcase", classname=TEST, name=part.name, time=f"{part.seconds:.3f}")
        lines = _valid("\n".join(part.lines))
        kind = {Outcome.VIOLATED: "failure", Outcome.UNKNOWN: "error", Outcome.NOT_SUPPORTED: "skipped"}
        if part.outcome in kind:
            Xml.SubElement(element, kind[part.outcome], message=str(part.outcome)).text = lines
        else:
            Xml.SubElement(element, "system-out").text = lines
    return suite


def _case(suite: Xml.Element, case: CaseResult) -> None:
    element = Xml.SubElement(
        suite,
        "testcase",
        classname=_valid(f"{case.integration}.{case.folder}"),
        name=_valid(case.case),
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
    reason = _valid(why(case))
    if case.expected:
        skipped = Xml.SubElement(element, "skipped", message=_valid(f"expected violation: {case.expected}"))
        skipped.text = _valid(story(case))
    elif case.outcome is Outcome.VIOLATED:
        Xml.SubElement(element, "failure", message=reason, type="violated").text = _valid(story(case))
    elif case.outcome is Outcome.UNKNOWN:
        error_type = "harness" if case.error else "unknown"
        Xml.SubElement(element, "error", message=reason, type=error_type).text = _valid(story(case))
    elif case.outcome is Outcome.NOT_SUPPORTED:
        Xml.SubElement(element, "skipped", message=reason or "not supported by this integration")


def story(case: CaseResult) -> str:
    """What was promised, what was observed, where the evidence is, what to run next: plain text."""
    parts = [case.sentence]
    parts += [f"harness fault: {case.error}"] if case.error else []
    parts += [verdict.story() for verdict in case.verdicts if not verdict]
    parts += [f"evidence: {place}" for place in (case.history, case.logs) if place]
    parts += [f"run again: {case.rerun}"] if case.rerun else []
    return "\n".join(parts)


def _properties(parent: Xml.Element, pairs: list[tuple[str, str]]) -> None:
    present = [(name, value) for name, value in pairs if value]
    if present:
        holder = Xml.SubElement(parent, "properties")
        for name, value in present:
            Xml.SubElement(holder, "property", name=name, value=_valid(value))


def _valid(value: str) -> str:
    return _FORBIDDEN.sub("\ufffd", value)
