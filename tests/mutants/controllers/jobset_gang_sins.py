"""Gang controllers that break one law each: the reference with one decision taken wrongly.

`caught_by` names cases that must turn red. The sins here are about objects: Workloads, groups, counts and owners; those
about references and admission are in jobset_gang_webhook_sins.py, those about the past in jobset_gang_memory_sins.py.
"""

from __future__ import annotations

import re
from dataclasses import replace

import jobset_gang_memory_sins
import jobset_gang_webhook_sins
from jobset_gang_webhook_sins import Sinner

from harness.controllers.client import Kind, Object
from harness.controllers.conditions import Condition
from harness.controllers.jobset_gang_api import Dialect, owner
from harness.controllers.jobset_gang_plan import Group, Instance, Plan, jobs_of


class NoOwner(Sinner):
    """Makes objects that belong to nobody and stay for ever."""

    caught_by = (
        "workload-goes-with-its-jobset", "jobset-deleted-while-the-controller-is-away-leaves-nothing",
        "gang-objects-say-what-their-group-says",
    )  # fmt: skip

    def keep(self, kind: Kind, made: Object, jobset: Object) -> Object:
        del made["metadata"]["ownerReferences"]
        return super().keep(kind, made, jobset)


class CountsOneReplica(Sinner):
    """Forgets that a job has replicas when it counts the pods of a gang."""

    caught_by = ("jobset-gang-gets-one-workload", "job-gangs-get-a-group-each")

    def plan(self, jobset: Object) -> Plan | None:
        single = {"spec": {**jobset["spec"], "replicatedJobs": [{**job, "replicas": 1} for job in jobs_of(jobset)]}}
        smaller, wanted = super().plan({**jobset, **single}), super().plan(jobset)
        if smaller is None or wanted is None:
            return wanted
        counts = [group.minimum for group in smaller.groups]
        return replace(wanted, groups=tuple(map(_counting, wanted.groups, counts)))


class CountsAlikeJobs(Sinner):
    """Takes the formula of the design by the letter: jobs times replicas times parallelism of the first of them."""

    caught_by = ("jobset-gang-gets-one-workload",)

    def plan(self, jobset: Object) -> Plan | None:
        wanted, jobs = super().plan(jobset), jobs_of(jobset)
        if wanted is None or len(jobs) < 2 or len(wanted.groups[0].jobs) < 2:
            return wanted
        count = len(jobs) * jobs[0]["replicas"] * jobs[0]["template"]["spec"]["parallelism"]
        return replace(wanted, groups=(_counting(wanted.groups[0], count),))


class ObjectsCountOne(Sinner):
    """Writes the right minimum into the Workload and another one into the objects that the scheduler reads."""

    caught_by = ("gang-objects-say-what-their-group-says", "job-that-does-not-fit-holds-back-no-other")

    def keep(self, kind: Kind, made: Object, jobset: Object) -> Object:
        if kind.kind == "PodGroup":
            made["spec"]["schedulingPolicy"] = {"gang": {"minCount": 1}}
        return super().keep(kind, made, jobset)


class BasicPolicy(Sinner):
    """Describes groups whose pods are placed one by one."""

    caught_by = ("jobset-gang-gets-one-workload", "room-for-one-replica-starts-one")

    def keep(self, kind: Kind, made: Object, jobset: Object) -> Object:
        spec = made["spec"]
        for entry in spec.get("podGroupTemplates") or [spec]:
            entry["schedulingPolicy"] = {"basic": {}}
        return super().keep(kind, made, jobset)


class NoControllerReference(Sinner):
    """Makes Workloads that do not say whose they are."""

    caught_by = ("jobset-gang-gets-one-workload",)

    def keep(self, kind: Kind, made: Object, jobset: Object) -> Object:
        made["spec"].pop("controllerRef", None)
        return super().keep(kind, made, jobset)


class OverwritesTheUser(Sinner):
    """Puts its own Workload in the place of the user's."""

    caught_by = ("workload-of-the-user-is-used-as-it-is", "workload-without-the-group-is-reported")

    def keep(self, kind: Kind, made: Object, jobset: Object) -> Object:
        found = self.cache.get(kind, made["metadata"]["namespace"], made["metadata"]["name"])
        if found is not None and not found["metadata"].get("ownerReferences"):
            self.client.delete(kind, found["metadata"]["namespace"], found["metadata"]["name"])
            return self.client.create(kind, made)
        return super().keep(kind, made, jobset)


class TakesTheUsersAlong(Sinner):
    """Becomes the owner of the user's Workload, so that it goes with the JobSet."""

    caught_by = ("workload-of-the-user-is-used-as-it-is",)

    def keep(self, kind: Kind, made: Object, jobset: Object) -> Object:
        found, meta = super().keep(kind, made, jobset), made["metadata"]
        if not found["metadata"].get("ownerReferences"):
            change = {"metadata": {"ownerReferences": [owner(jobset)]}}
            return self.client.patch(kind, meta["namespace"], meta["name"], change)
        return found


class SecondWorkload(Sinner):
    """Makes a Workload of its own beside one that points to the JobSet."""

    caught_by = ("workload-that-points-to-the-jobset-is-used",)

    def prepare(self, jobset: Object, wanted: Plan, dialect: Dialect) -> Condition | None:
        self.keep(dialect.workload, dialect.make_workload(jobset, wanted), jobset)
        return super().prepare(jobset, wanted, dialect)


class WorkloadPerJob(Sinner):
    """Makes one more Workload for every job that is a gang."""

    caught_by = ("job-gangs-get-a-group-each", "levels-can-be-mixed-over-jobs")

    def prepare(self, jobset: Object, wanted: Plan, dialect: Dialect) -> Condition | None:
        for group in wanted.groups[1:]:
            alone = Plan(f"{wanted.workload}-{group.jobs[0]}", (group,))
            self.keep(dialect.workload, dialect.make_workload(jobset, alone), jobset)
        return super().prepare(jobset, wanted, dialect)


class ServesEverybody(Sinner):
    """Turns JobSets into gangs that did not ask for it."""

    caught_by = ("jobset-that-does-not-ask-gets-no-workload",)

    def plan(self, jobset: Object) -> Plan | None:
        asked = {"gangConfig": {"gangMode": "Gang"}, "replicatedJobs": jobs_of(jobset)}
        return super().plan(jobset) or super().plan({**jobset, "spec": asked})


class GroupsEveryJob(Sinner):
    """Gives a group to every job as soon as one of them asks for one."""

    caught_by = ("jobs-that-do-not-ask-have-no-group",)

    def plan(self, jobset: Object) -> Plan | None:
        wanted = super().plan(jobset)
        if wanted is None or len(wanted.groups[0].jobs) > 1:
            return wanted
        asking = [{**job, "gangConfig": job.get("gangConfig", {"gangMode": "Gang"})} for job in jobs_of(jobset)]
        asked = super().plan({**jobset, "spec": {**jobset["spec"], "replicatedJobs": asking}})
        return asked if jobset["spec"].get("gangConfig") is None else wanted


class OneGangOfReplicas(Sinner):
    """Makes one gang of all replicas where each was to be one."""

    caught_by = ("replica-gangs-share-a-group", "room-for-one-replica-starts-one",
                 "replica-starts-when-there-is-room-for-it")  # fmt: skip

    def plan(self, jobset: Object) -> Plan | None:
        jobs = [{**job, "gangConfig": {"gangMode": "Gang"}} if "gangConfig" in job else job for job in jobs_of(jobset)]
        spec = {**jobset["spec"], "replicatedJobs": jobs}
        return super().plan(jobset) and super().plan({**jobset, "spec": spec})


class OneGangOfJobs(Sinner):
    """Puts all jobs that are gangs into one."""

    caught_by = (
        "job-that-does-not-fit-holds-back-no-other", "dependent-job-starts-whole-after-the-first",
        "jobs-in-order-start-whole",
    )  # fmt: skip

    def plan(self, jobset: Object) -> Plan | None:
        wanted = super().plan(jobset)
        if wanted is None or len(wanted.groups) < 2:
            return wanted
        first, total = wanted.groups[0], sum(group.minimum for group in wanted.groups)
        names = tuple(job for group in wanted.groups for job in group.jobs)
        one = Group(first.name, total, names, (Instance(first.name, first.instances[0].name),))
        return Plan(wanted.workload, (one,))


class NamesByJobAlone(Sinner):
    """Names the objects of gangs after jobs alone, though another JobSet may have jobs of the same name."""

    caught_by = ("gangs-of-two-jobsets-do-not-mix",)

    def plan(self, jobset: Object) -> Plan | None:
        wanted = super().plan(jobset)
        if wanted is None:
            return None
        return replace(wanted, groups=tuple(map(self._renamed, wanted.groups)))

    def _renamed(self, group: Group) -> Group:
        named = [replace(one, name=re.sub(r"^pg-[^.]*\.([^.]*)$", r"pg-\1", one.name)) for one in group.instances]
        named = [replace(one, name=re.sub(r"^pg-[^.]*\.(.*)\.0$", r"pg-\1", one.name)) for one in named]
        return replace(group, instances=tuple(named))


def _counting(group: Group, minimum: int) -> Group:
    return replace(group, minimum=minimum)


SINS: dict[str, type[Sinner]] = {
    re.sub(r"\B([A-Z])", r"-\1", name).lower(): sin
    for file in (globals(), vars(jobset_gang_memory_sins), vars(jobset_gang_webhook_sins))
    for name, sin in list(file.items())
    if isinstance(sin, type) and issubclass(sin, Sinner) and sin is not Sinner
}
