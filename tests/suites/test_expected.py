"""Expected verdicts: a difference in either direction is found, and the files in ci/expected are complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness import expectations
from harness.box.data import data_root
from harness.cli.held import hold_against, once_more
from harness.collect import collect_cases
from harness.core.errors import ExitCode, UsageError
from harness.core.expected import AGAIN, expected_from_data, unsteady
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome, Verdict
from harness.run import Plan

FOLDER = data_root() / "ci" / "expected"
FILES = sorted(FOLDER.glob("*.yaml"))


def result(case: str, outcome: Outcome) -> CaseResult:
    return CaseResult(case, "It MUST.", "placement", "GANG-CORE", "core", "MUST", (), "some@1.0", "1.37.1", outcome)


def test_both_directions_differ(tmp_path: Path) -> None:
    (tmp_path / "some@1.0.yaml").write_text("pass: [a]\nviolated: {b: it always was}\nnot-supported: [c]\n")
    as_known = [result("a", Outcome.PASS), result("b", Outcome.VIOLATED), result("c", Outcome.NOT_SUPPORTED)]

    assert expectations.compare(tmp_path, as_known) == []
    broken = expectations.compare(tmp_path, [replace(as_known[0], outcome=Outcome.VIOLATED)])
    fixed = expectations.compare(tmp_path, [replace(as_known[1], outcome=Outcome.PASS)])
    new = expectations.compare(tmp_path, [result("d", Outcome.PASS)])
    assert [str(one) for one in broken + fixed + new] == [
        "a (some@1.0): expected pass, seen violated",
        "b (some@1.0): expected violated, seen pass",
        "d (some@1.0): expected nothing, for the file does not know it, seen pass",
    ]


def test_a_race_may_end_either_way(tmp_path: Path) -> None:
    (tmp_path / "some@1.0.yaml").write_text("unsteady: {a: it evicts twice when the deletion is seen late}\n")

    either = [result("a", Outcome.PASS), result("a", Outcome.VIOLATED)]
    assert expectations.compare(tmp_path, either) == []
    assert len(expectations.compare(tmp_path, [result("a", Outcome.UNKNOWN)])) == 1


def test_accept_keeps_reasons_and_other_cases(tmp_path: Path) -> None:
    (tmp_path / "some@1.0.yaml").write_text(
        "pass: [a]\nviolated: {b: it always was}\nraces: [{checks: [live], reason: it happens}]\n"
    )

    expectations.accept(tmp_path, [result("c", Outcome.VIOLATED)])

    known = expectations.load(tmp_path, "some@1.0")
    assert known is not None
    assert dict(known.reasons) == {"b": "it always was", "c": ""}
    assert [race.reason for race in known.races] == ["it happens"]
    assert known.outcomes["a"] is Outcome.PASS


def test_a_missing_file_says_how_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        expectations.compare(tmp_path, [result("a", Outcome.PASS)])

    assert "--accept" in error.value.hint


def test_a_case_has_one_verdict() -> None:
    with pytest.raises(UsageError):
        expected_from_data({"pass": ["a"], "violated": {"a": "why"}})
    with pytest.raises(UsageError):
        expected_from_data({"passed": ["a"]})


RACE = "pass: [a]\nraces: [{checks: [atomic, live], reason: a rejected member counts for a moment}]\n"


def broken(case: str, *checks: str) -> CaseResult:
    verdicts = tuple(Verdict(check, Outcome.VIOLATED, "so it was") for check in checks)
    return replace(result(case, Outcome.VIOLATED), verdicts=verdicts)


def test_what_a_known_race_strikes_once_is_no_difference_when_it_passes_again(tmp_path: Path) -> None:
    (tmp_path / "some@1.0.yaml").write_text(RACE)
    once, passes = broken("a", "atomic", "live"), [result("a", Outcome.PASS)] * AGAIN

    assert expectations.compare(tmp_path, [once, *passes]) == []
    assert [str(one) for one in expectations.compare(tmp_path, [once])] == [
        "a (some@1.0): expected pass, seen violated"
    ]
    assert len(expectations.compare(tmp_path, [once, passes[0]])) == 1, "it must pass often enough"
    assert len(expectations.compare(tmp_path, [once] * 3 + passes)) == 1, "it struck too often"


def test_a_race_excuses_nothing_but_what_it_breaks(tmp_path: Path) -> None:
    (tmp_path / "some@1.0.yaml").write_text(RACE)
    passes = [result("a", Outcome.PASS)] * 2 * AGAIN

    assert len(expectations.compare(tmp_path, [broken("a", "atomic", "claims"), *passes])) == 1
    assert len(expectations.compare(tmp_path, [broken("a", "atomic"), result("a", Outcome.UNKNOWN), *passes])) == 2
    assert len(expectations.compare(tmp_path, [result("b", Outcome.VIOLATED), result("b", Outcome.PASS)])) == 2


def test_only_cases_that_a_known_race_has_struck_are_run_again(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "some@1.0.yaml").write_text(RACE.replace("[a]", "[a, b, c]"))
    cases = [broken("a", "atomic"), broken("b", "claims"), result("c", Outcome.PASS)]
    asked = []

    def again(integration: str, names: Sequence[str]) -> RunResult:
        asked.append((integration, list(names)))
        return run_of([result(name, Outcome.PASS) for name in names for _ in range(AGAIN)])

    code = hold_against(tmp_path, run_of(cases), again)

    assert asked == [("some@1.0", ["a"])]
    assert code == ExitCode.VIOLATED
    said = " ".join(capsys.readouterr().out.split())
    assert "differs b (some@1.0): expected pass, seen violated" in said
    assert "race a (some@1.0): violated 1 of 6 times. a rejected member counts for a moment" in said


@pytest.mark.parametrize(("strikes", "looks", "code"), [(1, 2, ExitCode.CONFORMANT), (3, 2, ExitCode.VIOLATED)])
def test_a_race_that_strikes_again_is_looked_at_longer(tmp_path: Path, strikes: int, looks: int, code: int) -> None:
    (tmp_path / "some@1.0.yaml").write_text(RACE)
    asked = []

    def again(integration: str, names: Sequence[str]) -> RunResult:
        asked.append(integration)
        violated = strikes if len(asked) == 1 else 0
        more = [broken("a", "live")] * violated + [result("a", Outcome.PASS)] * (2 * AGAIN if not violated else 1)
        return run_of(more)

    assert hold_against(tmp_path, run_of([broken("a", "atomic")]), again) == code
    assert len(asked) == (looks if code == ExitCode.CONFORMANT else 1)


def test_a_gang_that_was_only_late_is_looked_at_again_whoever_bound_it(tmp_path: Path) -> None:
    (tmp_path / "some@1.0.yaml").write_text("pass: [a]")
    late = Verdict("atomic", Outcome.VIOLATED, "39 of 40", figures={"left_in_part": 0})
    partial = Verdict("atomic", Outcome.VIOLATED, "39 of 40", figures={"left_in_part": 1})
    passes = [result("a", Outcome.PASS)] * AGAIN

    def compared(*verdicts: Verdict) -> int:
        once = replace(result("a", Outcome.VIOLATED), verdicts=verdicts)
        return len(expectations.compare(tmp_path, [once, *passes]))

    assert compared(late) == 0
    assert compared(partial) == 1
    assert compared(late, Verdict("live", Outcome.VIOLATED, "not bound")) == 1


def run_of(cases: list[CaseResult]) -> RunResult:
    return RunResult("some", 0.0, 1.0, "0", "embedded", (), tuple(cases), len(cases))


def test_the_second_look_is_at_the_same_integration_in_the_same_way() -> None:
    plan = Plan(("other", "some"), ("--muster-profile=core", "--muster-repeat=1", "--muster-case=a,b"), 2)

    more = once_more(plan, "some@1.0", ["a"])

    assert more.integrations == ("some",)
    assert more.options == ("--muster-profile=core", "--muster-case=a", f"--muster-repeat={AGAIN}")


@pytest.mark.parametrize("race", ["atomic", {"checks": ["atomic"]}, {"checks": "atomic", "reason": "why"}])
def test_a_race_says_what_it_breaks_and_why(race: object) -> None:
    with pytest.raises(UsageError, match="not a race"):
        expected_from_data({"races": [race]})


def test_repeats_that_differ_are_unsteady() -> None:
    found = unsteady([result("a", Outcome.PASS), result("a", Outcome.VIOLATED), result("b", Outcome.PASS)])

    assert found == {"a (some@1.0)": ["pass", "violated"]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_file_names_every_case_and_explains_every_violation(file: Path) -> None:
    known = expectations.load(FOLDER, file.stem)
    assert known is not None
    ids = {case.id for case in collect_cases()}

    assert {*known.outcomes, *known.unsteady} == ids
    assert [case for case, reason in {**known.reasons, **known.unsteady}.items() if len(reason) <= 40] == []
