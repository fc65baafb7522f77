"""A submitted LeaderWorkerSet: what a controller made of it, what it is held to, and what can be done to it.

Every replica is a gang of the history. How the integration names a replica's gang on its pods, and of what kind its
group objects are, is read from the adapter's `membership`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.adapters.common.lws_controller import INDEX_LABEL, SET_LABEL, WORKER_LABEL, gang_name
from harness.box.api import Object
from harness.box.recorder import group_kind
from harness.cases import claims
from harness.cases.context import Context
from harness.cases.gang import SubmittedGang, submit_gang
from harness.cases.gangs_of_object import SubmittedGangs
from harness.cases.values import LWS
from harness.core.kinds import LEADER_WORKER_SET, POD, STATEFUL_SET
from harness.core.oracle.incarnation import Group, Incarnation
from harness.core.quantity import millis
from harness.core.verdict import Verdict

REVISION_LABEL = "leaderworkerset.sigs.k8s.io/template-revision-hash"
VERSION = "muster.dev/version"  # annotation of the templates; another value is another revision


class SubmittedLWS(SubmittedGangs):
    """A LeaderWorkerSet in the world."""

    KIND = LEADER_WORKER_SET

    def __init__(self, context: Context, workload: LWS, namespace: str, objects: Sequence[Object]) -> None:
        super().__init__(context, workload.name, namespace)
        self.workload = workload
        self.replica = workload.replica
        membership = context.testbed.adapter.membership
        assert membership is not None, "this integration makes no gangs of LeaderWorkerSets"
        self._membership = membership
        self._old: dict[int, set[str]] = {}  # uids of pods that have to go, by replica
        self._revisions: set[str] = set()  # of the template before the last update
        self._announce(workload.replicas)
        for obj in objects:
            context.create(obj)

    # -- what there is of it ------------------------------------------------------------------------------------------

    def pods(self, index: int | None = None) -> list[Object]:
        """Its pods, or those of one replica, by name."""
        selector = f"{SET_LABEL}={self.name}" + ("" if index is None else f",{INDEX_LABEL}={index}")
        return self._objects.all_of(POD, selector, self.namespace)

    def leaders(self) -> list[Object]:
        """Its leaders in the order of their replicas."""
        leaders = [pod for pod in self.pods() if pod["metadata"]["labels"].get(WORKER_LABEL) == "0"]
        return sorted(leaders, key=lambda pod: int(pod["metadata"]["labels"][INDEX_LABEL]))

    def leader(self, index: int = 0) -> Object:
        """The leader of a replica; KeyError if there is none."""
        return self._objects.get(POD, f"{self.name}-{index}", self.namespace)

    def groups(self) -> list[Object]:
        """Every group object that is named after the set; none where replicas have no such object."""
        if self._membership.group is None:
            return []
        objects = self._objects.all_of(self._membership.group, namespace=self.namespace)
        return [group for group in objects if group["metadata"]["name"].startswith(f"{self.name}-")]

    def group_uids(self) -> set[str]:
        return {group["metadata"]["uid"] for group in self.groups()}

    def group(self, index: int = 0) -> Object:
        """The group object that the leader of a replica names; KeyError if it is not there."""
        assert self._membership.group is not None, "this integration has no group objects"
        return self._objects.get(self._membership.group, self.place(self.leader(index)), self.namespace)

    @property
    def group_kind(self) -> str:
        """What its group objects are called in a history."""
        assert self._membership.group is not None, "this integration has no group objects"
        return group_kind(self._membership.group)

    def recorded_groups(self, index: int) -> set[str]:
        """The names of all group objects that were ever recorded for a replica."""
        return {group.record.name for group in self._recorded_groups(index)}

    def recorded_renewals(self, index: int) -> tuple[int, int]:
        """How many group objects and how many leaders were ever recorded for a replica."""
        leader = f"{self.namespace}/{self.name}-{index}"
        leaders = {
            pod.uid for incarnation in self._incarnations(index) for pod in incarnation.pods if pod.name == leader
        }
        return len({group.record.uid for group in self._recorded_groups(index)}), len(leaders)

    def _incarnations(self, index: int) -> Sequence[Incarnation]:
        key = f"{self.namespace}/{gang_name(self.name, index)}"
        return self._context.recorder.timeline.incarnations.get(key, [])

    def _recorded_groups(self, index: int) -> list[Group]:
        groups = [group for incarnation in self._incarnations(index) for group in incarnation.groups]
        return [group for group in groups if group.record.kind == self.group_kind]

    def place(self, pod: Object) -> str:
        """The gang that a pod names; empty if it names none."""
        part, key = self._membership.place
        return str((pod["metadata"].get(part) or {}).get(key, ""))

    def planned_pod(self, statefulset: str, name: str) -> Object:
        """The pod that a StatefulSet of the set would create under this name."""
        template = self._objects.get(STATEFUL_SET, statefulset, self.namespace)["spec"]["template"]
        meta = {**template["metadata"], "name": name, "namespace": self.namespace}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}

    def requests(self, index: int = 0) -> tuple[dict[str, int], dict[str, int]]:
        """What the group of a replica asks for in its minResources, and what its pods ask for, in thousandths."""
        pods: dict[str, int] = {}
        for role in self.replica.parts:
            for resource, amount in millis(role.request).items():
                pods[resource] = pods.get(resource, 0) + amount * role.size
        return millis((self.group(index).get("spec") or {}).get("minResources")), pods

    # -- what it is held to -------------------------------------------------------------------------------------------

    def is_complete(self) -> Verdict:
        """All pods exist that can be before any is bound, and their groups: the scheduler knows what there is."""
        count = len(self.gangs) * (self.replica.size - self.replica.missing)
        sentence = f"{count} pods of {self.name} exist"
        complete = claims.sees(self._context, sentence, self.pods, least=count)
        return self.has_groups() if complete and self._membership.group else complete

    def is_bound_whole(self, deadline: str = "bound") -> Verdict:
        """Every replica is bound whole within the deadline; workers that were missing at first follow."""
        verdict = super().is_bound_whole(deadline)
        if not verdict or not self.replica.missing:
            return verdict
        size = self.replica.size
        sentence = f"all {size} pods of each replica of {self.name} are bound"
        return claims.stand(self._context, sentence, self.gangs, least=size * len(self.gangs), deadline="bound")

    def all_but_one_run(self) -> SubmittedGang | None:
        """All replicas but one are bound whole and that one waits whole: the one that waits."""
        size, count = self.replica.size, len(self.gangs) - 1
        sentence = f"so many pods of {self.name} are bound as {count} replicas have"
        whole = claims.stand(self._context, sentence, self.gangs, size * count, size * count, "bound")
        waiting = min(self.gangs, key=lambda gang: gang.bound)
        nothing = claims.stand(self._context, f"of replica {waiting.gang.name} nothing is bound", [waiting], most=0)
        return waiting if whole and nothing else None

    def has_groups(self, deadline: str = "bound") -> Verdict:
        """There comes to be one group object for each replica, named by its leader, and no other."""

        def leaders_of_groups() -> list[list[str]]:
            places = {f"{self.name}-{index}": self.place(self.leader(index)) for index in range(len(self.gangs))}
            names = [group["metadata"]["name"] for group in self.groups()]
            return sorted([leader for leader, place in places.items() if place == name] for name in names)

        sentence = f"each of the {len(self.gangs)} replicas of {self.name} has a group of its own"
        each = sorted([f"{self.name}-{index}"] for index in range(len(self.gangs)))
        return claims.sees(self._context, sentence, leaders_of_groups, deadline, equals=each)

    def is_replaced(self, index: int = 0, deadline: str = "bound") -> Verdict:
        """All pods of a replica are other ones than before its leader was deleted or a container restarted."""
        count, old = self.replica.size - self.replica.missing, self._old[index]

        def uids() -> set[str]:
            return {pod["metadata"]["uid"] for pod in self.pods(index)}

        sentence = f"all pods of replica {index} are new ones"
        return claims.sees(self._context, sentence, uids, deadline, least=count, excludes=old)

    def leader_owns_group(self, index: int = 0) -> Verdict:
        """The leader of a replica comes to own the group that it names."""

        def owner_and_leader() -> set[str]:
            return {owner(self.group(index))["uid"], self.leader(index)["metadata"]["uid"]}

        sentence = f"the new leader of replica {index} has a group of its own"
        return claims.sees(self._context, sentence, owner_and_leader, count=1)

    def is_updated(self) -> Verdict:
        """All replicas run another revision than before the update, and no replica beyond their number is left."""
        count = len(self.gangs)

        def progress() -> dict[str, Any]:
            status = self.stored()["status"]
            replicas = {key: status.get(key) for key in ("readyReplicas", "updatedReplicas")}
            return {**replicas, "leaders": len(self.leaders()), "old": self._pod_revisions() & self._revisions}

        sentence = f"all {count} replicas of {self.name} are updated and ready"
        done = {"readyReplicas": count, "updatedReplicas": count, "leaders": count, "old": []}
        return claims.sees(self._context, sentence, progress, "reconnected", equals=done)

    # -- what can be done to it ---------------------------------------------------------------------------------------

    def scale(self, replicas: int) -> list[SubmittedGang]:
        """Change the number of replicas; the gangs that have to go."""
        leaving = self.gangs[replicas:]
        self._withdraw(leaving)
        self._announce(replicas)
        self.gangs = self.gangs[:replicas]
        self._objects.change(LEADER_WORKER_SET, self.name, {"spec": {"replicas": replicas}})
        return leaving

    def update(self, workload: LWS | None = None) -> None:
        """Give it another template, that of this workload or its own with an annotation: each replica is replaced."""
        self._revisions = self._pod_revisions()
        template = {"metadata": {"annotations": {VERSION: "2"}}}
        parts = ("leaderTemplate", "workerTemplate") if self.replica.roles else ("workerTemplate",)
        change: Object = {"leaderWorkerTemplate": dict.fromkeys(parts, template)}
        if workload is not None:
            self.workload, self.replica = workload, workload.replica
            manifest = workload.manifest(self.namespace, self._context.testbed.adapter.scheduler)
            change = {"leaderWorkerTemplate": manifest["spec"]["leaderWorkerTemplate"]}
        self.gangs = [self._announced(index) for index in range(len(self.gangs))]
        self._objects.change(LEADER_WORKER_SET, self.name, {"spec": change})

    def expect_surge(self) -> SubmittedGang:
        """The replica beyond the number that an update is about to make, as a gang."""
        return self._announced(len(self.gangs))

    def delete(self, *, leader: int | None = None) -> None:
        """Delete the set, or the leader of one replica, which is replaced for it."""
        if leader is None:
            super().delete()
            return
        self.start_over(leader)
        self.gangs[leader].delete(f"{self.name}-{leader}")

    def evict(self, leader: int) -> None:
        """Have the API server evict the leader of a replica, as who drains its node does; the replica is replaced."""
        self.start_over(leader)
        gang, name = self.gangs[leader], f"{self.name}-{leader}"
        self._context.recorder.act("delete", gang.gang.name, self.namespace, what="members", members=[name])
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
        self._context.api.request("POST", f"{POD.path(self.namespace, name)}/eviction", eviction)

    def restart_container(self, pod: str, index: int = 0) -> None:
        """Restart a container of a pod, for which its replica is replaced."""
        self.start_over(index)
        statuses = self._objects.get(POD, pod)["status"]["containerStatuses"]
        restarted = [{**status, "restartCount": 1} for status in statuses]
        self._objects.change(POD, pod, {"status": {"containerStatuses": restarted}}, subresource="status")

    def start_over(self, index: int) -> None:
        """From now on a replica is another gang, and its pods have to go: somebody is about to take its leader."""
        self._old[index] = {pod["metadata"]["uid"] for pod in self.pods(index)}
        self.gangs[index] = self._announced(index)

    def _pod_revisions(self) -> set[str]:
        """The revisions of the template that its pods were made from."""
        return {pod["metadata"]["labels"].get(REVISION_LABEL, "") for pod in self.pods()}

    def _announce(self, replicas: int) -> None:
        """Let the history know the gangs that are about to come."""
        for index in range(len(self.gangs), replicas):
            self.gangs.append(self._announced(index))

    def _announced(self, index: int) -> SubmittedGang:
        """From now on pods of this replica are of a new gang, also if they have the names of old ones."""
        return submit_gang(self._context, self.workload.gang(index), self.namespace, objects=[])


def owner(obj: Object) -> Object:
    """The reference to the controller of an object; empty if it has none."""
    references: list[Object] = obj["metadata"].get("ownerReferences") or []
    return next((reference for reference in references if reference.get("controller")), {})
