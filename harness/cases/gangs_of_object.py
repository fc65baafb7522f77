"""Several submitted gangs that one object of a user stands for, with the verbs that every handle has."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from harness.cases.context import Context
from harness.cases.gang import SubmittedGang
from harness.cases.objects import Objects
from harness.core.kinds import Kind
from harness.core.verdict import Outcome, Verdict


class SubmittedGangs:
    """The gangs of one object in the world."""

    KIND: Kind  # of the object that a user submits

    def __init__(self, context: Context, name: str, namespace: str) -> None:
        self._context = context
        self._objects = Objects(context)
        self.name = name
        self.namespace = namespace
        self.gangs: list[SubmittedGang] = []

    @property
    def gang(self) -> SubmittedGang:
        """Its only gang."""
        (only,) = self.gangs
        return only

    def stored(self) -> dict[str, Any]:
        """The object as it is now; empty if it is not there."""
        return self._objects.find(self.KIND, self.name, self.namespace)

    def is_bound_whole(self, deadline: str = "bound") -> Verdict:
        """Every member of each gang is bound within the deadline."""
        return self._each(lambda gang: gang.is_bound_whole(deadline))

    def is_refused(self) -> Verdict:
        """Nothing of any gang is bound, and there is evidence that the scheduler has looked at each."""
        return self._each(SubmittedGang.is_refused)

    def stays_pending(self) -> Verdict:
        """Nothing of any gang is bound until the scheduler has tried it once more."""
        return self._each(SubmittedGang.stays_pending)

    def must_stay_unbound(self) -> Verdict:
        """From now on nothing of any gang may be bound, until each is lifted; holds so far."""
        return self._each(SubmittedGang.must_stay_unbound)

    def is_released(self) -> Verdict:
        """Nothing is held for any gang within the deadline."""
        return self._each(SubmittedGang.is_released)

    def is_gone(self) -> Verdict:
        """Nothing of any gang is left within the deadline."""
        return self._each(SubmittedGang.is_gone)

    def delete(self) -> None:
        """Delete the object; its gangs have to go with it."""
        self._withdraw(self.gangs)
        self._objects.delete(self.KIND, self.name)

    def _withdraw(self, gangs: Iterable[SubmittedGang]) -> None:
        """Let the history know the gangs that have to go."""
        for gang in gangs:
            self._context.recorder.act("delete", gang.gang.name, gang.namespace, what="gang")

    def _each(self, verb: Callable[[SubmittedGang], Verdict]) -> Verdict:
        """The first verdict about a gang that is bad, or the last one."""
        verdict = Verdict("liveness", Outcome.PASS, "there are no gangs")
        for gang in self.gangs:
            verdict = verb(gang)
            if not verdict:
                break
        return verdict
