"""One case, tried: from its world to its result, with the evidence put away before anything is cleaned up.

The outcome comes from the history alone. What the test function raised only decides where a case stopped: a failed
assertion without a violation in the history is `unknown`, and any other exception is a fault of the harness, never of
the scheduler.
"""

from __future__ import annotations

import shutil
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from harness.cases.world import World
from harness.core.catalogue.cases import Case
from harness.core.catalogue.expected import BOX
from harness.core.catalogue.features import ANSWERS, FEATURES
from harness.core.errors import MusterError, UnsupportedError
from harness.core.history import store
from harness.core.history.records import History
from harness.core.kinds import EVENT, NODE, POD
from harness.core.oracle.figures import gang_figures
from harness.core.oracle.judge import case_outcome, judge_case, needs_stalls
from harness.core.results import CaseResult, Implementation, promises
from harness.core.verdict import Outcome, Verdict
from harness.runner.collect import fingerprint
from harness.testbed.testbed import Testbed, departures

LOG_LINES = 2000  # of each component, at the end of the case's span


class CaseRun:
    """A case while it runs."""

    def __init__(self, testbed: Testbed, case: Case, folder: Path, repetition: int = 1) -> None:
        self.testbed = testbed
        self.case = case
        self.folder = folder
        self._called = case.id if repetition == 1 else f"{case.id}.{repetition}"  # its files, each repeat's own
        self.started = time.time()
        self._restarts = {name: process.restarts for name, process in testbed.box.processes.items()}
        self._log_offsets = {name: _size(process.log) for name, process in testbed.box.processes.items()}
        self.world = World(testbed, case.id)

    def finish(self, error: BaseException | None) -> CaseResult:
        """Judge what happened and store it."""
        seconds = time.time() - self.started
        fault = _fault(error)
        self._note_crashes()
        try:
            history, verdicts = self._judge()
            if not fault and case_outcome(verdicts) is Outcome.UNKNOWN:
                self.world.context.recorder.wait(
                    lambda: False, self.testbed.deadlines["window"]
                )  # those that are open run out
                history, verdicts = self._judge()
        except MusterError as problem:
            return self._result(Outcome.UNKNOWN, seconds, error=f"the history could not be completed: {problem}")
        outcome = case_outcome(verdicts)
        if isinstance(error, UnsupportedError) and outcome is not Outcome.VIOLATED:
            return not_supported(self.case, self.testbed, error.message, BOX)
        if fault:
            outcome = Outcome.UNKNOWN if outcome is not Outcome.VIOLATED else outcome
        elif isinstance(error, AssertionError) and not outcome.is_bad:
            outcome, fault = Outcome.UNKNOWN, f"{_place(error)}, but its history shows no violation"
        where = Path("history") / self.testbed.integration / f"{self._called}.jsonl.zst"
        (self.folder / where).parent.mkdir(parents=True, exist_ok=True)
        digest = store.write(self.folder / where, history)
        bad = outcome.is_bad
        self.testbed.needs_probe |= bad or self.case.disruptive
        return self._result(
            outcome,
            seconds,
            verdicts=verdicts,
            figures=gang_figures(history),
            history=str(where),
            digest=digest,
            promises=promises(history),
            needs_stalls=needs_stalls(history, verdicts, self.case.strength),
            error=fault,
            logs=self._evidence() if bad else "",
        )

    def _note_crashes(self) -> None:
        """Write down what no supervisor has: programs of the box that ended, and what a kubelet has started again."""
        recorder = self.world.context.recorder
        for name, process in self.testbed.box.processes.items():
            again = process.restarts - self._restarts.get(name, 0)
            if name in self.testbed.programs and again > 0:
                recorder.act("crash", name, role=process.command.role, ending=process.ending, restarts=again)
            elif process.crashed and name not in self.testbed.programs:
                recorder.act("note", text=f"{name} is down, and muster did not end it ({process.ending})")

    def _judge(self) -> tuple[History, tuple[Verdict, ...]]:
        """Everything up to now, and what the checks make of it."""
        self.world.context.recorder.settle()
        history = self.world.context.history()
        return history, judge_case(history, self.case.strength)

    def _result(self, outcome: Outcome, seconds: float, **more: Any) -> CaseResult:
        return result(
            self.case,
            self.testbed,
            outcome,
            started=self.started,
            seconds=round(seconds, 3),
            simulated=self.testbed.simulated,
            **more,
        )

    def _evidence(self) -> str:
        """Objects, events and the components' words during the case."""
        where = Path("logs") / self.testbed.integration / self._called
        target = self.folder / where
        target.mkdir(parents=True, exist_ok=True)
        objects: list[Any] = []
        try:
            for namespace in self.testbed.namespaces:
                for resource in (POD, EVENT, *self.testbed.group_resources()):
                    objects += self.testbed.box.api.list(resource, namespace)
            objects += self.testbed.box.api.list(NODE, labelSelector=self.testbed.box.nodes.selector)
        except MusterError as problem:
            (target / "objects-missing.txt").write_text(f"{problem}\n")
        for obj in objects:
            obj.get("metadata", {}).pop("managedFields", None)
        dump = yaml.dump_all(objects, sort_keys=False, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper))
        (target / "objects.yaml").write_text(dump)
        for name, process in self.testbed.box.processes.items():
            text = _read_from(process.log, self._log_offsets.get(name, 0))
            if text:
                (target / f"{name}.log").write_text("".join(text.splitlines(keepends=True)[-LOG_LINES:]))
        return str(where)


def result(case: Case, testbed: Testbed, outcome: Outcome, **more: Any) -> CaseResult:
    """The result of a case in this testbed."""
    return CaseResult(
        case=case.id,
        sentence=case.sentence,
        folder=case.folder,
        profile=case.profile,
        level=case.level,
        strength=case.strength,
        clauses=case.clauses,
        integration=testbed.integration,
        kubernetes=testbed.box.kubernetes,
        outcome=outcome,
        rerun=f"{testbed.rerun} --case {case.id}",
        fingerprint=_fingerprint(case),
        deadlines=dict(testbed.deadlines),
        **more,
    )


def not_supported(case: Case, testbed: Testbed, reason: str, check: str) -> CaseResult:
    """The result of a case that the integration cannot be held to: by its features, or in this box."""
    verdict = Verdict(check, Outcome.NOT_SUPPORTED, reason)
    return result(case, testbed, Outcome.NOT_SUPPORTED, verdicts=(verdict,), started=time.time())


def not_begun(case: Case, testbed: Testbed, error: MusterError) -> CaseResult:
    """The result of a case for which the box could not be made ready."""
    fault = f"the case could not begin: {_fault(error)}"
    return result(case, testbed, Outcome.UNKNOWN, started=time.time(), error=fault)


def implementation(testbed: Testbed) -> Implementation:
    """Who is judged, for the report."""
    artifacts = {
        artifact.component: artifact for artifact in (*testbed.box.artifacts.values(), *testbed.installed.artifacts)
    }
    rows = [
        {"component": a.component, "version": a.version, "process": p, "sha256": a.checksums[p], "source": a.sources[p]}
        for a in artifacts.values()
        for p in a.binaries
        if p != "kwokctl"
    ]
    return Implementation(
        integration=testbed.integration,
        project=testbed.adapter.title,
        organization=testbed.adapter.organization,
        url=testbed.adapter.url,
        version=testbed.version,
        kubernetes=testbed.box.kubernetes,
        supported=tuple(sorted(testbed.features)),
        unsupported=tuple(sorted(set(FEATURES) - testbed.features - ANSWERS)),
        departures=departures(testbed.installed),
        pace=testbed.adapter.pace,
        artifacts=(*rows, *testbed.installed.images),
        cluster=testbed.facts,
    )


def keep_logs(fault: MusterError, folder: Path, integration: str) -> None:
    """Copy the logs of a box that failed into the run's folder, which CI keeps, and say so in the fault."""
    if fault.logs is None:
        return
    target = folder / "logs" / integration / "installation"
    shutil.copytree(fault.logs, target, dirs_exist_ok=True)
    fault.message, fault.hint = (text.replace(str(fault.logs), str(target)) for text in (fault.message, fault.hint))


def as_event(value: CaseResult | Implementation) -> dict[str, Any]:
    return asdict(value)


def _fault(error: BaseException | None) -> str:
    if error is None or isinstance(error, AssertionError):
        return ""
    return f"{type(error).__name__}: {error}"


def _place(error: AssertionError) -> str:
    """Where a case stopped, as it stands in its file; and why, if its author wrote that."""
    text = "the case stopped"
    for frame in traceback.extract_tb(error.__traceback__)[-1:]:
        text += f" at `{frame.line}` ({Path(frame.filename).name}, line {frame.lineno})"
    reason = str(error).partition("\n")[0]
    return text if not reason or reason.startswith("assert ") or " object at 0x" in reason else f"{text}: {reason}"


def _fingerprint(case: Case) -> str:
    """The digest of the case's code; empty for a case that is not of the suites."""
    try:
        return fingerprint(case)
    except OSError:
        return ""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _read_from(path: Path, offset: int) -> str:
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(offset)
        return file.read().decode(errors="replace")
