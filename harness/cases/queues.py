"""`world.queues`: queues of the integration, which let gangs use so much and no more."""

from __future__ import annotations

from collections.abc import Callable

from harness.cases.context import Context
from harness.core.errors import HarnessError
from harness.core.gang import GPU


class Queues:
    """Makes queues that every namespace of the case may use."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def add(self, name: str, gpus: int) -> str:
        """A queue that lets so many GPUs be used at once; its name, which is unique to the case."""
        return self._add(name, gpus, f"of {gpus} GPUs", self._context.testbed.adapter.queue)

    def add_shared(self, name: str, gpus: int) -> str:
        """A queue with a share of so many GPUs, which may use what other shared queues of the case leave unused."""
        make, cohort = self._context.testbed.adapter.shared_queue, self._context.unique("cohort")
        return self._add(name, gpus, f"with a share of {gpus} GPUs", make, cohort)

    def _add(self, name: str, gpus: int, kind: str, make: Callable[..., None] | None, *cohort: str) -> str:
        """Have a queue made, and let every namespace of the case use it."""
        unique, testbed = self._context.unique(name), self._context.testbed
        if make is None:
            raise HarnessError(f"{testbed.adapter.title} has no way to make a queue {kind}")
        self._context.recorder.act("note", text=f"queue {unique} {kind} is made")
        make(testbed.box, unique, {GPU: str(gpus)}, *cohort)
        if testbed.adapter.open_queue is not None:
            for namespace in testbed.namespaces:
                testbed.adapter.open_queue(testbed.box, unique, namespace)
        return unique
