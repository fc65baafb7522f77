"""report.yaml: the file that a vendor publishes.

It is similar to Gateway API's ConformanceReport, with three additions: `unknown` beside failure, the verdict of each
case with its clauses, and the digest of the history that each verdict was made from. One file describes one run; each
integration is one complete entry of `implementations`. Equal runs give equal bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from harness.core.catalogue.selection import Selection
from harness.core.results import CaseResult, RunResult
from harness.core.text import stamp, text
from harness.core.verdict import Outcome
from harness.report.model import (
    ImplementationResult,
    Level,
    ProfileResult,
    figure,
    implementation_results,
    missing,
    why,
    worst_repeats,
)

API_VERSION = "muster.dev/v1"
KIND = "ConformanceReport"


def report(run: RunResult) -> dict[str, Any]:
    """The report as plain data, with the keys in their final order; of repeats of a case the worst counts."""
    run = worst_repeats(run)
    lacking = missing(run)
    data = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "date": stamp(run.finished or run.started),
        "musterVersion": run.muster,
        "run": {
            "name": text(run.name),
            "box": run.box,
            "started": stamp(run.started),
            "seconds": round(max(0.0, run.finished - run.started), 3),
            "selection": _selection(run.selection),
            "catalogue": {"digest": run.catalogue.digest, "cases": _plain(run.catalogue.cases)},
            "planned": max(run.planned, len(run.cases)),
            "ran": len(run.cases),
            **_filled({"timeoutFactor": _rounded(run.timeout_factor) if run.timeout_factor != 1 else None}),
            **_filled({"interrupted": run.interrupted or None}),
            "complete": not lacking,
            **_filled({"missing": lacking}),
        },
        "outcome": str(run.outcome),
        "implementations": [_implementation(result) for result in implementation_results(run)],
    }
    return dict(_encodable(data))


def report_yaml(run: RunResult) -> str:
    """The report as YAML."""
    return dump(report(run))


def dump(data: Mapping[str, Any]) -> str:
    """YAML as muster writes it: keys in their order, no anchors, lines of 120 characters."""
    return yaml.dump(
        dict(data), Dumper=_Plain, sort_keys=False, allow_unicode=True, width=120, default_flow_style=False
    )


def _selection(selection: Selection) -> dict[str, Any]:
    optional = {
        "cases": [text(case) for case in selection.cases],
        "repeat": selection.repeat if selection.repeat != 1 else None,
        "probe": selection.probe or None,
        "settings": _plain(selection.settings),
        "gates": _plain(selection.gates),
        "binaries": [text(name) for name in selection.binaries],
        "shard": text(selection.shard),
    }
    integrations = [text(name) for name in selection.integrations]
    return {"integrations": integrations, "profile": text(selection.profile), **_filled(optional)}


def _implementation(result: ImplementationResult) -> dict[str, Any]:
    implementation = result.implementation
    return {
        "integration": text(implementation.integration),
        "implementation": {
            "organization": text(implementation.organization),
            "project": text(implementation.project),
            "url": text(implementation.url),
            "version": text(implementation.version),
            "contact": [text(contact) for contact in implementation.contact],
        },
        "kubernetes": implementation.kubernetes,
        "result": str(result.result),
        "profiles": [_profile(profile) for profile in result.profiles],
        "features": {"supported": sorted(implementation.supported), "unsupported": sorted(implementation.unsupported)},
        "departures": [
            {"what": text(d.get("what", "")), "why": text(d.get("why", ""))} for d in implementation.departures
        ],
        "artifacts": sorted(
            (_plain(artifact) for artifact in implementation.artifacts), key=lambda a: str(sorted(a.items()))
        ),
        **({"cluster": _plain(implementation.cluster)} if implementation.cluster else {}),
        "cases": [case_row(case) for case in result.cases],
    }


def _profile(profile: ProfileResult) -> dict[str, Any]:
    data: dict[str, Any] = {"name": text(profile.name), "result": str(profile.result), "summary": profile.summary}
    return data | {level.name: _level(level) for level in profile.levels}


def _level(level: Level) -> dict[str, Any]:
    lists = {
        "violatedCases": level.named(Outcome.VIOLATED),
        "unknownCases": level.named(Outcome.UNKNOWN),
        "notSupportedCases": level.named(Outcome.NOT_SUPPORTED),
    }
    return {"result": str(level.result), "total": level.total, "statistics": level.statistics, **_filled(lists)}


def case_row(case: CaseResult) -> dict[str, Any]:
    """One case, as the report has it."""
    figures = {text(gang): _plain(case.figures[gang]) for gang in sorted(case.figures)}
    case = replace(case, figures=figures)  # sums are made from what the report shows, so that they can be checked
    return {
        "case": text(case.case),
        "profile": text(case.profile),
        "level": case.level,
        "strength": case.strength,
        "clauses": list(case.clauses),
        "outcome": str(case.outcome),
        **_filled(
            {
                "reason": text(why(case)),
                "expected": text(case.expected),
                "error": text(case.error),
                "violatedAtRevision": _revision(case),
                "skewMs": _rounded(figure(case, "skew_ms")),
                "heldGpuSeconds": _rounded(figure(case, "held_gpu_seconds")),
                "heldPodSeconds": _rounded(figure(case, "held_pod_seconds")),
                "figures": figures,
            }
        ),
        "seconds": round(case.seconds, 3),
        "simulated": case.simulated,
        **_filled(
            {
                "needsStalls": case.needs_stalls or None,
                "repeats": case.repeats if case.repeats != 1 else None,
                "fingerprint": case.fingerprint,
                "history": case.history,
                "digest": case.digest,
            }
        ),
    }


def _revision(case: CaseResult) -> int | None:
    revisions = [v.witness.revision for v in case.verdicts if v.outcome is Outcome.VIOLATED and v.witness]
    return min((revision for revision in revisions if revision is not None), default=None)


def _rounded(value: float | None) -> float | int | None:
    if value is None:
        return None
    near = round(value, 3)
    return int(near) if near == int(near) else near


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """Sorted, and with types that both YAML and JSON have."""
    return {text(key): _value(data[key]) for key in sorted(data)}


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _plain(value)
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    if isinstance(value, float):
        return _rounded(value)
    return value if value is None or isinstance(value, bool | int) else text(value)


def _encodable(value: Any) -> Any:
    """The same data with strings that can be written."""
    if isinstance(value, Mapping):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return text(value) if isinstance(value, str) else value


def _filled(data: Mapping[str, Any]) -> dict[str, Any]:
    """Without the keys that have no value."""
    return {key: value for key, value in data.items() if value not in (None, "", [], {})}


class _Plain(yaml.SafeDumper):
    """SafeDumper without anchors such as `&id001`, and with indented lists."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)
