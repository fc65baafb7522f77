"""Mutations of the script that waits: everything about the JobSet is right, but what its pods run is not."""

from __future__ import annotations

from harness.controllers.jobset_barrier import spec as spec
from harness.controllers.jobset_barrier.controller import Barrier
from harness.controllers.runtime.admission import Answer, Review
from harness.mutation.base import CANARY, Mutation

FILE = f"{spec.MOUNT}/{spec.STARTED}"
SIGNAL = f'[ "$(cat {FILE} 2>/dev/null)" = "$attempt" ]'
LIMITED = '[ -n "$TIMEOUT_AFTER_SECONDS" ]'
LIMIT = '-gt "$TIMEOUT_AFTER_SECONDS"'


class WrongScript(Barrier):
    """Injects a script in which one part is replaced."""

    part = replacement = ""

    def mutate(self, review: Review) -> Answer:
        patch = super().mutate(review).patch
        right = review.object["metadata"].get("name") == CANARY  # which has to pass the barrier before any case
        for change in patch:
            if change["path"].endswith("/initContainers") and not right:
                command = change["value"][0]["command"]
                assert self.part in command[-1]
                command[-1] = command[-1].replace(self.part, self.replacement)
        return Answer(patch=patch)


class IgnoresTheLimit(Mutation, WrongScript):
    """Is given the time limit and does not look at the clock."""

    killed_by = (
        "pod-out-of-time-fails-and-never-runs",
        "time-limit-is-kept-to-the-second",
        "jobset-out-of-time-starts-anew-by-its-policy",
        "pods-that-start-in-time-never-fail",
    )
    breaks = ("BAR-18", "BAR-20", "BAR-31")
    quick = True
    part, replacement = LIMITED, "false"


class GivesUpEarly(Mutation, WrongScript):
    """Fails when half of its time is over."""

    killed_by = ("time-limit-is-kept-to-the-second",)
    breaks = ("BAR-31",)
    part, replacement = LIMIT, "-gt $((TIMEOUT_AFTER_SECONDS / 2))"


class GivesUpLate(Mutation, WrongScript):
    """Fails ten seconds after its time is over."""

    killed_by = ("time-limit-is-kept-to-the-second",)
    breaks = ("BAR-31",)
    part, replacement = LIMIT, "-gt $((TIMEOUT_AFTER_SECONDS + 10))"


class LooksAtAnotherFile(Mutation, WrongScript):
    """Waits for a file that is never written."""

    killed_by = ("pods-that-start-in-time-never-fail", "pods-wait-until-all-have-started")
    breaks = ("BAR-05", "BAR-06", "BAR-15")
    part, replacement = FILE, f"{spec.MOUNT}/ready"


class NeverEnds(Mutation, WrongScript):
    """Goes on waiting whatever the file says."""

    killed_by = ("pods-wait-until-all-have-started",)
    breaks = ("BAR-05", "BAR-15")
    part, replacement = SIGNAL, "false"


class LooksAtTheFolder(Mutation, WrongScript):
    """Takes the empty folder of the ConfigMap for the signal."""

    killed_by = ("pods-wait-until-all-have-started",)
    breaks = ("BAR-11",)
    part, replacement = SIGNAL, f"[ -d {spec.MOUNT} ]"


class TakesAnySignal(Mutation, WrongScript):
    """Takes the signal of a former attempt for its own."""

    killed_by = ("controller-killed-during-a-restart-resets-the-barrier",)
    breaks = ("BAR-26",)
    part, replacement = SIGNAL, f"[ -f {FILE} ]"


class EndsInFailure(Mutation, WrongScript):
    """Fails when the signal is there."""

    killed_by = ("pods-that-start-in-time-never-fail",)
    breaks = ("BAR-05", "BAR-19")
    part, replacement = "\ndone\n", "\ndone\nexit 1\n"


class LooksTooSeldom(Mutation, WrongScript):
    """Looks for the signal every 50 seconds."""

    killed_by = ("signal-reaches-all-pods-within-a-sync-period",)
    breaks = ("BAR-16",)
    part, replacement = "sleep 1", "sleep 50"
