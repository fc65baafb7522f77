"""What a vendor hands in for CNCF AI conformance: the gang_scheduling entry and its evidence.

PRODUCT.yaml wants a status, evidence links and notes for `schedulingOrchestration.gang_scheduling`; users of the
upstream suite attach e2e.log, results.json (`go test -json` events) and junit.xml. All four are made here from one run,
and the notes say what was shown: profile by profile, with every case that was violated or could not be judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.core.errors import UsageError
from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome
from harness.report.conformance import dump
from harness.report.files import put, stamp, text
from harness.report.junit import junit_xml, story
from harness.report.model import Judged, Result, judged, missing, why

PACKAGE = "muster.dev/suites"
DESCRIPTION = (
    "The platform must allow for the installation and successful operation of at least one gang scheduling solution "
    "that ensures all-or-nothing scheduling for distributed AI workloads (e.g. Kueue, Volcano, etc.)"
)
_WORDS = {Outcome.PASS: ("PASS", "pass"), Outcome.VIOLATED: ("FAIL", "fail"),
          Outcome.UNKNOWN: ("FAIL", "fail"), Outcome.NOT_SUPPORTED: ("SKIP", "skip")}  # fmt: skip


def write_cncf(run: RunResult, folder: Path, integration: str | None = None, base: str = "") -> list[Path]:
    """Write the four files; `base` is the address under which the vendor will publish them."""
    one = _chosen(run, integration)
    narrowed = RunResult(
        name=run.name, started=run.started, finished=run.finished, muster=run.muster, box=run.box,
        implementations=(one.implementation,), cases=one.cases, interrupted=bool(missing(run)),
        planned=max(len(one.cases), run.planned if missing(run) else 0), environment=run.environment,
    )  # fmt: skip
    return [
        put(folder / "e2e.log", log(narrowed)),
        put(folder / "results.json", events(narrowed)),
        put(folder / "junit.xml", junit_xml(narrowed)),
        put(folder / "gang_scheduling.yaml", dump(fragment(one, narrowed, base))),
    ]


def fragment(one: Judged, run: RunResult, base: str = "") -> dict[str, Any]:
    """The gang_scheduling entry of PRODUCT.yaml, under the keys it has there."""
    address = base.rstrip("/") + "/" if base else "./"
    entry = {
        "id": "gang_scheduling",
        "description": DESCRIPTION,
        "level": "MUST",
        "status": _status(one),
        "evidence": [f"{address}{name}" for name in ("e2e.log", "results.json", "junit.xml")],
        "notes": _notes(one, run),
    }
    return {"spec": {"schedulingOrchestration": [entry]}}


def log(run: RunResult) -> str:
    """The run as `go test -v` would have printed it."""
    lines = [f"muster {run.muster}, box {run.box}, {stamp(run.started)}"]
    lines += [f"note: {missing(run)}"] if missing(run) else []
    for case in _ordered(run):
        lines += [f"=== RUN   {_test(case)}", *(f"    {line}" for line in _said(case))]
        lines.append(f"--- {_WORDS[case.outcome][0]}: {_test(case)} ({case.seconds:.2f}s)")
    lines.append("FAIL" if _failed(run) else "PASS")
    return text("\n".join(lines)) + "\n"


def events(run: RunResult) -> str:
    """`go test -json` events, one a line."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in _events(run))


def _events(run: RunResult) -> Iterator[dict[str, Any]]:
    yield {"Time": _time(run.started), "Action": "start", "Package": PACKAGE}
    for case in _ordered(run):
        start, end = _time(case.started), _time(case.started + case.seconds)
        about = {"Package": PACKAGE, "Test": _test(case)}
        yield {"Time": start, "Action": "run", **about}
        yield {"Time": start, "Action": "output", **about, "Output": f"=== RUN   {_test(case)}\n"}
        for line in _said(case):
            yield {"Time": end, "Action": "output", **about, "Output": f"    {line}\n"}
        word, action = _WORDS[case.outcome]
        yield {"Time": end, "Action": "output", **about, "Output": f"--- {word}: {_test(case)} ({case.seconds:.2f}s)\n"}
        yield {"Time": end, "Action": action, **about, "Elapsed": round(case.seconds, 2)}
    elapsed = round(max(0.0, run.finished - run.started), 3)
    word, action = ("FAIL", "fail") if _failed(run) else ("PASS", "pass")
    yield {"Time": _time(run.finished), "Action": "output", "Package": PACKAGE, "Output": f"{word}\n"}
    yield {"Time": _time(run.finished), "Action": action, "Package": PACKAGE, "Elapsed": elapsed}


def _chosen(run: RunResult, integration: str | None) -> Judged:
    found = [one for one in judged(run) if one.cases]
    names = ", ".join(one.implementation.integration for one in found) or "none"
    if integration is None and len(found) == 1:
        return found[0]
    chosen = [one for one in found if one.implementation.integration == integration]
    if len(chosen) != 1:
        what = f"the run has no integration {integration!r}" if integration else "the run has no single integration"
        raise UsageError(what, hint=f"choose one with --on: {names}")
    return chosen[0]


def _status(one: Judged) -> str:
    core = [profile.core.result for profile in one.profiles if profile.core]
    if core and all(result is Result.SUCCESS for result in core):
        return "Implemented"
    passed = any(case.outcome is Outcome.PASS for case in one.cases)
    return "Partially Implemented" if passed else "Not Implemented"


def _notes(one: Judged, run: RunResult) -> str:
    who = one.implementation
    name = f"{who.project or who.integration} {who.version}".strip()
    lines = [f"{name} on Kubernetes {who.kubernetes}, judged by muster {run.muster} ({run.box} box)."]
    lines += [f"{p.name}: {p.summary}" for p in one.profiles]
    lines += [missing(run)] if missing(run) else []
    for case in one.cases:
        if case.outcome in (Outcome.VIOLATED, Outcome.UNKNOWN):
            lines.append(f"{case.case} is {case.outcome}: {why(case)}")
    if any(case.simulated for case in one.cases):
        lines.append("Containers were simulated; every binding was made by the real scheduler.")
    return text("\n".join(lines))


def _said(case: CaseResult) -> list[str]:
    if case.outcome is Outcome.PASS:
        return [case.sentence, *([why(case)] if why(case) else []), *(f"{v.check}: {v.outcome}" for v in case.verdicts)]
    return story(case).splitlines() if case.outcome is not Outcome.NOT_SUPPORTED else [why(case) or "not supported"]


def _test(case: CaseResult) -> str:
    return f"TestGangScheduling/{'_'.join(text(case.folder).split())}/{'_'.join(text(case.case).split())}"


def _ordered(run: RunResult) -> list[CaseResult]:
    return sorted(run.cases, key=lambda case: (case.started, case.case))


def _failed(run: RunResult) -> bool:
    return bool(missing(run)) or any(case.outcome in (Outcome.VIOLATED, Outcome.UNKNOWN) for case in run.cases)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
