"""Barrier controllers that let the wrong JobSets in, or change them wrongly; see jobset_barrier_sins.py."""

from __future__ import annotations

from harness.controllers import jobset_barrier_injection as injected
from harness.controllers import jobset_barrier_spec as spec
from harness.controllers.admission import Answer, Review
from harness.controllers.client import Object
from harness.controllers.jobset_barrier import Barrier


class HoldsEverybody(Barrier):
    """Injects into every JobSet, whether it asks or not."""

    caught_by = ("jobset-that-asks-for-nothing-starts-at-once",)

    def mutate(self, review: Review) -> Answer:
        obj = review.object
        if review.old_object is not None or spec.config(obj) is not None:
            return super().mutate(review)
        asked = {**obj, "spec": {**obj["spec"], spec.CONFIG: {}}}
        return Answer(patch=injected.injection(asked, None, self.image))


class HoldsAllJobs(Barrier):
    """Injects into all replicated jobs, whatever the targets are."""

    caught_by = ("jobs-that-wait-and-no-others-have-the-container", "only-targets-wait")

    def mutate(self, review: Review) -> Answer:
        obj = review.object
        if review.old_object is not None or spec.config(obj) is None:
            return super().mutate(review)
        asked = {**obj, "spec": {**obj["spec"], spec.CONFIG: {**obj["spec"][spec.CONFIG], "targetReplicatedJobs": []}}}
        return Answer(patch=injected.injection(asked, None, self.image))

    def validate(self, review: Review) -> Answer:
        return Answer()


class WantsNames(Barrier):
    """Takes an empty list of targets for no targets at all."""

    caught_by = ("no-targets-named-means-all",)

    def mutate(self, review: Review) -> Answer:
        named = (spec.config(review.object) or {}).get("targetReplicatedJobs")
        return super().mutate(review) if named else Answer()

    def validate(self, review: Review) -> Answer:
        return Answer()


class PutsItLast(Barrier):
    """Puts the waiting container behind those of the user."""

    caught_by = ("template-of-the-user-is-kept",)

    def mutate(self, review: Review) -> Answer:
        patch = super().mutate(review).patch
        for change in patch:
            if change["path"].endswith("/initContainers"):
                change["value"] = [*change["value"][1:], change["value"][0]]
        return Answer(patch=patch)

    def validate(self, review: Review) -> Answer:
        return Answer()


class ForgetsTheTime(Barrier):
    """Injects a container that waits for ever."""

    caught_by = (
        "pod-out-of-time-fails-and-never-runs", "jobset-out-of-time-starts-anew-by-its-policy",
        "pods-that-start-in-time-never-fail",
    )  # fmt: skip

    def mutate(self, review: Review) -> Answer:
        obj = review.object
        if review.old_object is not None or spec.config(obj) is None:
            return super().mutate(review)
        patient = {**obj["spec"][spec.CONFIG], "timeoutAfterSeconds": None}
        asked = {**obj, "spec": {**obj["spec"], spec.CONFIG: patient}}
        return Answer(patch=injected.injection(asked, None, self.image))


class InjectsOnlyOnce(Barrier):
    """Does not look at JobSets that are written again."""

    caught_by = ("manifest-applied-again-changes-nothing",)

    def mutate(self, review: Review) -> Answer:
        return super().mutate(review) if review.old_object is None else Answer()


class AllowsAnything(Barrier):
    """Refuses nothing."""

    caught_by = (
        "barrier-that-cannot-be-is-refused", "barrier-never-changes", "name-of-the-waiting-container-is-reserved",
        "start-in-order-excludes-a-barrier-over-several-jobs",
    )  # fmt: skip

    def validate(self, review: Review) -> Answer:
        return Answer()


class RefusesAnyOrder(Barrier):
    """Refuses every JobSet that starts in order."""

    caught_by = ("start-in-order-goes-with-a-barrier-inside-one-job",)

    def validate(self, review: Review) -> Answer:
        obj = review.object
        whole = {**obj, "spec": {**obj["spec"], spec.CONFIG: {}}} if spec.config(obj) is not None else obj
        ordered = spec.part(obj, "spec", "startupPolicy").get("startupPolicyOrder") == "InOrder"
        return super().validate(Review(**{**_fields(review), "object": whole}) if ordered else review)


def _fields(review: Review) -> Object:
    return {name: getattr(review, name) for name in Review.__slots__}
