"""`world.queues`: queues of the integration, which let gangs use so much and no more."""

from __future__ import annotations

from harness.cases.context import Context
from harness.core.errors import HarnessError
from harness.core.gang import GPU


class Queues:
    """Makes queues that every namespace of the case may use."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def add(self, name: str, gpus: int) -> str:
        """A queue that lets so many GPUs be used at once; its name, which is unique to the case."""
        unique, testbed = self._context.unique(name), self._context.testbed
        make = testbed.adapter.queue
        if make is None:
            raise HarnessError(f"{testbed.adapter.title} has no way to make a queue")
        self._context.recorder.act("note", text=f"queue {unique} of {gpus} GPUs is made")
        make(testbed.box, unique, {GPU: str(gpus)})
        return self._open(unique)

    def add_shared(self, name: str, gpus: int) -> str:
        """A queue with a share of so many GPUs, which may use what other shared queues of the case leave unused."""
        unique, testbed = self._context.unique(name), self._context.testbed
        make = testbed.adapter.shared_queue
        if make is None:
            raise HarnessError(f"{testbed.adapter.title} has no way to make a queue that shares")
        self._context.recorder.act("note", text=f"queue {unique} with a share of {gpus} GPUs is made")
        make(testbed.box, unique, {GPU: str(gpus)}, self._context.unique("cohort"))
        return self._open(unique)

    def _open(self, queue: str) -> str:
        """Let every namespace of the case use the queue."""
        testbed = self._context.testbed
        if testbed.adapter.open_queue is not None:
            for namespace in testbed.namespaces:
                testbed.adapter.open_queue(testbed.box, queue, namespace)
        return queue
