"""report.yaml: the file a vendor publishes.

In the spirit of Gateway API's ConformanceReport, with three things it lacks: `unknown` apart from failure, the verdict
of each case with the clauses it defends, and the digest of the history each verdict follows from. One file describes
one run; each integration in it is one entry of `implementations`, complete in itself. Equal runs give equal bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from harness.core.results import CaseResult, RunResult
from harness.core.verdict import Outcome
from harness.report.files import stamp, text
from harness.report.model import Judged, Level, Profile, figure, judged, missing, why, worst_repeats

API_VERSION = "muster.dev/v1"
KIND = "ConformanceReport"


def report(run: RunResult) -> dict[str, Any]:
    """The report as plain data, keys in the order they are written; of repeats of a case the worst counts."""
    run = worst_repeats(run)
    lacking = missing(run)
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "date": stamp(run.finished or run.started),
        "musterVersion": run.muster,
        "run": {
            "name": text(run.name),
            "box": run.box,
            "started": stamp(run.started),
            "seconds": round(max(0.0, run.finished - run.started), 3),
            "planned": max(run.planned, len(run.cases)),
            "ran": len(run.cases),
            **_filled({"timeoutFactor": _rounded(run.timeout_factor) if run.timeout_factor != 1 else None}),
            "complete": not lacking,
            **_filled({"missing": lacking}),
        },
        "outcome": str(run.outcome),
        "implementations": [_implementation(one) for one in judged(run)],
    }


def report_yaml(run: RunResult) -> str:
    """The report as YAML."""
    return dump(report(run))


def dump(data: Mapping[str, Any]) -> str:
    """YAML as muster writes it: order kept, no anchors, no surprising line folds."""
    return yaml.dump(
        dict(data), Dumper=_Plain, sort_keys=False, allow_unicode=True, width=120, default_flow_style=False
    )


def _implementation(one: Judged) -> dict[str, Any]:
    who = one.implementation
    return {
        "integration": text(who.integration),
        "implementation": {
            "organization": text(who.organization),
            "project": text(who.project),
            "url": text(who.url),
            "version": text(who.version),
            "contact": [text(contact) for contact in who.contact],
        },
        "kubernetes": who.kubernetes,
        "result": str(one.result),
        "profiles": [_profile(profile) for profile in one.profiles],
        "features": {"supported": sorted(who.supported), "unsupported": sorted(who.unsupported)},
        "departures": [{"what": text(d.get("what", "")), "why": text(d.get("why", ""))} for d in who.departures],
        "artifacts": sorted((_plain(artifact) for artifact in who.artifacts), key=lambda a: str(sorted(a.items()))),
        "cases": [_case(case) for case in one.cases],
    }


def _profile(profile: Profile) -> dict[str, Any]:
    data: dict[str, Any] = {"name": profile.name, "result": str(profile.result), "summary": profile.summary}
    return data | {level.name: _level(level) for level in profile.levels}


def _level(level: Level) -> dict[str, Any]:
    lists = {
        "violatedCases": level.named(Outcome.VIOLATED),
        "unknownCases": level.named(Outcome.UNKNOWN),
        "notSupportedCases": level.named(Outcome.NOT_SUPPORTED),
    }
    return {"result": str(level.result), "statistics": level.statistics, **_filled(lists)}


def _case(case: CaseResult) -> dict[str, Any]:
    return {
        "case": text(case.case),
        "profile": case.profile,
        "level": case.level,
        "strength": case.strength,
        "clauses": list(case.clauses),
        "outcome": str(case.outcome),
        **_filled(
            {
                "reason": text(why(case)),
                "error": text(case.error),
                "violatedAtRevision": _revision(case),
                "skewMs": _rounded(figure(case, "skew_ms")),
                "heldGpuSeconds": _rounded(figure(case, "held_gpu_seconds")),
                "heldPodSeconds": _rounded(figure(case, "held_pod_seconds")),
                "figures": {text(gang): _plain(case.figures[gang]) for gang in sorted(case.figures)},
            }
        ),
        "seconds": round(case.seconds, 3),
        "simulated": case.simulated,
        **_filled({"history": case.history, "digest": case.digest}),
    }


def _revision(case: CaseResult) -> int | None:
    found = [v.witness.revision for v in case.verdicts if v.outcome is Outcome.VIOLATED and v.witness]
    return min((revision for revision in found if revision is not None), default=None)


def _rounded(value: float | None) -> float | int | None:
    if value is None:
        return None
    near = round(value, 3)
    return int(near) if near == int(near) else near


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """Only what YAML and JSON have in common, sorted."""
    return {text(key): _value(data[key]) for key in sorted(data)}


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _plain(value)
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    if isinstance(value, float):
        return _rounded(value)
    return value if value is None or isinstance(value, bool | int) else text(value)


def _filled(data: Mapping[str, Any]) -> dict[str, Any]:
    """Without the keys that say nothing."""
    return {key: value for key, value in data.items() if value not in (None, "", [], {})}


class _Plain(yaml.SafeDumper):
    """SafeDumper without anchors: a reader should not have to follow `&id001`, and with indented lists."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)
