"""Gangs whose pods a Job makes: what users submit most, and what can be suspended and resumed.

The Job's template is the pod that the integration declares for a member, so this works with every scheduler whose gangs
are pods. The case does not see the pods' names, which the Job controller makes up.
"""

from __future__ import annotations

from harness.box.api import PATCH_MERGE, Object
from harness.cases.context import Context
from harness.cases.gang import submit_gang
from harness.cases.gangs import SubmittedGangs
from harness.cases.values import Job
from harness.core.errors import HarnessError
from harness.core.gang import Gang
from harness.core.kinds import JOB


class SubmittedJob(SubmittedGangs):
    """A Job in the world, and the gang that its pods are."""

    KIND = JOB

    def __init__(self, context: Context, job: Job, namespace: str) -> None:
        super().__init__(context, job.name, namespace)
        declared = self._objects.of(job.gang, namespace)
        group = [obj for obj in declared if obj["kind"] != "Pod"]
        self.gangs = [submit_gang(context, job.gang, namespace, objects=[*group, manifest(job.gang, declared)])]

    def suspend(self) -> None:
        """Let the Job controller delete the pods of the Job."""
        self._edit(suspend=True)

    def resume(self) -> None:
        """Let the Job controller make the pods again."""
        self.gang.await_more(self.gang.gang.size)
        self._edit(suspend=False)

    def _edit(self, *, suspend: bool) -> None:
        self._context.recorder.act("edit", self.name, self.namespace, suspend=suspend)
        change = {"spec": {"suspend": suspend}}
        self._context.api.patch(JOB, self.namespace, self.name, change, content_type=PATCH_MERGE)


def manifest(gang: Gang, objects: list[Object]) -> Object:
    """A Job that makes the members which these objects declare."""
    pods = [obj for obj in objects if obj["kind"] == "Pod"]
    if len(pods) != gang.size or gang.roles:
        raise HarnessError(f"gang {gang.name} cannot be made by one Job: its members are not {gang.size} pods alike")
    meta, template = pods[0]["metadata"], pods[0]["spec"]
    template_meta = {key: meta[key] for key in ("labels", "annotations") if key in meta}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": gang.name, "namespace": meta["namespace"]},
        "spec": {
            "parallelism": gang.size,
            "completions": gang.size,
            "backoffLimit": 0,
            "template": {"metadata": template_meta, "spec": template},
        },
    }
