"""The files that a vendor submits for CNCF AI conformance: the gang_scheduling entry and its evidence.

PRODUCT.yaml has a status, evidence links and notes for `schedulingOrchestration.gang_scheduling`; users of the
upstream suite attach e2e.log, results.json (`go test -json` events) and junit.xml. All four are made here from one run.
The notes have the result of every profile, and every case that was violated or could not be judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.core.catalogue.expected import BOX
from harness.core.errors import UsageError
from harness.core.files import put
from harness.core.results import CaseResult, RunResult
from harness.core.text import counted, stamp, text
from harness.core.verdict import Outcome
from harness.report.conformance import dump
from harness.report.junit import junit_xml, story
from harness.report.model import ImplementationResult, Result, implementation_results, level_result, missing, why
from harness.report.product import IMPLEMENTED, filled
from harness.report.programme import DECISIVE, Part, programme_tests

PACKAGE = "muster.dev/suites"
OWN_TEST = "TestMuster"  # what the tests of muster's cases begin with; they are no parts of the programme's test
DESCRIPTION = (
    "The platform must allow for the installation and successful operation of at least one gang scheduling solution "
    "that ensures all-or-nothing scheduling for distributed AI workloads (e.g. Kueue, Volcano, etc.) To be conformant, "
    "the vendor must demonstrate that their platform can successfully run at least one such solution."
)  # in the programme's words, which must not be changed
_GO_TEST = {
    Outcome.PASS: ("PASS", "pass"),
    Outcome.VIOLATED: ("FAIL", "fail"),
    Outcome.UNKNOWN: ("FAIL", "fail"),
    Outcome.NOT_SUPPORTED: ("SKIP", "skip"),
}


def write_cncf(
    run: RunResult, folder: Path, integration: str | None = None, base: str = "", template: Path | None = None
) -> list[Path]:
    """Write the files; `base` is the address under which the vendor will publish them.

    With `template`, the PRODUCT.yaml of a submission, a copy of that with the gang entry filled in is written too.
    """
    result = _implementation_of(run, integration)
    narrowed = replace(
        run,
        implementations=(result.implementation,),
        cases=result.cases,
        interrupted=bool(missing(run)),
        planned=max(len(result.cases), run.planned if missing(run) else 0),
        kills=None,
    )
    content = fragment(result, narrowed, base)
    product = filled(template, content["spec"]["schedulingOrchestration"][0]) if template is not None else None
    written = [
        put(folder / "e2e.log", log(narrowed)),
        put(folder / "results.json", events(narrowed)),
        put(folder / "junit.xml", junit_xml(narrowed, programme_tests(narrowed.cases))),
        put(folder / "gang_scheduling.yaml", dump(content)),
        put(folder / "README.md", reproduce(result, narrowed)),
    ]
    return [*written, put(folder / "PRODUCT.yaml", product)] if product is not None else written


def unshown(run: RunResult, integration: str | None = None) -> list[str]:
    """What the run lacks to show that gangs are all-or-nothing by placement; nothing if the entry is Implemented."""
    result = _implementation_of(run, integration)
    passed = [case for case in result.cases if case.outcome is Outcome.PASS and case.profile in DECISIVE]
    texts = [] if any("bound" in case.promises for case in passed) else ["no case shows a gang that was placed whole"]
    texts += [] if any("refused" in case.promises for case in passed) else ["no case shows a gang that was refused"]
    texts += [f"{case.case} is {case.outcome}: {why(case)}" for case in result.cases if case.outcome.is_bad]
    texts += [f"{name} is {level}" for name, level in _core_results(result).items() if level is not Result.SUCCESS]
    return texts if _status(result) != IMPLEMENTED else []


def reproduce(result: ImplementationResult, run: RunResult) -> str:
    """How others get the same result, as the programme asks for."""
    implementation = result.implementation
    asked = run.selection
    selection = [f"--case {name}" for name in asked.cases] or [f"--profile {name}" for name in asked.profile.split(",")]
    prefixes = sorted({case.rerun.partition(" --case ")[0] for case in result.cases if case.rerun})
    commands = [" ".join((prefix, *selection)) for prefix in prefixes]
    lines = [
        f"# Gang scheduling: {implementation.project or implementation.integration} {implementation.version}",
        "",
        f"Judged by muster {run.muster} on Kubernetes {implementation.kubernetes} ({run.box} box),",
        f"{stamp(run.started)}.",
        "",
        "## How to reproduce",
        "",
        f"Install muster {run.muster} (`pip install gang-muster=={run.muster}`), then:",
        "",
        "```console",
        *(f"$ {command}" for command in commands),
        "```",
        "",
        *(f"One case alone: `--case {case.case}` in place of what selects them." for case in result.cases[:1]),
        "`e2e.log` has a line for every case; `junit.xml` and `results.json` have the same for programs.",
    ]
    return text("\n".join(lines)) + "\n"


def fragment(result: ImplementationResult, run: RunResult, base: str = "") -> dict[str, Any]:
    """The gang_scheduling entry of PRODUCT.yaml, under the keys it has there."""
    address = base.rstrip("/") + "/" if base else "./"
    entry = {
        "id": "gang_scheduling",
        "description": DESCRIPTION,
        "level": "MUST",
        "status": _status(result),
        "evidence": [f"{address}{name}" for name in ("e2e.log", "results.json", "junit.xml")],
        "notes": _notes(result, run),
    }
    return {"spec": {"schedulingOrchestration": [entry]}}


def log(run: RunResult) -> str:
    """The run as `go test -v` would have printed it."""
    lines = [f"muster {run.muster}, box {run.box}, {stamp(run.started)}"]
    lines += [f"note: {missing(run)}"] if missing(run) else []
    for part in programme_tests(run.cases):
        lines += [f"=== RUN   {part.name}", *(f"    {line}" for line in part.lines if part.cases)]
        lines.append(f"--- {_GO_TEST[part.outcome][0]}: {part.name} ({part.seconds:.2f}s)")
    for case in _ordered(run):
        lines += [f"=== RUN   {_test(case)}", *(f"    {line}" for line in _output(case))]
        lines.append(f"--- {_GO_TEST[case.outcome][0]}: {_test(case)} ({case.seconds:.2f}s)")
    lines.append("FAIL" if _failed(run) else "PASS")
    return text("\n".join(lines)) + "\n"


def events(run: RunResult) -> str:
    """`go test -json` events, one a line."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in _events(run))


def _events(run: RunResult) -> Iterator[dict[str, Any]]:
    yield {"Time": _time(run.started), "Action": "start", "Package": PACKAGE}
    for part in programme_tests(run.cases):
        yield from _part_events(part, _time(run.started), _time(run.finished))
    for case in _ordered(run):
        start, end = _time(case.started), _time(case.started + case.seconds)
        about = {"Package": PACKAGE, "Test": _test(case)}
        yield {"Time": start, "Action": "run", **about}
        yield {"Time": start, "Action": "output", **about, "Output": f"=== RUN   {_test(case)}\n"}
        for line in _output(case):
            yield {"Time": end, "Action": "output", **about, "Output": f"    {line}\n"}
        word, action = _GO_TEST[case.outcome]
        yield {"Time": end, "Action": "output", **about, "Output": f"--- {word}: {_test(case)} ({case.seconds:.2f}s)\n"}
        yield {"Time": end, "Action": action, **about, "Elapsed": round(case.seconds, 2)}
    elapsed = round(max(0.0, run.finished - run.started), 3)
    word, action = ("FAIL", "fail") if _failed(run) else ("PASS", "pass")
    yield {"Time": _time(run.finished), "Action": "output", "Package": PACKAGE, "Output": f"{word}\n"}
    yield {"Time": _time(run.finished), "Action": action, "Package": PACKAGE, "Elapsed": elapsed}


def _part_events(part: Part, start: str, end: str) -> Iterator[dict[str, Any]]:
    about = {"Package": PACKAGE, "Test": part.name}
    word, action = _GO_TEST[part.outcome]
    yield {"Time": start, "Action": "run", **about}
    for line in (f"=== RUN   {part.name}", *(f"    {line}" for line in part.lines if part.cases)):
        yield {"Time": end, "Action": "output", **about, "Output": f"{line}\n"}
    yield {"Time": end, "Action": "output", **about, "Output": f"--- {word}: {part.name} ({part.seconds:.2f}s)\n"}
    yield {"Time": end, "Action": action, **about, "Elapsed": round(part.seconds, 2)}


def _implementation_of(run: RunResult, integration: str | None) -> ImplementationResult:
    candidates = [result for result in implementation_results(run) if result.cases]
    names = ", ".join(result.implementation.integration for result in candidates) or "none"
    if integration is None and len(candidates) == 1:
        return candidates[0]
    matching = [result for result in candidates if result.implementation.integration == integration]
    if len(matching) != 1:
        what = f"the run has no integration {integration!r}" if integration else "the run has no single integration"
        raise UsageError(what, hint=f"Name an integration with --on: {names}")
    return matching[0]


def _status(result: ImplementationResult) -> str:
    """Implemented: every core level is a success, which needs all of its cases, and one is about gangs as such."""
    core = _core_results(result)
    decisive = [case for case in result.cases if case.outcome is Outcome.PASS and case.profile in DECISIVE]
    shown = {promise for case in decisive for promise in case.promises} >= {"bound", "refused"}
    if shown and not DECISIVE.isdisjoint(core) and all(result is Result.SUCCESS for result in core.values()):
        return IMPLEMENTED
    passed = any(case.outcome is Outcome.PASS for case in result.cases)
    return "Partially Implemented" if passed else "Not Implemented"


def _core_results(result: ImplementationResult) -> dict[str, Result]:
    """The result of each core level without the cases that the cluster of the run does not allow.

    That nobody may kill the scheduler of a cluster says nothing about its gangs; the notes count these cases.
    """
    results = {}
    for profile in result.profiles:
        if profile.core is None:
            continue
        outcomes = [case.outcome for case in profile.core.cases if not _is_forbidden(case)]
        left = len(profile.core.cases) - len(outcomes)
        if not outcomes:
            continue
        cut = profile.core.result is Result.UNKNOWN and Outcome.UNKNOWN not in outcomes
        results[profile.name] = level_result("core", outcomes, profile.core.total - left, cut=cut)
    return results


def _is_forbidden(case: CaseResult) -> bool:
    """Whether the cluster or the box did not allow the case, whatever the integration claims."""
    return case.outcome is Outcome.NOT_SUPPORTED and any(verdict.check == BOX for verdict in case.verdicts)


def _notes(result: ImplementationResult, run: RunResult) -> str:
    implementation = result.implementation
    name = f"{implementation.project or implementation.integration} {implementation.version}".strip()
    lines = [f"{name} on Kubernetes {implementation.kubernetes}, judged by muster {run.muster} ({run.box} box)."]
    lines += [f"{p.name}: {p.summary}" for p in result.profiles]
    lines += [missing(run)] if missing(run) else []
    if forbidden := [case for case in result.cases if _is_forbidden(case)]:
        lines.append(f"{counted(len(forbidden), 'case')} not run, because this cluster does not allow what they do.")
    if any(not implementation.cluster.get("audit_log", True) for implementation in run.implementations):
        lines.append("No audit log was there: who deleted a pod is known from conditions and events only.")
    for case in result.cases:
        if case.outcome.is_bad:
            lines.append(f"{case.case} is {case.outcome}: {why(case)}")
    if any(case.simulated for case in result.cases):
        lines.append("Containers were simulated; every binding was made by the real scheduler.")
    return text("\n".join(lines))


def _output(case: CaseResult) -> list[str]:
    if case.outcome is Outcome.PASS:
        return [case.sentence, *([why(case)] if why(case) else []), *(f"{v.check}: {v.outcome}" for v in case.verdicts)]
    return story(case).splitlines() if case.outcome is not Outcome.NOT_SUPPORTED else [why(case) or "not supported"]


def _test(case: CaseResult) -> str:
    return f"{OWN_TEST}/{'_'.join(text(case.folder).split())}/{'_'.join(text(case.case).split())}"


def _ordered(run: RunResult) -> list[CaseResult]:
    return sorted(run.cases, key=lambda case: (case.started, case.case))


def _failed(run: RunResult) -> bool:
    return bool(missing(run)) or any(case.outcome.is_bad for case in run.cases)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
