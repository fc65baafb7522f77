"""The catalogue as it stands in suites/: every declared case, found by pytest's own collection.

Cases are ordinary tests, so only pytest knows them all; this asks it without running any.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.box.data import data_root
from harness.case import declared
from harness.core.catalogue import Case
from harness.core.errors import HarnessError


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
