"""The RunResult that a report.yaml describes, as far as it says it.

Everything above the rows of cases is computed from the rows. With the rows as results again, the same code computes it
a second time, and `verify` compares. Verdicts are not in a report; one with the reason of the row stands for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from harness.core.catalogue.selection import CatalogueSize, selection_from_data
from harness.core.results import CaseResult, Implementation, RunResult
from harness.core.verdict import Outcome, Verdict, Witness


def restored(data: Mapping[str, Any]) -> RunResult:
    """The run of a report that is valid by its schema."""
    run = data["run"]
    return RunResult(
        name=run["name"],
        started=seconds(run["started"]),
        finished=seconds(data["date"]),
        muster=data["musterVersion"],
        box=run["box"],
        implementations=tuple(_implementation(entry) for entry in data["implementations"]),
        cases=tuple(_case(row, entry) for entry in data["implementations"] for row in entry["cases"]),
        planned=run["planned"],
        interrupted=run.get("interrupted", False),
        timeout_factor=run.get("timeoutFactor", 1),
        selection=selection_from_data(run["selection"]),
        catalogue=CatalogueSize(**run["catalogue"]),
    )


def seconds(moment: str) -> float:
    """The unix seconds of a time in a report; zero for an empty one."""
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp() if moment else 0.0


def _implementation(entry: Mapping[str, Any]) -> Implementation:
    about = entry["implementation"]
    return Implementation(
        integration=entry["integration"],
        project=about["project"],
        organization=about["organization"],
        url=about["url"],
        version=about["version"],
        contact=tuple(about["contact"]),
        kubernetes=entry["kubernetes"],
        supported=tuple(entry["features"]["supported"]),
        unsupported=tuple(entry["features"]["unsupported"]),
        departures=tuple(entry.get("departures", ())),
        artifacts=tuple(entry.get("artifacts", ())),
        cluster=entry.get("cluster", {}),
    )


def _case(row: Mapping[str, Any], entry: Mapping[str, Any]) -> CaseResult:
    outcome = Outcome(row["outcome"])
    revision = row.get("violatedAtRevision")
    witness = Witness(revision, 0.0) if revision is not None else None
    return CaseResult(
        case=row["case"],
        sentence="",
        folder="",
        profile=row["profile"],
        level=row["level"],
        strength=row["strength"],
        clauses=tuple(row["clauses"]),
        integration=entry["integration"],
        kubernetes=entry["kubernetes"],
        outcome=outcome,
        verdicts=(Verdict("report", outcome, row.get("reason", ""), witness=witness),),
        figures=row.get("figures", {}),
        seconds=row["seconds"],
        history=row.get("history", ""),
        digest=row.get("digest", ""),
        error=row.get("error", ""),
        simulated=row["simulated"],
        needs_stalls=row.get("needsStalls", False),
        repeats=row.get("repeats", 1),
        fingerprint=row.get("fingerprint", ""),
        expected=row.get("expected", ""),
    )
