"""Verdicts are values: what a check found, and the proof.

A check never raises because a scheduler misbehaved and never returns a bare bool. It returns a `Verdict` whose witness
names the first bad revision, so that a reader can go to that moment. Verdicts combine by worst: one violation outweighs
any number of passes, and what could not be judged outweighs what passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """Ordered from best to worst by `badness`."""

    NOT_SUPPORTED = "not-supported"
    PASS = "pass"
    UNKNOWN = "unknown"
    VIOLATED = "violated"

    @property
    def badness(self) -> int:
        return list(Outcome).index(self)

    @property
    def is_bad(self) -> bool:
        """Whether a person must look at it: a law was broken, or could not be judged."""
        return self in (Outcome.VIOLATED, Outcome.UNKNOWN)

    @property
    def look(self) -> Look:
        """How people are shown it."""
        return LOOKS[self]


@dataclass(frozen=True, slots=True)
class Look:
    """An outcome as a terminal, a page and a summary show it."""

    glyph: str
    emoji: str
    label: str
    style: str  # of rich


LOOKS = {
    Outcome.PASS: Look("✓", "✅", "pass", "green"),
    Outcome.VIOLATED: Look("✗", "❌", "violated", "bold red"),
    Outcome.UNKNOWN: Look("?", "❔", "unknown", "yellow"),
    Outcome.NOT_SUPPORTED: Look("–", "➖", "not supported", "dim"),
}
EXPECTED = Look("✗", "☑️", "violated, as expected", "yellow")  # a violation that the baseline of the run knows


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One member of a gang at one moment."""

    member: str
    node: str  # "" while it has none
    # pending, gated, nominated, bound, running, succeeded, failed, terminating, deleted, absent or placeholder
    state: str


@dataclass(frozen=True, slots=True)
class Witness:
    """The first moment at which the law was broken, and what the gang looked like then."""

    revision: int | None
    at: float  # unix seconds
    gang: str = ""  # namespace/name
    ledger: tuple[LedgerRow, ...] = ()
    around: tuple[str, ...] = ()  # the records around that moment, in words

    def as_data(self) -> dict[str, Any]:
        return {
            "revision": self.revision,
            "at": self.at,
            "gang": self.gang,
            "ledger": [{"member": r.member, "node": r.node, "state": r.state} for r in self.ledger],
            "around": list(self.around),
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check (or one case) concluded."""

    check: str
    outcome: Outcome
    reason: str  # one line, in words
    promised: str = ""  # the law or clause, in one sentence
    witness: Witness | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return not self.outcome.is_bad

    def story(self) -> str:
        """Everything a reader needs to believe the verdict, as plain text."""
        lines = [f"{self.outcome.upper()} {self.check}: {self.reason}"]
        if self.promised:
            lines.append(f"  promised  {self.promised}")
        if self.witness is not None:
            where = f"revision {self.witness.revision}" if self.witness.revision is not None else "an action"
            lines.append(f"  seen at   {where}, gang {self.witness.gang or '-'}")
            lines += [f"    {row.member:<28} {row.node or '-':<20} {row.state}" for row in self.witness.ledger]
            lines += [f"    | {line}" for line in self.witness.around]
        return "\n".join(lines)

    def as_data(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "outcome": str(self.outcome),
            "reason": self.reason,
            "promised": self.promised,
            "witness": self.witness.as_data() if self.witness else None,
            "figures": dict(self.figures),
        }


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The worst of the outcomes; `not-supported` if there are none."""
    return max(outcomes, key=lambda outcome: outcome.badness, default=Outcome.NOT_SUPPORTED)
