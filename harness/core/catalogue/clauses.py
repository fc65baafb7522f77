"""The register of clauses: every requirement on a scheduler, its source, and how it is observed.

A clause has cases, or it has an explanation why it has none. `coverage` says which, and a test of the catalogue fails
for a clause that has neither. The data is in suites/clauses/*.yaml, one file per source.

Sources overlap. A clause that states the same law as another says so (`same_as`, towards the general one): whoever
breaks either breaks both. A clause that is contained in wider ones names them (`part_of`): whoever breaks the clause
breaks these too, and not the other way round.
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
    "evictions": "from the evicted pods, their times, and the gangs that started then",
    "faults": "from the history while processes and nodes fail or change",
    "words": "from the scheduler's own reports: conditions, events, metrics",
    "containers": "from when containers start and how they end",
}
_KEYS = frozenset(("id", "level", "sentence", "versions", "observed", "explained", "same_as", "part_of"))


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
    same_as: str = ""  # the clause that states the same law
    part_of: tuple[str, ...] = ()  # clauses that are broken whenever this one is

    def __post_init__(self) -> None:
        for field, value, allowed in (("level", self.level, STRENGTHS), ("observed", self.observed, tuple(OBSERVED))):
            if value not in allowed:
                raise HarnessError(f"clause {self.id}: {field} {value!r} is none of {', '.join(allowed)}")
        if not self.sentence.endswith("."):
            raise HarnessError(f"clause {self.id}: its sentence does not end with a full stop")

    @property
    def law(self) -> str:
        """The clause that stands for all that state the same law."""
        return self.same_as or self.id


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
        clauses.append(Clause(source=data["source"], **{**values, "part_of": tuple(values.get("part_of", ()))}))
    return clauses


def wider_laws(clauses: Iterable[Clause]) -> dict[str, frozenset[str]]:
    """Law -> the laws that it is a part of, directly or through others; HarnessError if they do not fit together."""
    by_id = {clause.id: clause for clause in clauses}
    direct: dict[str, set[str]] = {clause.law: set() for clause in by_id.values()}
    for clause in by_id.values():
        for name in (clause.law, *clause.part_of):
            if name not in by_id:
                raise HarnessError(f"clause {clause.id} refers to {name}, which the register does not have")
        if by_id[clause.law].same_as:
            raise HarnessError(f"clause {clause.id} is the same as {clause.law}, which is the same as another one")
        direct[clause.law].update(by_id[name].law for name in clause.part_of)
    return {law: _reached(law, direct) for law in direct}


def _reached(law: str, direct: Mapping[str, Iterable[str]]) -> frozenset[str]:
    reached: set[str] = set()
    waiting = list(direct[law])
    while waiting:
        if (wider := waiting.pop()) not in reached:
            reached.add(wider)
            waiting += direct[wider]
    if law in reached:
        raise HarnessError(f"clause {law} is a part of itself")
    return frozenset(reached)


def coverage(clauses: Sequence[Clause], cases: Iterable[Case]) -> list[ClauseCoverage]:
    """Every clause with the cases that name it; HarnessError if a case names one that does not exist."""
    cases_of: dict[str, list[str]] = {clause.id: [] for clause in clauses}
    if len(cases_of) < len(clauses):
        raise HarnessError("two clauses of the register have the same id")
    wider_laws(clauses)
    for case in cases:
        for name in case.clauses:
            if name not in cases_of:
                raise HarnessError(f"case {case.id} names the clause {name}, which the register does not have")
            cases_of[name].append(case.id)
    return [ClauseCoverage(clause, tuple(sorted(cases_of[clause.id]))) for clause in clauses]
