"""The catalogue as it stands in suites/: every declared case, found by pytest's own collection.

Cases are ordinary tests, so only pytest knows them all; this asks it without running any.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from harness.box.data import data_root
from harness.case import declared
from harness.core.catalogue import Case
from harness.core.clauses import Clause, Covered, clauses_from_data, coverage
from harness.core.errors import HarnessError, UsageError


class _Collector:
    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.errors: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.cases = [case for item in session.items if (case := declared(item)) is not None]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append(str(report.longrepr))


def suites_root() -> Path:
    return data_root() / "suites"


def collect_cases() -> list[Case]:
    """Every case, by folder and id; HarnessError if one cannot be imported."""
    collector = _Collector()
    arguments = [str(suites_root()), "--collect-only", "-p", "no:terminal", "-p", "no:cacheprovider",
                 "--import-mode=importlib", "-o", "addopts="]  # fmt: skip
    pytest.main(arguments, plugins=[collector])
    if collector.errors:
        raise HarnessError(f"a case cannot be collected:\n{collector.errors[0]}")
    return sorted(collector.cases, key=lambda case: (case.folder, case.id))


def fingerprint(case: Case) -> str:
    """A short digest of the code of a case, the same whatever its opening words, comments and blank lines are."""
    path = suites_root() / case.folder / f"test_{case.id.replace('-', '_')}.py"
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    begins = tree.body[0].end_lineno if ast.get_docstring(tree) is not None else 0
    lines = [line.rstrip() for line in text.splitlines()[begins:]]
    code = [line for line in lines if line and not line.lstrip().startswith("#")]
    return hashlib.sha256("\n".join(code).encode()).hexdigest()[:12]


def load_clauses() -> list[Clause]:
    """The register, file by file: our own laws first, then the sources by name."""
    files = sorted((suites_root() / "clauses").glob("*.yaml"), key=lambda path: (path.stem != "gang", path.name))
    return [clause for path in files for clause in clauses_from_data(yaml.safe_load(path.read_text(encoding="utf-8")))]


def clause_coverage(ids: Sequence[str] = ()) -> list[Covered]:
    """The clauses of these ids, all if none is given, with their cases; UsageError offers the nearest id."""
    from harness.box.artifacts.register import nearest

    found = {one.clause.id: one for one in coverage(load_clauses(), collect_cases())}
    for name in ids:
        if name not in found:
            raise UsageError(f"there is no clause {name!r}", hint=f"{nearest(name, found)}See: muster list clauses")
    return [found[name] for name in ids or found]
