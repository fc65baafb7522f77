"""Mutations of the provider for YuniKorn: what the pods of a replica say about their gang."""

from __future__ import annotations

from harness.controllers.lws import sets as sets
from harness.controllers.lws.yunikorn import APPLICATION_LABEL, YuniKorn
from harness.controllers.runtime.admission import Answer, Review
from harness.controllers.runtime.client import Object
from harness.mutation.base import Mutation


class EachItsOwn(Mutation, YuniKorn):
    """Makes every pod an application of its own."""

    killed_by = ("pods-alone-describe-the-gang", "pods-get-their-place-at-admission")
    breaks = ("LWS-16",)

    def follow(self, review: Review) -> Answer:
        answer = super().follow(review)
        name = f"{review.namespace}.{review.name}"
        return Answer(answer.errors, [*answer.patch, *sets.put("labels", {APPLICATION_LABEL: name}, review.object)])


class NoTaskForWorkers(Mutation, YuniKorn):
    """Lets a leader start without places for its workers."""

    killed_by = ("replica-with-room-for-all-but-one-waits-whole", "leader-without-room-for-its-workers-waits")
    breaks = ("LWS-02", "LWS-03")

    def task_groups(self, lws: Object, leader: Object) -> list[Object]:
        return super().task_groups(lws, leader)[:1]


class OneApplicationForAll(Mutation, YuniKorn):
    """Gives a replica the same application in all its incarnations."""

    killed_by = ("replica-made-anew-is-a-gang-again",)
    breaks = ("LWS-29",)

    def lead(self, review: Review) -> Answer:
        answer = super().lead(review)
        name = f"{review.namespace}.{review.name}.0"
        return Answer(answer.errors, [*answer.patch, *sets.put("labels", {APPLICATION_LABEL: name}, review.object)])
