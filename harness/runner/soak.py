"""A soak: the same cases over and over, in random order, on a machine that is disturbed.

A case has one outcome. Where two runs of it differ, one of the verdicts is wrong, or the scheduler has a race; both are
worth a look, so both histories are kept. A soak goes in rounds of about a thousand case runs, each a run of its own
(`session.run`) with a fresh box and an order of its own; what is no longer needed of a round is removed after it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from harness.core.files import as_json, put
from harness.core.results import CaseResult, case_from_data
from harness.core.text import counted
from harness.core.verdict import Outcome
from harness.runner import baseline, session
from harness.runner.config import RunConfig

FILE = "soak.json"
FORMAT = "muster.soak/1"
ROUND = 1000  # case runs of one round, roughly; few rounds, since each starts boxes and waits for its last cases
HISTORIES = 2  # histories that are kept of each outcome of a case


@dataclass(frozen=True, slots=True)
class SecondLook:
    """What came out when a stored history was judged once more."""

    differences: list[str] = field(default_factory=list)  # where another judge disagrees
    needs_stalls: bool = False  # it would be violated if the time of stalls counted
    silent: tuple[str, ...] = ()  # checks of which the other judge has no opinion here


Judge = Callable[[CaseResult, Path], SecondLook]


@dataclass(frozen=True, slots=True)
class SoakPlan:
    """What a soak does."""

    config: RunConfig  # of one round; its seed is that of the first
    cases: int  # how many cases a round has, those that are not supported too
    runs: int  # case runs that were asked for
    disturbances: dict[str, Any]  # for the summary

    @property
    def passes(self) -> int:
        """How often each case runs."""
        return ceil(self.runs / self.cases)

    def rounds(self) -> Iterator[RunConfig]:
        """The runs one after another."""
        left, each, number = self.passes, max(1, ROUND // self.cases), 0
        while left:
            repeat = min(left, each)
            yield replace(self.config, repeat=repeat, seed=((self.config.seed or 0) + number) % 10**9)
            left, number = left - repeat, number + 1


@dataclass(slots=True)
class Tally:
    """What came out so far."""

    counts: dict[str, Counter[Outcome]] = field(default_factory=dict)  # by case
    results: list[CaseResult] = field(default_factory=list)  # what a baseline has to explain
    histories: dict[tuple[str, Outcome], list[Path]] = field(default_factory=dict)
    reasons: dict[tuple[str, Outcome], list[str]] = field(default_factory=dict)
    disagreements: list[dict[str, str]] = field(default_factory=list)  # between the two judges of a history
    no_opinion: Counter[str] = field(default_factory=Counter)  # check -> runs of which the second judge has none
    excused_by_stalls: Counter[str] = field(default_factory=Counter)  # case -> runs that would be violated without
    faults: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0
    _added: set[tuple[str, str, float]] = field(default_factory=set)

    @property
    def runs(self) -> int:
        """Case runs that were judged."""
        return sum(counts.total() for counts in self.counts.values())

    def total(self, outcome: Outcome) -> int:
        return sum(counts[outcome] for counts in self.counts.values())

    @property
    def differing(self) -> list[str]:
        """The cases with more than one outcome."""
        return sorted(case for case, counts in self.counts.items() if len(+counts) > 1)

    def add(self, result: CaseResult, folder: Path, judge: Judge) -> None:
        """Count a case run once, have its history judged once more, and remove it unless it tells something."""
        identity = (result.case, result.history, result.started)
        if result.outcome is Outcome.NOT_SUPPORTED or identity in self._added:
            return
        self._added.add(identity)
        self.counts.setdefault(result.case, Counter())[result.outcome] += 1
        key, path = (result.case, result.outcome), folder / result.history
        if result.outcome.is_bad:
            bad = [f"{verdict.check}: {verdict.reason}" for verdict in result.verdicts if verdict.outcome.is_bad]
            self.reasons.setdefault(key, []).append("; ".join([*bad, *([result.error] if result.error else [])]))
        is_violated = result.outcome is Outcome.VIOLATED
        self.results.append(result if is_violated else replace(result, verdicts=()))  # passes are only counted
        if not result.history:
            return
        look = judge(result, path)
        self.disagreements += [{"case": result.case, "history": str(path), "what": text} for text in look.differences]
        self.no_opinion.update(look.silent)
        self.excused_by_stalls.update([result.case] * look.needs_stalls)
        paths = self.histories.setdefault(key, [])
        if len(paths) < HISTORIES or look.differences:
            paths.append(path)
        else:
            path.unlink(missing_ok=True)

    def unexplained(self, expected: Path | None) -> list[str]:
        """Violations that the baseline in the folder does not know, or not at this rate; without one all of them."""
        violated = [result for result in self.results if result.outcome is Outcome.VIOLATED]
        if expected is None:
            counts = Counter(result.case for result in violated)
            return [f"{case}: violated in {counted(count, 'run')}" for case, count in sorted(counts.items())]
        differences = baseline.compare(expected, self.results, usual=())  # to be late is what a soak looks for
        return sorted({str(entry) for entry in differences if entry.actual is Outcome.VIOLATED})

    def as_data(self, plan: SoakPlan) -> dict[str, Any]:
        """The summary that is stored."""
        return {
            "format": FORMAT,
            "integrations": list(plan.config.integrations),
            "seed": plan.config.seed,
            "disturbances": plan.disturbances,
            "planned": plan.runs,
            "runs": self.runs,
            "seconds": round(self.seconds, 1),
            "interrupted": self.interrupted,
            "outcomes": {str(outcome): self.total(outcome) for outcome in Outcome if self.total(outcome)},
            "cases": {
                case: {
                    str(outcome): {
                        "runs": count,
                        "histories": [str(path) for path in self.histories.get((case, outcome), [])],
                        "reasons": Counter(self.reasons.get((case, outcome), [])).most_common(5),
                    }
                    for outcome, count in sorted(counts.items())
                }
                for case, counts in sorted(self.counts.items())
            },
            "differing": self.differing,
            "unexplained": self.unexplained(plan.config.expected),
            "excused_by_stalls": dict(sorted(self.excused_by_stalls.items())),
            "disagreements": self.disagreements,
            "no_opinion": dict(sorted(self.no_opinion.items())),
            "faults": self.faults,
        }


def soak(plan: SoakPlan, folder: Path, watch: session.Watcher, judge: Judge) -> Tally:
    """Run round after round; what was measured before Ctrl-C is in the tally, and in the folder after every round.

    Each history is judged as soon as it is there: a round of a thousand would take minutes after its end.
    """
    tally, began = Tally(), time.monotonic()
    for number, config in enumerate(plan.rounds(), start=1):
        home = folder / f"round-{number:03}"
        home.mkdir()
        result, faults = session.run(config, home, session.both(watch, partial(_count, tally, home, judge)))
        for case in result.cases:  # those that Ctrl-C kept from being counted
            tally.add(case, home, judge)
        tally.faults += faults.sentences
        tally.interrupted = result.interrupted
        tally.seconds = time.monotonic() - began
        put(folder / FILE, as_json(tally.as_data(plan)))
        if result.interrupted or (faults.sentences and not result.cases):
            break
    return tally


def _count(tally: Tally, folder: Path, judge: Judge, event: dict[str, Any]) -> None:
    if event["event"] == "case":
        tally.add(case_from_data(event["result"]), folder, judge)
