"""-k, --folder, --last-failed and --failed-first narrow and order what a run does; -x and --maxfail end it early."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from harness.cli.choose import Choice, choose
from harness.cli.limit import FailureLimit
from harness.core.catalogue.cases import Case
from harness.core.errors import UsageError
from harness.core.results import CaseResult
from harness.core.verdict import Outcome
from harness.runner import memory
from harness.runner.config import RunConfig
from harness.runner.session import EnoughSeenError

CASES = (
    Case("gang-waits", "It MUST wait.", "placement"),
    Case("gang-fits", "It MUST fit.", "placement"),
    Case("gang-evicts", "It MUST evict.", "preemption", profile="GANG-PREEMPTION"),
    Case("gang-of-many", "It MUST fit.", "placement", level="extended"),
)
CORE = RunConfig(profile="core")


def result(case: str, outcome: Outcome, integration: str = "workload@1.37.1") -> CaseResult:
    return CaseResult(
        case, "It MUST.", "placement", "GANG-CORE", "core", "MUST", (), integration, "1.37.1", outcome=outcome
    )


def chosen_ids(config: RunConfig) -> list[str]:
    return [case.id for case in CASES if config.selects(case)]


def test_nothing_given_leaves_the_selection_alone(tmp_path: Path) -> None:
    assert choose(CORE, Choice(), CASES, tmp_path) == CORE


def test_an_expression_and_a_folder_narrow_the_profile(tmp_path: Path) -> None:
    assert chosen_ids(choose(CORE, Choice("gang"), CASES, tmp_path)) == ["gang-waits", "gang-fits", "gang-evicts"]
    assert chosen_ids(choose(CORE, Choice("fits or evicts"), CASES, tmp_path)) == ["gang-fits", "gang-evicts"]
    folder = Choice("fits or evicts", folders=("preemption",))
    assert chosen_ids(choose(CORE, folder, CASES, tmp_path)) == ["gang-evicts"]


def test_what_narrows_nothing_is_still_the_whole_profile(tmp_path: Path) -> None:
    """A report of all cases of a profile must not look like one of some cases."""
    assert choose(CORE, Choice("gang"), CASES, tmp_path).cases == ()


def test_an_expression_that_matches_elsewhere_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no case was selected") as refused:
        choose(CORE, Choice("of-many"), CASES, tmp_path)
    assert refused.value.hint == "1 case of other profiles would match: add --profile all"


def test_an_unknown_folder_offers_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder 'placment'") as refused:
        choose(CORE, Choice(folders=("placment",)), CASES, tmp_path)
    assert "Did you mean 'placement'?" in refused.value.hint


def test_the_cases_that_failed_run_again_until_they_pass(tmp_path: Path) -> None:
    memory.remember(tmp_path, [result("gang-waits", Outcome.VIOLATED), result("gang-fits", Outcome.UNKNOWN)])
    again = Choice(last_failed=True)
    assert chosen_ids(choose(CORE, again, CASES, tmp_path)) == ["gang-waits", "gang-fits"]

    memory.remember(tmp_path, [result("gang-waits", Outcome.PASS)])
    assert chosen_ids(choose(CORE, again, CASES, tmp_path)) == ["gang-fits"]

    memory.remember(tmp_path, [result("gang-fits", Outcome.PASS)])
    assert choose(CORE, again, CASES, tmp_path) == CORE, "nothing failed: all of them run, as in pytest"


def test_what_failed_elsewhere_does_not_count(tmp_path: Path) -> None:
    memory.remember(tmp_path, [result("gang-waits", Outcome.VIOLATED, "volcano@1.14.1")])

    for integration, failed in (("workload", ()), ("volcano", ("gang-waits",)), ("volcano@1.14", ("gang-waits",))):
        assert memory.failed(tmp_path, [integration]) == failed


@pytest.mark.parametrize("content", ["", "[]", '{"workload@1.37.1": 3}'])
def test_a_damaged_memory_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / memory.FILE).write_text(content)

    assert memory.failed(tmp_path, ["workload"]) == ()
    memory.remember(tmp_path, [result("gang-waits", Outcome.VIOLATED)])
    assert memory.failed(tmp_path, ["workload"]) == ("gang-waits",)


def test_a_case_that_passes_once_and_fails_once_has_failed(tmp_path: Path) -> None:
    memory.remember(tmp_path, [result("gang-waits", Outcome.VIOLATED), result("gang-waits", Outcome.PASS)])
    assert memory.failed(tmp_path, ["workload"]) == ("gang-waits",)


def test_failed_cases_run_first(tmp_path: Path) -> None:
    memory.remember(tmp_path, [result("gang-fits", Outcome.VIOLATED)])

    config = choose(CORE, Choice(failed_first=True), CASES, tmp_path)
    assert config.first == ("gang-fits",)
    assert config.cases == ()
    with pytest.raises(UsageError, match="exclude each other"):
        choose(replace(CORE, order="random"), Choice(failed_first=True), CASES, tmp_path)


def event(case: str, outcome: Outcome, expected: str = "") -> dict[str, object]:
    case_result = replace(result(case, outcome), expected=expected)
    return {"event": "case", "result": json.loads(json.dumps(asdict(case_result)))}


def test_a_limit_is_reached_by_failures_alone() -> None:
    limit = FailureLimit(2)

    limit({"event": "begin"})
    limit(event("gang-fits", Outcome.PASS))
    limit(event("gang-fits", Outcome.NOT_SUPPORTED))
    limit(event("gang-waits", Outcome.VIOLATED))
    with pytest.raises(EnoughSeenError):
        limit(event("gang-evicts", Outcome.UNKNOWN))
    assert limit.reached


def test_what_is_expected_is_no_failure() -> None:
    limit = FailureLimit(1)

    limit(event("only-the-lowest-priority-is-evicted", Outcome.VIOLATED, expected="victims are chosen after nodes"))
    with pytest.raises(EnoughSeenError):
        limit(event("gang-that-fits-is-bound-whole", Outcome.VIOLATED))
