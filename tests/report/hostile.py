"""Names chosen to break out of HTML, XML, JSON, Markdown, shell and workflow commands."""

from __future__ import annotations

from dataclasses import replace

from harness.core.catalogue.selection import CatalogueSize, Selection
from harness.core.history.records import History
from harness.core.results import CaseResult, Implementation, RunResult
from harness.core.verdict import LedgerRow, Outcome, Verdict, Witness

from .sample import T0, Tape, sample_run

EVIL = "\"'><script>window.pwned=1</script>\u2028</script><!-- 🦄 `|*_ @here %0A::error::\r\n\x00\x1b $(id) \ud800"


def hostile_run() -> RunResult:
    """A run in which every name that can come from outside is `EVIL`."""
    base = sample_run()
    sample = next(case for case in base.cases if case.outcome is Outcome.VIOLATED)
    witness = Witness(7, T0 + 1, f"ns/{EVIL}", (LedgerRow(EVIL, EVIL, EVIL),), (EVIL,))
    bad = Verdict(EVIL, Outcome.VIOLATED, EVIL, EVIL, witness, {EVIL: EVIL})
    case = replace(
        sample,
        case=EVIL,
        sentence=EVIL,
        folder=EVIL,
        profile=EVIL,
        clauses=(EVIL,),
        integration=EVIL,
        kubernetes=EVIL,
        verdicts=(bad, bad),
        figures={EVIL: {"skew_ms": 1.0}},
        history="h",
        logs=EVIL,
        rerun=EVIL,
        digest="",
    )
    implementation = Implementation(
        EVIL,
        EVIL,
        EVIL,
        f"javascript:alert(1)//{EVIL}",
        EVIL,
        (EVIL,),
        EVIL,
        (EVIL,),
        (EVIL,),
        ({"what": EVIL, "why": EVIL},),
        EVIL,
        ({"component": EVIL, "sha256": EVIL},),
    )
    return replace(
        base,
        name=EVIL,
        implementations=(implementation,),
        cases=(case,),
        planned=1,
        selection=Selection((EVIL,)),
        catalogue=CatalogueSize("", {EVIL: {case.level: 1}}),
        environment={EVIL: {EVIL: EVIL}},
        kills={"references": [], "mutants": [EVIL], "cases": {EVIL: {EVIL: "violated"}}},
    )


def hostile_history(case: CaseResult) -> History:
    """A history whose pods, gangs, nodes and notes are called `EVIL`."""
    tape = Tape(EVIL, EVIL).node(0, EVIL).submit(0.1, EVIL, 2).bind(0.2, f"{EVIL}-0", EVIL)
    return tape.refuse(0.3, f"{EVIL}-1", EVIL).act(0.4, "kill", EVIL).act(0.9, "note", text=EVIL).history()
