"""A run as real ones look: several integrations, a gang left half bound by a killed scheduler, and its histories.

Every test of the report layer is made from this. Times are fixed, so equal calls give equal runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.core.catalogue.cases import Case
from harness.core.catalogue.selection import Selection, catalogue_size
from harness.core.gang import GPU
from harness.core.history import store
from harness.core.history.observe import changes
from harness.core.history.records import History, Record, header, ordered
from harness.core.oracle.figures import gang_figures
from harness.core.oracle.judge import case_outcome, judge_case
from harness.core.results import CaseResult, Implementation, RunResult, promises
from harness.core.verdict import LedgerRow, Outcome, Verdict, Witness

T0 = 1_790_000_000.0
INTEGRATIONS = ("coscheduling@0.35.1", "volcano@1.14.1", "workload@1.37.1", "yunikorn@1.9.0")
PASS, VIOLATED, UNKNOWN, NOT = Outcome.PASS, Outcome.VIOLATED, Outcome.UNKNOWN, Outcome.NOT_SUPPORTED


class Tape:
    """Writes a history the way a test thinks of it: what happened, at which second."""

    def __init__(self, case: str = "case", namespace: str = "muster-x") -> None:
        self.records: list[Record] = []
        self.case, self.namespace = case, namespace
        self.pods: dict[str, dict[str, Any]] = {}

    def act(self, at: float, verb: str, name: str = "", **state: Any) -> Tape:
        self.records.append(Record(None, T0 + at, "action", verb, namespace=self.namespace, name=name, state=state))
        return self

    def node(self, at: float, name: str, gpus: int = 4, verb: str = "added", **state: Any) -> Tape:
        full = {"allocatable": {GPU: gpus * 1000, "cpu": 64000}, "ready": True, **state}
        self._watch(at, verb, "Node", name, "", ("created",), full)
        return self

    def submit(self, at: float, name: str, size: int, quorum: int | None = None, gpus: int = 1) -> Tape:
        fields = {"name": name, "size": size, "gpus": gpus} | ({"quorum": quorum} if quorum else {})
        self.act(at, "submit", name, gang=fields)
        for i in range(size):
            self.pod(at + 0.01 + i * 0.002, f"{name}-{i}", name, gpus)
        return self

    def pod(self, at: float, name: str, gang: str = "", gpus: int = 1, part: str = "member") -> Tape:
        gang_key = f"{self.namespace}/{gang}" if gang else ""
        self.pods[name] = {
            "gang": gang_key,
            "part": part if gang else "plain",
            "phase": "Pending",
            "request": {GPU: gpus * 1000, "cpu": 100} if gpus else {"cpu": 100},
        }
        self._pod(at, "added", name, ("created",))
        return self

    def bind(self, at: float, name: str, node: str, by: str = "scheduler") -> Tape:
        self.pods[name] = self.pods[name] | {"node": node}
        self._pod(at, "modified", name, ("bound",), by)
        self.pods[name] = self.pods[name] | {"phase": "Running"}
        self._pod(at + 0.06, "modified", name, ("phase",))
        return self

    def refuse(self, at: float, name: str, message: str) -> Tape:
        why = {"conditions": {"PodScheduled": ["False", "Unschedulable", message]}}
        self.pods[name] = self.pods[name] | why
        self._pod(at, "modified", name, ("condition",))
        return self

    def gone(self, at: float, name: str, evicted: bool = False) -> Tape:
        if evicted:
            target = {"DisruptionTarget": ["True", "PreemptionByScheduler", "a gang of higher priority"]}
            self.pods[name] = self.pods[name] | {"deleting": True, "conditions": target}
            self._pod(at - 0.2, "modified", name, ("deleting", "evicted"))
        self._pod(at, "deleted", name, ("deleted",))
        return self

    def refuse_bind(self, at: float, name: str, node: str, code: int, message: str) -> Tape:
        state = {"code": code, "message": message, "node": node, "gang": self.pods[name]["gang"]}
        about = ("Pod", self.namespace, name, f"uid-{name}")
        self.records.append(Record(None, T0 + at, "audit", "bind", *about, state=state))
        return self

    def _pod(self, at: float, verb: str, name: str, changed: tuple[str, ...], by: str = "") -> None:
        self._watch(at, verb, "Pod", name, self.namespace, changed, self.pods[name], by)

    def _watch(
        self,
        at: float,
        verb: str,
        kind: str,
        name: str,
        namespace: str,
        changed: tuple[str, ...],
        state: dict[str, Any],
        by: str = "",
    ) -> None:
        about = (kind, namespace, name, f"uid-{name}")
        self.records.append(Record(0, T0 + at, "watch", verb, *about, changed, by, dict(state)))

    def history(self, **more: Any) -> History:
        timed = sorted(self.records, key=lambda r: r.at)
        numbered = [r if r.rev is None else replace(r, rev=1000 + i) for i, r in enumerate(timed)]
        return History(header(self.case, started=T0, **more), tuple(_labelled(ordered(numbered))))


def _labelled(records: Iterable[Record]) -> Iterator[Record]:
    """The records with the labels that a recorder would give them."""
    states: dict[str, Any] = {}
    for record in records:
        if record.source == "watch" and record.kind == "Pod":
            record = replace(record, changed=changes(states.get(record.uid), record.state, record.verb))
            states[record.uid] = record.state
        yield record


def half_bound(case: str) -> History:
    """A gang of eight, five bound when its scheduler is killed; the rest is taken by another gang meanwhile."""
    tape = Tape(case)
    for i in range(3):
        tape.node(0.0, f"gpu-{i}")
    tape.node(0.0, "gpu-3")
    tape.submit(0.5, "eval", 4)
    for i in range(4):
        tape.bind(0.72 + i * 0.012, f"eval-{i}", "gpu-0")
    tape.submit(1.5, "train", 8)
    tape.refuse(1.62, "train-0", "0/4 nodes are available: gang waits for 8 members")
    for i, node in enumerate(("gpu-1", "gpu-1", "gpu-1", "gpu-1", "gpu-2")):
        tape.bind(1.95 + i * 0.015, f"train-{i}", node)
    tape.act(2.05, "kill", "scheduler", role="scheduler")
    tape.submit(2.6, "serve", 6, 4)
    tape.act(3.4, "restart", "scheduler", role="scheduler").act(3.9, "ready", "scheduler", role="scheduler")
    for i, node in enumerate(("gpu-2", "gpu-2", "gpu-2", "gpu-3", "gpu-3", "gpu-3")):
        tape.bind(4.1 + i * 0.018, f"serve-{i}", node)
    for at in (4.4, 5.2, 6.4):
        tape.refuse(at, "train-5", "0/4 nodes are available: 4 Insufficient nvidia.com/gpu")
    tape.pod(5.0, "fence-1", gpus=0, part="fence").act(5.0, "fence", "fence-1").bind(5.15, "fence-1", "gpu-3")
    for i in range(4):
        tape.gone(6.9 + i * 0.02, f"eval-{i}")
    tape.act(6.85, "delete", "eval", what="gang")
    return tape.act(8.0, "note", text="deadline for the rest of the gang").history()


def deadlocked(case: str) -> History:
    """Two gangs of six on eight GPUs: each gets four and waits for the other."""
    tape = Tape(case)
    tape.node(0, "gpu-0").node(0, "gpu-1").submit(0.4, "train", 8).submit(0.42, "infer", 6)
    for i in range(4):
        tape.bind(0.80 + i * 0.05, f"train-{i}", "gpu-0").bind(0.82 + i * 0.05, f"infer-{i}", "gpu-1")
    for at in (1.4, 2.6, 4.2):
        tape.refuse(at, "train-4", "8 Insufficient GPUs").refuse(at + 0.1, "infer-4", "8 Insufficient GPUs")
    return tape.act(8.0, "note", text="nobody won").history()


def placeholders(case: str) -> History:
    """A scheduler that reserves room with placeholder pods and swaps them for members."""
    tape = Tape(case)
    tape.node(0, "gpu-0").node(0, "gpu-1").submit(0.4, "ring", 6)
    for i in range(6):
        tape.pod(0.6, f"tg-ring-{i}", "ring", part="placeholder").bind(0.9 + i * 0.05, f"tg-ring-{i}", f"gpu-{i // 4}")
    for i in range(6):
        tape.gone(2.0 + i * 0.08, f"tg-ring-{i}").bind(2.03 + i * 0.08, f"ring-{i}", f"gpu-{i // 4}")
    return tape.act(3.4, "delete", "ring", what="gang").act(3.6, "note", text="gone").history()


def preempted(case: str) -> History:
    """A gang of higher priority takes a whole victim gang's place; a node goes away later."""
    tape = Tape(case)
    tape.node(0, "gpu-0").node(0, "gpu-1").node(0, "idle-0").submit(0.3, "low", 4, gpus=2)
    for i in range(4):
        tape.bind(0.5 + i * 0.02, f"low-{i}", f"gpu-{i // 2}")
    tape.submit(1.4, "urgent", 2, gpus=4).refuse(1.5, "urgent-0", "2 Insufficient nvidia.com/gpu")
    for i in range(4):
        tape.gone(2.0 + i * 0.03, f"low-{i}", evicted=True)
    tape.bind(2.3, "urgent-0", "gpu-0").refuse_bind(2.32, "urgent-1", "gpu-1", 409, "pod is being deleted")
    tape.bind(2.5, "urgent-1", "gpu-1").act(3.0, "pause", "controller").act(3.5, "resume", "controller")
    tape.act(3.8, "node-remove", nodes=["gpu-1"]).node(3.82, "gpu-1", verb="deleted")
    return tape.gone(4.1, "urgent-1").act(4.6, "note", text="end").history()


def plain(case: str, gangs: int = 1, size: int = 4) -> History:
    """Gangs that are submitted, bound whole and deleted."""
    tape = Tape(case)
    for i in range(max(1, size // 4)):
        tape.node(0, f"gpu-{i}")
    for g in range(gangs):
        at, name = 0.4 + g * 1.2, f"gang-{g}"
        tape.submit(at, name, size)
        for i in range(size):
            tape.bind(at + 0.2 + i * 0.004, f"{name}-{i}", f"gpu-{i // 4}").gone(at + 1.0 + i * 0.002, f"{name}-{i}")
        tape.act(at + 0.95, "delete", name, what="gang")
    return tape.act(0.6 + gangs * 1.2, "note", text="end").history()


CASES: tuple[tuple[str, str, str, str, str, str, tuple[str, ...]], ...] = (
    (
        "gang-that-fits-is-bound-whole",
        "placement",
        "GANG-CORE",
        "core",
        "MUST",
        "A gang that fits MUST have all its members bound within the bind window.",
        ("KEP-4671.1", "KAR-0053.1"),
    ),
    (
        "gang-without-room-binds-nothing",
        "placement",
        "GANG-CORE",
        "core",
        "MUST",
        "A gang without room for its quorum MUST have no member bound.",
        ("KEP-4671.2", "KAR-0053.2"),
    ),
    (
        "released-room-starts-the-waiting-gang",
        "placement",
        "GANG-CORE",
        "core",
        "MUST",
        "A waiting gang MUST start once enough room is free.",
        ("KEP-4671.5",),
    ),
    (
        "two-gangs-that-fit-one-at-a-time-do-not-deadlock",
        "contention",
        "GANG-CORE",
        "core",
        "MUST",
        "Of two gangs that compete for room for one, exactly one MUST start.",
        ("KEP-4671.7",),
    ),
    (
        "placeholders-are-swapped-for-members",
        "contention",
        "GANG-CORE",
        "extended",
        "SHOULD",
        "Room that is reserved SHOULD go to the members it was reserved for.",
        ("YK-GANG.3",),
    ),
    (
        "deleted-gang-leaves-nothing",
        "lifecycle",
        "GANG-LIFECYCLE",
        "core",
        "MUST",
        "After a gang is deleted nothing of it MUST be left.",
        ("KAR-0053.3",),
    ),
    (
        "gang-grows-in-place",
        "lifecycle",
        "GANG-LIFECYCLE",
        "extended",
        "SHOULD",
        "A gang whose size is raised SHOULD have the new members bound.",
        ("KEP-4671.11",),
    ),
    (
        "victim-gang-falls-whole-or-keeps-quorum",
        "preemption",
        "GANG-PREEMPTION",
        "core",
        "MUST",
        "Preemption MUST NOT leave a victim gang between zero and quorum.",
        ("KEP-4671.9",),
    ),
    (
        "no-victims-for-a-gang-that-does-not-start",
        "preemption",
        "GANG-PREEMPTION",
        "extended",
        "SHOULD",
        "Nothing SHOULD be evicted for a gang that then does not start.",
        ("KEP-4671.10",),
    ),
    (
        "scheduler-killed-between-two-binds-leaves-no-partial-gang",
        "recovery",
        "GANG-RECOVERY",
        "core",
        "MUST",
        "A gang partly bound when its scheduler dies MUST reach quorum or be taken back.",
        ("KEP-4671.6",),
    ),
    (
        "lost-watch-does-not-split-a-gang",
        "recovery",
        "GANG-RECOVERY",
        "extended",
        "OBSERVE",
        "A scheduler that missed changes SHOULD NOT bind a partial gang.",
        (),
    ),
)

OUTCOMES: dict[tuple[str, str], Outcome] = {
    ("scheduler-killed-between-two-binds-leaves-no-partial-gang", "coscheduling@0.35.1"): VIOLATED,
    ("scheduler-killed-between-two-binds-leaves-no-partial-gang", "volcano@1.14.1"): VIOLATED,
    ("two-gangs-that-fit-one-at-a-time-do-not-deadlock", "coscheduling@0.35.1"): VIOLATED,
    ("lost-watch-does-not-split-a-gang", "yunikorn@1.9.0"): UNKNOWN,
    ("gang-grows-in-place", "coscheduling@0.35.1"): NOT,
    ("gang-grows-in-place", "workload@1.37.1"): NOT,
    ("victim-gang-falls-whole-or-keeps-quorum", "coscheduling@0.35.1"): NOT,
    ("no-victims-for-a-gang-that-does-not-start", "coscheduling@0.35.1"): NOT,
    ("placeholders-are-swapped-for-members", "coscheduling@0.35.1"): NOT,
    ("placeholders-are-swapped-for-members", "volcano@1.14.1"): NOT,
    ("placeholders-are-swapped-for-members", "workload@1.37.1"): NOT,
}
NEEDS = {
    "gang-grows-in-place": "quorum-edit",
    "victim-gang-falls-whole-or-keeps-quorum": "preemption",
    "no-victims-for-a-gang-that-does-not-start": "preemption",
    "placeholders-are-swapped-for-members": "total",
}
SKEW = {"coscheduling@0.35.1": 61.4, "volcano@1.14.1": 18.2, "workload@1.37.1": 4.1, "yunikorn@1.9.0": 312.0}


def history_of(case: str) -> History:
    histories = {"recovery": half_bound, "contention": placeholders, "preemption": preempted}
    folder = next((row[1] for row in CASES if row[0] == case), "placement")
    return histories.get(folder, plain)(case)


def _stuck(sentence: str) -> Verdict:
    ledger = tuple(
        LedgerRow(f"train-{i}", "gpu-0" if i < 4 else "", "running" if i < 4 else "pending") for i in range(8)
    )
    around = (
        "0.800 s  train-0 bound to gpu-0 by scheduler",
        "0.820 s  infer-0 bound to gpu-1 by scheduler",
        "0.970 s  infer-3 bound to gpu-1 by scheduler",
        "1.400 s  train-4 refused: 8 Insufficient GPUs",
        "5.800 s  window of 5 s since the first bind is over: 4 of 8 bound",
    )
    reason = "gangs train (4 of 8) and infer (4 of 6) hold all GPUs and wait for each other"
    return Verdict("liveness", VIOLATED, reason, sentence, Witness(1093, T0 + 5.8, "muster-x/train", ledger, around))


def _verdicts(case: str, outcome: Outcome, sentence: str) -> tuple[Verdict, ...]:
    fine = Verdict("overbooking", PASS, "each node's requests fit its allocatable at every revision")
    if outcome is VIOLATED:
        nodes = ("gpu-1", "gpu-1", "gpu-1", "gpu-1", "gpu-2", "", "", "")
        ledger = tuple(LedgerRow(f"train-{i}", n, "running" if n else "pending") for i, n in enumerate(nodes))
        around = (
            "1.950 s  train-0 bound to gpu-1 by scheduler",
            "2.010 s  train-4 bound to gpu-2 by scheduler",
            "2.050 s  scheduler killed",
            "3.900 s  scheduler ready",
            "4.100 s  serve-0 bound to gpu-2 by scheduler",
            "6.950 s  window of 5 s since the first bind is over: 5 of 8 bound",
        )
        witness = Witness(1093, T0 + 6.95, "muster-x/train", ledger, around)
        if case.startswith("two-gangs"):
            return (fine, _stuck(sentence))
        reason = "gang train had 5 of 8 members bound for 5.0 s and was neither completed nor taken back"
        return (fine, Verdict("atomic", VIOLATED, reason, sentence, witness, {"held_gpu_seconds": 25.2}))
    if outcome is NOT:
        return (Verdict("support", NOT, "this integration does not have the feature the case needs"),)
    if outcome is UNKNOWN:
        return (fine, Verdict("atomic", UNKNOWN, "the watch of Pod lost its place between revisions 1040 and 1077"))
    return (fine, Verdict("atomic", PASS, "every gang was bound whole", sentence))


def case_result(row: tuple[str, str, str, str, str, str, tuple[str, ...]], on: str, index: int = 0) -> CaseResult:
    case, folder, profile, level, strength, sentence, clauses = row
    outcome = OUTCOMES.get((case, on), PASS)
    measured = outcome in (PASS, VIOLATED)
    held = (25.2 if outcome is VIOLATED else 0.0) + SKEW[on] / 500
    skew = round(SKEW[on] * (1 + index % 5 * 0.3), 2)
    return CaseResult(
        case,
        sentence,
        folder,
        profile,
        level,
        strength,
        clauses,
        on,
        "1.37.1",
        outcome,
        _verdicts(case, outcome, sentence),
        {"muster-x/train": {"skew_ms": skew, "held_gpu_seconds": round(held, 3)}} if measured else {},
        T0 + index,
        8.2 if folder == "recovery" else 1.7 + index * 0.1,
        "" if outcome is NOT else f"history/{on}/{case}.jsonl.zst",
        "" if outcome is NOT else "sha256:" + f"{index:064x}",
        f"logs/{on}/{case}" if outcome is VIOLATED else "",
        "",
        f"muster run --on {on} --case {case}",
        outcome is not NOT,
    )


def implementation(on: str) -> Implementation:
    project, _, version = on.partition("@")
    lacking = {NEEDS[case] for (case, name), outcome in OUTCOMES.items() if name == on and outcome is NOT}
    return Implementation(
        on,
        project,
        "Example Project",
        f"https://example.org/{project}",
        version,
        ("@example/maintainers",),
        "1.37.1",
        tuple(sorted({"gang", "quorum", *NEEDS.values()} - lacking)),
        tuple(sorted(lacking)),
        ({"what": "client QPS 1000 instead of 50", "why": "the box is faster than the default limit"},),
        "It decides once a second.",
        ({"component": project, "version": version, "process": "scheduler", "sha256": "ab" * 32, "source": "module"},),
    )


def sample_catalogue() -> list[Case]:
    """The catalogue that the run was made with: its cases, as they are declared."""
    return [
        Case(case, sentence, folder, clauses, (NEEDS.get(case, "gang"),), profile, level, strength)
        for case, folder, profile, level, strength, sentence, clauses in CASES
    ]


CATALOGUE = catalogue_size(sample_catalogue())


def sample_run(**changes: Any) -> RunResult:
    """The run itself."""
    cases = tuple(case_result(row, on, i) for on in INTEGRATIONS for i, row in enumerate(CASES))
    mutants = ["default-scheduler", "binds-one-by-one", "forgets-on-restart"]
    kills = {
        "references": [],
        "mutants": mutants,
        "cases": {
            row[0]: {mutants[i % 3]: "violated", mutants[(i + 1) % 3]: "pass"} if i != 6 else {mutants[0]: "pass"}
            for i, row in enumerate(CASES)
        },
    }
    fields: dict[str, Any] = {
        "name": "nightly",
        "started": T0,
        "finished": T0 + 93.4,
        "muster": "0.1.0",
        "box": "embedded",
        "implementations": tuple(implementation(on) for on in INTEGRATIONS),
        "cases": cases,
        "planned": len(cases),
        "selection": Selection(INTEGRATIONS),
        "catalogue": CATALOGUE,
        "environment": {"python": "3.12.4", "kernel": "6.8", "cpus": 8, "seed": 4711, "deadlines": {"bind": 5.0}},
        "kills": kills,
    }
    return RunResult(**{**fields, **changes})


def run_of_coscheduling() -> RunResult:
    """The run as one of coscheduling alone, which is never asked for four of its cases."""
    run, name = sample_run(), "coscheduling@0.35.1"
    cases = tuple(case for case in run.cases if case.integration == name)
    implementations = tuple(
        implementation for implementation in run.implementations if implementation.integration == name
    )
    return replace(run, cases=cases, implementations=implementations, planned=len(cases))


def sample_histories(case: CaseResult) -> History | None:
    if case.outcome is VIOLATED and case.folder == "contention":
        return deadlocked(case.case)
    return history_of(case.case) if case.history else None


def store_histories(
    run: RunResult, folder: Path, make: Callable[[CaseResult], History | None] = sample_histories
) -> RunResult:
    """Write the histories into the folder; the run with their true digests."""
    cases = []
    for case in run.cases:
        history = make(case)
        if history is not None:
            path = folder / case.history
            path.parent.mkdir(parents=True, exist_ok=True)
            case = replace(case, digest=store.write(path, history))
        cases.append(case)
    return replace(run, cases=tuple(cases))


def judged_run(folder: Path) -> RunResult:
    """A run of which every result follows from the history that is stored for it."""
    run, cases = sample_run(), []
    for case in run.cases:
        history = sample_histories(case)
        if history is not None:
            history = replace(history, header={**history.header, "integration": case.integration})
            path = folder / case.history
            path.parent.mkdir(parents=True, exist_ok=True)
            verdicts = judge_case(history, case.strength)
            case = replace(
                case,
                outcome=case_outcome(verdicts),
                verdicts=verdicts,
                figures=gang_figures(history),
                digest=store.write(path, history),
                promises=promises(history),
            )
        cases.append(case)
    return replace(run, cases=tuple(cases))


def large_run(cases: int = 500, integrations: int = 5) -> RunResult:
    """A run of this many results over some integrations; its histories come from `large_history`."""
    base = sample_run()
    results = []
    for i in range(cases):
        on = (*INTEGRATIONS, "kai@0.9.0")[i % integrations]
        row = CASES[(i // integrations) % len(CASES)]
        sample = next(c for c in base.cases if c.case == row[0] and c.integration == INTEGRATIONS[i % 4])
        name = f"{row[0]}-{i // integrations}"
        results.append(replace(sample, case=name, integration=on, history=f"history/{i}.jsonl.zst"))
    return replace(base, cases=tuple(results), planned=cases)


def large_history(case: CaseResult, records: int = 400) -> History:
    """A history of about this many records."""
    return plain(case.case, gangs=max(1, records // (8 * 4 + 2)), size=8)
