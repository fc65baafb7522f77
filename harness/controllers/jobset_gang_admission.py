"""Admission for gangs of JobSets: what a gangConfig may say, and the reference that every pod needs.

The reference is put into the pod template of each Job, when the JobSet controller creates it: there the replica is
known, and from there the Job controller copies it into every pod, also into those that replace others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.controllers.admission import Answer, FieldError, Review
from harness.controllers.cache import Cache
from harness.controllers.client import Client, Object
from harness.controllers.jobset_gang_api import JOBSET, Dialect, owner_of, points_to
from harness.controllers.jobset_gang_plan import (
    GANG,
    LARGEST_WORKLOAD,
    OFF,
    REPLICATED,
    Plan,
    jobs_of,
    mode,
    never_complete,
    said,
)

JOB_LABEL = "jobset.sigs.k8s.io/replicatedjob-name"
INDEX_LABEL = "jobset.sigs.k8s.io/job-index"
JOBSET_MODES = (OFF, GANG)
JOB_MODES = (OFF, GANG, REPLICATED)
PATH = "spec.gangConfig.gangMode"


class Admission:
    """Answers what the API server asks about JobSets and their Jobs."""

    def __init__(
        self, client: Client, cache: Cache, dialect: Dialect | None, plan: Callable[[Object], Plan | None]
    ) -> None:
        self.client, self.cache, self.dialect, self.plan = client, cache, dialect, plan

    # -- JobSets ------------------------------------------------------------------------------------------------------

    def validate_jobset(self, review: Review) -> Answer:
        if self.dialect is None:
            return Answer()
        jobset = review.object
        if review.old_object is not None:  # what was stored while nobody looked must still be possible to change
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
            detail = f"at most {LARGEST_WORKLOAD} jobs may be gangs, for a Workload has no more groups"
            return [FieldError.invalid("spec.replicatedJobs", len(asking), detail)]
        return []

    def change_errors(self, jobset: Object, old: Object) -> list[FieldError]:
        """Modes that are not what they were."""
        errors = []
        if said(jobset["spec"]) != said(old["spec"]):
            errors.append(FieldError.immutable(PATH, said(jobset["spec"])))
        before = {job["name"]: job for job in jobs_of(old)}
        for index, job in enumerate(jobs_of(jobset)):
            if job["name"] in before and said(job) != said(before[job["name"]]):
                errors.append(FieldError.immutable(_path(index), said(job)))
        return errors

    # -- Jobs ---------------------------------------------------------------------------------------------------------

    def refer_job(self, review: Review) -> Answer:
        """Put the reference into the pod template of a JobSet's Job, unless its user wrote one."""
        job, owner = review.object, owner_of(review.object)
        jobset = self.jobset_of(review.namespace, owner) if owner else None
        wanted = self.plan(jobset) if jobset is not None else None
        if self.dialect is None or wanted is None:
            return Answer()
        template = job["spec"]["template"]["spec"]
        labels, field = job["metadata"].get("labels") or {}, self.dialect.reference_field
        index = labels.get(INDEX_LABEL, "")
        try:
            instance = wanted.instance(labels.get(JOB_LABEL, ""), int(index))
        except (ValueError, IndexError):
            wrong = FieldError.invalid(f"metadata.labels[{INDEX_LABEL}]", index, "must be the index of a replica")
            return Answer([wrong])
        if instance is None or template.get(field):
            return Answer()
        if leaving := self.leaving(review.namespace, wanted, owner["uid"], self.dialect):
            detail = f"{leaving} of an earlier JobSet of this name is still there; pods of this one would join it"
            return Answer([FieldError.forbidden(f"spec.template.spec.{field}", detail)])
        users = users_workload(self.cache, self.dialect, review.namespace, owner["name"])
        workload = users["metadata"]["name"] if users is not None else wanted.workload
        value = self.dialect.reference(workload, instance)
        return Answer(patch=[{"op": "add", "path": f"/spec/template/spec/{field}", "value": value}])

    def jobset_of(self, namespace: str, owner: Object) -> Object | None:
        """The JobSet that owns a Job; asked for if the cache has not heard of it yet."""
        for find in (self.cache.get, self.client.get):
            found = find(JOBSET, namespace, owner["name"])
            if found is not None and found["metadata"]["uid"] == owner["uid"]:
                return found
        return None

    def leaving(self, namespace: str, wanted: Plan, uid: str, dialect: Dialect) -> str:
        """The gang object of an earlier JobSet of the same name, if one is still there."""
        places = [(dialect.workload, wanted.workload)]
        if dialect.has_objects:
            places += [(dialect.pod_group, one.name) for group in wanted.groups for one in group.instances]
        for kind, name in places:
            found = self.cache.get(kind, namespace, name)
            owner = owner_of(found) if found is not None else {}
            if owner and owner["uid"] != uid:
                return f"{kind.kind} {name}"
        return ""


def users_workload(cache: Cache, dialect: Dialect, namespace: str, jobset: str) -> Object | None:
    """The Workload that somebody else made for a JobSet: its controllerRef says so, whatever its name is."""
    for workload in cache.of(dialect.workload, (namespace, jobset)):
        if not owner_of(workload) and points_to(workload) == jobset:
            return workload
    return None


def _path(index: int) -> str:
    return f"spec.replicatedJobs[{index}].gangConfig.gangMode"
