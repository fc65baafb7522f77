"""Admission for gangs of JobSets: it validates gangConfig, and sets the reference that every pod needs.

The reference is set in the pod template of each Job when the JobSet controller creates the Job: the replica is known
there, and the Job controller copies the template into every pod, also into replacements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.controllers.jobset_gang.api import Dialect, owner_of, points_to
from harness.controllers.jobset_gang.plan import (
    GANG,
    LARGEST_WORKLOAD,
    OFF,
    REPLICATED,
    GangPlan,
    jobs_of,
    mode,
    never_complete,
    written_mode,
)
from harness.controllers.runtime.admission import Answer, FieldError, Review
from harness.controllers.runtime.cache import Cache
from harness.controllers.runtime.client import Client, Object
from harness.core.kinds import JOBSET

JOB_LABEL = "jobset.sigs.k8s.io/replicatedjob-name"
INDEX_LABEL = "jobset.sigs.k8s.io/job-index"
JOBSET_MODES = (OFF, GANG)
JOB_MODES = (OFF, GANG, REPLICATED)
PATH = "spec.gangConfig.gangMode"


class Admission:
    """Answers what the API server asks about JobSets and their Jobs."""

    def __init__(
        self, client: Client, cache: Cache, dialect: Dialect | None, plan: Callable[[Object], GangPlan | None]
    ) -> None:
        self.client, self.cache, self.dialect, self.plan = client, cache, dialect, plan

    # -- JobSets ------------------------------------------------------------------------------------------------------

    def validate_jobset(self, review: Review) -> Answer:
        if self.dialect is None:
            return Answer()
        jobset = review.object
        if review.old_object is not None:  # a JobSet that was stored without validation must still be changeable
            return Answer(self.change_errors(jobset, review.old_object))
        errors = self.mode_errors(jobset) or self.level_errors(jobset)
        hazard = "" if errors else never_complete(jobset)
        return Answer(errors, warnings=[f"{PATH}: the gang can never be complete: {hazard}"] if hazard else [])

    def mode_errors(self, jobset: Object) -> list[FieldError]:
        """Modes that do not exist at their level."""
        places: list[tuple[str, Object, Sequence[str]]] = [(PATH, jobset["spec"], JOBSET_MODES)]
        places += [(_path(index), job, JOB_MODES) for index, job in enumerate(jobs_of(jobset))]
        errors = []
        for path, holder, allowed in places:
            config = holder.get("gangConfig")
            if config is not None and not config.get("gangMode"):
                errors.append(FieldError.required(path))
            elif config is not None and config["gangMode"] not in allowed:
                errors.append(FieldError.unsupported(path, config["gangMode"], allowed))
        return errors

    def level_errors(self, jobset: Object) -> list[FieldError]:
        """Gangs at both levels at once, and more groups than a Workload holds."""
        asking = [(index, job) for index, job in enumerate(jobs_of(jobset)) if mode(job) != OFF]
        if mode(jobset["spec"]) != OFF:
            detail = f"may not be set together with {PATH}, except to {OFF}"
            return [FieldError.forbidden(_path(index), detail) for index, _ in asking]
        if len(asking) > LARGEST_WORKLOAD:
            detail = f"at most {LARGEST_WORKLOAD} jobs may be gangs: a Workload has no more groups"
            return [FieldError.invalid("spec.replicatedJobs", len(asking), detail)]
        return []

    def change_errors(self, jobset: Object, old: Object) -> list[FieldError]:
        """Modes that were changed, which is not allowed."""
        errors = []
        if written_mode(jobset["spec"]) != written_mode(old["spec"]):
            errors.append(FieldError.immutable(PATH, written_mode(jobset["spec"])))
        before = {job["name"]: job for job in jobs_of(old)}
        for index, job in enumerate(jobs_of(jobset)):
            if job["name"] in before and written_mode(job) != written_mode(before[job["name"]]):
                errors.append(FieldError.immutable(_path(index), written_mode(job)))
        return errors

    # -- Jobs ---------------------------------------------------------------------------------------------------------

    def refer_job(self, review: Review) -> Answer:
        """Set the reference in the pod template of a JobSet's Job, unless the user set one."""
        job, owner = review.object, owner_of(review.object)
        jobset = self.jobset_of(review.namespace, owner) if owner else None
        plan = self.plan(jobset) if jobset is not None else None
        if self.dialect is None or plan is None:
            return Answer()
        template = job["spec"]["template"]["spec"]
        labels, field = job["metadata"].get("labels") or {}, self.dialect.api.reference_field
        index = labels.get(INDEX_LABEL, "")
        try:
            instance = plan.instance(labels.get(JOB_LABEL, ""), int(index))
        except (ValueError, IndexError):
            wrong = FieldError.invalid(f"metadata.labels[{INDEX_LABEL}]", index, "must be the index of a replica")
            return Answer([wrong])
        if instance is None or template.get(field):
            return Answer()
        if terminating := self.terminating(review.namespace, plan, owner["uid"], self.dialect):
            detail = f"{terminating} of an earlier JobSet of this name is still there; pods of this one would join it"
            return Answer([FieldError.forbidden(f"spec.template.spec.{field}", detail)])
        users = users_workload(self.cache, self.dialect, review.namespace, owner["name"])
        workload = users["metadata"]["name"] if users is not None else plan.workload
        value = self.dialect.reference(workload, instance)
        return Answer(patch=[{"op": "add", "path": f"/spec/template/spec/{field}", "value": value}])

    def jobset_of(self, namespace: str, owner: Object) -> Object | None:
        """The JobSet that owns a Job, from the API server if the cache does not have it yet."""
        for find in (self.cache.get, self.client.get):
            jobset = find(JOBSET, namespace, owner["name"])
            if jobset is not None and jobset["metadata"]["uid"] == owner["uid"]:
                return jobset
        return None

    def terminating(self, namespace: str, plan: GangPlan, uid: str, dialect: Dialect) -> str:
        """The Workload or PodGroup of an earlier JobSet of the same name, if one still exists; else ""."""
        places = [(dialect.workload, plan.workload)]
        if dialect.api.has_group_objects:
            places += [(dialect.pod_group, instance.name) for group in plan.groups for instance in group.instances]
        for kind, name in places:
            obj = self.cache.get(kind, namespace, name)
            owner = owner_of(obj) if obj is not None else {}
            if owner and owner["uid"] != uid:
                return f"{kind.kind} {name}"
        return ""


def users_workload(cache: Cache, dialect: Dialect, namespace: str, jobset: str) -> Object | None:
    """The Workload that a user made for a JobSet: its controllerRef points to the JobSet, under any name."""
    for workload in cache.of(dialect.workload, (namespace, jobset)):
        if not owner_of(workload) and points_to(workload) == jobset:
            return workload
    return None


def _path(index: int) -> str:
    return f"spec.replicatedJobs[{index}].gangConfig.gangMode"
