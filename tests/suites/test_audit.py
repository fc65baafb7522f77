"""No clause is judged more weakly than it speaks, or on no scheduler at all."""

from __future__ import annotations

import pytest

from harness.cli.audit import audit_rows
from harness.core.catalogue.audit import EXPLAINED, UNPROVEN, UNRECORDED, WEAKER, AuditRow, audit
from harness.core.catalogue.cases import Case
from harness.core.catalogue.clauses import Clause, coverage

ROWS = audit_rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.covered.clause.id)
def test_clause_is_judged_as_strongly_as_it_speaks(row: AuditRow) -> None:
    assert set(row.problems) <= {EXPLAINED}, "the register gives the reasons of those that are explained"


def test_audit_tells_what_is_missing() -> None:
    clauses = [Clause(f"A-{number}", "It holds.", "us") for number in range(1, 5)]
    cases = [
        Case("strict", "It MUST hold.", "placement", clauses=("A-1",)),
        Case("lenient", "It SHOULD hold.", "placement", strength="SHOULD", clauses=("A-2",)),
        Case("elsewhere", "It MUST hold.", "placement", clauses=("A-3",)),
    ]
    asked = {"volcano@1": frozenset({"strict", "lenient"})}

    rows = audit(coverage(clauses, cases), cases, asked, {"A-1": ["pod-by-pod"], "A-3": ["pod-by-pod"]})

    assert [row.problems for row in rows] == [(), (WEAKER, UNPROVEN), (UNRECORDED,), (EXPLAINED,)]
    assert rows[0].as_data()["judged_on"] == ["volcano@1"]
