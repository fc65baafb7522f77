"""`world.gangs`: what concerns several gangs at once: how they come, and which of them must start."""

from __future__ import annotations

from harness.cases.context import Context
from harness.cases.gang import SubmittedGang, submit_gang
from harness.core.gang import Gang
from harness.core.verdict import Verdict


class Gangs:
    """Gangs that compete for the same room."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def submit_in_turns(self, *gangs: Gang) -> list[SubmittedGang]:
        """Create several gangs member by member in turns, so that a scheduler meets all of them at once."""
        context = self._context
        submitted = [submit_gang(context, gang.but(missing=gang.size), context.namespace) for gang in gangs]
        for _ in range(max(gang.size for gang in gangs)):
            for gang in submitted:
                if gang.gang.missing:
                    gang.create_missing(1)
        return submitted

    def one_of(self, *gangs: SubmittedGang) -> tuple[Verdict, SubmittedGang | None]:
        """Exactly one of the gangs is bound whole and of the others nothing; the verdict and the winner."""
        context = self._context
        context.expect("one-of", gangs, context.deadline("bound"))
        context.until(lambda: any(gang.at_quorum for gang in gangs), "bound")
        winners = [gang for gang in gangs if gang.at_quorum]
        held = len(winners) == 1 and all(gang.bound == 0 for gang in gangs if gang is not winners[0])
        return context.verdict("liveness", held), winners[0] if winners else None

    def all_start(self, *gangs: SubmittedGang) -> Verdict:
        """Every gang reaches its quorum by the deadline of a long line."""
        context = self._context
        now = context.recorder.timeline.last
        context.expect("bound", gangs, context.deadline("drained"))
        started = context.until(lambda: all(gang.incarnation.has_started_since(now) for gang in gangs), "drained")
        return context.verdict("liveness", started)

    def start_in_order(self, *gangs: SubmittedGang) -> None:
        """From now on no gang may be bound before those named earlier."""
        self._context.expect("order", gangs, 0.0)
