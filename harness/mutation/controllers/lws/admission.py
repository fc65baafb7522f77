"""Mutations of the provider for Coscheduling: what its admission does to pods."""

from __future__ import annotations

import time
from typing import Any

from harness.controllers.lws import sets as sets
from harness.controllers.lws.provider import GROUP_LABEL, Coscheduling
from harness.controllers.runtime.admission import Answer, Review
from harness.controllers.runtime.client import JSON_PATCH, Object
from harness.controllers.runtime.queue import Key
from harness.core.kinds import EVENT, POD
from harness.mutation.base import CANARY, Mutation

CONFIGURATION = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/muster-lws-provider"


class ForgetsWorkers(Mutation, Coscheduling):
    """Names the group on leaders only."""

    killed_by = ("every-pod-names-its-group", "pods-get-their-place-at-admission")
    breaks = ("LWS-15", "LWS-17")

    def place(self, review: Review) -> Answer:
        return super().place(review) if sets.is_leader(review.object) else Answer()


class NamesAnotherGroup(Mutation, Coscheduling):
    """Names a group on workers that nobody makes."""

    killed_by = ("every-pod-names-its-group",)
    breaks = ("LWS-15",)

    def place(self, review: Review) -> Answer:
        answer = super().place(review)
        if sets.is_leader(review.object) or sets.set_name(review.object) == CANARY:
            return answer
        another = {GROUP_LABEL: f"{self.group_name(review.object)}-workers"}
        return Answer(errors=answer.errors, patch=sets.put("labels", another, review.object))


class TellsThemLater(Mutation, Coscheduling):
    """Stores pods without a group, and names it on them afterwards."""

    killed_by = ("pods-get-their-place-at-admission",)
    breaks = ("LWS-17",)

    def place(self, review: Review) -> Answer:
        return Answer()

    def reconcile(self, key: Key) -> float | None:
        super().reconcile(key)
        for pod in self.client.list(POD, key[0], selector=sets.SET_LABEL):
            if GROUP_LABEL not in pod["metadata"]["labels"]:
                change = {"metadata": {"labels": {GROUP_LABEL: self.group_name(pod)}}}
                self.client.patch(POD, key[0], pod["metadata"]["name"], change)
        return 0.2


class LetsThemInWithout(Mutation, Coscheduling):
    """Asks the API server to let pods in while it is away."""

    killed_by = ("pods-are-refused-while-no-place-can-be-given",)
    breaks = ("LWS-17", "LWS-38")

    def reconcile(self, key: Key) -> float | None:
        change = [{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}]
        self.client.request("PATCH", CONFIGURATION, change, content_type=JSON_PATCH)
        return super().reconcile(key)


class RefusesForGood(Mutation, Coscheduling):
    """Never lets a pod in that was refused once, be it while it was away."""

    killed_by = ("pods-are-refused-while-no-place-can-be-given",)
    breaks = ("LWS-38",)

    def reason_to_wait(self, namespace: str, pod: Object, group: str) -> str:
        about = f" Pod {pod['metadata'].get('name')} "
        refusals = [event for event in self.client.list(EVENT, namespace) if event["reason"] == "FailedCreate"]
        if sets.set_name(pod) != CANARY and any(about in event["message"] for event in refusals):
            return "it was refused before"
        return super().reason_to_wait(namespace, pod, group)


class WorkersFirst(Mutation, Coscheduling):
    """Lets workers in before their group is there, which takes its time to come."""

    killed_by = ("group-follows-its-leader-into-being",)
    breaks = ("LWS-07", "LWS-26")

    def place(self, review: Review) -> Answer:
        return Answer(patch=sets.put("labels", {GROUP_LABEL: self.group_name(review.object)}, review.object))

    def make(self, lws: Object, leader: Object) -> None:
        time.sleep(2.0)
        super().make(lws, leader)


class CountsTheFormerIncarnation(Mutation, Coscheduling):
    """Lets a new leader in while workers of the old one are still there."""

    killed_by = ("former-life-of-a-replica-does-not-count",)
    breaks = ("LWS-29",)

    def reason_to_wait(self, namespace: str, pod: Object, group: str) -> str:
        return "" if sets.is_leader(pod) else super().reason_to_wait(namespace, pod, group)


class AllAreFirst(Mutation, Coscheduling):
    """Gives every leader the first index."""

    killed_by = ("leader-takes-its-index-from-its-ordinal",)
    breaks = ("LWS-12",)

    def place(self, review: Review) -> Answer:
        answer = super().place(review)
        pod = review.object
        first: list[Any] = sets.put("labels", {sets.INDEX_LABEL: "0"}, pod) if sets.is_leader(pod) else []
        return Answer(errors=answer.errors, patch=[*answer.patch, *first])
