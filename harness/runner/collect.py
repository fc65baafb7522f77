"""The catalogue as suites/ declares it: every declared case, found by pytest's own collection.

Cases are ordinary tests, so only pytest knows them all; this asks it without running any, and remembers the answer.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from harness.box.data import PACKAGE, cache_root, data_root
from harness.core.catalogue.cases import Case
from harness.core.catalogue.clauses import Clause, ClauseCoverage, clauses_from_data, coverage
from harness.core.catalogue.script import script_from_data
from harness.core.errors import HarnessError, UsageError
from harness.core.files import put
from harness.core.text import nearest

if TYPE_CHECKING:
    import pytest


def suites_root() -> Path:
    return data_root() / "suites"


@functools.cache
def collect_cases() -> tuple[Case, ...]:
    """Every case, by folder and id; HarnessError if one cannot be imported.

    Collecting takes seconds, so the catalogue is kept in the cache folder for as long as nothing it is made of changes.
    """
    root, digest = suites_root(), _digest()
    path = cache_root() / "catalogue" / f"{hashlib.sha256(str(root).encode()).hexdigest()[:16]}.json"
    cases = _read(path, digest)
    if cases is None:
        cases = collect_with_pytest(root)
        with contextlib.suppress(OSError):  # a cache that cannot be written costs time, nothing else
            put(path, json.dumps({"digest": digest, "cases": [asdict(case) for case in cases]}))
    return cases


def collect_with_pytest(root: Path) -> tuple[Case, ...]:
    """The cases below a folder, asked of pytest."""
    import pytest

    collector = _Collector()
    options = ["--collect-only", "-p", "no:terminal", "-p", "no:cacheprovider", "--import-mode=importlib"]
    with _alone():
        pytest.main([str(root), *options, "-o", "addopts="], plugins=[collector])
    if collector.errors:
        raise HarnessError(f"a case cannot be collected:\n{collector.errors[0]}")
    return tuple(sorted(collector.cases, key=lambda case: (case.folder, case.id)))


def pytest_environment(*plugins: str) -> dict[str, str]:
    """The environment of a pytest that runs cases: of what else is installed or set here, nothing takes part."""
    variables = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": ",".join(plugins), "PYTEST_ADDOPTS": ""}
    return {**os.environ, **variables}


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """The same for a pytest in this process."""
    before = dict(os.environ)
    os.environ.update(pytest_environment())
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class _Collector:
    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.errors: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        from harness.cases.declare import declared

        self.cases = [case for item in session.items if (case := declared(item)) is not None]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append(str(report.longrepr))


def _digest() -> str:
    """A digest of everything that a declaration is made of: the suites, and the code that declares and checks."""
    root, digest = suites_root(), hashlib.sha256()
    suites = [path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    code = [*(PACKAGE / "cases").glob("declare*.py"), *(PACKAGE / "core" / "catalogue").glob("*.py")]
    for path in sorted([*suites, *code]):
        content = path.read_bytes()
        digest.update(f"{path.name} {path.parent.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _read(path: Path, digest: str) -> tuple[Case, ...] | None:
    """The cases that are kept under this digest; None if there are none, or they cannot be read."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["digest"] != digest:
            return None
        return tuple(_case(case) for case in data["cases"])
    except (OSError, ValueError, KeyError, TypeError, HarnessError):
        return None


def _case(data: dict[str, Any]) -> Case:
    plain: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    return Case(**{**plain, "script": script_from_data(data["script"])})


def case_file(case: Case) -> Path:
    """The file of a case of the suites."""
    return suites_root() / case.folder / f"test_{case.id.replace('-', '_')}.py"


def fingerprint(case: Case) -> str:
    """A short digest of what a case does: its code without docstring, imports, declaration, comments and layout."""
    text = case_file(case).read_text(encoding="utf-8")
    lines = text.splitlines()
    tree = ast.parse(text)
    code = []
    for node in tree.body[1 if ast.get_docstring(tree) is not None else 0 :]:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            code += lines[node.lineno - 1 : node.end_lineno]  # a function begins below its decorators
    compact = "".join("".join(line.split()) for line in code if not line.lstrip().startswith("#"))
    return hashlib.sha256(re.sub(r",(?=[)\]}])", "", compact).encode()).hexdigest()[:12]


def load_clauses() -> list[Clause]:
    """The register, file by file: our own laws first, then the sources by name."""
    files = sorted((suites_root() / "clauses").glob("*.yaml"), key=lambda path: (path.stem != "gang", path.name))
    return [clause for path in files for clause in clauses_from_data(yaml.safe_load(path.read_text(encoding="utf-8")))]


def clause_coverage(ids: Sequence[str] = ()) -> list[ClauseCoverage]:
    """The clauses of these ids, all if none is given, with their cases; UsageError offers the nearest id."""
    covered = {entry.clause.id: entry for entry in coverage(load_clauses(), collect_cases())}
    for name in ids:
        if name not in covered:
            raise UsageError(f"there is no clause {name!r}", hint=f"{nearest(name, covered)}See: muster list clauses")
    return [covered[name] for name in ids or covered]
