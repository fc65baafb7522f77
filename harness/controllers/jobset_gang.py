"""Reference controller for gangs of JobSets (KEP-1068): one Workload for each JobSet that asks for gangs.

A JobSet says in `gangConfig` which of its pods start together. This controller writes the Workload (and, from
Kubernetes 1.36 on, the PodGroups) that says so to the scheduler, and its webhook puts the reference into the pod
template of every Job before the Job is stored, so that no pod is ever without it. A Workload or PodGroup that somebody
else made is used as it is. What this controller made goes with the JobSet, by owner reference.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from harness.controllers import conditions
from harness.controllers.admission import Handler
from harness.controllers.cache import Cache, key_of
from harness.controllers.client import Client, Kind, Object
from harness.controllers.conditions import Condition
from harness.controllers.jobset_gang_admission import Admission, users_workload
from harness.controllers.jobset_gang_api import JOBSET, Dialect, owner_of, points_to, served
from harness.controllers.jobset_gang_plan import Plan, never_complete, plan
from harness.controllers.queue import Key
from harness.controllers.service import Watch
from harness.core.errors import ApiError

NAME = "jobset-gang"
CONDITION = "GangsPrepared"

log = logging.getLogger(__name__)


class Leaving(Exception):
    """An object of an earlier JobSet of the same name is still there; its end wakes the key again."""


class JobSetGang:
    """Keeps the gang objects of JobSets."""

    name = NAME
    hooks: type[Admission] = Admission

    def __init__(self, client: Client, cache: Cache, dialect: Dialect | None) -> None:
        self.client, self.cache, self.dialect = client, cache, dialect

    @property
    def watches(self) -> Sequence[Watch]:
        watches = [Watch(JOBSET, lambda jobset: [key_of(jobset)])]
        if self.dialect is not None:
            watches.append(Watch(self.dialect.workload, wakes))
        if self.dialect is not None and self.dialect.has_objects:
            watches.append(Watch(self.dialect.pod_group, wakes))
        return watches

    @property
    def admission(self) -> Mapping[str, Handler]:
        hooks = self.hooks(self.client, self.cache, self.dialect, self.plan)
        return {"/validate-jobset": hooks.validate_jobset, "/mutate-job": hooks.refer_job}

    def plan(self, jobset: Object) -> Plan | None:
        """What a JobSet asks for."""
        return plan(jobset)

    def reconcile(self, key: Key) -> float | None:
        jobset = self.cache.get(JOBSET, *key)
        if jobset is None or "deletionTimestamp" in jobset["metadata"] or self.dialect is None:
            return None
        wanted = self.plan(jobset)
        if wanted is None:
            return None
        try:
            problem = self.prepare(jobset, wanted, self.dialect)
        except Leaving as leaving:
            self.say(jobset, Condition(CONDITION, False, "GangLeaving", str(leaving)))
            return None
        self.say(jobset, problem or _fine(wanted))
        return None

    def prepare(self, jobset: Object, wanted: Plan, dialect: Dialect) -> Condition | None:
        """Have the Workload, then the PodGroups that point to it; what is wrong with them, if anything."""
        workload = users_workload(self.cache, dialect, *key_of(jobset))
        if workload is None:
            workload = self.keep(dialect.workload, dialect.make_workload(jobset, wanted), jobset)
        entries = dialect.entries(workload)
        missing = [group.name for group in wanted.groups if group.name not in entries]
        if missing:
            named = f"Workload {workload['metadata']['name']} describes no group {', '.join(missing)}"
            return Condition(CONDITION, False, "GroupMissingInWorkload", f"{named}; the pods of it wait for one")
        for group in wanted.groups if dialect.has_objects else ():
            for instance in group.instances:
                made = dialect.make_pod_group(jobset, workload, entries[group.name], instance)
                self.keep(dialect.pod_group, made, jobset)
        hazard = never_complete(jobset)
        return Condition(CONDITION, False, "GangNeverComplete", hazard) if hazard else None

    def keep(self, kind: Kind, made: Object, jobset: Object) -> Object:
        """The object as it is stored: created if nobody has, put right if it is ours and differs, else left alone."""
        key = key_of(made)
        found = self.cache.get(kind, *key)
        if found is None:
            try:
                return self.client.create(kind, made)
            except ApiError as error:
                if error.reason != "AlreadyExists":
                    raise
            found = self.client.get(kind, *key)
            if found is None:
                raise Leaving(f"{kind.kind} {key[1]} went this very moment")
        owner = owner_of(found)
        if not owner:
            return found
        if owner["uid"] != jobset["metadata"]["uid"]:
            self.client.delete(kind, *key, uid=found["metadata"]["uid"])
            raise Leaving(f"{kind.kind} {key[1]} of an earlier JobSet of this name has to go first")
        if "deletionTimestamp" in found["metadata"]:
            raise Leaving(f"{kind.kind} {key[1]} was deleted; it is made again when it is gone")
        change = corrections(found["spec"], made["spec"])
        return self.client.patch(kind, *key, {"spec": change}) if change else found

    def say(self, jobset: Object, condition: Condition) -> None:
        """Tell how far the gangs of a JobSet are: an event, then the condition, which is what is looked at first."""
        if not conditions.says(jobset, condition):
            self.client.event(jobset, condition.reason, condition.message, warning=not condition.holds)
            conditions.write(self.client, JOBSET, jobset, condition)


def corrections(stored: Object, wanted: Object) -> Object:
    """The fields of a spec that differ from what is wanted, deeply; what the API server added is no difference."""
    return {field: value for field, value in wanted.items() if not _covers(stored.get(field), value)}


def _covers(stored: object, wanted: object) -> bool:
    """Whether everything wanted is there; a priority is not asked for, since without its gate it is dropped."""
    if isinstance(wanted, dict) and isinstance(stored, dict):
        return all(_covers(stored.get(field), value) for field, value in wanted.items() if field != "priorityClassName")
    if isinstance(wanted, list) and isinstance(stored, list):
        return len(stored) == len(wanted) and all(map(_covers, stored, wanted))
    return stored == wanted


def wakes(obj: Object) -> Iterable[Key]:
    """The JobSets that an object matters to: its owner, the one it points to, and the one its name stands for."""
    namespace, name = key_of(obj)
    prefix, _, rest = name.partition("-")
    named = rest.partition(".")[0] if prefix in ("w", "pg") else ""
    found = {owner_of(obj).get("name", ""), points_to(obj), named} - {""}
    return [(namespace, jobset) for jobset in sorted(found)]


def _fine(wanted: Plan) -> Condition:
    groups = ", ".join(f"{group.name} (minCount {group.minimum})" for group in wanted.groups)
    return Condition(CONDITION, True, "WorkloadReady", f"Workload {wanted.workload}: {groups}")


def make(client: Client, cache: Cache, gangs: str = "on") -> JobSetGang:
    """The controller for the API that is served; with gangs off, or where none is served, it does nothing."""
    dialect = served(client) if gangs == "on" else None
    if dialect is None:
        log.warning("gangConfig has no effect: %s", "gangs are off" if gangs == "off" else "no gang API is served")
    return JobSetGang(client, cache, dialect)
