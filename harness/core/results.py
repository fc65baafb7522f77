"""What a run produced, as plain data: the one thing reports, terminal lines and comparisons are made from.

`results.json` is exactly this, so every other report can be made again from it without a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar, cast

from harness.core.catalogue.selection import CatalogueSize, Selection, selection_from_data
from harness.core.history.records import History
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
    repeats: int = 1  # how many runs of the case this result is the worst of
    fingerprint: str = ""  # digest of the case's code
    deadlines: Mapping[str, float] = field(default_factory=dict)  # in force while it ran; the history has the same
    promises: tuple[str, ...] = ()  # kinds of promises that the case made; the history has the same
    needs_stalls: bool = False  # it would be violated if the time counted in which nothing could run
    expected: str = ""  # why this violation is known, from the baseline that the run is held against

    @property
    def is_unexpected(self) -> bool:
        """Whether a person must look at it: it is violated or unknown, and no baseline knows why."""
        return self.outcome.is_bad and not self.expected


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
    cluster: Mapping[str, Any] = field(default_factory=dict)  # facts of a cluster that was there already


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
    faults: tuple[str, ...] = ()  # why cases could not be run: what the harness could not do, such as an installation
    timeout_factor: float = 1.0  # by which every deadline was multiplied
    selection: Selection = field(default_factory=Selection)
    catalogue: CatalogueSize = field(default_factory=CatalogueSize)
    environment: Mapping[str, Any] = field(default_factory=dict)
    kills: Mapping[str, Any] | None = None  # the kill matrix, if `muster prove` made one

    @property
    def outcome(self) -> Outcome:
        outcome = worst(case.outcome for case in self.cases)
        cut = self.interrupted or len(self.cases) < self.planned
        return Outcome.UNKNOWN if cut and outcome is not Outcome.VIOLATED else outcome

    def as_data(self) -> dict[str, Any]:
        return {"format": FORMAT, "outcome": str(self.outcome), **asdict(self)}


def run_from_data(data: Mapping[str, Any]) -> RunResult:
    """The run that `as_data` described; ValueError if it is of another format."""
    if data.get("format") != FORMAT:
        raise ValueError(f"expected {FORMAT}, given {data.get('format')!r}")
    plain = {key: value for key, value in data.items() if key not in ("format", "outcome")}
    plain["cases"] = tuple(case_from_data(case) for case in data["cases"])
    plain["faults"] = tuple(data.get("faults", ()))
    plain["implementations"] = tuple(
        _typed(
            Implementation(
                **{
                    **implementation,
                    **_tuples(implementation, "contact", "supported", "unsupported", "departures", "artifacts"),
                }
            )
        )
        for implementation in data["implementations"]
    )
    plain["selection"] = selection_from_data(data.get("selection", {}))
    plain["catalogue"] = CatalogueSize(**data.get("catalogue", {}))
    run = _typed(RunResult(**plain))
    for moment in (run.started, run.finished, *(case.started for case in run.cases)):
        if not 0 <= moment < _YEAR_9999:
            raise ValueError(f"{moment!r} is no time")
    return run


def promises(history: History) -> tuple[str, ...]:
    """The kinds of promises that the scheduler is held to in the history, each once."""
    return tuple(sorted({str(record.state.get("what", "")) for record in history.records if record.verb == "expect"}))


def case_from_data(data: Mapping[str, Any]) -> CaseResult:
    """The result of a case that `asdict` described."""
    verdicts = tuple(_verdict(verdict) for verdict in data["verdicts"])
    return _typed(
        CaseResult(
            **{
                **data,
                "outcome": Outcome(data["outcome"]),
                "verdicts": verdicts,
                **_tuples(data, "clauses", "promises"),
            }
        )
    )


def _verdict(data: Mapping[str, Any]) -> Verdict:
    stored = data.get("witness")
    witness = None
    if stored:
        ledger = tuple(_typed(LedgerRow(**row)) for row in stored["ledger"])
        witness = _typed(Witness(**{**stored, "ledger": ledger, "around": tuple(stored["around"])}))
    return _typed(Verdict(**{**data, "outcome": Outcome(data["outcome"]), "witness": witness}))


_YEAR_9999 = 253_370_764_800  # unix seconds
_TYPES: Mapping[str, Any] = {"str": str, "float": (int, float), "int": int, "bool": bool, "Mapping": Mapping}

T = TypeVar("T")


def _typed(value: T) -> T:
    """The same dataclass; TypeError if one of its plain fields has another type than it declares."""
    for item in fields(cast(Any, value)):
        content, declared = getattr(value, item.name), str(item.type)
        expected = _TYPES.get(declared.partition("[")[0])
        optional = declared.endswith("| None") and content is None
        if expected is not None and not optional and not isinstance(content, expected):
            raise TypeError(f"{item.name} is {content!r:.80}")
        if declared == "tuple[str, ...]" and not all(isinstance(entry, str) for entry in content):
            raise TypeError(f"{item.name} is {content!r:.80}")
        if declared.startswith("tuple[Mapping") and not all(isinstance(entry, Mapping) for entry in content):
            raise TypeError(f"{item.name} is {content!r:.80}")
    return value


def _tuples(data: Mapping[str, Any], *keys: str) -> dict[str, tuple[Any, ...]]:
    return {key: _tuple(data.get(key, ())) for key in keys}


def _tuple(value: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(value)
