"""Gangs whose pods a Job makes: what users submit most, and what can be suspended and resumed.

The Job's template is the pod that the integration declares for a member, so this works with every scheduler whose gangs
are pods. The case does not see the pods' names, which the Job controller makes up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.box.api import PATCH_MERGE, Object, Resource
from harness.core.errors import HarnessError
from harness.core.gang import Gang
from harness.livegang import LiveGang

if TYPE_CHECKING:
    from harness.world import World

JOB = Resource("batch/v1", "Job", "jobs", True)


@dataclass(frozen=True, slots=True)
class LiveJob:
    """A Job in the world, and the gang that its pods are."""

    gang: LiveGang

    def suspend(self) -> None:
        """Let the Job controller delete the pods of the Job."""
        self._edit(suspend=True)

    def resume(self) -> None:
        """Let the Job controller make the pods anew."""
        self.gang.await_more(self.gang.gang.size)
        self._edit(suspend=False)

    def _edit(self, *, suspend: bool) -> None:
        live = self.gang
        live.world.recorder.act("edit", live.gang.name, live.namespace, suspend=suspend)
        change = {"spec": {"suspend": suspend}}
        live.world.api.patch(JOB, live.namespace, live.gang.name, change, content_type=PATCH_MERGE)


def submit_job(world: World, gang: Gang) -> LiveJob:
    """Create the gang's own objects as the integration declares them, and a Job that makes its members."""
    objects = world.objects_of(gang)
    return LiveJob(world.submit(gang, objects=[obj for obj in objects if obj["kind"] != "Pod"] + [_job(gang, objects)]))


def _job(gang: Gang, objects: list[Object]) -> Object:
    pods = [obj for obj in objects if obj["kind"] == "Pod"]
    if len(pods) != gang.size or gang.roles:
        raise HarnessError(f"gang {gang.name} cannot be made by one Job: its members are not {gang.size} pods alike")
    meta, template = pods[0]["metadata"], pods[0]["spec"]
    kept = {key: meta[key] for key in ("labels", "annotations") if key in meta}
    return {
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": gang.name, "namespace": meta["namespace"]},
        "spec": {"parallelism": gang.size, "completions": gang.size, "backoffLimit": 0,
                 "template": {"metadata": kept, "spec": template}},
    }  # fmt: skip
