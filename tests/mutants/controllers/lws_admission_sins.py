"""Providers for LeaderWorkerSets whose admission breaks one law each, and those whose pods say the wrong thing to
YuniKorn."""

from __future__ import annotations

import time
from typing import Any

from harness.controllers import lws_provider_sets as sets
from harness.controllers.admission import Answer, Review
from harness.controllers.cache import Cache
from harness.controllers.client import JSON_PATCH, Client, Object
from harness.controllers.lws_provider import GROUP_LABEL, Coscheduling
from harness.controllers.lws_provider_sets import POD
from harness.controllers.lws_provider_yunikorn import APPLICATION_LABEL, YuniKorn
from harness.controllers.queue import Key

CONFIGURATION = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/muster-lws-provider"


class ForgetsWorkers(Coscheduling):
    """Names the group on leaders only."""

    caught_by = ("every-pod-names-its-group", "pods-get-their-place-at-admission")

    def place(self, review: Review) -> Answer:
        return super().place(review) if sets.is_leader(review.object) else Answer()


class TellsThemLater(Coscheduling):
    """Stores pods without a group, and names it on them afterwards."""

    caught_by = ("pods-get-their-place-at-admission",)

    def place(self, review: Review) -> Answer:
        return Answer()

    def reconcile(self, key: Key) -> float | None:
        super().reconcile(key)
        for pod in self.client.list(POD, key[0], selector=sets.SET_LABEL):
            if GROUP_LABEL not in pod["metadata"]["labels"]:
                change = {"metadata": {"labels": {GROUP_LABEL: self.group_name(pod)}}}
                self.client.patch(POD, key[0], pod["metadata"]["name"], change)
        return 0.2


class LetsThemInWithout(Coscheduling):
    """Asks the API server to let pods in while it is away."""

    caught_by = ("pods-are-refused-while-no-place-can-be-given",)

    def __init__(self, client: Client, cache: Cache) -> None:
        super().__init__(client, cache)
        change = [{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}]
        client.request("PATCH", CONFIGURATION, change, content_type=JSON_PATCH)


class WorkersFirst(Coscheduling):
    """Lets workers in before their group is there, which takes its time to come."""

    caught_by = ("group-follows-its-leader-into-being",)

    def place(self, review: Review) -> Answer:
        return Answer(patch=sets.put("labels", {GROUP_LABEL: self.group_name(review.object)}, review.object))

    def make(self, lws: Object, leader: Object) -> None:
        time.sleep(2.0)
        super().make(lws, leader)


class CountsTheFormerLife(Coscheduling):
    """Lets a new leader in while workers of the old one are still there."""

    caught_by = ("former-life-of-a-replica-does-not-count",)

    def early(self, namespace: str, pod: Object, group: str) -> str:
        return "" if sets.is_leader(pod) else super().early(namespace, pod, group)


class AllAreFirst(Coscheduling):
    """Gives every leader the first index."""

    caught_by = ("leader-takes-its-index-from-its-ordinal",)

    def place(self, review: Review) -> Answer:
        given = super().place(review)
        pod = review.object
        first: list[Any] = sets.put("labels", {sets.INDEX_LABEL: "0"}, pod) if sets.is_leader(pod) else []
        return Answer(errors=given.errors, patch=[*given.patch, *first])


class EachItsOwn(YuniKorn):
    """Makes every pod an application of its own."""

    caught_by = ("pods-alone-describe-the-gang", "pods-get-their-place-at-admission")

    def follow(self, review: Review) -> Answer:
        given = super().follow(review)
        name = f"{review.namespace}.{review.name}"
        return Answer(given.errors, [*given.patch, *sets.put("labels", {APPLICATION_LABEL: name}, review.object)])


class NoTaskForWorkers(YuniKorn):
    """Holds the leader together with nobody."""

    caught_by = ("replica-with-room-for-all-but-one-waits-whole", "leader-without-room-for-its-workers-waits")

    def task_groups(self, lws: Object, leader: Object) -> list[Object]:
        return super().task_groups(lws, leader)[:1]


class OneLifeOnly(YuniKorn):
    """Gives a replica the same application in all its lives."""

    caught_by = ("replica-made-anew-is-a-gang-again",)

    def lead(self, review: Review) -> Answer:
        given = super().lead(review)
        name = f"{review.namespace}.{review.name}.0"
        return Answer(given.errors, [*given.patch, *sets.put("labels", {APPLICATION_LABEL: name}, review.object)])


SINS = {
    "forgets-workers": ForgetsWorkers, "tells-them-later": TellsThemLater, "lets-them-in-without": LetsThemInWithout,
    "workers-first": WorkersFirst, "counts-the-former-life": CountsTheFormerLife, "all-are-first": AllAreFirst,
}  # fmt: skip
YUNIKORN_SINS = {"each-its-own": EachItsOwn, "no-task-for-workers": NoTaskForWorkers, "one-life-only": OneLifeOnly}
