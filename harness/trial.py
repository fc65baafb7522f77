"""One case, tried: from its world to its result, with the evidence put away before anything is cleaned up.

The outcome comes from the history alone. What the test function raised only decides where a case stopped: a failed
assertion without a violation in the history is `unknown`, and any other exception is a fault of the harness, never of
the scheduler.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from harness.box.api import EVENT, NODE, POD
from harness.core import store
from harness.core.catalogue import Case
from harness.core.errors import MusterError
from harness.core.features import FEATURES
from harness.core.figures import gang_figures
from harness.core.history import History
from harness.core.judge import case_outcome, judge_case
from harness.core.results import CaseResult, Implementation
from harness.core.verdict import Outcome, Verdict
from harness.lab import Lab, departures
from harness.world import World

LOG_LINES = 2000  # of each component, at the end of the case's span


class Trial:
    """A case while it runs."""

    def __init__(self, lab: Lab, case: Case, folder: Path, repetition: int = 1) -> None:
        self.lab = lab
        self.case = case
        self.folder = folder
        self._called = case.id if repetition == 1 else f"{case.id}.{repetition}"  # its files, each repeat's own
        self.started = time.time()
        self._restarts = {name: process.restarts for name, process in lab.box.processes.items()}
        self._log_offsets = {name: _size(process.log) for name, process in lab.box.processes.items()}
        self.world = World(lab, case.id)

    def finish(self, error: BaseException | None) -> CaseResult:
        """Judge what happened and store it."""
        seconds = time.time() - self.started
        fault = _fault(error)
        for name, process in self.lab.box.processes.items():
            if process.crashed:
                self.world.recorder.act("note", text=f"{name} is down, and nobody here ended it ({process.ending})")
            if (again := process.restarts - self._restarts.get(name, 0)) > 0:
                self.world.recorder.act("note", text=f"{name} crashed; its kubelet started it again {again} times")
        try:
            history, verdicts = self._judged()
            if not fault and case_outcome(verdicts) is Outcome.UNKNOWN:
                self.world.recorder.wait(lambda: False, self.lab.deadlines["window"])  # those that are open run out
                history, verdicts = self._judged()
        except MusterError as problem:
            return self._result(Outcome.UNKNOWN, seconds, error=f"the history could not be completed: {problem}")
        outcome = case_outcome(verdicts)
        if fault:
            outcome = Outcome.UNKNOWN if outcome is not Outcome.VIOLATED else outcome
        elif isinstance(error, AssertionError) and outcome in (Outcome.PASS, Outcome.NOT_SUPPORTED):
            outcome, fault = Outcome.UNKNOWN, f"the case stopped, but its history shows no violation: {error}"
        where = Path("history") / self.lab.integration / f"{self._called}.jsonl.zst"
        (self.folder / where).parent.mkdir(parents=True, exist_ok=True)
        digest = store.write(self.folder / where, history)
        bad = outcome in (Outcome.VIOLATED, Outcome.UNKNOWN)
        self.lab.shaken |= bad or self.case.disruptive
        return self._result(
            outcome, seconds, verdicts=verdicts, figures=gang_figures(history), history=str(where), digest=digest,
            error=fault, logs=self._evidence() if bad else "",
        )  # fmt: skip

    def _judged(self) -> tuple[History, tuple[Verdict, ...]]:
        """Everything up to now, and what the checks make of it."""
        self.world.recorder.settle()
        history = self.world.history()
        return history, judge_case(history, self.case.strength)

    def _result(self, outcome: Outcome, seconds: float, **more: Any) -> CaseResult:
        played = not getattr(self.lab.box.nodes, "containers", False)
        return result(
            self.case, self.lab, outcome, started=self.started, seconds=round(seconds, 3), simulated=played, **more
        )

    def _evidence(self) -> str:
        """Objects, events and the components' words during the case."""
        where = Path("logs") / self.lab.integration / self._called
        target = self.folder / where
        target.mkdir(parents=True, exist_ok=True)
        objects: list[Any] = []
        try:
            for namespace in self.lab.namespaces:
                for resource in (POD, EVENT, *self.lab.group_resources()):
                    objects += self.lab.box.api.list(resource, namespace)
            objects += self.lab.box.api.list(NODE, labelSelector="muster.dev/pool")
        except MusterError as problem:
            (target / "objects-missing.txt").write_text(f"{problem}\n")
        for obj in objects:
            obj.get("metadata", {}).pop("managedFields", None)
        dump = yaml.dump_all(objects, sort_keys=False, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper))
        (target / "objects.yaml").write_text(dump)
        for name, process in self.lab.box.processes.items():
            text = _read_from(process.log, self._log_offsets.get(name, 0))
            if text:
                (target / f"{name}.log").write_text("".join(text.splitlines(keepends=True)[-LOG_LINES:]))
        return str(where)


def result(case: Case, lab: Lab, outcome: Outcome, **more: Any) -> CaseResult:
    """The result of a case in this lab."""
    return CaseResult(
        case=case.id, sentence=case.sentence, folder=case.folder, profile=case.profile, level=case.level,
        strength=case.strength, clauses=case.clauses, integration=lab.integration, kubernetes=lab.box.kubernetes,
        outcome=outcome, rerun=f"{lab.rerun} --case {case.id}", **more,
    )  # fmt: skip


def not_supported(case: Case, lab: Lab, reason: str) -> CaseResult:
    """The result of a case that the integration cannot be held to."""
    verdict = Verdict("features", Outcome.NOT_SUPPORTED, reason)
    return result(case, lab, Outcome.NOT_SUPPORTED, verdicts=(verdict,), started=time.time())


def implementation(lab: Lab) -> Implementation:
    """Who is judged, for the report."""
    artifacts = {artifact.component: artifact for artifact in (*lab.box.artifacts.values(), *lab.installed.artifacts)}
    rows = [
        {"component": a.component, "version": a.version, "process": p, "sha256": a.checksums[p], "source": a.sources[p]}
        for a in artifacts.values()
        for p in a.binaries
        if p != "kwokctl"
    ]
    return Implementation(
        integration=lab.integration, project=lab.adapter.title, organization=lab.adapter.organization,
        url=lab.adapter.url, version=lab.installed.version, kubernetes=lab.box.kubernetes,
        supported=tuple(sorted(lab.features)), unsupported=tuple(sorted(set(FEATURES) - lab.features)),
        departures=departures(lab.installed), pace=lab.adapter.pace, artifacts=tuple(rows),
    )  # fmt: skip


def as_event(value: CaseResult | Implementation) -> dict[str, Any]:
    return asdict(value)


def _fault(error: BaseException | None) -> str:
    if error is None or isinstance(error, AssertionError):
        return ""
    return f"{type(error).__name__}: {error}"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _read_from(path: Path, offset: int) -> str:
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(offset)
        return file.read().decode(errors="replace")
