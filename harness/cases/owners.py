"""Gangs whose pods a Job, a Deployment or a StatefulSet makes: what users submit most.

The object is written as the documentation of the integration asks for it: either it says by annotations of its own that
its pods are a gang, or its template is the pod that the integration declares for a member, with the group object beside
it. The case does not see the pods' names, which controllers make up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.adapters.common.base import Adapter
from harness.box.api import PATCH_MERGE, Object
from harness.cases.context import Context
from harness.cases.gang import submit_gang
from harness.cases.gangs_of_object import SubmittedGangs
from harness.cases.values import Owner
from harness.core.errors import HarnessError
from harness.core.gang import Gang
from harness.core.kinds import DEPLOYMENT, EVENT, JOB, Kind
from harness.core.labels import GANG_LABEL


class SubmittedOwner(SubmittedGangs):
    """A Job, Deployment or StatefulSet in the world, and the gang that its pods are."""

    def __init__(self, context: Context, owner: Owner, namespace: str) -> None:
        super().__init__(context, owner.name, namespace)
        self.KIND = owner.KIND
        objects = owner_objects(context.testbed.adapter, owner, self._objects.of(owner.gang, namespace))
        context.testbed.cleanup.callback(context.api.delete, owner.KIND, namespace, owner.name)
        self.gangs = [submit_gang(context, owner.judged, namespace, objects=objects)]

    def suspend(self) -> None:
        """Let the Job controller delete the pods of the Job."""
        self._edit(suspend=True)

    def resume(self) -> None:
        """Let the Job controller make the pods again."""
        gang = self.gang.gang  # a refusal counts from now on if it is about the new pods
        self._context.recorder.act("create", gang.name, self.namespace, count=gang.size)
        self._edit(suspend=False)

    def starts_in_part(self) -> bool:
        """Whether a pod of it is bound once the scheduler has tried everything, and has had time to retry."""
        context, gang = self._context, self.gang
        context.until(lambda: len(gang.pods()) >= gang.gang.size, "bound")
        fence = context.fence()
        context.until(lambda: context.is_through(fence) or gang.bound > 0, "refused")
        return context.until(lambda: gang.bound > 0, "retried")

    def warnings(self) -> list[str]:
        """What somebody warns of about it, its pods or its group, besides that there is no room."""
        vocabulary = self._context.testbed.adapter.vocabulary
        usual = (*vocabulary.refusal_events, *vocabulary.other_warnings)
        events = self._objects.all_of(EVENT, namespace=self.namespace)
        return [
            f"{event['reason']}: {event.get('message', '')}"
            for event in events
            if event.get("type") == "Warning" and not str(event.get("reason", "")).startswith(usual)
        ]

    def _edit(self, *, suspend: bool) -> None:
        self._context.recorder.act("edit", self.name, self.namespace, suspend=suspend)
        change = {"spec": {"suspend": suspend}}
        self._context.api.patch(JOB, self.namespace, self.name, change, content_type=PATCH_MERGE)


def owner_objects(adapter: Adapter, owner: Owner, declared: list[Object]) -> list[Object]:
    """What a user applies: the owner, and group objects where the integration needs them beside it."""
    gang = owner.gang
    pods = [obj for obj in declared if obj["kind"] == "Pod"]
    if len(pods) != gang.size or gang.roles:
        raise HarnessError(
            f"gang {gang.name} cannot be made by one {owner.KIND.kind}: its members are not {gang.size} alike"
        )
    annotate = adapter.owner_annotations if not owner.by_pods else None
    if annotate is None:
        groups = [obj for obj in declared if obj["kind"] != "Pod"]
        return [*groups, _manifest(owner, pods[0], {})]
    meta = pods[0]["metadata"]
    labels = {GANG_LABEL: gang.name, **_filled(adapter.pod_labels, meta)}
    plain = {**pods[0], "metadata": {**meta, "labels": labels, "annotations": {}}}
    return [_manifest(owner, plain, annotate(gang))]


def _filled(labels: Mapping[str, str], meta: Mapping[str, Any]) -> dict[str, str]:
    return {key: text.format(namespace=meta["namespace"], name=meta["name"]) for key, text in labels.items()}


def _manifest(owner: Owner, pod: Object, annotations: Mapping[str, str]) -> Object:
    """An object of the owner's kind that makes such pods."""
    gang, meta = owner.gang, pod["metadata"]
    template_meta = {key: meta[key] for key in ("labels", "annotations") if meta.get(key)}
    restart_policy = {} if owner.KIND == JOB else {"restartPolicy": "Always"}
    template = {"metadata": template_meta, "spec": {**pod["spec"], **restart_policy}}
    own_meta = {"name": gang.name, "namespace": meta["namespace"], "annotations": dict(annotations)}
    return {
        "apiVersion": owner.KIND.api_version,
        "kind": owner.KIND.kind,
        "metadata": {key: value for key, value in own_meta.items() if value},
        "spec": {**_numbers(owner.KIND, gang), "template": template},
    }


def _numbers(kind: Kind, gang: Gang) -> Object:
    if kind == JOB:
        return {"completionMode": "Indexed", "parallelism": gang.size, "completions": gang.size}
    selector = {"selector": {"matchLabels": {GANG_LABEL: gang.name}}, "replicas": gang.size}
    if kind == DEPLOYMENT:
        return selector
    return {**selector, "serviceName": gang.name, "podManagementPolicy": "Parallel"}
