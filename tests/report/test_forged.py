"""A report that was edited, cut down or put beside other histories is found out."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.core.catalogue.selection import Selection, catalogue_size
from harness.core.errors import UsageError
from harness.core.history import store
from harness.core.verdict import Outcome
from harness.report import write
from harness.report.cncf import fragment
from harness.report.conformance import dump, report
from harness.report.load import load_run
from harness.report.model import implementation_results
from harness.report.page import page
from harness.report.site import build_site
from harness.report.verify import check, load_report, problems

from .sample import judged_run, sample_catalogue, sample_run

Data = dict[str, Any]


def rows(data: Data) -> list[Data]:
    return [row for entry in data["implementations"] for row in entry["cases"]]


def profiles(data: Data) -> list[Data]:
    return [profile for entry in data["implementations"] for profile in entry["profiles"]]


def levels(data: Data) -> list[Data]:
    return [profile[name] for profile in profiles(data) for name in ("core", "extended") if name in profile]


def all_green(data: Data) -> None:
    data["outcome"] = "pass"
    for entry in (*data["implementations"], *profiles(data), *levels(data)):
        entry["result"] = "success"


def no_violated_lists(data: Data) -> None:
    for level in levels(data):
        level.pop("violatedCases", None)


def other_counts(data: Data) -> None:
    level = next(level for level in levels(data) if level["statistics"]["violated"])
    level["statistics"]["passed"] += level["statistics"]["violated"]
    level["statistics"]["violated"] = 0


def other_summary(data: Data) -> None:
    profiles(data)[0]["summary"] = "Core: everything passed."


def without_violated(data: Data) -> None:
    for entry in data["implementations"]:
        entry["cases"] = [row for row in entry["cases"] if row["outcome"] != "violated"]


def not_complete(data: Data) -> None:
    data["run"]["planned"] += 1


def smaller_catalogue(data: Data) -> None:
    data["run"]["catalogue"]["cases"]["GANG-CORE"]["core"] -= 1


def other_selection(data: Data) -> None:
    data["run"]["selection"]["cases"] = [data["implementations"][0]["cases"][0]["case"]]


def one_integration_less(data: Data) -> None:
    data["implementations"].pop()


def case_of_another_profile(data: Data) -> None:
    rows(data)[0]["profile"] = "GANG-QUEUE"


FORGERIES: list[Callable[[Data], None]] = [
    all_green,
    no_violated_lists,
    other_counts,
    other_summary,
    without_violated,
    not_complete,
    smaller_catalogue,
    other_selection,
    one_integration_less,
    case_of_another_profile,
]


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_what_is_computed_from_the_cases_cannot_be_edited(forge: Callable[[Data], None], tmp_path: Path) -> None:
    data = report(sample_run())
    assert problems(data) == []
    forge(data)
    assert problems(data)
    (tmp_path / "report.yaml").write_text(dump(data))
    with pytest.raises(UsageError, match="is not sound"):
        build_site(tmp_path / "site", [tmp_path / "report.yaml"])


@pytest.mark.parametrize("drop", [0, 7, 20])
def test_a_report_that_is_computed_anew_without_a_case_is_found_by_its_selection(drop: int) -> None:
    run = sample_run()
    cases = tuple(case for number, case in enumerate(run.cases) if number != drop)
    lower = replace(run, cases=cases, planned=len(cases))
    assert problems(report(lower))
    named = replace(lower, selection=Selection(run.selection.integrations, profile="extended"))
    assert problems(report(named), None, sample_catalogue())
    assert report(named)["implementations"][drop // 11]["result"] != "success"


@pytest.mark.parametrize(
    ("key", "value"), [("strength", "OBSERVE"), ("level", "extended"), ("profile", "KAR-0053"), ("clauses", ("X.1",))]
)
def test_a_row_that_says_something_else_than_its_declaration(key: str, value: object) -> None:
    run = sample_run()
    changed: Any = {key: value}
    edited = replace(run, cases=(replace(run.cases[0], **changed), *run.cases[1:]))
    assert any(f"has {key}" in problem for problem in problems(report(edited), None, sample_catalogue()))


def test_a_violation_cannot_become_not_supported() -> None:
    run = sample_run()
    cases = tuple(
        replace(case, outcome=Outcome.NOT_SUPPORTED, history="", digest="")
        if case.outcome is Outcome.VIOLATED
        else case
        for case in run.cases
    )
    faults = problems(report(replace(run, cases=cases)), None, sample_catalogue())
    assert any("every feature that it needs is claimed" in fault for fault in faults)


def test_one_case_of_a_profile_is_no_success_of_the_profile() -> None:
    run = sample_run()
    passed = next(case for case in run.cases if case.integration == "workload@1.37.1" and case.outcome is Outcome.PASS)
    small = replace(
        run,
        cases=(passed,),
        planned=1,
        implementations=tuple(i for i in run.implementations if i.integration == passed.integration),
        selection=Selection(("workload",), cases=(passed.case,)),
    )
    data = report(small)
    assert problems(data, None, sample_catalogue()) == []
    [profile] = data["implementations"][0]["profiles"]
    assert profile["result"] == profile["core"]["result"] == "partial"
    assert profile["summary"] == "Core: 1 of 4 cases ran: 1 passed. Extended: 0 of 1 cases ran."
    assert 'class="not-run" style="flex-grow:3"' in page(small, lambda case: None)
    [result] = implementation_results(small)
    entry = fragment(result, small)["spec"]["schedulingOrchestration"][0]
    assert entry["status"] == "Partially Implemented"


def edited_rows(folder: Path) -> None:
    """Every violation becomes a pass, and everything above is computed again."""
    run = judged_run(folder)
    assert any(case.outcome is Outcome.VIOLATED for case in run.cases)
    cases = tuple(replace(case, outcome=Outcome.PASS, verdicts=(), error="") for case in run.cases if case.history)
    others = tuple(case for case in run.cases if not case.history)
    (folder / "report.yaml").write_text(dump(report(replace(run, cases=cases + others))))


def missing_history(folder: Path) -> None:
    next((folder / "history").rglob("*.zst")).unlink()


def additional_history(folder: Path) -> None:
    path = next((folder / "history").rglob("*.zst"))
    shutil.copy(path, path.with_name("another.jsonl.zst"))


def swapped_histories(folder: Path) -> None:
    first, second, *_ = sorted((folder / "history").rglob("*.zst"))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


def broken_history(folder: Path) -> None:
    path = next((folder / "history").rglob("*.zst"))
    path.write_bytes(path.read_bytes()[:40] + b"x" + path.read_bytes()[41:])


DAMAGES: list[tuple[Callable[[Path], None], str]] = [
    (edited_rows, "the report says pass, the history gives violated"),
    (missing_history, "is missing"),
    (additional_history, "no result names this history"),
    (swapped_histories, "is another history"),
    (broken_history, "was changed after it was written"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES, ids=lambda value: getattr(value, "__name__", "-"))
def test_a_report_that_does_not_follow_from_its_histories(
    damage: Callable[[Path], None], message: str, verified: Path, tmp_path: Path
) -> None:
    damage(verified)
    assert any(message in problem for problem in check(verified).problems)
    with pytest.raises(UsageError, match="is not sound"):
        build_site(tmp_path / "site", [verified])


def test_a_report_without_histories_is_not_verified(verified: Path, tmp_path: Path) -> None:
    build_site(tmp_path / "site", [verified])
    assert "not verified</span>" not in (tmp_path / "site/index.html").read_text()
    shutil.rmtree(verified / "history")
    result = check(verified)
    assert result.problems == () and not result.verified and "not verified (no histories)" in str(result)
    build_site(tmp_path / "site", [verified])
    assert "not verified</span>" in (tmp_path / "site/index.html").read_text()


def test_a_history_without_the_promises_of_its_case_does_not_pass(verified: Path) -> None:
    promising = [replace(case, promises=("bound",)) for case in sample_catalogue()]
    run = load_run(verified)
    passing = {case.case for case in run.cases if case.outcome is Outcome.PASS}
    write(replace(run, catalogue=catalogue_size(promising)), verified)
    faults = check(verified, promising).problems
    assert len(passing) and all("passes, but not the promises that its case makes: bound" in fault for fault in faults)
    assert {fault.partition(".jsonl")[0].rpartition("/")[2] for fault in faults} == passing


def test_deadlines_longer_than_the_run_allows_are_found(verified: Path) -> None:
    data = load_report(verified)
    row = next(row for row in rows(data) if row["outcome"] == "pass" and row.get("history"))
    stored = store.read(verified / row["history"])
    longer = replace(stored, header={**stored.header, "deadlines": {"bound": 1e6}})
    row["digest"] = store.write(verified / row["history"], longer)
    (verified / "report.yaml").write_text(dump(data))
    assert any("has the deadline bound" in problem for problem in check(verified, sample_catalogue()).problems)


def test_a_repeat_that_was_worse_than_the_report_says(verified: Path) -> None:
    data = load_report(verified)
    bad = next(row for row in rows(data) if row["outcome"] == "violated")
    entry = next(entry for entry in data["implementations"] if bad in entry["cases"])
    good = next(row for row in entry["cases"] if row["outcome"] == "pass" and row.get("history"))
    repeat = verified / good["history"].replace(".jsonl.zst", ".2.jsonl.zst")
    shutil.copy(verified / good["history"], repeat)
    assert any("no result names" in problem for problem in check(verified).problems)
    good["repeats"] = 2
    (verified / "report.yaml").write_text(dump(data))
    assert check(verified).problems == ()
    shutil.copy(verified / bad["history"], repeat)
    assert any(repeat.name in problem for problem in check(verified).problems)


def test_a_later_smaller_run_never_hides_a_failure(tmp_path: Path) -> None:
    run = sample_run()
    passed = tuple(case for case in run.cases if case.outcome is Outcome.PASS and case.profile == "GANG-CORE")
    ids = tuple(sorted({case.case for case in passed}))
    later = replace(
        run,
        cases=tuple(case for case in run.cases if case.case in ids[:1]),
        started=run.started + 1000,
        finished=run.finished + 1000,
        planned=4,
        selection=Selection(run.selection.integrations, cases=ids[:1]),
    )
    for name, some in (("all", run), ("later", later)):
        (tmp_path / f"{name}.yaml").write_text(dump(report(some)))
    build_site(tmp_path / "both", [tmp_path / "all.yaml", tmp_path / "later.yaml"])
    build_site(tmp_path / "alone", [tmp_path / "all.yaml"])
    assert (tmp_path / "both/index.html").read_text() == (tmp_path / "alone/index.html").read_text()


def test_a_later_whole_run_of_one_profile_replaces_that_profile_alone(tmp_path: Path) -> None:
    run = sample_run()
    core = tuple(replace(c, outcome=Outcome.PASS, verdicts=()) for c in run.cases if c.profile == "GANG-CORE")
    later = replace(
        run,
        cases=core,
        planned=len(core),
        started=run.started + 1000,
        finished=run.finished + 1000,
        selection=Selection(run.selection.integrations, profile="GANG-CORE"),
    )
    for name, some in (("all", run), ("later", later)):
        (tmp_path / f"{name}.yaml").write_text(dump(report(some)))
    build_site(tmp_path / "site", [tmp_path / "all.yaml", tmp_path / "later.yaml"])
    badges = tmp_path / "site/badges/1.37.1/coscheduling@0.35.1"
    assert "success" in (badges / "GANG-CORE.svg").read_text()
    assert "failure" in (badges / "GANG-RECOVERY.svg").read_text()


def test_two_integrations_of_one_file_name_are_refused(tmp_path: Path) -> None:
    run = sample_run()
    names = {"coscheduling@0.35.1": "a b", "volcano@1.14.1": "a/b"}
    twins = replace(
        run,
        cases=tuple(replace(case, integration=names.get(case.integration, case.integration)) for case in run.cases),
        implementations=tuple(
            replace(i, integration=names.get(i.integration, i.integration)) for i in run.implementations
        ),
        selection=Selection(("a b", "a/b", "workload", "yunikorn")),
    )
    (tmp_path / "report.yaml").write_text(dump(report(twins)))
    with pytest.raises(UsageError, match="same file name"):
        build_site(tmp_path / "site", [tmp_path / "report.yaml"])


def test_the_run_folder_of_a_repeated_run_is_sound(tmp_path: Path) -> None:
    run = judged_run(tmp_path)
    again = []
    for case in run.cases:
        again.append(case)
        if case.history:
            second = case.history.replace(".jsonl.zst", ".2.jsonl.zst")
            shutil.copy(tmp_path / case.history, tmp_path / second)
            again.append(replace(case, history=second))
        else:
            again.append(copy.copy(case))
    selection = replace(run.selection, repeat=2)
    write(replace(run, cases=tuple(again), planned=2 * run.planned, selection=selection), tmp_path)
    assert check(tmp_path, sample_catalogue()).problems == ()
