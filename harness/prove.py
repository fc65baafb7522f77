"""Proof that the suite can fail: every case against schedulers that break one law each.

A case that no sinner turns red proves nothing about a scheduler that passes it; a sin that no case notices is a hole
in the suite. Both are listed, and the matrix of case and sin is stored with the report. The honest control must pass
everything first: a suite that condemns the innocent is worth as little.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import run as running
from harness.adapters.control import mutants_root
from harness.core.errors import HarnessError
from harness.core.results import RunResult
from harness.core.verdict import Outcome

HONEST = "honest"
FOREIGN = {
    "kube-scheduler": (
        "Kubernetes' own scheduler, which knows nothing of these gangs.",
        ("one-of-two-gangs-wins-whole",),
    )
}
PATIENCE = 0.2  # of the usual deadlines: the controls answer in milliseconds, so waiting for a sinner can be short


@dataclass(frozen=True, slots=True)
class Sin:
    """A scheduler that must be caught."""

    name: str
    about: str
    caught_by: tuple[str, ...]  # cases that are known to notice it: what the quick form runs


@dataclass(slots=True)
class Matrix:
    """Outcome of each case with each control."""

    sins: list[str]
    outcomes: dict[str, dict[str, str]] = field(default_factory=dict)  # case -> control -> outcome

    def add(self, control: str, result: RunResult) -> None:
        for case in result.cases:
            if case.outcome is not Outcome.NOT_SUPPORTED:
                self.outcomes.setdefault(case.case, {})[control] = str(case.outcome)

    @property
    def killed(self) -> dict[str, list[str]]:
        """Case -> sins it turned red for."""
        red = str(Outcome.VIOLATED)
        return {case: [s for s in self.sins if tried.get(s) == red] for case, tried in sorted(self.outcomes.items())}

    def as_data(self) -> dict[str, Any]:
        killed = self.killed
        caught = {sin for sins in killed.values() for sin in sins}
        blamed = [case for case, tried in self.outcomes.items() if tried.get(HONEST) not in (None, str(Outcome.PASS))]
        return {
            "cases": sorted(self.outcomes),
            "sins": self.sins,
            "killed": {case: sins for case, sins in killed.items() if sins},
            "unproven": [case for case, sins in killed.items() if not sins],
            "holes": [sin for sin in self.sins if sin not in caught],
            "innocent_blamed": sorted(blamed),
        }

    def as_kills(self) -> dict[str, Any]:
        """The form the report draws."""
        return {"controls": [HONEST, *self.sins], "cases": self.outcomes}


def sins() -> list[Sin]:
    """Every sinner there is."""
    answer = subprocess.run(
        [sys.executable, str(mutants_root()), "--list"], capture_output=True, text=True, check=False, timeout=60
    )
    if answer.returncode != 0:
        raise HarnessError(f"the control schedulers cannot be listed:\n{answer.stderr.strip()[-500:]}")
    own = [Sin(one["name"], one["about"], tuple(one["caught_by"])) for one in json.loads(answer.stdout)]
    return own + [Sin(name, about, caught) for name, (about, caught) in FOREIGN.items()]


def prove(
    chosen: Sequence[Sin], folder: Path, *, quick: bool, cases: Sequence[str] = (), workers: int = 1,
    say: Callable[[str], None] = lambda text: None,
) -> tuple[Matrix, RunResult | None]:  # fmt: skip
    """Run the suite against the honest control and each sinner; the matrix and the honest run."""
    matrix = Matrix([sin.name for sin in chosen])
    honest: RunResult | None = None
    everything = sorted({case for sin in chosen for case in sin.caught_by}) if quick and not cases else list(cases)
    for name, about, wanted in [(HONEST, "keeps every law", everything)] + [
        (sin.name, sin.about, list(cases) or (list(sin.caught_by) if quick else [])) for sin in chosen
    ]:
        began = time.monotonic()
        target = folder / "controls" / name
        target.mkdir(parents=True)
        options = ["--muster-profile=extended", f"--muster-timeout-factor={PATIENCE}"]
        options += [f"--muster-case={','.join(wanted)}"] if wanted else []
        options += [f"--muster-set=sin={name}"] if name != HONEST else []
        result, faults = running.run(running.Plan(("control",), tuple(options), workers), target, lambda event: None)
        if result.interrupted:
            raise KeyboardInterrupt
        if not result.cases and (faults.messages or faults.outputs):
            seen = faults.messages[0]["message"] if faults.messages else faults.outputs[0]
            if name == HONEST:
                raise HarnessError(f"the honest control cannot be judged: {seen}")
            say(f"{name}: does not even pass the canary")
        matrix.add(name, result)
        if name == HONEST:
            honest = result
        red = sum(case.outcome is Outcome.VIOLATED for case in result.cases)
        say(f"{name:<28} {red:>3} of {len(result.cases)} cases red  {time.monotonic() - began:.0f} s  {about}")
    return matrix, honest
