"""The register of clauses: every requirement on a scheduler, its source, and how it is observed.

A clause has cases, or it has an explanation why it has none. `coverage` says which, and a test of the catalogue fails
for a clause that has neither. The data is in suites/clauses/*.yaml, one file per source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.core.catalogue.cases import STRENGTHS, Case
from harness.core.errors import HarnessError

OBSERVED: Mapping[str, str] = {
    "answers": "from what the API server answers, and the objects it keeps",
    "binds": "from the order and time of binds in the history",
    "evictions": "from who was evicted when, and who started then",
    "faults": "from the history while processes and nodes fail or change",
    "words": "from the scheduler's own words: conditions, events, metrics",
    "containers": "from when containers start and how they end",
}
_KEYS = frozenset(("id", "level", "sentence", "versions", "observed", "explained"))


@dataclass(frozen=True, slots=True)
class Clause:
    """One sentence of the register."""

    id: str
    sentence: str
    source: str
    level: str = "MUST"
    versions: str = "all"  # versions that implement it: `all`, `none`, or a range such as ">=1.36"
    observed: str = "binds"
    explained: str = ""  # why there is no case

    def __post_init__(self) -> None:
        for field, value, allowed in (("level", self.level, STRENGTHS), ("observed", self.observed, tuple(OBSERVED))):
            if value not in allowed:
                raise HarnessError(f"clause {self.id}: {field} {value!r} is none of {', '.join(allowed)}")
        if not self.sentence.endswith("."):
            raise HarnessError(f"clause {self.id}: its sentence does not end with a full stop")


@dataclass(frozen=True, slots=True)
class ClauseCoverage:
    """A clause and the cases that judge it."""

    clause: Clause
    cases: tuple[str, ...]

    @property
    def explained(self) -> str:
        """Why nothing judges it; empty if something does."""
        return "" if self.cases else self.clause.explained

    def as_data(self) -> dict[str, Any]:
        clause = self.clause
        return {"id": clause.id, "level": clause.level, "cases": list(self.cases), "explained": self.explained}


def clauses_from_data(data: Mapping[str, Any]) -> list[Clause]:
    """The clauses of one file: `source`, `defaults` and `clauses`."""
    clauses = []
    for entry in data["clauses"]:
        values = {**data.get("defaults", {}), **entry}
        if unknown := set(values) - _KEYS:
            raise HarnessError(f"clause {values.get('id')}: unknown key {sorted(unknown)[0]!r}")
        clauses.append(Clause(source=data["source"], **values))
    return clauses


def coverage(clauses: Sequence[Clause], cases: Iterable[Case]) -> list[ClauseCoverage]:
    """Every clause with the cases that name it; HarnessError if a case names one that does not exist."""
    cases_of: dict[str, list[str]] = {clause.id: [] for clause in clauses}
    if len(cases_of) < len(clauses):
        raise HarnessError("two clauses of the register have the same id")
    for case in cases:
        for name in case.clauses:
            if name not in cases_of:
                raise HarnessError(f"case {case.id} names the clause {name}, which the register does not have")
            cases_of[name].append(case.id)
    return [ClauseCoverage(clause, tuple(sorted(cases_of[clause.id]))) for clause in clauses]
