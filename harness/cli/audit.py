"""The audit of the register with what this copy of muster has: its cases, its expected verdicts and its proofs."""

from __future__ import annotations

from collections.abc import Sequence

from harness.box.data import data_root
from harness.core.catalogue.audit import AuditRow, audit
from harness.mutation.clauses import isolated_by, proven_by
from harness.mutation.matrix import read_record
from harness.mutation.mutants import mutants
from harness.runner import baseline
from harness.runner.collect import clause_coverage, collect_cases, load_clauses


def audit_rows(ids: Sequence[str] = ()) -> list[AuditRow]:
    """A row for each of these clauses, for all if none is given."""
    cases = collect_cases()
    killed = read_record(data_root() / "ci" / "proof.yaml")
    proofs = proven_by(cases, mutants(), killed)
    isolations = isolated_by(load_clauses(), cases, mutants(), killed)
    return audit(clause_coverage(ids), cases, baseline.asked(data_root() / "ci" / "expected"), proofs, isolations)
