"""Mutations of state: what the controller remembers wrongly, what it does not report, what others do beside it."""

from __future__ import annotations

from typing import ClassVar

from harness.controllers.jobset_gang.api import Dialect, owner
from harness.controllers.jobset_gang.controller import JobSetGang
from harness.controllers.jobset_gang.plan import GangPlan
from harness.controllers.runtime.cache import Cache
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.conditions import Condition
from harness.controllers.runtime.queue import Key
from harness.core.kinds import JOBSET, Kind
from harness.mutation.base import Mutation


class KeepsTheOld(Mutation, JobSetGang):
    """Takes what an earlier JobSet of the same name left behind for its own."""

    killed_by = ("recreated-jobset-does-not-take-over-the-old-gang",)
    breaks = ("JSG-34",)

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        stored = self.cache.get(kind, desired["metadata"]["namespace"], desired["metadata"]["name"])
        if stored is not None:
            change = {"metadata": {"ownerReferences": [owner(jobset)]}}
            return self.client.patch(kind, desired["metadata"]["namespace"], desired["metadata"]["name"], change)
        return super().ensure(kind, desired, jobset)


class ServesEachNameOnce(Mutation, JobSetGang):
    """Remembers which JobSets it has served, by name alone."""

    killed_by = ("recreated-jobset-is-a-gang-again",)
    breaks = ("JSG-34",)
    served: ClassVar[dict[Key, str]] = {}

    def reconcile(self, key: Key) -> float | None:
        stored = self.cache.get(JOBSET, *key)
        if stored is None or self.served.setdefault(key, stored["metadata"]["uid"]) != stored["metadata"]["uid"]:
            return None
        return super().reconcile(key)


class IgnoresThePast(Mutation, JobSetGang):
    """Looks only at JobSets that it has seen come, never at those that were there when it started."""

    killed_by = ("controller-killed-halfway-goes-on",)
    breaks = ("JSG-01",)

    def __init__(self, client: Client, cache: Cache, dialect: Dialect | None) -> None:
        super().__init__(client, cache, dialect)
        self.existing = {jobset["metadata"]["uid"] for jobset in client.list(JOBSET)}

    def reconcile(self, key: Key) -> float | None:
        jobset = self.cache.get(JOBSET, *key)
        return None if jobset is None or jobset["metadata"]["uid"] in self.existing else super().reconcile(key)


class KeepsItToItself(Mutation, JobSetGang):
    """Says nothing about gangs that cannot start."""

    killed_by = ("gang-whose-jobs-wait-for-each-other-is-reported", "workload-without-the-group-is-reported")
    breaks = ("REF-11",)

    def report(self, jobset: Object, condition: Condition) -> None:
        if condition.holds:
            super().report(jobset, condition)


class NeverOff(Mutation, JobSetGang):
    """Works on, though gangs are turned off."""

    killed_by = ("gangs-turned-off-have-no-effect",)
    breaks = ("JSG-35",)


class WorkloadForEachJob(Mutation, JobSetGang):
    """Does what the Job controller must not do: makes another Workload for each Job that is in a gang."""

    killed_by = ("job-controller-adds-no-workload",)
    breaks = ("JSG-09",)

    def prepare(self, jobset: Object, plan: GangPlan, dialect: Dialect) -> Condition | None:
        problem = super().prepare(jobset, plan, dialect)
        for group in plan.groups:
            for job in group.jobs:
                alone = GangPlan(f"{jobset['metadata']['name']}-{job}-0", (group,))
                self.ensure(dialect.workload, dialect.make_workload(jobset, alone), jobset)
        return problem
