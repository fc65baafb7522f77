"""Proof that the suite can fail: its cases against schedulers that break one law each.

A case that no control turns red proves nothing about a scheduler that passes it; a control that no case notices is a
hole in the suite. Both are listed. The honest scheduler must pass everything first: a suite that condemns the innocent
is worth as little.

Every case with every control takes hours. So a control is tried on the cases that must catch it; cases that no control
names are tried on one after another until one turns them red. `full` tries everything on everything.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from harness import run as running
from harness.controls import HONEST, Control, honest
from harness.core.catalogue import Case
from harness.core.errors import HarnessError
from harness.core.results import RunResult
from harness.kills import RED, Matrix

ELSEWHERE = ("LWS", "JOBSET-GANG", "JOBSET-BARRIER")  # profiles about controllers, proven by the tests of their sins


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be proven, and how thoroughly."""

    cases: tuple[Case, ...]  # those to prove
    controls: tuple[Control, ...]
    named: frozenset[str] = frozenset()  # cases that some control must turn red, and no other need be tried on
    quick: bool = False  # only the first case that must catch each control
    full: bool = False  # every control on every case it is meant for
    factor: float = 1.0  # of the deadlines
    workers: int = 1  # boxes side by side
    recorded: Mapping[str, list[str]] = field(default_factory=dict)  # case -> controls, from earlier proofs


def prove(
    aim: Aim, folder: Path, say: Callable[[str], None], keep: Callable[[Matrix], None] = lambda matrix: None
) -> tuple[Matrix, RunResult | None]:
    """Run the honest scheduler, then the controls side by side; the matrix, which `keep` gets after each, and the
    honest run."""
    matrix = Matrix([case.id for case in aim.cases], recorded=dict(aim.recorded))
    proof = _Proof(aim, matrix, folder, say, keep)
    judged = proof.attempt(honest(), boxes=aim.workers)
    with ThreadPoolExecutor(aim.workers) as pool:
        tried = [pool.submit(proof.attempt, control) for control in aim.controls]
        try:
            for one in as_completed(tried):
                one.result()
        except BaseException:
            proof.stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    matrix.tried = {one.name: matrix.tried[one.name] for one in aim.controls if one.name in matrix.tried}
    return matrix, judged


@dataclass(slots=True)
class _Proof:
    """A proof under way; several threads work at it, each at a control."""

    aim: Aim
    matrix: Matrix
    folder: Path
    say: Callable[[str], None]
    keep: Callable[[Matrix], None]
    stop: threading.Event = field(default_factory=threading.Event)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def attempt(self, control: Control, boxes: int = 1) -> RunResult | None:
        """Run a control on the cases that are wanted of it; None if there are none."""
        matrix, name = self.matrix, control.name
        with self._turn:
            cases = wanted(self.aim, matrix, control)
            if self.aim.quick and name == HONEST:
                matrix.cases = cases
        if not cases:
            self.say(f"{name:<28} nothing left to try")
            return None
        began = time.monotonic()
        result = self._run(control, cases, boxes)
        with self._turn:
            matrix.add(control, cases, result)
            red = sum(matrix.outcomes.get(case, {}).get(name) in RED for case in cases)
            spent = time.monotonic() - began
            self.say(f"{name:<28} {red:>3} of {len(cases)} cases red  {spent:.0f} s  {control.about}")
            self.keep(matrix)
        return result

    def _run(self, control: Control, cases: Sequence[str], boxes: int) -> RunResult:
        target = self.folder / "controls" / control.name
        target.mkdir(parents=True)
        options = control.options(cases, self.aim.factor, target)
        plan = running.Plan((control.integration,), options, boxes)
        result, faults = running.run(plan, target, lambda event: None, self.stop)
        if result.interrupted:
            raise KeyboardInterrupt
        if faults.messages or faults.outputs:
            seen = faults.messages[0]["message"] if faults.messages else faults.outputs[0]
            if control.name == HONEST:
                raise HarnessError(f"the honest control cannot be judged: {seen}", hint=f"Logs: {target / 'logs'}")
            self.say(f"{control.name}: only {len(result.cases)} of {len(cases)} cases could be run: {seen}")
        return result


def wanted(aim: Aim, matrix: Matrix, control: Control) -> list[str]:
    """The cases to try a control on."""
    who = aim.controls if control.name == HONEST else (control,)
    must = {case for one in who for case in _must(aim, one) if one.name not in aim.recorded.get(case, ())}
    known = frozenset() if aim.full else aim.named | matrix.killed.keys()
    meant = [case.id for case in aim.cases if control.meant_for(case)]
    return sorted(case for case in meant if case in must or not (aim.quick or case in known))


def _must(aim: Aim, control: Control) -> Sequence[str]:
    """The cases that must turn red for a control; in the quick form the first that it names."""
    return control.caught_by[:1] if aim.quick else control.caught_by
