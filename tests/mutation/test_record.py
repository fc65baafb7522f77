"""ci/proof.yaml, which `muster prove` writes, leaves no case out and names no mutant that does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from harness.box.data import data_root
from harness.core.catalogue.cases import Case
from harness.core.errors import UsageError
from harness.mutation.matrix import read_record, write_record
from harness.mutation.mutants import EVERYWHERE, Mutant, mutants, unkilled
from harness.mutation.programs import OBJECTS
from harness.runner.collect import collect_cases, fingerprint, load_clauses, suites_root

CASES = {case.id: case for case in collect_cases()}
MUTANTS = {mutant.name: mutant for mutant in mutants()}
LEVELS = {clause.id: clause.level for clause in load_clauses()}
PROOF = data_root() / "ci" / "proof.yaml"
RECORD = read_record(PROOF, {case.id: fingerprint(case) for case in CASES.values()})


def test_every_case_was_turned_red_by_a_mutant() -> None:
    assert set(unkilled()) <= set(CASES)
    assert sorted(set(CASES) - set(RECORD) - set(unkilled())) == [], "muster prove --record ci/proof.yaml --case ..."
    assert [case for case, names in RECORD.items() if not names] == []


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.id)
def test_case_was_turned_red_by_a_mutant_that_breaks_what_it_is_about(case: Case) -> None:
    """What only reports (OBSERVE, MAY) may be turned red by any mutant: there is no law to break."""
    if any(LEVELS[clause] in ("MUST", "SHOULD") for clause in case.clauses):
        broken = {clause for name in RECORD[case.id] for clause in MUTANTS[name].breaks}
        assert broken & set(case.clauses), "write a mutant that breaks a clause of this case"


def test_no_mutant_is_recorded_for_a_case_that_none_can_turn_red() -> None:
    assert sorted(set(unkilled()) & set(yaml.safe_load(PROOF.read_text()))) == []
    assert [mutant.name for mutant in MUTANTS.values() if set(mutant.killed_by) & set(unkilled())] == []


def test_only_cases_and_mutants_that_exist_are_recorded() -> None:
    assert sorted(set(yaml.safe_load(PROOF.read_text())) - set(CASES)) == []
    assert sorted({name for names in RECORD.values() for name in names} - set(MUTANTS)) == []


def test_names_of_mutants_are_unique() -> None:
    assert len(MUTANTS) == len(mutants())


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=lambda mutant: mutant.name)
def test_mutant_was_killed_where_it_must_be(mutant: Mutant) -> None:
    assert bool(mutant.killed_by) != bool(mutant.survives), "a mutant names the cases that kill it, or why none does"
    assert [case for case in mutant.killed_by if mutant.name not in RECORD.get(case, ())] == []


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=lambda mutant: mutant.name)
def test_mutant_is_meant_for_what_it_names(mutant: Mutant) -> None:
    folders = {case.folder for case in CASES.values()}

    assert [case for case in mutant.killed_by if case not in CASES or not mutant.meant_for(CASES[case])] == []
    assert set(mutant.tried_on) <= folders | set(CASES) | {EVERYWHERE}
    assert mutant.about and mutant.how in ("class", "flags", "objects") and mutant.target in ("scheduler", "controller")
    files = [program.objects for program in mutant.programs.values() if program.objects]
    assert [file for file in files if not (OBJECTS / file).is_file()] == []


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
    monkeypatch.setattr("harness.runner.collect.data_root", lambda: tmp_path)

    copy.write_text('"""Other words."""' + text[text.index('"""', 3) + 3 :] + "# a remark\n")
    assert fingerprint(case) == before
    copy.write_text(text.replace("is_bound_whole()", "reaches_quorum()"))
    assert fingerprint(case) != before


@pytest.mark.parametrize("text", ["- a list", "case: a word", "case: [somebody]", "{"])
def test_something_else_is_no_record(tmp_path: Path, text: str) -> None:
    (tmp_path / "proof.yaml").write_text(text)

    with pytest.raises(UsageError, match=r"proof\.yaml"):
        read_record(tmp_path / "proof.yaml", {})
