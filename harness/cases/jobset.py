"""A submitted JobSet whose gangs a controller declares: what it made of the JobSet, and what the JobSet is held to."""

from __future__ import annotations

from collections.abc import Sequence

from harness.adapters.common.jobset import INDEX_LABEL, JOB_LABEL, SET_LABEL
from harness.box.api import Object
from harness.cases import claims
from harness.cases.context import Context
from harness.cases.gang import submit_gang
from harness.cases.gangs_of_object import SubmittedGangs
from harness.cases.native import Native
from harness.cases.values import JobSet
from harness.core.kinds import EVENT, JOB, JOBSET, POD
from harness.core.verdict import Verdict


class SubmittedJobSet(SubmittedGangs):
    """A JobSet in the world."""

    KIND = JOBSET

    def __init__(self, context: Context, workload: JobSet, namespace: str, objects: Sequence[Object]) -> None:
        super().__init__(context, workload.name, namespace)
        self.native = Native(context)
        self._asked = {group: self.native.gang_policy(minimum) for group, minimum in workload.groups().items()}
        self.gangs = [submit_gang(context, gang, namespace, objects=[]) for gang in workload.gangs()]
        for obj in objects:
            assert claims.accepts(context, obj, f"JobSet {self.name} is accepted")
        self.object = self._objects.get(JOBSET, self.name, namespace)

    # -- what a controller made of it ---------------------------------------------------------------------------------

    def workloads(self) -> list[Object]:
        """Every Workload of the namespace."""
        return self._objects.all_of(self.native.api.workload, namespace=self.namespace)

    def workload(self) -> Object:
        """The Workload called after the JobSet; KeyError if there is none."""
        return self._objects.get(self.native.api.workload, f"w-{self.name}", self.namespace)

    def groups(self) -> dict[str, Object]:
        """The gang policies in its Workload, by the name of the group."""
        spec = self.workload()["spec"]
        return {entry["name"]: entry[self.native.policy_field] for entry in spec[self.native.groups_field]}

    def pod_groups(self) -> dict[str, Object]:
        """The PodGroups made from groups of its Workload, by name; none where gangs are no objects."""
        if self.native.inline:
            return {}
        objects = self._objects.all_of(self.native.api.pod_group, namespace=self.namespace)
        origins = [self._origin(group) for group in self._asked]
        return {
            obj["metadata"]["name"]: obj
            for obj in objects
            if any(origin.items() <= obj["spec"].items() for origin in origins)
        }

    def instances(self, group: str) -> dict[str, Object]:
        """The PodGroups that are made from this group of its Workload, by name."""
        origin = self._origin(group)
        return {name: obj for name, obj in self.pod_groups().items() if origin.items() <= obj["spec"].items()}

    def _origin(self, group: str) -> Object:
        origin: Object = self.native.api.made_from(f"w-{self.name}", group)
        return origin

    def pods(self, job: str = "", index: int | None = None) -> list[Object]:
        """Its pods, those of one job, or those of one replica of it."""
        selector = f"{SET_LABEL}={self.name}" + (f",{JOB_LABEL}={job}" if job else "")
        selector += "" if index is None else f",{INDEX_LABEL}={index}"
        return self._objects.all_of(POD, selector, self.namespace)

    def references(self, job: str = "", index: int | None = None) -> list[Object]:
        """What these pods say about their gang, each once; an empty one for pods that say nothing."""
        references = [pod["spec"].get(self.native.reference_field) or {} for pod in self.pods(job, index)]
        return [reference for place, reference in enumerate(references) if reference not in references[:place]]

    def _right_references(self, group: str, replica: str = "") -> list[Object]:
        """What pods of this group may say: the group itself, or one of the objects that are made from it."""
        names = [""] if self.native.inline else list(self.instances(group))
        return [self.native.reference(f"w-{self.name}", group, name, replica) for name in names]

    def events(self) -> list[Object]:
        """The events about the JobSet."""
        events = self._objects.all_of(EVENT, namespace=self.namespace)
        uid = self.object["metadata"]["uid"]
        return [event for event in events if event["involvedObject"].get("uid") == uid]

    # -- what it is held to -------------------------------------------------------------------------------------------

    def has_pods(self, count: int, job: str = "") -> Verdict:
        """So many pods of it come to be."""
        sentence = f"JobSet {self.name} has {count} pods{' of ' + job if job else ''}"
        return claims.sees(self._context, sentence, lambda: self.pods(job), count=count)

    def is_prepared(self) -> Verdict:
        """Its Workload and all its gang objects come to be: the controller has handled everything before it.

        The Workload has to point back to the JobSet and to describe the groups that the JobSet asks for.
        """
        count = len(self.gangs)

        def gangs() -> list[str]:
            self.workload()
            return [gang.key for gang in self.gangs] if self.native.inline else list(self.pod_groups())

        sentence = f"JobSet {self.name} has its Workload and {count} gangs"
        verdict = claims.sees(self._context, sentence, gangs, count=count)
        if not verdict:
            return verdict
        back, groups = self.workload()["spec"].get("controllerRef"), self.groups()
        jobset = {"apiGroup": JOBSET.api_version.partition("/")[0], "kind": JOBSET.kind, "name": self.name}
        verdict = claims.finds(self._context, f"the Workload of {self.name} points back to it", back, equals=jobset)
        sentence = f"the Workload of {self.name} describes the groups that it asks for"
        return claims.finds(self._context, sentence, groups, equals=self._asked) if verdict else verdict

    def refers_to(self, group: str, job: str = "", index: int | None = None) -> Verdict:
        """These pods all name the same gang, one of this group; those of a replica name that replica where they can."""
        replica = "" if index is None else str(index)
        references, right = self.references(job, index), self._right_references(group, replica)
        whose = " ".join(word for word in (job, replica) if word) or "the JobSet"
        sentence = f"all pods of {whose} name one gang of group {group}"
        return claims.finds(self._context, sentence, references, count=1, within=right)

    def is_gone(self) -> Verdict:
        """Of the JobSet, its Jobs, pods, Workload and gang objects nothing is left."""

        def left() -> list[Object]:
            workload = self._objects.find(self.native.api.workload, f"w-{self.name}", self.namespace)
            jobs = self._objects.all_of(JOB, f"{SET_LABEL}={self.name}", self.namespace)
            objects = [obj for obj in (self.stored(), workload) if obj]
            return [*objects, *self.pod_groups().values(), *jobs, *self.pods()]

        return claims.sees(self._context, f"nothing of JobSet {self.name} is left", left, "gone", count=0)
