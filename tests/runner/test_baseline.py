"""The baseline: a difference in either direction is reported, and files hold explained deviations only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.adapters import adapter
from harness.box.artifacts import load
from harness.box.data import data_root
from harness.cli.baseline import accept_verdicts, hold_against, once_more
from harness.core.catalogue.expected import REPEATS, expected_from_data, unsteady_cases
from harness.core.errors import ExitCode, UsageError
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome, Verdict
from harness.runner import baseline
from harness.runner.collect import collect_cases
from harness.runner.config import RunConfig

FOLDER = data_root() / "ci" / "expected"
FILES = sorted(FOLDER.glob("*.yaml"))
SOME = "workload@1.37.1"
A, B, C = "gang-that-fits-is-bound-whole", "one-of-two-gangs-wins-whole", "fragmented-room-is-no-room"
FOREIGN = "config-map-begins-empty"  # a case for controllers of JobSets, which the native API is not asked for
COUNTS = "{violated: 6, runs: 20, reason: why}"
RACE = "races: [{checks: [atomic, liveness], rate: 0.1, reason: a rejected member counts for a moment}]\n"


def result(case: str, outcome: Outcome) -> CaseResult:
    return CaseResult(case, "It MUST.", "placement", "GANG-CORE", "core", "MUST", (), SOME, "1.37.1", outcome)


def broken(case: str, *checks: str) -> CaseResult:
    verdicts = tuple(Verdict(check, Outcome.VIOLATED, "so it was") for check in checks)
    return replace(result(case, Outcome.VIOLATED), verdicts=verdicts)


def run_of(cases: list[CaseResult]) -> RunResult:
    return RunResult("some", 0.0, 1.0, "0", "embedded", (), tuple(cases), len(cases))


def write(folder: Path, text: str) -> Path:
    path = folder / f"{SOME}.yaml"
    path.write_text(text)
    return path


def compared(folder: Path, *results: CaseResult) -> list[str]:
    return [str(difference) for difference in baseline.compare(folder, results)]


def test_both_directions_differ(tmp_path: Path) -> None:
    write(tmp_path, f"violated: {{{B}: it always was}}\n")
    as_expected = [result(A, Outcome.PASS), result(B, Outcome.VIOLATED), result(FOREIGN, Outcome.NOT_SUPPORTED)]

    assert compared(tmp_path, *as_expected) == []
    assert compared(tmp_path, result(A, Outcome.VIOLATED)) == [f"{A} ({SOME}): expected pass, seen violated"]
    assert compared(tmp_path, result(B, Outcome.PASS)) == [f"{B} ({SOME}): expected violated, seen pass"]
    assert compared(tmp_path, result(C, Outcome.UNKNOWN)) == [f"{C} ({SOME}): expected pass, seen unknown"]


def test_what_is_asked_of_an_integration_follows_from_what_it_claims(tmp_path: Path) -> None:
    write(tmp_path, "violated: {}\n")

    ran = compared(tmp_path, result(FOREIGN, Outcome.PASS))
    left_out = compared(tmp_path, result(A, Outcome.NOT_SUPPORTED))
    assert ran == [f"{FOREIGN} ({SOME}): expected not-supported, seen pass"]
    assert left_out == [f"{A} ({SOME}): expected pass, seen not-supported"]


def test_a_race_may_end_either_way(tmp_path: Path) -> None:
    write(tmp_path, f"unsteady: {{{A}: {{violated: 6, runs: 20, reason: it evicts twice}}}}\n")

    assert compared(tmp_path, result(A, Outcome.PASS), result(A, Outcome.VIOLATED)) == []
    assert len(compared(tmp_path, result(A, Outcome.UNKNOWN))) == 1


@pytest.mark.parametrize(
    ("violated", "passed", "differs"),
    [(1, 0, False), (0, 12, False), (0, 13, True), (8, 2, False), (9, 1, True), (8, 1, False)],
)
def test_a_race_is_held_to_its_recorded_rate(tmp_path: Path, violated: int, passed: int, differs: bool) -> None:
    write(tmp_path, f"unsteady: {{{A}: {{violated: 6, runs: 20, reason: it evicts twice}}}}\n")
    runs = [result(A, Outcome.VIOLATED)] * violated + [result(A, Outcome.PASS)] * passed

    different = compared(tmp_path, *runs)

    assert bool(different) == differs
    assert all(f"violated in {violated} of {violated + passed} runs, recorded: 6 of 20" in text for text in different)


def test_accept_writes_deviations_only_and_keeps_reasons(tmp_path: Path) -> None:
    write(
        tmp_path, f"violated: {{{B}: it always was}}\nraces: [{{checks: [liveness], rate: 0.05, reason: it happens}}]\n"
    )
    results = [result(A, Outcome.PASS), result(C, Outcome.VIOLATED), result(FOREIGN, Outcome.NOT_SUPPORTED)]

    (path,) = baseline.accept(tmp_path, results)

    expected = baseline.load(tmp_path, SOME, "1.37.1")
    assert expected is not None
    assert dict(expected.violated) == {B: "it always was", C: ""}
    assert [race.reason for race in expected.races] == ["it happens"]
    assert A not in path.read_text()
    assert FOREIGN not in path.read_text()


def test_accept_forgets_what_was_fixed(tmp_path: Path) -> None:
    path = write(tmp_path, f"violated: {{{B}: it always was}}\n")

    assert accept_verdicts(tmp_path, run_of([result(B, Outcome.PASS)])) == ExitCode.CONFORMANT
    assert B not in path.read_text()


def test_a_new_violation_is_accepted_only_with_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    run = run_of([result(A, Outcome.VIOLATED)])

    assert accept_verdicts(tmp_path, run) == ExitCode.VIOLATED
    printed = " ".join(capsys.readouterr().out.split())
    assert f"differs {A} ({SOME}): expected pass, seen violated; its violation has no reason yet" in printed
    assert len(compared(tmp_path, *run.cases)) == 1, "the file alone excuses nothing"

    path = tmp_path / f"{SOME}.yaml"
    path.write_text(path.read_text().replace("''", "it binds one member before the others"))
    assert accept_verdicts(tmp_path, run) == ExitCode.CONFORMANT
    assert "it binds one member before the others" in path.read_text()


def test_what_is_unknown_or_was_not_asked_for_cannot_be_accepted(tmp_path: Path) -> None:
    run = run_of([result(A, Outcome.UNKNOWN), result(FOREIGN, Outcome.VIOLATED)])

    assert accept_verdicts(tmp_path, run) == ExitCode.VIOLATED
    assert "violated: {}" in (tmp_path / f"{SOME}.yaml").read_text()


def test_one_violation_among_repeats_is_a_deviation(tmp_path: Path) -> None:
    write(tmp_path, f"violated: {{{B}: it always was}}\n")
    mixed = [result(B, Outcome.PASS), result(B, Outcome.VIOLATED), result(B, Outcome.PASS)]

    baseline.accept(tmp_path, mixed)

    expected = baseline.load(tmp_path, SOME, "1.37.1")
    assert expected is not None
    assert dict(expected.violated) == {B: "it always was"}


def test_a_missing_file_says_how_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        baseline.compare(tmp_path, [result(A, Outcome.PASS)])

    assert "--accept" in error.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"violated: {{{A}: why}}\nunsteady: {{{A}: {COUNTS}}}", "is both violated and unsteady"),
        (f"pass: [{A}]", "unknown key 'pass'"),
        ("violated: {gang-that-fits-is-bound-hole: why}", "there is no case 'gang-that-fits-is-bound-hole'"),
        (f"violated: [{A}]", "violated has no reasons"),
        ("[]\n- a", "cannot be read"),
        ("- a", "not a mapping"),
        ("races: atomic", "races is no list"),
        ("races: [atomic]", "not a race"),
        ("races: [{checks: [atomic]}]", "not a race"),
        ("races: [{checks: atomic, rate: 0.1, reason: why}]", "not a race"),
        ("races: [{checks: [atomic], reason: why}]", "not a race"),
        (f"races: [{{checks: [atomic], cases: [{A}], rate: 0.1, reason: why}}]", "not a race"),
        ("races: [{checks: [atomic], cases: [], reason: why}]", "names no case"),
        ("races: [{checks: [atomic], cases: [gang-that-fits], reason: why}]", "there is no case 'gang-that-fits'"),
        ("races: [{checks: [live], rate: 0.1, reason: why}]", "there is no check 'live'"),
        ("races: [{checks: [atomic], rate: 0.2, reason: why}]", "not a rate: 0.2"),
        ("races: [{checks: [atomic], rate: 0, reason: why}]", "not a rate: 0"),
        ("races: [{checks: [atomic], rate: often, reason: why}]", "not a rate: 'often'"),
        (
            "races: [{checks: [refused, atomic, liveness, order], rate: 0.01, reason: why}]",
            "a race covers atomic, liveness, refused of every case",
        ),
        (f"unsteady: {{{A}: it happens}}", "no counts: 'it happens'"),
        (f"unsteady: {{{A}: {{violated: 1, runs: 20}}}}", "no counts"),
        (f"unsteady: {{{A}: {{violated: 1, runs: some, reason: why}}}}", "no whole numbers: 1 of 'some'"),
        (f"unsteady: {{{A}: {{violated: 1, runs: 9, reason: why}}}}", "9 recorded runs are too few"),
        (f"unsteady: {{{A}: {{violated: 0, runs: 20, reason: why}}}}", "0 of 20 runs violated are not both outcomes"),
        (f"unsteady: {{{A}: {{violated: 20, runs: 20, reason: why}}}}", "20 of 20 runs violated are not both outcomes"),
        (f"unsteady: {{{A}: {{violated: 18, runs: 20, reason: why}}}}", "violated in 18 of 20 runs, that is no race"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(text: str, message: str, tmp_path: Path) -> None:
    write(tmp_path, text)

    with pytest.raises(UsageError, match=message) as error:
        baseline.load(tmp_path, SOME, "1.37.1")
    assert SOME in error.value.message


def test_what_a_known_race_hits_once_is_no_difference_when_it_passes_again(tmp_path: Path) -> None:
    write(tmp_path, RACE)
    once, passes = broken(A, "atomic", "liveness"), [result(A, Outcome.PASS)] * REPEATS

    assert compared(tmp_path, once, *passes) == []
    assert compared(tmp_path, once) == [f"{A} ({SOME}): expected pass, seen violated"]
    assert len(compared(tmp_path, once, passes[0])) == 1, "it must pass often enough"
    assert len(compared(tmp_path, *[once] * 3, *passes)) == 1, "it was hit too often"


def test_a_race_excuses_nothing_but_what_it_breaks(tmp_path: Path) -> None:
    write(tmp_path, RACE)
    passes = [result(A, Outcome.PASS)] * 2 * REPEATS

    assert len(compared(tmp_path, broken(A, "atomic", "assertions"), *passes)) == 1
    assert len(compared(tmp_path, broken(A, "atomic"), result(A, Outcome.UNKNOWN), *passes)) == 2
    assert len(compared(tmp_path, result(B, Outcome.VIOLATED), result(B, Outcome.PASS))) == 1


def test_a_race_that_names_its_cases_excuses_no_other(tmp_path: Path) -> None:
    write(tmp_path, f"races: [{{checks: [atomic, liveness, refused], cases: [{A}], reason: it counts for a moment}}]\n")
    passes = [result(case, Outcome.PASS) for case in (A, B)] * REPEATS

    assert compared(tmp_path, broken(A, "atomic", "refused"), *passes) == []
    assert len(compared(tmp_path, broken(B, "atomic"), *passes)) == 1


def test_a_race_that_strikes_more_often_than_its_rate_excuses_nothing(tmp_path: Path) -> None:
    write(tmp_path, RACE.replace("0.1", "0.05"))
    hits = [broken(case, "atomic") for case in (A, B)]
    passes = [result(case, Outcome.PASS) for case in (A, B, C)] * REPEATS
    asked = [case.id for case in collect_cases() if case.id not in baseline.not_asked(SOME, "1.37.1")]
    others = [result(case, Outcome.PASS) for case in asked[:40]]

    assert compared(tmp_path, *hits[:1], *passes) == [], "one is always possible"
    assert len(compared(tmp_path, *hits, *passes)) == 2
    assert compared(tmp_path, *hits, *passes, *others) == [], "two of forty are five in a hundred"


def test_only_cases_that_a_known_race_has_hit_are_run_again(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    write(tmp_path, RACE)
    asked = []

    def again(integration: str, names: Sequence[str]) -> RunResult:
        asked.append((integration, list(names)))
        return run_of([result(name, Outcome.PASS) for name in names for _ in range(REPEATS)])

    cases = [broken(A, "atomic"), broken(B, "assertions"), result(C, Outcome.PASS)]
    code = hold_against(tmp_path, run_of(cases), again)

    assert asked == [(SOME, [A])]
    assert code == ExitCode.VIOLATED
    printed = " ".join(capsys.readouterr().out.split())
    assert f"differs {B} ({SOME}): expected pass, seen violated" in printed
    assert f"race {A} ({SOME}): violated 1 of 6 times. a rejected member counts for a moment" in printed


@pytest.mark.parametrize(("hits", "attempts", "code"), [(1, 2, ExitCode.CONFORMANT), (3, 1, ExitCode.VIOLATED)])
def test_a_race_that_hits_again_is_tried_longer(tmp_path: Path, hits: int, attempts: int, code: int) -> None:
    write(tmp_path, RACE)
    asked = []

    def again(integration: str, names: Sequence[str]) -> RunResult:
        asked.append(integration)
        violated = hits if len(asked) == 1 else 0
        passes = 2 * REPEATS if not violated else 1
        return run_of([broken(A, "liveness")] * violated + [result(A, Outcome.PASS)] * passes)

    assert hold_against(tmp_path, run_of([broken(A, "atomic")]), again) == code
    assert len(asked) == attempts


def test_a_gang_that_was_only_late_is_tried_again_for_every_scheduler(tmp_path: Path) -> None:
    write(tmp_path, "violated: {}")
    late = Verdict("atomic", Outcome.VIOLATED, "39 of 40", figures={"left_in_part": 0})
    partial = Verdict("atomic", Outcome.VIOLATED, "39 of 40", figures={"left_in_part": 1})
    passes = [result(A, Outcome.PASS)] * REPEATS

    def differing(*verdicts: Verdict) -> int:
        return len(compared(tmp_path, replace(result(A, Outcome.VIOLATED), verdicts=verdicts), *passes))

    assert differing(late) == 0
    assert differing(partial) == 1
    assert differing(late, Verdict("liveness", Outcome.VIOLATED, "not bound")) == 1


def test_the_second_attempt_is_at_the_same_integration_in_the_same_way_but_in_one_box() -> None:
    config = RunConfig(("volcano", "workload"), profile="core", cases=(A, B), workers=2)

    more = once_more(config, SOME, [A])

    assert more == replace(config, integrations=("workload",), cases=(A,), repeat=REPEATS, workers=1)


def test_repeats_that_differ_are_unsteady() -> None:
    unsteady = unsteady_cases([result(A, Outcome.PASS), result(A, Outcome.VIOLATED), result(B, Outcome.PASS)])

    assert unsteady == {f"{A} ({SOME})": ["pass", "violated"]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_deviation_is_explained_and_of_a_case_that_is_asked(file: Path) -> None:
    expected = baseline.load(FOLDER, file.stem, baseline.kubernetes_for(file.stem))

    assert expected is not None
    reasons = {**expected.violated, **{case: entry.reason for case, entry in expected.unsteady.items()}}
    assert [case for case, reason in reasons.items() if len(reason) <= 40] == []
    assert all(len(race.reason) > 40 for race in expected.races)
    assert set(reasons) & expected.not_asked == set()


def test_a_version_of_a_file_can_be_had() -> None:
    register = load()
    for file in FILES:
        name, _, version = file.stem.partition("@")
        assert register.lock(adapter(name).component, version).version == version


def test_expected_needs_no_file_to_be_empty() -> None:
    nothing = expected_from_data({}, "file", [])

    assert nothing.outcome(A) is Outcome.PASS


def test_a_build_of_the_user_has_no_expected_verdicts_unless_a_version_is_stated() -> None:
    with pytest.raises(UsageError, match="a build of your own"):
        baseline.require(data_root() / "ci" / "expected", "workload", programs=["kubernetes.kube-scheduler"])

    baseline.require(
        data_root() / "ci" / "expected", "workload", programs=["kubernetes.kube-scheduler"], stated="1.37.1"
    )
    baseline.require(data_root() / "ci" / "expected", "workload", programs=["kwok.kwok"])
