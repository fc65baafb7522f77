"""report.yaml: valid by its schema, the same bytes for the same run, and honest about what is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
import yaml

from harness.core.errors import UsageError
from harness.core.oracle.figures import gang_figures
from harness.core.results import RunResult
from harness.core.verdict import Outcome
from harness.report.conformance import dump, report, report_yaml
from harness.report.model import Result, headline, implementation_results, level_result, missing
from harness.report.restore import restored
from harness.report.verify import check, load_report, problems, schema

from .sample import history_of, sample_catalogue, sample_run


def test_the_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_a_report_is_sound_and_names_every_case(verified: Path, folder: Path) -> None:
    result = check(verified / "report.yaml", sample_catalogue())
    assert result.problems == () and result.verified and result.same_catalogue
    data = load_report(folder)
    assert [entry["integration"] for entry in data["implementations"]] == sorted(
        entry["integration"] for entry in data["implementations"]
    )
    assert sum(len(entry["cases"]) for entry in data["implementations"]) == len(sample_run().cases)


def test_equal_runs_give_equal_bytes_whatever_the_order_of_cases() -> None:
    run = sample_run()
    turned = replace(run, cases=tuple(reversed(run.cases)), implementations=tuple(reversed(run.implementations)))
    assert report_yaml(run) == report_yaml(sample_run()) == report_yaml(turned)


def test_profiles_carry_statistics_and_lists() -> None:
    entry = next(e for e in report(sample_run())["implementations"] if e["integration"].startswith("coscheduling"))
    core = next(p for p in entry["profiles"] if p["name"] == "GANG-CORE")["core"]
    assert core["result"] == "failure"
    assert core["statistics"] == {"passed": 3, "violated": 1, "unknown": 0, "notSupported": 0}
    assert core["violatedCases"] == ["two-gangs-that-fit-one-at-a-time-do-not-deadlock"]
    violated = next(case for case in entry["cases"] if case["outcome"] == "violated")
    assert violated["violatedAtRevision"] == 1093
    assert violated["clauses"] and violated["reason"] and violated["digest"].startswith("sha256:")
    assert violated["heldGpuSeconds"] > 25


def test_what_gangs_are_measured_to_hold_is_in_the_report() -> None:
    run = sample_run()
    measured = gang_figures(history_of("two-gangs-that-fit-one-at-a-time-do-not-deadlock"))
    data = report(replace(run, cases=(replace(run.cases[0], figures=measured),), planned=1))
    [case] = [case for entry in data["implementations"] for case in entry["cases"]]
    assert case["heldGpuSeconds"] == pytest.approx(
        sum(entry["held_gpu_seconds"] for entry in measured.values()), abs=0.001
    )
    assert case["heldGpuSeconds"] > 0
    assert case["heldPodSeconds"] > 0


def test_of_repeats_of_a_case_the_worst_counts() -> None:
    run = sample_run()
    good = replace(run.cases[0], outcome=Outcome.PASS, verdicts=(), figures={})
    bad = replace(good, outcome=Outcome.VIOLATED, error="it was")
    repeated = replace(run, cases=(good, bad, good, *run.cases[1:]), planned=run.planned + 2)
    data = report(repeated)
    [case] = [
        case
        for entry in data["implementations"]
        for case in entry["cases"]
        if (entry["integration"], case["case"]) == (good.integration, good.case)
    ]
    assert case["outcome"] == "violated"
    assert (data["run"]["planned"], data["run"]["ran"]) == (run.planned, len(run.cases))
    assert problems(data) == []


def test_a_case_that_needed_stalls_is_told_as_that() -> None:
    run = sample_run()
    needy = replace(run, cases=(replace(run.cases[0], needs_stalls=True), *run.cases[1:]))
    rows = [row for entry in report(needy)["implementations"] for row in entry["cases"]]
    assert [row["case"] for row in rows if row.get("needsStalls")] == [run.cases[0].case]
    assert sum(case.needs_stalls for case in restored(report(needy)).cases) == 1
    assert not any("needsStalls" in row for entry in report(run)["implementations"] for row in entry["cases"])


def test_stretched_deadlines_are_told() -> None:
    assert "timeoutFactor" not in report(sample_run())["run"]
    data = report(sample_run(timeout_factor=2.5))
    assert data["run"]["timeoutFactor"] == 2.5
    assert problems(data) == []


@pytest.mark.parametrize(
    ("level", "outcomes", "cut", "result"),
    [
        ("core", [Outcome.PASS], False, Result.SUCCESS),
        ("core", [Outcome.PASS, Outcome.NOT_SUPPORTED], False, Result.PARTIAL),
        ("extended", [Outcome.PASS, Outcome.NOT_SUPPORTED], False, Result.SUCCESS),
        ("extended", [Outcome.NOT_SUPPORTED], False, Result.PARTIAL),
        ("core", [Outcome.PASS, Outcome.UNKNOWN], False, Result.UNKNOWN),
        ("core", [Outcome.UNKNOWN, Outcome.VIOLATED], False, Result.FAILURE),
        ("core", [Outcome.PASS], True, Result.UNKNOWN),
        ("core", [], False, Result.PARTIAL),
    ],
)
def test_how_a_result_follows_from_outcomes(level: str, outcomes: list[Outcome], cut: bool, result: Result) -> None:
    assert level_result(level, outcomes, len(outcomes), cut=cut) is result


def test_a_run_cut_off_says_so_and_claims_no_success() -> None:
    run = sample_run(cases=sample_run().cases[:40], interrupted=True)
    data = report(run)
    assert data["run"]["complete"] is False
    assert "40 of 44" in data["run"]["missing"]
    assert {p.result for result in implementation_results(run) for p in result.profiles} <= {
        Result.UNKNOWN,
        Result.FAILURE,
    }
    assert problems(data) == []


def test_an_empty_run_is_still_a_report() -> None:
    run = RunResult("empty", 0.0, 0.0, "0.1.0", "embedded", (), ())
    assert problems(report(run)) == []
    assert missing(run) and headline(run) == "Nothing was judged."


def test_a_claim_that_does_not_follow_from_the_cases_is_found() -> None:
    data = report(sample_run())
    level = data["implementations"][0]["profiles"][0]["core"]
    level["result"], level["statistics"]["violated"] = "success", 0
    text = "\n".join(problems(data))
    assert ".profiles[0].core.result: the report says success, the cases say failure" in text
    assert "statistics.violated: the report says 0, the cases say 1" in text


def test_problems_name_their_path() -> None:
    data = report(sample_run())
    data["implementations"][1]["cases"][2]["outcome"] = "fine"
    del data["musterVersion"]
    faults = problems(data)
    assert any(problem.startswith("implementations[1].cases[2].outcome: 'fine'") for problem in faults)
    assert any(problem.startswith("report: 'musterVersion'") for problem in faults)


def test_a_changed_history_is_found_by_its_digest(verified: Path) -> None:
    data = load_report(verified)
    entry = next(case for case in data["implementations"][0]["cases"] if case.get("digest"))
    entry["digest"] = "sha256:" + "0" * 64
    [fault] = problems(data, verified)
    assert fault.startswith(entry["history"]) and "another history" in fault


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"apiVersion": "muster.dev/v2", "kind": "ConformanceReport"}, "supports muster.dev/v1"),
        ({"kind": "Pod"}, "not a ConformanceReport"),
        ([1], "not a ConformanceReport"),
    ],
)
def test_another_file_is_a_usage_error(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(UsageError, match=message):
        load_report(path)


def test_unreadable_files_are_usage_errors(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("a: [")
    for name in ("broken.yaml", "missing.yaml"):
        with pytest.raises(UsageError):
            load_report(tmp_path / name)


def test_yaml_has_no_anchors_and_survives_a_round_trip() -> None:
    data = report(sample_run())
    assert "&id" not in dump(data)
    assert yaml.safe_load(dump(data))["implementations"] == data["implementations"]
