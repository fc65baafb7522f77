"""Reference controller for gangs of JobSets (KEP-1068): one Workload for each JobSet that asks for gangs.

A JobSet says in `gangConfig` which of its pods start together. This controller writes the Workload (and, from
Kubernetes 1.36 on, the PodGroups) for the scheduler, and its webhook sets the reference in the pod template of every
Job before the Job is stored, so every pod has it. A Workload or PodGroup that a user made is used as it is. The objects
of this controller are deleted with the JobSet, by owner reference.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from harness.controllers.jobset_gang.admission import Admission, users_workload
from harness.controllers.jobset_gang.api import Dialect, owner_of, points_to, served
from harness.controllers.jobset_gang.plan import GangPlan, never_complete, plan
from harness.controllers.runtime import conditions
from harness.controllers.runtime.admission import Handler
from harness.controllers.runtime.cache import Cache, key_of
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.conditions import Condition
from harness.controllers.runtime.queue import Key
from harness.controllers.runtime.service import Watch
from harness.core.errors import ApiError
from harness.core.kinds import JOBSET, Kind

NAME = "jobset-gang"
CONDITION = "GangsPrepared"

log = logging.getLogger(__name__)


class Terminating(Exception):
    """An object of an earlier JobSet of the same name still exists; its deletion triggers the next reconcile."""


class JobSetGang:
    """Creates and corrects the Workloads and PodGroups of JobSets."""

    name = NAME
    hooks: type[Admission] = Admission

    def __init__(self, client: Client, cache: Cache, dialect: Dialect | None) -> None:
        self.client, self.cache, self.dialect = client, cache, dialect

    @property
    def watches(self) -> Sequence[Watch]:
        watches = [Watch(JOBSET, lambda jobset: [key_of(jobset)])]
        if self.dialect is not None:
            watches.append(Watch(self.dialect.workload, wakes))
        if self.dialect is not None and self.dialect.api.has_group_objects:
            watches.append(Watch(self.dialect.pod_group, wakes))
        return watches

    @property
    def admission(self) -> Mapping[str, Handler]:
        hooks = self.hooks(self.client, self.cache, self.dialect, self.plan)
        return {"/validate-jobset": hooks.validate_jobset, "/mutate-job": hooks.refer_job}

    def plan(self, jobset: Object) -> GangPlan | None:
        """What a JobSet asks for."""
        return plan(jobset)

    def reconcile(self, key: Key) -> float | None:
        jobset = self.cache.get(JOBSET, *key)
        if jobset is None or "deletionTimestamp" in jobset["metadata"] or self.dialect is None:
            return None
        plan = self.plan(jobset)
        if plan is None:
            return None
        try:
            problem = self.prepare(jobset, plan, self.dialect)
        except Terminating as error:
            self.report(jobset, Condition(CONDITION, False, "GangLeaving", str(error)))
            return None
        self.report(jobset, problem or _prepared(plan))
        return None

    def prepare(self, jobset: Object, plan: GangPlan, dialect: Dialect) -> Condition | None:
        """Ensure the Workload, then the PodGroups that point to it; returns the problem with them, or None."""
        workload = users_workload(self.cache, dialect, *key_of(jobset))
        if workload is None:
            workload = self.ensure(dialect.workload, dialect.make_workload(jobset, plan), jobset)
        entries = dialect.entries(workload)
        missing = [group.name for group in plan.groups if group.name not in entries]
        if missing:
            message = f"Workload {workload['metadata']['name']} describes no group {', '.join(missing)}"
            return Condition(CONDITION, False, "GroupMissingInWorkload", f"{message}; its pods wait until there is one")
        for group in plan.groups if dialect.api.has_group_objects else ():
            for instance in group.instances:
                pod_group = dialect.make_pod_group(jobset, workload, entries[group.name], instance)
                self.ensure(dialect.pod_group, pod_group, jobset)
        hazard = never_complete(jobset)
        return Condition(CONDITION, False, "GangNeverComplete", hazard) if hazard else None

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        """The stored object: created if it is missing, corrected if this controller owns it, else left as it is."""
        key = key_of(desired)
        stored = self.cache.get(kind, *key)
        if stored is None:
            try:
                return self.client.create(kind, desired)
            except ApiError as error:
                if error.reason != "AlreadyExists":
                    raise
            stored = self.client.get(kind, *key)
            if stored is None:
                raise Terminating(f"{kind.kind} {key[1]} was deleted at this moment")
        owner = owner_of(stored)
        if not owner:
            return stored
        if owner["uid"] != jobset["metadata"]["uid"]:
            self.client.delete(kind, *key, uid=stored["metadata"]["uid"])
            raise Terminating(f"{kind.kind} {key[1]} of an earlier JobSet of this name must be gone first")
        if "deletionTimestamp" in stored["metadata"]:
            raise Terminating(f"{kind.kind} {key[1]} was deleted; it is made again when it is gone")
        change = corrections(stored["spec"], desired["spec"])
        return self.client.patch(kind, *key, {"spec": change}) if change else stored

    def report(self, jobset: Object, condition: Condition) -> None:
        """Report by an event, then by the condition, which the next reconcile reads."""
        if not conditions.has(jobset, condition):
            self.client.event(jobset, condition.reason, condition.message, warning=not condition.holds)
            conditions.write(self.client, JOBSET, jobset, condition)


def corrections(stored: Object, desired: Object) -> Object:
    """The fields of a spec that differ from the desired ones, deeply; fields that the API server added are ignored."""
    return {field: value for field, value in desired.items() if not _covers(stored.get(field), value)}


def _covers(stored: object, desired: object) -> bool:
    """Whether all desired fields are there; the priority is ignored, since the API server drops it without its gate."""
    if isinstance(desired, dict) and isinstance(stored, dict):
        return all(
            _covers(stored.get(field), value) for field, value in desired.items() if field != "priorityClassName"
        )
    if isinstance(desired, list) and isinstance(stored, list):
        return len(stored) == len(desired) and all(map(_covers, stored, desired))
    return stored == desired


def wakes(obj: Object) -> Iterable[Key]:
    """The JobSets of an object: its owner, the JobSet it points to, and the JobSet in its name."""
    namespace, name = key_of(obj)
    prefix, _, rest = name.partition("-")
    from_name = rest.partition(".")[0] if prefix in ("w", "pg") else ""
    names = {owner_of(obj).get("name", ""), points_to(obj), from_name} - {""}
    return [(namespace, jobset) for jobset in sorted(names)]


def _prepared(plan: GangPlan) -> Condition:
    groups = ", ".join(f"{group.name} (minCount {group.minimum})" for group in plan.groups)
    return Condition(CONDITION, True, "WorkloadReady", f"Workload {plan.workload}: {groups}")


def make(client: Client, cache: Cache, gangs: str = "on") -> JobSetGang:
    """The controller for the API that is served; with gangs off, or where none is served, it does nothing."""
    dialect = served(client) if gangs == "on" else None
    if dialect is None:
        log.warning("gangConfig has no effect: %s", "gangs are off" if gangs == "off" else "no gang API is served")
    return JobSetGang(client, cache, dialect)
