"""Sets of leaders and workers as a case speaks of them: submitted, scaled, updated, deleted, and looked at.

Every replica of a LeaderWorkerSet is a gang; the set is what a user writes. A set submitted here is known to the
history as the gangs that it stands for, so all checks judge its replicas like any other gang. How the integration names
a replica's gang on its pods, and of what kind its group objects are, is read from `DIALECTS`.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.adapters.lws_controller import DIALECTS, INDEX_LABEL, SET, SET_LABEL, WORKER_LABEL, gang_name
from harness.adapters.render import parse, render
from harness.core.gang import Gang, Role
from harness.core.verdict import Verdict
from harness.livegang import LiveGang
from harness.world import Object, World

POD = ("v1", "Pod")
STATEFUL_SET = ("apps/v1", "StatefulSet")
REVISION_LABEL = "leaderworkerset.sigs.k8s.io/template-revision-hash"
LEADER_READY = "LeaderReady"
LEADER_CREATED = "LeaderCreated"
VERSION = "muster.dev/version"  # annotation of the templates; another value is another revision


def replica_of(name: str, size: int, gpus: int = 1, leader: int | None = None, startup: str = "") -> Gang:
    """The gang that a replica is; `leader`: GPUs of a leader that asks for something else than the workers.

    Where the leader goes first, its workers are missing when the gang is submitted.
    """
    if startup == LEADER_READY:
        return Gang(name, size=size, quorum=1, missing=size - 1, gpus=gpus)
    if leader is None:
        return Gang(name, size=size, gpus=gpus)
    return Gang(name, roles=(Role("leader", 1, gpus=leader), Role("worker", size - 1, gpus=gpus)))


def submit(
    world: World, name: str = "serve", *, replicas: int = 1, size: int = 2, gpus: int = 1, leader: int | None = None,
    startup: str = "", surge: int = 0, subdomain: str = "", namespace: str = "", promised: int | None = None,
    alter: Callable[[Object], None] | None = None,
) -> LiveSet:  # fmt: skip
    """Create a set; `alter` changes it before it is created, `promised` is another quorum than its policy says."""
    one = replica_of(name, size, gpus, leader, startup)
    one = one if promised is None else one.but(quorum=promised)
    text = render(
        "lws/gang.yaml.j2", gang=one, namespace=namespace or world.namespace, scheduler=world.lab.adapter.scheduler,
        replicas=replicas, startup=startup, surge=surge, subdomain=subdomain,
    )  # fmt: skip
    obj = parse(text)[0]
    if alter is not None:
        alter(obj)
    return LiveSet(world, obj, one, replicas)


class LiveSet:
    """A set in the world."""

    def __init__(self, world: World, obj: Object, replica: Gang, replicas: int) -> None:
        self.world = world
        self.name: str = obj["metadata"]["name"]
        self.namespace: str = obj["metadata"]["namespace"]
        self.replica = replica
        self.dialect = DIALECTS[world.lab.adapter.name]
        self.gangs: list[LiveGang] = []
        self._announce(replicas)
        self.object = world.create(obj)

    # -- what there is of it ------------------------------------------------------------------------------------------

    def stored(self) -> Object:
        """The set as it is now."""
        return self.world.find(SET, self.name, self.namespace)

    def pods(self, index: int | None = None) -> list[Object]:
        """Its pods, or those of one replica, by name."""
        chosen = f"{SET_LABEL}={self.name}" + ("" if index is None else f",{INDEX_LABEL}={index}")
        return self.world.all_of(POD, chosen, self.namespace)

    def leaders(self) -> list[Object]:
        """Its leaders in the order of their replicas."""
        found = [pod for pod in self.pods() if pod["metadata"]["labels"].get(WORKER_LABEL) == "0"]
        return sorted(found, key=lambda pod: int(pod["metadata"]["labels"][INDEX_LABEL]))

    def leader(self, index: int = 0) -> Object:
        """The leader of a replica; KeyError if there is none."""
        return self.world.existing(POD, f"{self.name}-{index}", self.namespace)

    def workers(self, index: int = 0) -> list[Object]:
        return [pod for pod in self.pods(index) if pod["metadata"]["labels"].get(WORKER_LABEL) != "0"]

    def groups(self) -> list[Object]:
        """Every group object that is named after the set; none where replicas have no such object."""
        if self.dialect.group is None:
            return []
        found = self.world.all_of(self.dialect.group, namespace=self.namespace)
        return [group for group in found if group["metadata"]["name"].startswith(f"{self.name}-")]

    def group_uids(self) -> set[str]:
        return {group["metadata"]["uid"] for group in self.groups()}

    @property
    def group_kind(self) -> str:
        """What its group objects are called in a history."""
        assert self.dialect.group is not None, "this integration has no group objects"
        return f"{self.dialect.group[1]}.{self.dialect.group[0].partition('/')[0]}"

    def group(self, index: int = 0) -> Object:
        """The group object that the leader of a replica names; KeyError if it is not there."""
        assert self.dialect.group is not None, "this integration has no group objects"
        return self.world.existing(self.dialect.group, self.place(self.leader(index)), self.namespace)

    def place(self, pod: Object) -> str:
        """The gang that a pod names; empty if it names none."""
        part, key = self.dialect.place
        return str((pod["metadata"].get(part) or {}).get(key, ""))

    def statefulset(self, name: str) -> Object:
        """The StatefulSet of this name; KeyError if it is not there."""
        return self.world.existing(STATEFUL_SET, name, self.namespace)

    def revisions(self) -> set[str]:
        """The revisions of the template that its pods were made from."""
        return {pod["metadata"]["labels"].get(REVISION_LABEL, "") for pod in self.pods()}

    # -- what it is held to -------------------------------------------------------------------------------------------

    def is_complete(self) -> Verdict:
        """All pods exist that can be before any is bound, and their groups: the scheduler knows what there is."""
        early = self.replica.size - self.replica.missing
        count = len(self.gangs) * early
        here = self.world.sees(f"{count} pods of {self.name} exist", lambda: len(self.pods()) >= count)
        return self.has_groups() if here and self.dialect.group else here

    def is_placed_whole(self) -> bool:
        """Every replica is bound whole within the deadline; the checks say what went wrong if not."""
        return all(gang.is_bound_whole() for gang in self.gangs) and (not self.replica.missing or bool(self._follows()))

    def _follows(self) -> Verdict:
        """Workers that were missing at first are bound as well."""
        size = self.replica.size
        return self.world.sees(
            f"all {size} pods of each replica of {self.name} are bound",
            lambda: all(gang.bound >= size for gang in self.gangs),
        )

    def has_groups(self, deadline: str = "bound") -> Verdict:
        """There comes to be one group object for each replica, named by its leader, and no other."""

        def there() -> bool:
            named = {self.group(index)["metadata"]["name"] for index in range(len(self.gangs))}
            return named == {group["metadata"]["name"] for group in self.groups()} and len(named) == len(self.gangs)

        sentence = f"each of the {len(self.gangs)} replicas of {self.name} has a group of its own"
        return self.world.sees(sentence, there, deadline)

    def is_made_anew(self, old: set[str], index: int = 0, deadline: str = "bound") -> Verdict:
        """All pods of a replica are other ones than those of these uids."""
        count = self.replica.size - self.replica.missing

        def there() -> bool:
            uids = {pod["metadata"]["uid"] for pod in self.pods(index)}
            return len(uids) >= count and not uids & old

        return self.world.sees(f"all pods of replica {index} are new ones", there, deadline)

    def leads_its_group(self, index: int = 0) -> Verdict:
        """The leader of a replica comes to own the group that it names."""

        def there() -> bool:
            return bool(owner(self.group(index))["uid"] == self.leader(index)["metadata"]["uid"])

        return self.world.sees(f"the new leader of replica {index} has a group of its own", there)

    def is_updated(self, old: set[str]) -> Verdict:
        """All replicas run another revision than these, and no replica beyond their number is left."""
        count = len(self.gangs)

        def done() -> bool:
            status = self.stored()["status"]
            ready = status.get("readyReplicas") == status.get("updatedReplicas") == count
            return ready and len(self.leaders()) == count and not self.revisions() & old

        return self.world.sees(f"all {count} replicas of {self.name} are updated and ready", done, "reconnected")

    # -- what can be done to it ---------------------------------------------------------------------------------------

    def scale(self, replicas: int) -> list[LiveGang]:
        """Change the number of replicas; the gangs that have to go."""
        leaving = self.gangs[replicas:]
        self._withdraw(leaving)
        self._announce(replicas)
        self.gangs = self.gangs[:replicas]
        self.world.change(SET, self.name, {"spec": {"replicas": replicas}})
        return leaving

    def update(self, version: str = "2") -> None:
        """Give it another template: each replica has to be made anew."""
        self.gangs = [self._announced(index) for index in range(len(self.gangs))]
        template = {"metadata": {"annotations": {VERSION: version}}}
        parts = ("leaderTemplate", "workerTemplate") if self.replica.roles else ("workerTemplate",)
        change: Object = {"spec": {"leaderWorkerTemplate": dict.fromkeys(parts, template)}}
        self.world.change(SET, self.name, change)

    def expects_surge(self) -> LiveGang:
        """The replica beyond the number that an update is about to make, as a gang."""
        return self._announced(len(self.gangs))

    def lose_leader(self, index: int = 0) -> set[str]:
        """Delete the leader of a replica, which is made anew for it; the uids of the pods that have to go."""
        old = self.starts_over(index)
        self.gangs[index].delete_members(f"{self.name}-{index}")
        return old

    def starts_over(self, index: int = 0) -> set[str]:
        """From now on a replica is another gang; the uids of the pods that it has until then."""
        old = {pod["metadata"]["uid"] for pod in self.pods(index)}
        self.gangs[index] = self._announced(index)
        return old

    def remove(self) -> None:
        """Delete the set; its gangs have to go with it."""
        self._withdraw(self.gangs)
        self.world.remove(SET, self.name)

    def _announce(self, replicas: int) -> None:
        """Let the history know the gangs that are about to come."""
        for index in range(len(self.gangs), replicas):
            self.gangs.append(self._announced(index))

    def _announced(self, index: int) -> LiveGang:
        """From now on pods of this replica are of a new gang, also if they have the names of old ones."""
        gang = self.replica.but(name=gang_name(self.name, index))
        return self.world.submit(gang, self.namespace, objects=[])

    def _withdraw(self, gangs: list[LiveGang]) -> None:
        for gang in gangs:
            self.world.recorder.act("delete", gang.gang.name, gang.namespace, what="gang")


def owner(obj: Object) -> Object:
    """The reference to the controller of an object; empty if it has none."""
    references: list[Object] = obj["metadata"].get("ownerReferences") or []
    return next((one for one in references if one.get("controller")), {})
