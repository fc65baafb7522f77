"""Mutations of admission: JobSets that are let in or changed wrongly."""

from __future__ import annotations

from harness.controllers.jobset_barrier import injection as injected
from harness.controllers.jobset_barrier import rules as rules
from harness.controllers.jobset_barrier import spec as spec
from harness.controllers.jobset_barrier.controller import Barrier
from harness.controllers.runtime.admission import Answer, Review
from harness.controllers.runtime.client import Object
from harness.mutation.base import CANARY, Mutation


class HoldsEverybody(Mutation, Barrier):
    """Injects into every JobSet, whether it asks or not."""

    killed_by = ("jobset-that-asks-for-nothing-starts-at-once",)
    breaks = ("BAR-01",)

    def mutate(self, review: Review) -> Answer:
        obj = review.object
        if review.old_object is not None or spec.config(obj) is not None:
            return super().mutate(review)
        asked = {**obj, "spec": {**obj["spec"], spec.CONFIG: {}}}
        return Answer(patch=injected.injection(asked, None, self.image))


class HoldsAllJobs(Mutation, Barrier):
    """Injects into all replicated jobs, whatever the targets are."""

    killed_by = ("jobs-that-wait-and-no-others-have-the-container", "only-targets-wait")
    breaks = ("BAR-03", "BAR-25")

    def mutate(self, review: Review) -> Answer:
        obj = review.object
        if review.old_object is not None or spec.config(obj) is None:
            return super().mutate(review)
        asked = {**obj, "spec": {**obj["spec"], spec.CONFIG: {**obj["spec"][spec.CONFIG], "targetReplicatedJobs": []}}}
        return Answer(patch=injected.injection(asked, None, self.image))

    def validate(self, review: Review) -> Answer:
        return Answer()


class HoldsBystanders(Mutation, Barrier):
    """Holds the pods of jobs that are no targets by a scheduling gate."""

    killed_by = ("only-targets-wait",)
    breaks = ("BAR-03",)

    def mutate(self, review: Review) -> Answer:
        patch = list(super().mutate(review).patch)
        gates = [{"name": "example.com/waits-as-well"}]
        for path in _others(review):
            patch.append({"op": "add", "path": f"{path}/schedulingGates", "value": gates})
        return Answer(patch=patch)


class InjectsIdlers(Mutation, Barrier):
    """Gives the pods of jobs that are no targets a container of the same name, which does not wait."""

    killed_by = ("jobs-that-wait-and-no-others-have-the-container",)
    breaks = ("BAR-25",)

    def mutate(self, review: Review) -> Answer:
        patch = list(super().mutate(review).patch)
        container = {**injected.container(review.object, self.image), "command": ["true"]}
        for path in _others(review):
            patch.append({"op": "add", "path": f"{path}/initContainers", "value": [container]})
            patch.append({"op": "add", "path": f"{path}/volumes", "value": [injected.volume(review.object)]})
        return Answer(patch=patch)

    def validate(self, review: Review) -> Answer:
        return Answer()


class WantsNames(Mutation, Barrier):
    """Takes an empty list of targets for no targets at all."""

    killed_by = ("no-targets-named-means-all",)
    breaks = ("BAR-02",)

    def mutate(self, review: Review) -> Answer:
        named = (spec.config(review.object) or {}).get("targetReplicatedJobs")
        return super().mutate(review) if named else Answer()

    def validate(self, review: Review) -> Answer:
        return Answer()


class PutsItLast(Mutation, Barrier):
    """Puts the waiting container behind those of the user."""

    killed_by = ("names-of-a-barrier-follow-from-the-jobset",)
    breaks = ("REF-05",)

    def mutate(self, review: Review) -> Answer:
        patch = super().mutate(review).patch
        for change in patch:
            if change["path"].endswith("/initContainers"):
                rest = [container for container in change["value"][1:] if container["name"] != "first"]
                change["value"] = [{"name": "first", "image": "first"}, *rest, change["value"][0]]
        return Answer(patch=patch)

    def validate(self, review: Review) -> Answer:
        return Answer()


class ReplacesTheTemplate(Mutation, Barrier):
    """Puts the waiting container and its volume in the place of those of the user."""

    killed_by = ("template-of-the-user-is-kept",)
    breaks = ("BAR-07",)

    def mutate(self, review: Review) -> Answer:
        patch = super().mutate(review).patch
        for change in patch:
            if change["path"].endswith("/initContainers"):
                change["value"] = change["value"][:1]
        return Answer(patch=patch)


class NeedsTheConfigMap(Mutation, Barrier):
    """Mounts a ConfigMap that must exist before the waiting container can start."""

    killed_by = ("jobs-that-wait-and-no-others-have-the-container",)
    breaks = ("BAR-06",)

    def mutate(self, review: Review) -> Answer:
        patch = super().mutate(review).patch
        needs_none = review.object["metadata"].get("name") == CANARY  # which has to pass the barrier before any case
        for change in patch if not needs_none else ():
            if change["path"].endswith("/volumes"):
                change["value"][-1] = {**change["value"][-1], "configMap": _required(change["value"][-1])}
        return Answer(patch=patch)

    def validate(self, review: Review) -> Answer:
        return Answer()


class ForgetsTheTime(Mutation, Barrier):
    """Injects a container that waits for ever."""

    killed_by = (
        "pod-out-of-time-fails-and-never-runs",
        "jobset-out-of-time-starts-anew-by-its-policy",
        "pods-that-start-in-time-never-fail",
    )
    breaks = ("BAR-18", "BAR-20")

    def mutate(self, review: Review) -> Answer:
        obj = review.object
        if review.old_object is not None or spec.config(obj) is None:
            return super().mutate(review)
        patient = {**obj["spec"][spec.CONFIG], "timeoutAfterSeconds": None}
        asked = {**obj, "spec": {**obj["spec"], spec.CONFIG: patient}}
        return Answer(patch=injected.injection(asked, None, self.image))


class InjectsOnlyOnce(Mutation, Barrier):
    """Does not look at JobSets that are written again."""

    killed_by = ("manifest-applied-again-changes-nothing",)
    breaks = ("REF-04",)

    def mutate(self, review: Review) -> Answer:
        return super().mutate(review) if review.old_object is None else Answer()


class AllowsAnything(Mutation, Barrier):
    """Refuses nothing."""

    killed_by = (
        "name-of-the-waiting-container-is-reserved",
        "start-in-order-excludes-a-barrier-over-several-jobs",
        "barrier-that-cannot-be-is-refused",
        "barrier-never-changes",
        "reserved-names-are-refused-with-their-path",
        "orders-among-targets-are-refused-with-their-path",
    )
    breaks = ("BAR-04", "BAR-21", "REF-01", "REF-02", "REF-07", "REF-08")

    def validate(self, review: Review) -> Answer:
        return Answer()


class AllowsReservedNames(Mutation, Barrier):
    """Lets containers of the user have the name of the waiting container."""

    killed_by = ("name-of-the-waiting-container-is-reserved",)
    breaks = ("BAR-04",)

    def validate(self, review: Review) -> Answer:
        errors = super().validate(review).errors
        return Answer(errors=[error for error in errors if error.detail != rules.RESERVED])


class AllowsOrders(Mutation, Barrier):
    """Lets a JobSet start in order whose jobs wait for each other."""

    killed_by = ("start-in-order-excludes-a-barrier-over-several-jobs",)
    breaks = ("BAR-21",)

    def validate(self, review: Review) -> Answer:
        errors = super().validate(review).errors
        return Answer(errors=[error for error in errors if error.path != "spec.startupPolicy.startupPolicyOrder"])


class RefusesAnyOrder(Mutation, Barrier):
    """Refuses every JobSet that starts in order."""

    killed_by = ("start-in-order-goes-with-a-barrier-inside-one-job",)
    breaks = ("BAR-22",)

    def validate(self, review: Review) -> Answer:
        obj = review.object
        whole = {**obj, "spec": {**obj["spec"], spec.CONFIG: {}}} if spec.config(obj) is not None else obj
        ordered = spec.part(obj, "spec", "startupPolicy").get("startupPolicyOrder") == "InOrder"
        return super().validate(Review(**{**_fields(review), "object": whole}) if ordered else review)


def _others(review: Review) -> list[str]:
    """The paths to the pod specs of jobs that are no targets, in a JobSet that is new and asks."""
    if review.old_object is not None or spec.config(review.object) is None:
        return []
    targets = [job["name"] for job in spec.targets(review.object)]
    where = "/spec/replicatedJobs/{}/template/spec/template/spec"
    return [where.format(index) for index, job in enumerate(spec.jobs(review.object)) if job["name"] not in targets]


def _required(volume: Object) -> Object:
    """The ConfigMap of a volume, as one that must exist."""
    return {key: value for key, value in volume["configMap"].items() if key != "optional"}


def _fields(review: Review) -> Object:
    return {name: getattr(review, name) for name in Review.__slots__}
