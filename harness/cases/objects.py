"""`world.objects`: objects other than gangs, those that users give to controllers and those that controllers make."""

from __future__ import annotations

from harness.adapters.common.render import gang_objects
from harness.box.api import PATCH_MERGE, Object
from harness.cases import claims
from harness.cases.context import Context
from harness.cases.values import LWS, BarrierJobSet, JobSet
from harness.controllers.jobset_barrier.injection import DEFAULT_IMAGE
from harness.core.errors import ApiError
from harness.core.gang import Gang
from harness.core.kinds import Kind
from harness.core.verdict import Verdict

Named = Kind | tuple[str, str]  # a case may name a kind by its apiVersion and its kind
RUN_UNTIL_SIGTERM = "trap 'exit 143' TERM; while :; do sleep 1 & wait $!; done"


class Objects:
    """Reads, changes and deletes objects in the case's namespace."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._api = context.api

    def of(self, workload: Gang | LWS | JobSet | BarrierJobSet, namespace: str = "") -> list[Object]:
        """The workload as it would be created, to be changed by the case and given to `submit`."""
        testbed = self._context.testbed
        namespace = namespace or self._context.namespace
        if not isinstance(workload, Gang):
            obj = workload.manifest(namespace, testbed.adapter.scheduler)
            if isinstance(workload, BarrierJobSet):
                self._let_fail(obj)
            return [obj]
        objects = gang_objects(testbed.adapter, workload, namespace, testbed.box.kubernetes)
        testbed.adapter.finish(objects)
        return objects

    def _let_fail(self, jobset: Object) -> None:
        """Where containers are real, have main ones that fail when they are told to end: a pause ends well, and the Job
        of a pod that was deleted would take it for done."""
        box = self._context.testbed.box
        if not box.capabilities.containers:
            return
        image = box.shell or DEFAULT_IMAGE
        for job in jobset["spec"]["replicatedJobs"]:
            (main,) = job["template"]["spec"]["template"]["spec"]["containers"]
            main |= {"image": image, "imagePullPolicy": "IfNotPresent", "command": ["sh", "-c", RUN_UNTIL_SIGTERM]}

    def create(self, obj: Object) -> Object:
        """Create any object; it is deleted with the case."""
        return self._context.create(obj)

    def find(self, kind: Named, name: str, namespace: str = "") -> Object:
        """The object as it is now; empty if there is none."""
        kind = self._served(kind)
        obj = self._api.find(kind, namespace or self._context.namespace, name) or {}
        self._context.read.append(obj or {"kind": kind.kind, "metadata": {"name": name}, "missing": True})
        return obj

    def get(self, kind: Named, name: str, namespace: str = "") -> Object:
        """The object as it is now; KeyError if there is none, which `sees` takes for not yet."""
        if not (obj := self.find(kind, name, namespace)):
            raise KeyError(f"{self._served(kind).kind} {name} is not there")
        return obj

    def all_of(self, kind: Named, selector: str = "", namespace: str = "") -> list[Object]:
        """Every object of a kind in the case's namespace, in the order of their names."""
        kind = self._served(kind)
        labels = {"labelSelector": selector} if selector else {}
        objects = self._api.list(kind, namespace or self._context.namespace, **labels)
        self._context.read.append({"kind": kind.kind, "selector": selector, "items": objects})
        return sorted(objects, key=lambda obj: str(obj["metadata"]["name"]))

    def first_revision(self, kind: str, name: str, change: str = "") -> int:
        """The revision in which an object was first recorded, or first with that change; LookupError if it never was.

        `kind` and `change` are written as the history writes them, such as `StatefulSet.apps` and `bound`.
        """
        records = [record for record in self._context.recorder.records() if record.rev is not None]
        mine = [record for record in records if (record.kind, record.name) == (kind, name)]
        revisions = [
            record.rev or 0
            for record in mine
            if record.namespace == self._context.namespace and (not change or change in record.changed)
        ]
        if not revisions:
            raise LookupError(f"{kind} {name} was never recorded")
        return min(revisions)

    def dry_run(self, obj: Object) -> Object | str:
        """What the API server would store for an object, or the message with which it refuses it; nothing is stored."""
        try:
            return self._api.create(obj, dryRun="All")
        except ApiError as error:
            return error.message

    def kinds_called(self, name: str) -> list[Kind]:
        """Every kind of this name that the API server knows, whatever its group."""
        versions = [group["preferredVersion"]["groupVersion"] for group in self._api.request("GET", "/apis")["groups"]]
        entries = [(version, self._api.request("GET", f"/apis/{version}")["resources"]) for version in versions]
        return [
            Kind(version, name, entry["name"], entry["namespaced"])
            for version, resources in entries
            for entry in resources
            if entry["kind"] == name and "/" not in entry["name"]
        ]

    def change(self, kind: Named, name: str, change: Object, *, subresource: str = "") -> Object:
        """Merge a change into an object, as its user would."""
        context, kind = self._context, self._served(kind)
        context.recorder.act("note", text=f"{kind.kind} {name} is changed")
        return self._api.patch(kind, context.namespace, name, change, subresource=subresource, content_type=PATCH_MERGE)

    def delete(self, kind: Named, name: str) -> None:
        """Delete an object; what it owns is for the garbage collector."""
        kind = self._served(kind)
        self._context.recorder.act("note", text=f"{kind.kind} {name} is deleted")
        self._api.delete(kind, self._context.namespace, name)

    # -- claims about the answers of the API server -------------------------------------------------------------------

    def accepts(self, obj: Object, sentence: str) -> Verdict:
        """The API server creates the object."""
        return claims.accepts(self._context, obj, sentence)

    def accepts_change(self, obj: Object, change: Object, sentence: str) -> Verdict:
        """The API server merges the change into the object."""
        return claims.accepts_change(self._context, obj, change, sentence)

    def rejects(self, obj: Object, sentence: str, *, mention: str = "") -> Verdict:
        """The API server refuses to create the object, for a reason that mentions this."""
        return claims.rejects(self._context, obj, sentence, mention)

    def rejects_change(self, obj: Object, change: Object, sentence: str, *, mention: str = "") -> Verdict:
        """The API server refuses to change the object, for a reason that mentions this."""
        return claims.rejects_change(self._context, obj, change, sentence, mention)

    def _served(self, kind: Named) -> Kind:
        return kind if isinstance(kind, Kind) else self._api.resource(*kind)
