"""Mutations of admission: references that are wrong, and JobSets that should be refused."""

from __future__ import annotations

from dataclasses import replace

from harness.controllers.jobset_gang.admission import INDEX_LABEL, JOB_LABEL, PATH, Admission
from harness.controllers.jobset_gang.api import owner_of
from harness.controllers.jobset_gang.controller import JobSetGang
from harness.controllers.jobset_gang.plan import GANG, REPLICATED, GangPlan, PlannedGroup, jobs_of, mode
from harness.controllers.runtime.admission import Answer, FieldError, Review
from harness.controllers.runtime.client import Object
from harness.mutation.base import Mutation

RESTARTS = "jobset.sigs.k8s.io/restart-attempt"


class NoReferences(Mutation, JobSetGang):
    """Makes all objects, and writes no reference into pods."""

    killed_by = (
        "jobset-starts-whole-or-not-at-all",
        "job-controller-adds-no-workload",
        "gang-whose-jobs-wait-for-each-other-is-never-split",
    )
    breaks = ("JSG-28",)

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            return Answer()


class RefersOnlyOnce(Mutation, JobSetGang):
    """Tells the pods of the first attempt alone; when a JobSet starts over its pods are in no gang."""

    killed_by = ("restarted-jobset-is-a-gang-again",)
    breaks = ("JSG-12",)

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            first = review.object["metadata"]["labels"][RESTARTS] == "0"
            return super().refer_job(review) if first else Answer()


class OverwritesReferences(Mutation, JobSetGang):
    """Writes its reference over the one in the user's template."""

    killed_by = ("reference-of-the-user-reaches-the-pods",)
    breaks = ("JSG-06",)

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            review.object["spec"]["template"]["spec"].pop("schedulingGroup", None)
            return super().refer_job(review)


class EatsReferences(Mutation, JobSetGang):
    """Takes references away from JobSets that did not ask for gangs."""

    killed_by = ("workload-by-hand-makes-the-jobset-a-gang",)
    breaks = ("JSG-27",)

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            jobset = self.jobset_of(review.namespace, owner_of(review.object))
            if jobset is not None and self.plan(jobset) is None and "schedulingGroup" in _template(review.object):
                return Answer(patch=[{"op": "remove", "path": "/spec/template/spec/schedulingGroup"}])
            return super().refer_job(review)


class CountsFromOne(Mutation, JobSetGang):
    """Counts replicas from one, as the examples of the design do, while Jobs count from zero."""

    killed_by = ("gang-objects-are-named-after-their-jobset",)
    breaks = ("REF-10",)

    def plan(self, jobset: Object) -> GangPlan | None:
        plan = super().plan(jobset)
        return plan and replace(plan, groups=tuple(_shifted(group) for group in plan.groups))


class NamesTheFirstReplica(Mutation, JobSetGang):
    """Lets the pods of all replicas name the gang of the first."""

    killed_by = ("replica-gangs-share-a-group",)
    breaks = ("JSG-16",)

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            review.object["metadata"]["labels"][INDEX_LABEL] = "0"
            return super().refer_job(review)


class NamesTheFirstJob(Mutation, JobSetGang):
    """Lets the pods of every job that is a gang name the gang of the first one."""

    killed_by = ("job-gangs-get-a-group-each",)
    breaks = ("JSG-14",)

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            jobset = self.jobset_of(review.namespace, owner_of(review.object))
            asking = [job["name"] for job in jobs_of(jobset or {"spec": {}}) if mode(job) == GANG]
            labels = review.object["metadata"]["labels"]
            if labels.get(JOB_LABEL) in asking:
                labels[JOB_LABEL] = asking[0]
            return super().refer_job(review)


class AcceptsBothLevels(Mutation, JobSetGang):
    """Lets JobSets ask at both levels."""

    killed_by = ("gangs-at-both-levels-are-refused", "refusals-about-gangs-name-the-field")
    breaks = ("JSG-22",)

    class hooks(Admission):
        def level_errors(self, jobset: Object) -> list[FieldError]:
            return []


class NamesNoField(Mutation, JobSetGang):
    """Refuses gangs at both levels without saying where."""

    killed_by = ("refusals-about-gangs-name-the-field",)
    breaks = ("REF-09",)

    class hooks(Admission):
        def level_errors(self, jobset: Object) -> list[FieldError]:
            return [replace(error, path="spec") for error in super().level_errors(jobset)]


class RefusesOff(Mutation, JobSetGang):
    """Refuses a mode at one level although the other level is Off."""

    killed_by = ("one-level-with-the-other-off-is-accepted",)
    breaks = ("JSG-23",)

    class hooks(Admission):
        def level_errors(self, jobset: Object) -> list[FieldError]:
            if "gangConfig" in jobset["spec"] and any("gangConfig" in job for job in jobs_of(jobset)):
                return [FieldError.forbidden("spec.gangConfig", "may not be set at both levels")]
            return super().level_errors(jobset)


class RefusesMixtures(Mutation, JobSetGang):
    """Wants all jobs of a JobSet to ask for the same level."""

    killed_by = ("levels-can-be-mixed-over-jobs", "gang-objects-say-what-their-group-says")
    breaks = ("JSG-21",)

    class hooks(Admission):
        def level_errors(self, jobset: Object) -> list[FieldError]:
            modes = {mode(job) for job in jobs_of(jobset)}
            if {"Gang", REPLICATED} <= modes:
                return [FieldError.forbidden("spec.replicatedJobs", "all jobs must ask for the same mode")]
            return super().level_errors(jobset)


class AcceptsAnyMode(Mutation, JobSetGang):
    """Accepts any text as a mode."""

    killed_by = ("modes-that-do-not-exist-are-refused",)
    breaks = ("JSG-24",)

    class hooks(Admission):
        def mode_errors(self, jobset: Object) -> list[FieldError]:
            return []


class LetsJobsJoin(Mutation, JobSetGang):
    """Refuses another mode for a job, but not a first one or none."""

    killed_by = ("mode-of-a-job-never-changes",)
    breaks = ("JSG-26",)

    class hooks(Admission):
        def change_errors(self, jobset: Object, old: Object) -> list[FieldError]:
            before = {job["name"]: job.get("gangConfig") for job in jobs_of(old)}
            same = [
                job if job.get("gangConfig") and before.get(job["name"]) else {**job, "gangConfig": before[job["name"]]}
                for job in jobs_of(jobset)
            ]
            return super().change_errors({**jobset, "spec": {**jobset["spec"], "replicatedJobs": same}}, old)


class LetsJobSetsChange(Mutation, JobSetGang):
    """Lets the mode of a JobSet change, and not that of its jobs."""

    killed_by = ("mode-of-a-jobset-never-changes",)
    breaks = ("JSG-25",)

    class hooks(Admission):
        def change_errors(self, jobset: Object, old: Object) -> list[FieldError]:
            return [error for error in super().change_errors(jobset, old) if error.path != PATH]


class LetsModesChange(Mutation, JobSetGang):
    """Lets gangs be switched on and off while they run."""

    killed_by = ("mode-of-a-jobset-never-changes", "mode-of-a-job-never-changes")
    breaks = ("JSG-25", "JSG-26")

    class hooks(Admission):
        def change_errors(self, jobset: Object, old: Object) -> list[FieldError]:
            return []


def _template(job: Object) -> Object:
    template: Object = job["spec"]["template"]["spec"]
    return template


def _shifted(group: PlannedGroup) -> PlannedGroup:
    later = [
        replace(instance, name=f"{instance.name[:-1]}{int(instance.key) + 1}", key=str(int(instance.key) + 1))
        if instance.key
        else instance
        for instance in group.instances
    ]
    return replace(group, instances=tuple(later))
