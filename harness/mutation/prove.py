"""Mutation testing of the suite: its cases against implementations that break one rule each.

A case that no mutant turns red proves nothing about an implementation that passes it; a mutant that no case kills shows
what the suite does not test. Both are listed. The references must pass every case first, otherwise kills prove nothing.

Every case with every mutant takes hours. So a mutant is tried on the cases that must kill it; cases that no mutant
names are tried on one mutant after another until one turns them red. `full` tries everything on everything.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from harness.core.catalogue.cases import Case
from harness.core.errors import HarnessError
from harness.core.results import RunResult
from harness.mutation.matrix import RED, KillMatrix
from harness.mutation.mutants import Mutant, Subject, references, unkilled
from harness.runner import session


@dataclass(frozen=True, slots=True)
class ProofPlan:
    """What is to be proven, and how thoroughly."""

    cases: tuple[Case, ...]  # those to prove
    mutants: tuple[Mutant, ...]
    named: frozenset[str] = frozenset()  # cases that some mutant must turn red, and no other need be tried on
    quick: bool = False  # only the first case that must kill each mutant
    full: bool = False  # every mutant on every case it is meant for
    factor: float = 1.0  # of the deadlines
    workers: int = 1  # boxes side by side
    recorded: Mapping[str, list[str]] = field(default_factory=dict)  # case -> mutants, from earlier proofs


def prove(
    plan: ProofPlan,
    folder: Path,
    report: Callable[[str], None],
    keep: Callable[[KillMatrix], None] = lambda matrix: None,
) -> tuple[KillMatrix, RunResult | None]:
    """Run the references, then the mutants side by side; the matrix, which `keep` gets after each, and the run of the
    first reference that had cases."""
    matrix = KillMatrix([case.id for case in plan.cases], recorded=dict(plan.recorded))
    proof = _Proof(plan, matrix, folder, report, keep)
    results = [proof.attempt(reference, boxes=plan.workers) for reference in references()]
    if plan.quick:
        matrix.cases = sorted({case for mutant in plan.mutants for case in cases_for(plan, matrix, mutant)})
    with ThreadPoolExecutor(plan.workers) as pool:
        attempts = [pool.submit(proof.attempt, mutant) for mutant in plan.mutants]
        try:
            for attempt in as_completed(attempts):
                attempt.result()
        except BaseException:
            proof.stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    matrix.tried = {mutant.name: matrix.tried[mutant.name] for mutant in plan.mutants if mutant.name in matrix.tried}
    return matrix, next((result for result in results if result is not None), None)


@dataclass(slots=True)
class _Proof:
    """A proof under way; several threads work at it, each at a mutant."""

    plan: ProofPlan
    matrix: KillMatrix
    folder: Path
    report: Callable[[str], None]
    keep: Callable[[KillMatrix], None]
    stop: threading.Event = field(default_factory=threading.Event)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def attempt(self, subject: Subject, boxes: int = 1) -> RunResult | None:
        """Run a reference or a mutant on its cases; None if there are none."""
        matrix, name = self.matrix, subject.name
        with self._turn:
            cases = cases_for(self.plan, matrix, subject)
        if not cases:
            if isinstance(subject, Mutant):
                self.report(f"{name:<32} nothing left to try")
            return None
        began = time.monotonic()
        result = self._run(subject, cases, boxes)
        with self._turn:
            matrix.add(subject, cases, result)
            red = sum(matrix.outcomes.get(case, {}).get(name) in RED for case in cases)
            spent = time.monotonic() - began
            self.report(f"{name:<32} {red:>3} of {len(cases)} cases red  {spent:.0f} s  {subject.about}")
            self.keep(matrix)
        return result

    def _run(self, subject: Subject, cases: Sequence[str], boxes: int) -> RunResult:
        folder = self.folder / "mutants" / subject.name.replace("/", "-")
        folder.mkdir(parents=True)
        config = subject.config(cases, self.plan.factor, folder, boxes)
        result, faults = session.run(config, folder, lambda event: None, self.stop)
        if result.interrupted:
            raise KeyboardInterrupt
        if faults.messages or faults.outputs:
            fault = faults.messages[0]["message"] if faults.messages else faults.outputs[0]
            if not isinstance(subject, Mutant):
                raise HarnessError(f"{subject.name} cannot be judged: {fault}", hint=f"Logs: {folder / 'logs'}")
            self.report(f"{subject.name}: only {len(result.cases)} of {len(cases)} cases could be run: {fault}")
        return result


def cases_for(plan: ProofPlan, matrix: KillMatrix, subject: Subject) -> list[str]:
    """The cases to try a mutant on; for a reference, those that its mutants are tried on."""
    if not isinstance(subject, Mutant):
        tried = {
            case for mutant in plan.mutants if mutant.reference == subject.name for case in _tried(plan, matrix, mutant)
        }
        return sorted(case.id for case in plan.cases if case.id in tried and subject.meant_for(case))
    return sorted(_tried(plan, matrix, subject))


def _tried(plan: ProofPlan, matrix: KillMatrix, mutant: Mutant) -> set[str]:
    must = {case for case in _must(plan, mutant) if mutant.name not in plan.recorded.get(case, ())}
    proven = frozenset() if plan.full else plan.named | matrix.killed.keys()
    meant = [case.id for case in plan.cases if mutant.meant_for(case) and case.id not in unkilled()]
    return {case for case in meant if case in must or not (plan.quick or case in proven)}


def _must(plan: ProofPlan, mutant: Mutant) -> Sequence[str]:
    """The cases that must turn red for a mutant; in the quick form the first that it names."""
    return mutant.killed_by[:1] if plan.quick else mutant.killed_by
