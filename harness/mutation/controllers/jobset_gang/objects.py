"""Mutations of objects: Workloads, groups, counts and owners."""

from __future__ import annotations

import re
from dataclasses import replace

from harness.controllers.jobset_gang.api import Dialect, owner
from harness.controllers.jobset_gang.controller import JobSetGang
from harness.controllers.jobset_gang.plan import (
    GANG,
    OFF,
    REPLICATED,
    GangPlan,
    Instance,
    PlannedGroup,
    jobs_of,
    mode,
    pods_of,
    written_mode,
)
from harness.controllers.runtime.client import Object
from harness.controllers.runtime.conditions import Condition
from harness.core.kinds import Kind
from harness.mutation.base import Mutation


class NoOwner(Mutation, JobSetGang):
    """Makes objects without an owner, which stay for ever."""

    killed_by = (
        "workload-goes-with-its-jobset",
        "jobset-deleted-while-the-controller-is-away-leaves-nothing",
        "gang-objects-say-what-their-group-says",
    )
    breaks = ("JSG-07",)
    quick = True

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        del desired["metadata"]["ownerReferences"]
        return super().ensure(kind, desired, jobset)


class CountsOneReplica(Mutation, JobSetGang):
    """Forgets that a job has replicas when it counts the pods of a gang."""

    killed_by = ("jobset-gang-gets-one-workload", "job-gangs-get-a-group-each")
    breaks = ("JSG-11", "JSG-13")
    quick = True

    def plan(self, jobset: Object) -> GangPlan | None:
        single = {"spec": {**jobset["spec"], "replicatedJobs": [{**job, "replicas": 1} for job in jobs_of(jobset)]}}
        smaller, plan = super().plan({**jobset, **single}), super().plan(jobset)
        if smaller is None or plan is None:
            return plan
        counts = [group.minimum for group in smaller.groups]
        return replace(plan, groups=tuple(map(_counting, plan.groups, counts)))


class CountsOneReplicaOfAJob(Mutation, JobSetGang):
    """Forgets that a job has replicas when it counts the pods of the job's own gang."""

    killed_by = ("job-gangs-get-a-group-each",)
    breaks = ("JSG-13",)

    def plan(self, jobset: Object) -> GangPlan | None:
        plan = super().plan(jobset)
        if plan is None or mode(jobset["spec"]) == GANG:
            return plan
        sizes = {job["name"]: pods_of(job) for job in jobs_of(jobset)}
        return replace(plan, groups=tuple(_counting(group, sizes[group.jobs[0]]) for group in plan.groups))


class CountsReplicasShort(Mutation, JobSetGang):
    """Leaves a pod out of the gang of each replica."""

    killed_by = ("replica-gangs-share-a-group",)
    breaks = ("JSG-15",)

    def plan(self, jobset: Object) -> GangPlan | None:
        plan = super().plan(jobset)
        several = {job["name"] for job in jobs_of(jobset) if mode(job) == REPLICATED}
        less = {group.name: int(group.jobs[0] in several) for group in plan.groups} if plan else {}
        return plan and replace(
            plan, groups=tuple(_counting(each, each.minimum - less[each.name]) for each in plan.groups)
        )


class ObjectsOfReplicasCountMore(Mutation, JobSetGang):
    """Lets the gang object of a replica wait for a thousand pods, whatever the Workload says."""

    killed_by = ("room-for-one-replica-starts-one",)
    breaks = ("JSG-30",)

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        several = {job["name"] for job in jobs_of(jobset) if mode(job) == REPLICATED}
        if kind.kind == "PodGroup" and any(f".{job}." in desired["metadata"]["name"] for job in several):
            desired["spec"]["schedulingPolicy"] = {"gang": {"minCount": 1000}}
        return super().ensure(kind, desired, jobset)


class CountsAlikeJobs(Mutation, JobSetGang):
    """Takes the formula of the design by the letter: jobs times replicas times parallelism of the first of them."""

    killed_by = ("jobset-gang-gets-one-workload",)
    breaks = ("JSG-11",)

    def plan(self, jobset: Object) -> GangPlan | None:
        plan, jobs = super().plan(jobset), jobs_of(jobset)
        if plan is None or len(jobs) < 2 or len(plan.groups[0].jobs) < 2:
            return plan
        count = len(jobs) * jobs[0]["replicas"] * jobs[0]["template"]["spec"]["parallelism"]
        return replace(plan, groups=(_counting(plan.groups[0], count),))


class ObjectsCountOne(Mutation, JobSetGang):
    """Writes the right minimum into the Workload and another one into the objects that the scheduler reads."""

    killed_by = ("gang-objects-say-what-their-group-says", "job-that-does-not-fit-holds-back-no-other")
    breaks = ("JSG-36", "JSG-29")

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        if kind.kind == "PodGroup":
            desired["spec"]["schedulingPolicy"] = {"gang": {"minCount": 1}}
        return super().ensure(kind, desired, jobset)


class BasicPolicy(Mutation, JobSetGang):
    """Describes groups whose pods are placed one by one."""

    killed_by = ("jobset-gang-gets-one-workload", "room-for-one-replica-starts-one")
    breaks = ("JSG-19",)

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        spec = desired["spec"]
        for entry in spec.get("podGroupTemplates") or [spec]:
            entry["schedulingPolicy"] = {"basic": {}}
        return super().ensure(kind, desired, jobset)


class NoControllerReference(Mutation, JobSetGang):
    """Makes Workloads that do not say whose they are."""

    killed_by = ("jobset-gang-gets-one-workload",)
    breaks = ("JSG-18",)

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        desired["spec"].pop("controllerRef", None)
        return super().ensure(kind, desired, jobset)


class PointsBackOnceOnly(Mutation, JobSetGang):
    """Makes Workloads that say whose they are only if the whole JobSet is a gang."""

    killed_by = ("job-gangs-get-a-group-each", "room-for-one-replica-starts-one")
    breaks = ("JSG-18", "JSG-36")

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        if "gangConfig" not in jobset["spec"]:
            desired["spec"].pop("controllerRef", None)
        return super().ensure(kind, desired, jobset)


class OverwritesTheUser(Mutation, JobSetGang):
    """Puts its own Workload in the place of the user's."""

    killed_by = ("workload-of-the-user-is-used-as-it-is", "workload-without-the-group-is-left-alone")
    breaks = ("JSG-05",)

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        stored = self.cache.get(kind, desired["metadata"]["namespace"], desired["metadata"]["name"])
        if stored is not None and not stored["metadata"].get("ownerReferences"):
            self.client.delete(kind, stored["metadata"]["namespace"], stored["metadata"]["name"])
            return self.client.create(kind, desired)
        return super().ensure(kind, desired, jobset)


class TakesTheUsersAlong(Mutation, JobSetGang):
    """Becomes the owner of the user's Workload, so that it goes with the JobSet."""

    killed_by = ("workload-of-the-user-is-used-as-it-is",)
    breaks = ("JSG-08",)

    def ensure(self, kind: Kind, desired: Object, jobset: Object) -> Object:
        stored, meta = super().ensure(kind, desired, jobset), desired["metadata"]
        if not stored["metadata"].get("ownerReferences"):
            change = {"metadata": {"ownerReferences": [owner(jobset)]}}
            return self.client.patch(kind, meta["namespace"], meta["name"], change)
        return stored


class SecondWorkload(Mutation, JobSetGang):
    """Makes a Workload of its own beside one that points to the JobSet."""

    killed_by = ("workload-that-points-to-the-jobset-is-used",)
    breaks = ("JSG-05",)

    def prepare(self, jobset: Object, plan: GangPlan, dialect: Dialect) -> Condition | None:
        self.ensure(dialect.workload, dialect.make_workload(jobset, plan), jobset)
        return super().prepare(jobset, plan, dialect)


class MakesItsOwnAnyway(Mutation, JobSetGang):
    """Makes a Workload for every JobSet that asks, also where its user made one and refers to it."""

    killed_by = ("example-of-the-design-is-a-gang",)
    breaks = ("JSG-05",)

    def prepare(self, jobset: Object, plan: GangPlan, dialect: Dialect) -> Condition | None:
        other = replace(plan, workload=f"{plan.workload}-own")
        self.ensure(dialect.workload, dialect.make_workload(jobset, other), jobset)
        return super().prepare(jobset, plan, dialect)


class WorkloadPerJob(Mutation, JobSetGang):
    """Makes one more Workload for every job that is a gang."""

    killed_by = ("job-gangs-get-a-group-each", "levels-can-be-mixed-over-jobs")
    breaks = ("JSG-02",)

    def prepare(self, jobset: Object, plan: GangPlan, dialect: Dialect) -> Condition | None:
        for group in plan.groups[1:]:
            alone = GangPlan(f"{plan.workload}-{group.jobs[0]}", (group,))
            self.ensure(dialect.workload, dialect.make_workload(jobset, alone), jobset)
        return super().prepare(jobset, plan, dialect)


class ServesEverybody(Mutation, JobSetGang):
    """Turns JobSets into gangs that did not ask for it."""

    killed_by = ("jobset-that-does-not-ask-gets-no-workload",)
    breaks = ("JSG-03", "JSG-04")

    def plan(self, jobset: Object) -> GangPlan | None:
        changed = {"gangConfig": {"gangMode": "Gang"}, "replicatedJobs": jobs_of(jobset)}
        return super().plan(jobset) or super().plan({**jobset, "spec": changed})


class ServesTheSilent(Mutation, JobSetGang):
    """Turns JobSets into gangs that say nothing about gangs."""

    killed_by = ("jobset-that-does-not-ask-gets-no-workload",)
    breaks = ("JSG-03",)

    def plan(self, jobset: Object) -> GangPlan | None:
        spec = jobset["spec"]
        silent = not any("gangConfig" in holder for holder in (spec, *jobs_of(jobset)))
        return super().plan({**jobset, "spec": {**spec, "gangConfig": {"gangMode": GANG}}} if silent else jobset)


class TakesOffForAsking(Mutation, JobSetGang):
    """Turns JobSets into gangs that say Off."""

    killed_by = ("jobset-that-does-not-ask-gets-no-workload",)
    breaks = ("JSG-04",)

    def plan(self, jobset: Object) -> GangPlan | None:
        spec = jobset["spec"]
        off = written_mode(spec) == OFF and all(mode(job) == OFF for job in jobs_of(jobset))
        return super().plan({**jobset, "spec": {**spec, "gangConfig": {"gangMode": GANG}}} if off else jobset)


class GroupsEveryJob(Mutation, JobSetGang):
    """Gives a group to every job as soon as one of them asks for one."""

    killed_by = ("jobs-that-do-not-ask-have-no-group",)
    breaks = ("JSG-20",)

    def plan(self, jobset: Object) -> GangPlan | None:
        plan = super().plan(jobset)
        if plan is None or len(plan.groups[0].jobs) > 1:
            return plan
        asking = [{**job, "gangConfig": job.get("gangConfig", {"gangMode": "Gang"})} for job in jobs_of(jobset)]
        changed = super().plan({**jobset, "spec": {**jobset["spec"], "replicatedJobs": asking}})
        return changed if jobset["spec"].get("gangConfig") is None else plan


class OneGangOfReplicas(Mutation, JobSetGang):
    """Makes one gang of all replicas where each was to be one."""

    killed_by = (
        "replica-gangs-share-a-group",
        "room-for-one-replica-starts-one",
        "replica-starts-when-there-is-room-for-it",
    )
    breaks = ("JSG-15", "JSG-30")

    def plan(self, jobset: Object) -> GangPlan | None:
        jobs = [{**job, "gangConfig": {"gangMode": "Gang"}} if "gangConfig" in job else job for job in jobs_of(jobset)]
        spec = {**jobset["spec"], "replicatedJobs": jobs}
        return super().plan(jobset) and super().plan({**jobset, "spec": spec})


class GangOfJobs(JobSetGang):
    """Puts all jobs that are gangs into one."""

    def concerns(self, jobset: Object) -> bool:
        """Whether it makes the mistake for this JobSet."""
        return True

    def plan(self, jobset: Object) -> GangPlan | None:
        plan = super().plan(jobset)
        if plan is None or len(plan.groups) < 2 or not self.concerns(jobset):
            return plan
        first, total = plan.groups[0], sum(group.minimum for group in plan.groups)
        names = tuple(job for group in plan.groups for job in group.jobs)
        whole = PlannedGroup(first.name, total, names, (Instance(first.name, first.instances[0].name),))
        return GangPlan(plan.workload, (whole,))


class OneGangOfJobs(Mutation, GangOfJobs):
    """Puts all jobs that are gangs into one."""

    killed_by = (
        "job-that-does-not-fit-holds-back-no-other",
        "dependent-job-starts-whole-after-the-first",
        "jobs-in-order-start-whole",
    )
    breaks = ("JSG-29", "JSG-31", "JSG-32")


class OneGangOfDependentJobs(Mutation, GangOfJobs):
    """Puts all jobs that are gangs into one if one of them depends on another."""

    killed_by = ("dependent-job-starts-whole-after-the-first",)
    breaks = ("JSG-31",)

    def concerns(self, jobset: Object) -> bool:
        return _depends(jobset)


class OneGangOfJobsInOrder(Mutation, GangOfJobs):
    """Puts all jobs that are gangs into one if they start in order."""

    killed_by = ("jobs-in-order-start-whole",)
    breaks = ("JSG-32",)

    def concerns(self, jobset: Object) -> bool:
        return _in_order(jobset)


class OneGangOfJobsAtOnce(Mutation, GangOfJobs):
    """Puts all jobs that are gangs into one if they start in no order."""

    killed_by = ("job-that-does-not-fit-holds-back-no-other",)
    breaks = ("JSG-29",)

    def concerns(self, jobset: Object) -> bool:
        return not _depends(jobset) and not _in_order(jobset)


class GroupPerJob(Mutation, JobSetGang):
    """Makes a group of each job where the JobSet as a whole was to be one gang."""

    killed_by = ("jobset-gang-gets-one-workload",)
    breaks = ("JSG-10",)

    def plan(self, jobset: Object) -> GangPlan | None:
        if mode(jobset["spec"]) != GANG:
            return super().plan(jobset)
        jobs = [{**job, "gangConfig": {"gangMode": GANG}} for job in jobs_of(jobset)]
        return super().plan({**jobset, "spec": {**jobset["spec"], "gangConfig": None, "replicatedJobs": jobs}})


class NamesByUid(Mutation, JobSetGang):
    """Names the Workload after the JobSet's uid, which nobody can know before it is created."""

    killed_by = ("jobset-gang-gets-one-workload",)
    breaks = ("JSG-17",)

    def plan(self, jobset: Object) -> GangPlan | None:
        plan = super().plan(jobset)
        return plan and replace(plan, workload=f"w-{jobset['metadata'].get('uid', '')}")


class NamesByJobAlone(Mutation, JobSetGang):
    """Names the objects of gangs after jobs alone, though another JobSet may have jobs of the same name."""

    killed_by = ("gangs-of-two-jobsets-do-not-mix",)
    breaks = ("JSG-14", "JSG-16")

    def plan(self, jobset: Object) -> GangPlan | None:
        plan = super().plan(jobset)
        if plan is None:
            return None
        return replace(plan, groups=tuple(map(self._renamed, plan.groups)))

    def _renamed(self, group: PlannedGroup) -> PlannedGroup:
        named = [
            replace(instance, name=re.sub(r"^pg-[^.]*\.([^.]*)$", r"pg-\1", instance.name))
            for instance in group.instances
        ]
        named = [replace(instance, name=re.sub(r"^pg-[^.]*\.(.*)\.0$", r"pg-\1", instance.name)) for instance in named]
        return replace(group, instances=tuple(named))


def _counting(group: PlannedGroup, minimum: int) -> PlannedGroup:
    return replace(group, minimum=minimum)


def _depends(jobset: Object) -> bool:
    return any(job.get("dependsOn") for job in jobs_of(jobset))


def _in_order(jobset: Object) -> bool:
    return (jobset["spec"].get("startupPolicy") or {}).get("startupPolicyOrder") == "InOrder"
