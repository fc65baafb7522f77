"""The programme's tests are answered by cases about them, and by nothing that a quota refused."""

from __future__ import annotations

from dataclasses import replace

from harness.core.catalogue.expected import BOX
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome, Verdict
from harness.report.cncf import unshown
from harness.report.programme import programme_tests

from .sample import sample_run

FITS = CaseResult(
    case="fits",
    sentence="It MUST run.",
    folder="kar",
    profile="KAR-0053",
    level="core",
    strength="MUST",
    clauses=("KAR-0053-1",),
    integration="x@1",
    kubernetes="1.37.1",
    outcome=Outcome.PASS,
    promises=("bound",),
)
REFUSED = replace(FITS, case="refused", clauses=("KAR-0053-2",), promises=("refused",))
FORBIDDEN = replace(
    FITS,
    case="kills",
    profile="GANG-RECOVERY",
    clauses=("GANG-16",),
    outcome=Outcome.NOT_SUPPORTED,
    verdicts=(Verdict(BOX, Outcome.NOT_SUPPORTED, "not allowed in this cluster"),),
)


def outcomes(*cases: CaseResult) -> list[Outcome]:
    return [part.outcome for part in programme_tests(cases)]


def test_both_parts_are_needed() -> None:
    assert outcomes(FITS, REFUSED) == [Outcome.PASS, Outcome.PASS, Outcome.PASS]
    assert outcomes(FITS) == [Outcome.NOT_SUPPORTED, Outcome.PASS, Outcome.NOT_SUPPORTED]
    assert outcomes() == [Outcome.NOT_SUPPORTED] * 3


def test_one_case_that_fails_is_enough() -> None:
    broken = replace(REFUSED, case="broken", outcome=Outcome.VIOLATED, promises=())
    assert outcomes(FITS, REFUSED, broken) == [Outcome.VIOLATED, Outcome.PASS, Outcome.VIOLATED]
    unknown = replace(FITS, case="unknown", outcome=Outcome.UNKNOWN)
    assert outcomes(unknown, REFUSED, FITS) == [Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.PASS]


def test_extended_cases_are_no_part_of_it() -> None:
    """The status of the entry follows from core cases; the programme's test must say the same."""
    exotic = replace(REFUSED, case="exotic", level="extended", outcome=Outcome.VIOLATED, promises=())

    assert outcomes(FITS, REFUSED, exotic) == [Outcome.PASS, Outcome.PASS, Outcome.PASS]
    assert outcomes(FITS, replace(REFUSED, level="extended"))[2] is Outcome.NOT_SUPPORTED


def test_quota_is_no_evidence() -> None:
    queued = replace(REFUSED, profile="GANG-QUEUE")
    assert outcomes(FITS, queued)[2] is Outcome.NOT_SUPPORTED
    promised_otherwise = replace(REFUSED, promises=("bound",))
    assert outcomes(FITS, promised_otherwise)[2] is Outcome.NOT_SUPPORTED


def run_of(*cases: CaseResult) -> RunResult:
    sizes = {case.profile: {"core": sum(other.profile == case.profile for other in cases)} for case in cases}
    catalogue = replace(sample_run().catalogue, cases=sizes)
    return sample_run(cases=cases, implementations=(), planned=len(cases), catalogue=catalogue)


def test_what_a_cluster_does_not_allow_keeps_no_must_from_being_implemented() -> None:
    assert unshown(run_of(FITS, REFUSED, FORBIDDEN), "x@1") == []
    unclaimed = replace(FORBIDDEN, verdicts=(Verdict("features", Outcome.NOT_SUPPORTED, "not claimed"),))
    assert unshown(run_of(FITS, REFUSED, unclaimed), "x@1") == ["GANG-RECOVERY is partial"]
    violated = replace(FORBIDDEN, outcome=Outcome.VIOLATED, verdicts=())
    assert any("kills is violated" in text for text in unshown(run_of(FITS, REFUSED, violated), "x@1"))
