"""The catalogue keeps its own rules: every case is small, neutral and declared, and every clause is accounted for."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from harness.adapters import adapter, names
from harness.collect import collect_cases, load_clauses, suites_root
from harness.core.catalogue import PROFILES
from harness.core.clauses import coverage
from harness.core.versions import in_range

CASES = collect_cases()
FILES = sorted(suites_root().glob("*/test_*.py"))
SCHEDULERS = re.compile(r"\b(volcano|yunikorn|koordinator|coscheduling|kueue|kube-?scheduler|sched\w+-plugins)\b", re.I)


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 90
    assert {case.profile for case in CASES} == set(PROFILES)


def test_ids_are_unique() -> None:
    ids = [case.id for case in CASES]

    assert sorted(set(ids)) == sorted(ids)


def test_every_clause_has_a_case_or_an_explanation() -> None:
    bare = [one.clause.id for one in coverage(load_clauses(), CASES) if not one.cases and not one.explained]

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


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_file_holds_one_small_case(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    tests = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]

    assert tests == [file.stem], "a file is named by its case"
    assert ast.get_docstring(tree), "a case opens with why"
    assert len(text.splitlines()) <= 120


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case_waits_for_records_only(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    loops = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.While)]

    assert "sleep(" not in text
    assert "import time" not in text
    assert loops == [], "a polling loop hides a deadline"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case_names_no_scheduler(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    body = [node for node in tree.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    code = "\n".join(ast.unparse(node) for node in body).replace("profile='KOORDINATOR'", "")

    assert SCHEDULERS.search(code) is None


def test_every_feature_a_case_needs_is_claimed_by_somebody() -> None:
    versions = ("1.35.4", "1.36.4", "1.37.1")
    claimed = {one for name in names() for version in versions for one in adapter(name).features(version, version)}
    wanted = {feature for case in CASES for feature in case.needs}

    assert wanted - claimed <= {"topology"}, "topology is behind a gate of its own"


def test_ranges_of_versions() -> None:
    assert in_range("1.36.4", ">=1.36,<1.37")
    assert not in_range("1.37.1", "<1.37")
    assert in_range("1.37.1", "")
