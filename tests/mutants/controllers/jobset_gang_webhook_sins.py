"""Gang controllers whose webhooks break one law each: references that are wrong, and JobSets that should be refused."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from harness.controllers.admission import Answer, FieldError, Review
from harness.controllers.client import Object
from harness.controllers.jobset_gang import JobSetGang
from harness.controllers.jobset_gang_admission import Admission
from harness.controllers.jobset_gang_api import owner_of
from harness.controllers.jobset_gang_plan import REPLICATED, Group, Plan, jobs_of, mode

RESTARTS = "jobset.sigs.k8s.io/restart-attempt"


class Sinner(JobSetGang):
    """What every sin has: the cases that must catch it."""

    caught_by: ClassVar[tuple[str, ...]] = ()
    always_on = False


class NoReferences(Sinner):
    """Makes all objects, and tells no pod."""

    caught_by = ("jobset-starts-whole-or-not-at-all", "job-controller-adds-no-workload")

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            return Answer()


class RefersOnlyOnce(Sinner):
    """Tells the pods of the first attempt alone; when a JobSet starts over its pods are in no gang."""

    caught_by = ("restarted-jobset-is-a-gang-again",)

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            first = review.object["metadata"]["labels"][RESTARTS] == "0"
            return super().refer_job(review) if first else Answer()


class OverwritesReferences(Sinner):
    """Writes its reference over the one in the user's template."""

    caught_by = ("reference-of-the-user-reaches-the-pods",)

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            review.object["spec"]["template"]["spec"].pop("schedulingGroup", None)
            return super().refer_job(review)


class EatsReferences(Sinner):
    """Takes references away from JobSets that did not ask for gangs."""

    caught_by = ("workload-by-hand-makes-the-jobset-a-gang",)

    class hooks(Admission):
        def refer_job(self, review: Review) -> Answer:
            jobset = self.jobset_of(review.namespace, owner_of(review.object))
            if jobset is not None and self.plan(jobset) is None and "schedulingGroup" in _template(review.object):
                return Answer(patch=[{"op": "remove", "path": "/spec/template/spec/schedulingGroup"}])
            return super().refer_job(review)


class CountsFromOne(Sinner):
    """Counts replicas from one, as the examples of the design do, while Jobs count from zero."""

    caught_by = ("replica-gangs-share-a-group",)

    def plan(self, jobset: Object) -> Plan | None:
        wanted = super().plan(jobset)
        return wanted and replace(wanted, groups=tuple(_shifted(group) for group in wanted.groups))


class AcceptsBothLevels(Sinner):
    """Lets JobSets ask at both levels."""

    caught_by = ("gangs-at-both-levels-are-refused",)

    class hooks(Admission):
        def level_errors(self, jobset: Object) -> list[FieldError]:
            return []


class RefusesOff(Sinner):
    """Takes Off at the other level for a question, and refuses it."""

    caught_by = ("one-level-with-the-other-off-is-accepted",)

    class hooks(Admission):
        def level_errors(self, jobset: Object) -> list[FieldError]:
            if "gangConfig" in jobset["spec"] and any("gangConfig" in job for job in jobs_of(jobset)):
                return [FieldError.forbidden("spec.gangConfig", "may not be set at both levels")]
            return super().level_errors(jobset)


class RefusesMixtures(Sinner):
    """Wants all jobs of a JobSet to ask for the same level."""

    caught_by = ("levels-can-be-mixed-over-jobs", "gang-objects-say-what-their-group-says")

    class hooks(Admission):
        def level_errors(self, jobset: Object) -> list[FieldError]:
            modes = {mode(job) for job in jobs_of(jobset)}
            if {"Gang", REPLICATED} <= modes:
                return [FieldError.forbidden("spec.replicatedJobs", "all jobs must ask for the same mode")]
            return super().level_errors(jobset)


class AcceptsAnyMode(Sinner):
    """Takes every word for a mode."""

    caught_by = ("modes-that-do-not-exist-are-refused",)

    class hooks(Admission):
        def mode_errors(self, jobset: Object) -> list[FieldError]:
            return []


class LetsModesChange(Sinner):
    """Lets gangs be switched on and off while they run."""

    caught_by = ("mode-of-a-jobset-never-changes", "mode-of-a-job-never-changes")

    class hooks(Admission):
        def change_errors(self, jobset: Object, old: Object) -> list[FieldError]:
            return []


def _template(job: Object) -> Object:
    template: Object = job["spec"]["template"]["spec"]
    return template


def _shifted(group: Group) -> Group:
    later = [replace(one, name=f"{one.name[:-1]}{int(one.key) + 1}", key=str(int(one.key) + 1)) if one.key else one
             for one in group.instances]  # fmt: skip
    return replace(group, instances=tuple(later))
