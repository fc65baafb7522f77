"""Gang controllers that remember wrongly, or keep to themselves what they know."""

from __future__ import annotations

from typing import ClassVar

from jobset_gang_webhook_sins import Sinner

from harness.controllers.client import Kind, Object
from harness.controllers.conditions import Condition
from harness.controllers.jobset_gang_api import JOBSET, owner
from harness.controllers.queue import Key


class KeepsTheOld(Sinner):
    """Takes what an earlier JobSet of the same name left behind for its own."""

    caught_by = ("recreated-jobset-does-not-take-over-the-old-gang",)

    def keep(self, kind: Kind, made: Object, jobset: Object) -> Object:
        found = self.cache.get(kind, made["metadata"]["namespace"], made["metadata"]["name"])
        if found is not None:
            change = {"metadata": {"ownerReferences": [owner(jobset)]}}
            return self.client.patch(kind, made["metadata"]["namespace"], made["metadata"]["name"], change)
        return super().keep(kind, made, jobset)


class ServesEachNameOnce(Sinner):
    """Remembers which JobSets it has served, by name alone."""

    caught_by = ("recreated-jobset-is-a-gang-again",)
    served: ClassVar[dict[Key, str]] = {}

    def reconcile(self, key: Key) -> float | None:
        found = self.cache.get(JOBSET, *key)
        if found is None or self.served.setdefault(key, found["metadata"]["uid"]) != found["metadata"]["uid"]:
            return None
        return super().reconcile(key)


class IgnoresThePast(Sinner):
    """Looks only at JobSets that it has seen come, never at those that were there when it started."""

    caught_by = ("controller-killed-halfway-goes-on",)

    def reconcile(self, key: Key) -> float | None:
        if not hasattr(self, "known"):
            self.known = {one["metadata"]["uid"] for one in self.client.list(JOBSET)}
        found = self.cache.get(JOBSET, *key)
        return None if found is None or found["metadata"]["uid"] in self.known else super().reconcile(key)


class KeepsItToItself(Sinner):
    """Says nothing about gangs that cannot start."""

    caught_by = ("gang-whose-jobs-wait-for-each-other-is-reported", "workload-without-the-group-is-reported")

    def say(self, jobset: Object, condition: Condition) -> None:
        if condition.holds:
            super().say(jobset, condition)


class NeverOff(Sinner):
    """Works on, though gangs are turned off."""

    caught_by = ("gangs-turned-off-have-no-effect",)
    always_on = True
