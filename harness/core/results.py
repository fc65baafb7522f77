"""What a run produced, as plain data: the one thing reports, terminal lines and comparisons are made from.

`results.json` is exactly this, so every other report can be made again from it without a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.core.verdict import LedgerRow, Outcome, Verdict, Witness, worst

FORMAT = "muster.results/1"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case on one integration."""

    case: str  # id, e.g. "gang-that-fits-is-bound-whole"
    sentence: str  # what the case holds the scheduler to, with MUST or SHOULD
    folder: str  # the behaviour it belongs to, e.g. "placement"
    profile: str  # e.g. "GANG-CORE"
    level: str  # core | extended
    strength: str  # MUST | SHOULD | MAY | OBSERVE
    clauses: tuple[str, ...]
    integration: str  # "workload@1.37.1"
    kubernetes: str  # "1.37.1"
    outcome: Outcome
    verdicts: tuple[Verdict, ...] = ()
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # per gang: skew_ms, held_gpu_seconds, ...
    started: float = 0.0
    seconds: float = 0.0
    history: str = ""  # path inside the run folder
    digest: str = ""  # of that history
    logs: str = ""  # folder inside the run folder, if evidence was collected
    error: str = ""  # harness fault, in words; the outcome is unknown then
    rerun: str = ""  # one command that runs this case again
    simulated: bool = False  # containers were played by KWOK, not run


@dataclass(frozen=True, slots=True)
class Implementation:
    """Who is judged: one integration in one version on one Kubernetes."""

    integration: str  # "volcano@1.14.1"
    project: str = ""
    organization: str = ""
    url: str = ""
    version: str = ""
    contact: tuple[str, ...] = ()
    kubernetes: str = ""
    supported: tuple[str, ...] = ()  # features
    unsupported: tuple[str, ...] = ()
    departures: tuple[Mapping[str, str], ...] = ()  # {"what", "why"}: differences from the vendor's defaults
    pace: str = ""  # what of its own decides how long cases take
    artifacts: tuple[Mapping[str, Any], ...] = ()  # {"component", "version", "process", "sha256", "source"}


@dataclass(frozen=True, slots=True)
class RunResult:
    """Everything one `muster run` found out."""

    name: str
    started: float
    finished: float
    muster: str  # version
    box: str  # embedded | kind | existing
    implementations: tuple[Implementation, ...]
    cases: tuple[CaseResult, ...]
    planned: int = 0  # how many cases were to run; more than len(cases) means the run was cut off
    interrupted: bool = False
    timeout_factor: float = 1.0  # by which every deadline was multiplied
    environment: Mapping[str, Any] = field(default_factory=dict)
    kills: Mapping[str, Any] | None = None  # the kill matrix, if `muster prove` made one

    @property
    def outcome(self) -> Outcome:
        found = worst(case.outcome for case in self.cases)
        cut = self.interrupted or len(self.cases) < self.planned
        return Outcome.UNKNOWN if cut and found is not Outcome.VIOLATED else found

    def as_data(self) -> dict[str, Any]:
        return {"format": FORMAT, "outcome": str(self.outcome), **asdict(self)}


def run_from_data(data: Mapping[str, Any]) -> RunResult:
    """The run that `as_data` described; ValueError if it is of another format."""
    if data.get("format") != FORMAT:
        raise ValueError(f"expected {FORMAT}, given {data.get('format')!r}")
    plain = {key: value for key, value in data.items() if key not in ("format", "outcome")}
    plain["cases"] = tuple(_case(case) for case in data["cases"])
    plain["implementations"] = tuple(
        Implementation(**{**one, **_tuples(one, "contact", "supported", "unsupported", "departures", "artifacts")})
        for one in data["implementations"]
    )
    return RunResult(**plain)


def _case(data: Mapping[str, Any]) -> CaseResult:
    verdicts = tuple(_verdict(verdict) for verdict in data["verdicts"])
    return CaseResult(
        **{**data, "outcome": Outcome(data["outcome"]), "verdicts": verdicts, "clauses": tuple(data["clauses"])}
    )


def _verdict(data: Mapping[str, Any]) -> Verdict:
    seen = data.get("witness")
    witness = seen and Witness(
        **{**seen, "ledger": tuple(LedgerRow(**row) for row in seen["ledger"]), "around": tuple(seen["around"])}
    )
    return Verdict(**{**data, "outcome": Outcome(data["outcome"]), "witness": witness or None})


def _tuples(data: Mapping[str, Any], *keys: str) -> dict[str, tuple[Any, ...]]:
    return {key: _tuple(data.get(key, ())) for key in keys}


def _tuple(value: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(value)
