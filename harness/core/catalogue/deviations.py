"""The entries of a baseline: what a file of expected verdicts may say, with rules so that it does not excuse too much.

A case that is violated every time, or nearly so, is `violated`. One that a race decides is `unsteady`, with the counts
of runs that show both outcomes. A race that may strike elsewhere is in `races`: it names the cases that it may hit, or
a bound on how often it may strike, which every run is held to. No entry may cover all laws of all cases.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.core.errors import UsageError
from harness.core.oracle.checks import CHECKS
from harness.core.text import nearest

VIOLATED, UNSTEADY, RACES = "violated", "unsteady", "races"
KEYS = (VIOLATED, UNSTEADY, RACES)
LEAST_RUNS = 10  # recorded runs of a case that is unsteady
STEADY = 0.9  # what is violated in this share of its runs, or more, is violated and not unsteady
MOST_RATE = 0.1  # of a race that may hit any case; a rate above is no race but a fault of these cases
MOST_CHECKS = frozenset(("atomic", "liveness", "refused"))  # not all of these for every case at once
SURE = 0.01  # chance below which outcomes no longer fit the recorded rate

_UNSTEADY = "An unsteady case is {violated: 6, runs: 20, reason: why}."
_RACE = "A race is {checks: [liveness], cases: [CASE, ...], reason: why}, or {checks: [...], rate: 0.05, reason: why}."


@dataclass(frozen=True, slots=True)
class Unsteady:
    """A case that a race inside the scheduler decides, with the runs that were recorded."""

    violated: int
    runs: int
    reason: str

    @property
    def rate(self) -> float:
        return self.violated / self.runs

    def fits(self, violated: int, runs: int) -> bool:
        """Whether so many violations in so many runs can be the same race: neither steady by now, nor gone."""
        if runs >= LEAST_RUNS and violated >= STEADY * runs:
            return False
        return violated > 0 or (1 - self.rate) ** runs >= SURE

    def as_data(self) -> dict[str, Any]:
        return {"violated": self.violated, "runs": self.runs, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Race:
    """A fault of a scheduler that shows now and then, in the cases that it names or in any that gives the occasion."""

    checks: frozenset[str]  # those that it breaks
    reason: str
    cases: frozenset[str] = frozenset()  # those that it may hit; none: any, up to `rate`
    rate: float = 1.0  # the share of the cases of a run that it may hit

    def may_hit(self, case: str, broken: Collection[str]) -> bool:
        """Whether it explains that these checks of the case are violated."""
        return bool(broken) and set(broken) <= self.checks and (not self.cases or case in self.cases)

    def allows(self, hits: int, cases: int) -> bool:
        """Whether it may have hit so many of so many cases; one is always possible."""
        return hits <= max(1.0, self.rate * cases)

    def as_data(self) -> dict[str, Any]:
        bound: dict[str, Any] = {"cases": sorted(self.cases)} if self.cases else {"rate": self.rate}
        return {"checks": sorted(self.checks), **bound, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Deviations:
    """All entries of one file."""

    violated: Mapping[str, str] = field(default_factory=dict)  # case -> why it is violated
    unsteady: Mapping[str, Unsteady] = field(default_factory=dict)
    races: tuple[Race, ...] = ()


def deviations_from_data(data: Any, where: str, cases: Collection[str]) -> Deviations:
    """The entries of a file; UsageError for one that cannot be meant, or that excuses too much."""
    if not isinstance(data, Mapping):
        raise UsageError(f"{where}: not a mapping: {data!r}", hint=f"Allowed keys: {', '.join(KEYS)}.")
    if unknown := sorted(set(data) - set(KEYS)):
        hint = f"Allowed: {', '.join(KEYS)}. Cases that pass or are not supported are not written down."
        raise UsageError(f"{where}: unknown key {unknown[0]!r}", hint=hint)
    violated = {case: str(reason or "") for case, reason in _entries(data, VIOLATED, where, cases).items()}
    unsteady = {case: _unsteady(entry, case, where) for case, entry in _entries(data, UNSTEADY, where, cases).items()}
    if both := sorted(set(violated) & set(unsteady)):
        raise UsageError(f"{where}: case {both[0]} is both {VIOLATED} and {UNSTEADY}", hint="Keep one of the two.")
    races = data.get(RACES) or ()
    if not isinstance(races, list | tuple):
        raise UsageError(f"{where}: {RACES} is no list: {races!r}", hint=_RACE)
    return Deviations(violated, unsteady, tuple(_race(race, where, cases) for race in races))


def _entries(data: Mapping[str, Any], key: str, where: str, cases: Collection[str]) -> Mapping[str, Any]:
    entries = data.get(key) or {}
    if not isinstance(entries, Mapping):
        raise UsageError(f"{where}: {key} has no reasons: {entries!r}", hint="Each case has one: {CASE: why}.")
    _check_cases(entries, f"{where}: {key}", cases)
    return entries


def _check_cases(named: Collection[Any], where: str, cases: Collection[str]) -> None:
    for case in named:
        if case not in cases:
            raise UsageError(
                f"{where}: there is no case {case!r}", hint=f"{nearest(str(case), cases)}See: muster list cases"
            )


def _unsteady(data: Any, case: str, where: str) -> Unsteady:
    place = f"{where}: {UNSTEADY}: {case}"
    if not isinstance(data, Mapping) or set(data) != {"violated", "runs", "reason"}:
        raise UsageError(f"{place}: no counts: {data!r}", hint=_UNSTEADY)
    violated, runs = data["violated"], data["runs"]
    if not all(isinstance(count, int) and not isinstance(count, bool) for count in (violated, runs)):
        raise UsageError(f"{place}: its counts are no whole numbers: {violated!r} of {runs!r}", hint=_UNSTEADY)
    again = f"Run it with --repeat {2 * LEAST_RUNS} and count again."
    if runs < LEAST_RUNS:
        raise UsageError(f"{place}: {runs} recorded runs are too few, {LEAST_RUNS} is the least", hint=again)
    if not 0 < violated < runs:
        raise UsageError(f"{place}: {violated} of {runs} runs violated are not both outcomes", hint=again)
    if violated >= STEADY * runs:
        hint = f"What is violated in nine of ten runs or more goes under `{VIOLATED}`."
        raise UsageError(f"{place}: violated in {violated} of {runs} runs, that is no race", hint=hint)
    return Unsteady(violated, runs, str(data["reason"] or ""))


def _race(data: Any, where: str, cases: Collection[str]) -> Race:
    bounds = {"cases", "rate"}
    if (
        not isinstance(data, Mapping)
        or set(data) - bounds != {"checks", "reason"}
        or len(set(data) & bounds) != 1
        or not isinstance(data["checks"], list)
        or not isinstance(data.get("cases", []), list)
    ):
        raise UsageError(f"{where}: not a race: {data!r}", hint=_RACE)
    checks = frozenset(data["checks"])
    names = [check.NAME for check in CHECKS]
    if unknown := sorted(checks - set(names)):
        raise UsageError(f"{where}: {RACES}: there is no check {unknown[0]!r}", hint=f"Checks: {', '.join(names)}.")
    if "cases" in data:
        if not data["cases"]:
            raise UsageError(f"{where}: a race names no case: {data!r}", hint=_RACE)
        _check_cases(data["cases"], f"{where}: {RACES}", cases)
        return Race(checks, str(data["reason"]), frozenset(data["cases"]))
    rate = data["rate"]
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate <= MOST_RATE:
        hint = f"A race that may hit any case has a rate above 0 and up to {MOST_RATE}; else name its cases."
        raise UsageError(f"{where}: {RACES}: not a rate: {rate!r}", hint=hint)
    if checks >= MOST_CHECKS:
        hint = "Name its cases, or leave one of these checks out: nothing would be left to judge."
        raise UsageError(f"{where}: a race covers {', '.join(sorted(MOST_CHECKS))} of every case", hint=hint)
    return Race(checks, str(data["reason"]), rate=float(rate))
