"""A forger who rewrites everything: results, report, digests, and whatever a passing history of the case must have."""

from __future__ import annotations

from pathlib import Path

from harness.adapters import adapter
from harness.adapters.common.base import features_of
from harness.core.catalogue.cases import Case
from harness.core.catalogue.selection import Selection, catalogue_size
from harness.core.deadlines import DEADLINES
from harness.core.history import store
from harness.core.history.records import History, Record, gang_keys
from harness.core.oracle.figures import gang_figures
from harness.core.oracle.judge import case_outcome, judge_case, needs_stalls
from harness.core.results import CaseResult, Implementation, RunResult, promises
from harness.core.verdict import Outcome
from harness.core.version import __version__
from harness.report import write

from .editing import gang_of


def outcome(history: History) -> Outcome:
    return case_outcome(judge_case(history))


def finished(history: History, case: Case) -> History:
    """The history as if its case had run to its end: what it makes then is added, and holds."""
    *records, last = history.records
    script, (space, _, name) = case.script, gang_of(history).partition("/")
    stated = {(promise.what, promise.gang) for promise in script.promises}
    stated |= {(what, name) for what in case.promises if what not in {kind for kind, _ in stated}}
    there = {(r.state["what"], key.partition("/")[2]) for r in records if r.verb == "expect" for key in gang_keys(r)}
    for what, gang in sorted(stated - there):
        records.append(_act(last.at, "expect", what=what, gangs=[f"{space}/{gang}"], within=0.0))
    claims = [record for record in records if record.verb == "claim"]
    for claim in script.claims[len(claims) :]:
        evidence = {claim.evidence: {}} if claim.evidence else {}
        records.append(_act(last.at, "claim", sentence=claim.sentence, held=True, detail="", **evidence))
    return History(history.header, (*records, last))


def _act(at: float, verb: str, **state: object) -> Record:
    return Record(None, at, "action", verb, state=state)


def folder_of(history: History, case: Case, folder: Path) -> RunResult:
    """The folder of a run that has this history alone, with everything written anew; the case is its catalogue."""
    name = str(history.header["integration"])
    path = folder / "history" / name / f"{history.case}.jsonl.zst"
    path.parent.mkdir(parents=True, exist_ok=True)
    verdicts = judge_case(history, case.strength)
    result = CaseResult(
        *(case.id, case.sentence, case.folder, case.profile, case.level, case.strength, case.clauses),
        *(name, str(history.header["kubernetes"]), case_outcome(verdicts), verdicts, gang_figures(history)),
        started=history.header["started"],
        seconds=1.0,
        history=str(path.relative_to(folder)),
        digest=store.write(path, history),
        deadlines=dict(history.header["deadlines"]),
        promises=promises(history),
        needs_stalls=needs_stalls(history, verdicts, case.strength),
        fingerprint="x",
    )
    title, _, version = name.partition("@")
    features = tuple(sorted(features_of(adapter(title), result.kubernetes)))
    judged = Implementation(name, project=title, version=version, kubernetes=result.kubernetes, supported=features)
    started = float(history.header["started"])
    run = RunResult(
        *("forged", started, started + 60, __version__, str(history.header["box"]), (judged,), (result,)),
        planned=1,
        timeout_factor=history.header["deadlines"]["bound"] / DEADLINES["bound"].seconds,
        selection=Selection((title,), cases=(case.id,)),
        catalogue=catalogue_size([case]),
    )
    write(run, folder)
    return run
