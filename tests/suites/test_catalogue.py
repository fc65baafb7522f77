"""The catalogue keeps its own rules: every case is small, neutral and declared, and every clause is accounted for."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from harness.adapters import adapter, names
from harness.adapters.common.base import features_of
from harness.box.minor import minors
from harness.cases.declare import read_folder
from harness.core.catalogue.cases import DISTURBANCES, PROFILES, strength_of
from harness.core.catalogue.clauses import coverage
from harness.core.catalogue.features import CHOICES
from harness.core.catalogue.versions import in_range
from harness.runner.collect import collect_cases, load_clauses, suites_root

CASES = collect_cases()
FILES = sorted(suites_root().glob("*/test_*.py"))
FOLDERS = sorted({file.parent for file in FILES})
APIS = ("workload", "lws", "jobset-gang", "jobset-barrier", "reference")  # integrations whose names cases may use
PROGRAMS = ("kube-?scheduler", r"sched\w+-plugins", *(name for name in names() if name not in APIS))
CLAUSE = re.compile(r"'[A-Z]+-\d+'")  # the id of one
SCHEDULERS = re.compile(rf"\b({'|'.join(PROGRAMS)})\b", re.IGNORECASE)


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 90
    assert {case.profile for case in CASES} == set(PROFILES)


def test_ids_are_unique() -> None:
    ids = [case.id for case in CASES]

    assert sorted(set(ids)) == sorted(ids)


def test_every_clause_has_a_case_or_an_explanation() -> None:
    bare = [entry.clause.id for entry in coverage(load_clauses(), CASES) if not entry.cases and not entry.explained]

    assert bare == []


def test_every_seed_is_in_the_register_in_full() -> None:
    counts = {"WL": 80, "KOORD": 47, "LWS": 40, "JSG": 36, "BAR": 30}
    ids = {clause.id for clause in load_clauses()}

    missing = [f"{prefix}-{n:02}" for prefix, count in counts.items() for n in range(1, count + 1)]
    assert [name for name in missing if name not in ids] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case_is_declared_well(case) -> None:
    assert case.clauses, "a case judges at least one clause"
    assert case.sentence.endswith(".")
    if case.strength in ("MUST", "SHOULD"):
        assert case.strength in case.sentence
    assert len(case.id) <= 70


DISTURBING = {  # words of the case language -> what a case that uses them disturbs
    r"cluster\.(cordon|uncordon|untaint|relabel|lose|recover|resize|remove)\(": "nodes",
    r'faults\.(kill|pause|resume|restart)\("scheduler"': "scheduler",
    r"faults\.set_wait_time\(": "scheduler",
    r'faults\.(kill|pause|resume|restart)\("(?!scheduler")': "control-plane",
    r"faults\.(set_gates|set_gang_gates|turn_gangs_off|start_second_scheduler)\(": "control-plane",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case_declares_what_it_disturbs(case) -> None:
    text = (suites_root() / case.folder / f"test_{case.id.replace('-', '_')}.py").read_text()
    disturbed = [name for pattern, name in DISTURBING.items() if re.search(pattern, text)]
    levels = ("", *DISTURBANCES)

    assert levels.index(case.disturbs) >= max(map(levels.index, disturbed), default=0)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_folder_declares_what_its_cases_share(folder: Path) -> None:
    shared = read_folder(folder)
    cases = [case for case in CASES if case.folder == folder.name]

    assert shared.needs
    assert any(case.profile == shared.profile for case in cases)
    assert set(shared.needs) == set.intersection(*(set(case.needs) for case in cases))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case_states_only_what_its_folder_and_sentence_do_not(file: Path) -> None:
    stated = declaration(file)
    shared = read_folder(file.parent)

    assert stated.get("profile") != shared.profile, "the profile comes from folder.yaml"
    assert not set(shared.needs) & set(stated.get("needs", ())), "these features come from folder.yaml"
    assert stated.get("needs") != [], "leave it out"
    assert stated.get("strength") != strength_of(stated["sentence"]), "the strength comes from the sentence"


def declaration(file: Path) -> dict[str, Any]:
    """The arguments of the decorator as they are written in the file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    (call,) = [
        decorator
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
    ]
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
    return {"sentence": ast.literal_eval(call.args[0]), **named}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_file_holds_one_small_case(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    tests = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]

    assert tests == [file.stem], "a file is named by its case"
    assert ast.get_docstring(tree), "a case opens with why"
    assert len(text.splitlines()) <= 120


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case_imports_the_public_names_only(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules = [node.module for node in imported if str(node.module).partition(".")[0] == "harness"]

    assert modules in (["harness"], ["harness.cases.language"])
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case_speaks_the_language_of_cases_only(file: Path) -> None:
    used = {node.attr for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Attribute)}

    assert not used & {"context", "api", "recorder", "testbed", "box"}, "these are not for cases"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case_waits_for_records_only(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    loops = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.While)]

    assert "sleep(" not in text
    assert "import time" not in text
    assert loops == [], "a polling loop hides a deadline"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_a_case_waits_for_is_a_claim(file: Path) -> None:
    asserted = [node.test for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Assert)]
    bare = [ast.unparse(test) for test in asserted if ast.unparse(test).startswith("world.until(")]

    assert bare == [], "a case that stops here would end without a sentence: make a claim of it"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case_names_no_scheduler(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    body = [node for node in tree.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    code = "\n".join(ast.unparse(node) for node in body).replace("profile='KOORDINATOR'", "")

    assert SCHEDULERS.search(CLAUSE.sub("", code)) is None


def test_every_feature_a_case_needs_is_claimed_by_somebody() -> None:
    claimed = {feature for name in names() for minor in minors() for feature in features_of(adapter(name), minor)}
    needed = {feature for case in CASES for feature in (*case.needs, *case.either)} - {"counts-failed"}

    assert needed - claimed <= {"topology"}, "topology is behind a gate of its own; counts-failed is only an answer"


def test_every_open_question_has_a_case_and_no_case_asks_for_half_of_one() -> None:
    for choice in CHOICES:
        assert any({*case.needs, *case.either} & {*choice.features} for case in CASES), choice.question
    for case in CASES:
        assert not case.either or case.either in [choice.features for choice in CHOICES], case.id


def test_a_case_of_an_open_question_is_asked_of_those_who_answer_it() -> None:
    case = next(case for case in CASES if case.id == "succeeded-members-count-as-declared")
    needs = frozenset(case.needs)

    assert case.unmet("it", needs | {"counts-succeeded"}, "1.37") == ""
    assert case.unmet("it", needs | {"forgets-succeeded"}, "1.37") == ""
    assert case.unmet("it", needs, "1.37") == "it claims neither counts-succeeded nor forgets-succeeded"


def test_ranges_of_versions() -> None:
    assert in_range("1.36.4", ">=1.36,<1.37")
    assert not in_range("1.37.1", "<1.37")
    assert in_range("1.37.1", "")
