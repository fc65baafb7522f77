"""Proof that the suite can fail: its cases against schedulers that break one law each.

A case that no control turns red proves nothing about a scheduler that passes it; a control that no case notices is a
hole in the suite. Both are listed. The honest scheduler must pass everything first: a suite that condemns the innocent
is worth as little.

Every case with every control takes hours. So a control is tried on the cases that must catch it; cases that no control
names are tried on one after another until one turns them red. `full` tries everything on everything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
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
    workers: int = 1
    recorded: Mapping[str, list[str]] = field(default_factory=dict)  # case -> controls, from earlier proofs


def prove(
    aim: Aim, folder: Path, say: Callable[[str], None], keep: Callable[[Matrix], None] = lambda matrix: None
) -> tuple[Matrix, RunResult | None]:
    """Run the honest scheduler and each control; the matrix, which `keep` gets after each, and the honest run."""
    matrix = Matrix([case.id for case in aim.cases], recorded=dict(aim.recorded))
    judged: RunResult | None = None
    for control in (honest(), *aim.controls):
        cases = wanted(aim, matrix, control)
        if aim.quick and control.name == HONEST:
            matrix.cases = cases
        if not cases:
            say(f"{control.name:<28} nothing left to try")
            continue
        began = time.monotonic()
        result = _run(control, cases, aim, folder, say)
        matrix.add(control, cases, result)
        judged = result if control.name == HONEST else judged
        red = sum(matrix.outcomes.get(case, {}).get(control.name) in RED for case in cases)
        spent = time.monotonic() - began
        say(f"{control.name:<28} {red:>3} of {len(cases)} cases red  {spent:.0f} s  {control.about}")
        keep(matrix)
    return matrix, judged


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


def _run(control: Control, cases: Sequence[str], aim: Aim, folder: Path, say: Callable[[str], None]) -> RunResult:
    target = folder / "controls" / control.name
    target.mkdir(parents=True)
    options = control.options(cases, aim.factor, target)
    plan = running.Plan((control.integration,), options, aim.workers)
    result, faults = running.run(plan, target, lambda event: None)
    if result.interrupted:
        raise KeyboardInterrupt
    if faults.messages or faults.outputs:
        seen = faults.messages[0]["message"] if faults.messages else faults.outputs[0]
        if control.name == HONEST:
            raise HarnessError(f"the honest control cannot be judged: {seen}", hint=f"Logs: {target / 'logs'}")
        say(f"{control.name}: only {len(result.cases)} of {len(cases)} cases could be run: {seen}")
    return result
