"""Expected verdicts: a difference in either direction is found, and the files in ci/expected are complete."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness import expectations
from harness.box.data import data_root
from harness.collect import collect_cases
from harness.core.errors import UsageError
from harness.core.expected import expected_from_data, unsteady
from harness.core.results import CaseResult
from harness.core.verdict import Outcome

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
    (tmp_path / "some@1.0.yaml").write_text("pass: [a]\nviolated: {b: it always was}\n")

    expectations.accept(tmp_path, [result("c", Outcome.VIOLATED)])

    known = expectations.load(tmp_path, "some@1.0")
    assert known is not None
    assert dict(known.reasons) == {"b": "it always was", "c": ""}
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


def test_repeats_that_differ_are_unsteady() -> None:
    found = unsteady([result("a", Outcome.PASS), result("a", Outcome.VIOLATED), result("b", Outcome.PASS)])

    assert found == {"a (some@1.0)": ["pass", "violated"]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_file_names_every_case_and_explains_every_violation(file: Path) -> None:
    known = expectations.load(FOLDER, file.stem)
    assert known is not None
    ids = {case.id for case in collect_cases()}

    assert {*known.outcomes, *known.unsteady} == ids
    assert [case for case, reason in {**known.reasons, **known.unsteady}.items() if len(reason) < 20] == []
