"""ci/proof.yaml, which `muster prove` writes, leaves no case of the suite out and names nobody who does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from harness.adapters.control import mutants_root
from harness.collect import collect_cases, fingerprint, suites_root
from harness.controls import EVERYWHERE, controls
from harness.core.errors import UsageError
from harness.kills import read_record, write_record
from harness.prove import ELSEWHERE

CASES = {case.id: case for case in collect_cases() if case.profile not in ELSEWHERE}
CONTROLS = {control.name: control for control in controls()}
PROOF = mutants_root().parents[1] / "ci" / "proof.yaml"
RECORD = read_record(PROOF, {case.id: fingerprint(case) for case in CASES.values()})


def test_every_case_was_turned_red_by_somebody() -> None:
    assert sorted(set(CASES) - set(RECORD)) == [], "muster prove --record ci/proof.yaml, with --case for each of these"
    assert [case for case, names in RECORD.items() if not names] == []


def test_only_cases_and_controls_that_exist_are_recorded() -> None:
    assert sorted(set(yaml.safe_load(PROOF.read_text())) - set(CASES)) == []
    assert sorted({name for names in RECORD.values() for name in names} - set(CONTROLS)) == []


@pytest.mark.parametrize("control", CONTROLS.values(), ids=lambda control: control.name)
def test_control_was_caught_where_it_must_be(control) -> None:
    assert control.caught_by, "a control names the cases that must catch it"
    assert [case for case in control.caught_by if control.name not in RECORD.get(case, ())] == []


@pytest.mark.parametrize("control", CONTROLS.values(), ids=lambda control: control.name)
def test_control_is_meant_for_what_it_names(control) -> None:
    folders = {case.folder for case in CASES.values()}

    assert [case for case in control.caught_by if case not in CASES or not control.meant_for(CASES[case])] == []
    assert set(control.tried_on) <= folders | set(CASES) | {EVERYWHERE}
    files = [program["objects"] for program in control.programs.values() if "objects" in program]
    assert [file for file in files if not (mutants_root() / "handicaps" / file).is_file()] == []


def test_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    sources = {"a": "1", "b": "2"}
    write_record(tmp_path / "new" / "proof.yaml", {"b": ["one"], "a": ["two", "three"]}, sources)

    assert read_record(tmp_path / "new" / "proof.yaml", sources) == {"a": ["two", "three"], "b": ["one"]}
    assert read_record(tmp_path / "missing.yaml", sources) == {}


def test_a_case_that_has_changed_is_not_proven_any_more(tmp_path: Path) -> None:
    write_record(tmp_path / "proof.yaml", {"a": ["one"], "b": ["one"]}, {"a": "1", "b": "1"})

    assert read_record(tmp_path / "proof.yaml", {"a": "1", "b": "2"}) == {"a": ["one"]}


def test_words_about_a_case_do_not_change_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in CASES.values() if case.id == "gang-that-fits-is-bound-whole")
    text = (suites_root() / case.folder / "test_gang_that_fits_is_bound_whole.py").read_text()
    before = fingerprint(case)
    copy = tmp_path / "suites" / case.folder / "test_gang_that_fits_is_bound_whole.py"
    copy.parent.mkdir(parents=True)
    monkeypatch.setattr("harness.collect.data_root", lambda: tmp_path)

    copy.write_text('"""Other words."""' + text[text.index('"""', 3) + 3 :] + "# a remark\n")
    assert fingerprint(case) == before
    copy.write_text(text.replace("is_bound_whole()", "reaches_quorum()"))
    assert fingerprint(case) != before


@pytest.mark.parametrize("text", ["- a list", "case: a word", "case: [somebody]", "{"])
def test_something_else_is_no_record(tmp_path: Path, text: str) -> None:
    (tmp_path / "proof.yaml").write_text(text)

    with pytest.raises(UsageError, match=r"proof\.yaml"):
        read_record(tmp_path / "proof.yaml", {})
