"""The world of a case: a few words in which every case is written.

A method that acts writes itself into the history before it acts. A method that asks (`is_bound_whole`, `is_refused`)
writes down the promise with its deadline, waits for the records that decide it, and returns a `Verdict`. What a case
finds out elsewhere (an answer of the API server, how busy a process is) it writes down as a claim; so the verdict of a
case can be reached again from its history alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from harness.box.api import Object
from harness.box.nodes import Pool
from harness.cases import claims
from harness.cases.api_server import ApiServer
from harness.cases.barrier import SubmittedBarrier
from harness.cases.cluster import Cluster
from harness.cases.context import Alter, Context
from harness.cases.devices import Devices
from harness.cases.faults import Faults
from harness.cases.gang import SubmittedGang, submit_gang
from harness.cases.gangs import Gangs
from harness.cases.gangs_of_object import SubmittedGangs
from harness.cases.jobset import SubmittedJobSet
from harness.cases.lws import SubmittedLWS
from harness.cases.native import Native
from harness.cases.objects import Objects
from harness.cases.owners import SubmittedOwner
from harness.cases.queues import Queues
from harness.cases.replicas import Replicas
from harness.cases.storage import Storage
from harness.cases.values import LWS, BarrierJobSet, JobSet, Owner
from harness.core.gang import GPU, Gang
from harness.core.verdict import Verdict
from harness.testbed.priorities import priority_class
from harness.testbed.testbed import Testbed


class World:
    """What a case can do and ask; one namespace of its own in an empty box."""

    def __init__(self, testbed: Testbed, case: str) -> None:
        self.context = Context(testbed, case)  # not for cases
        self.namespace = self.context.namespace
        self.faults = Faults(self.context)
        self.api_server = ApiServer(self.context)
        self.cluster = Cluster(self.context)
        self.queues = Queues(self.context)
        self.gangs = Gangs(self.context)
        self.objects = Objects(self.context)
        self.native = Native(self.context)
        self.storage = Storage(self.context)
        self.devices = Devices(self.context)

    def has_feature(self, feature: str) -> bool:
        """Whether the integration claims the feature; for cases that judge one of several (`either`)."""
        return feature in self.context.testbed.features

    # -- room, and what asks for it -----------------------------------------------------------------------------------

    def nodes(self, count: int, gpus: int = 8, **details: Any) -> list[str]:
        """Add nodes of so many GPUs each; their names."""
        self.context.recorder.act("node-add", count=count, gpus=gpus)
        return self.context.testbed.add_nodes(Pool(count, gpus=gpus, **details))

    @overload
    def submit(
        self,
        workload: Gang,
        namespace: str = "",
        *,
        alter: Alter | None = None,
        without: str = "",
        objects: list[Object] | None = None,
    ) -> SubmittedGang: ...
    @overload
    def submit(self, workload: Owner, namespace: str = "") -> SubmittedOwner: ...
    @overload
    def submit(
        self, workload: LWS, namespace: str = "", *, alter: Alter | None = None, objects: list[Object] | None = None
    ) -> SubmittedLWS: ...
    @overload
    def submit(
        self, workload: JobSet, namespace: str = "", *, alter: Alter | None = None, objects: list[Object] | None = None
    ) -> SubmittedJobSet: ...
    @overload
    def submit(
        self,
        workload: BarrierJobSet,
        namespace: str = "",
        *,
        alter: Alter | None = None,
        objects: list[Object] | None = None,
    ) -> SubmittedBarrier: ...
    def submit(
        self,
        workload: Gang | Owner | LWS | JobSet | BarrierJobSet,
        namespace: str = "",
        *,
        alter: Alter | None = None,
        without: str = "",
        objects: list[Object] | None = None,
    ) -> SubmittedGang | SubmittedGangs:
        """Create a workload as the integration or its controller expects it, or as these objects; a handle on it.

        `alter` changes what is created, of a gang its members; `without="group"` leaves a gang's own objects out at
        first.
        """
        context, namespace = self.context, namespace or self.namespace
        if isinstance(workload, Gang):
            return submit_gang(context, workload, namespace, alter=alter, without=without, objects=objects)
        _check_options(workload, alter=alter, without=without, objects=objects)
        if isinstance(workload, Owner):
            return SubmittedOwner(context, workload, namespace)
        objects = self.objects.of(workload, namespace) if objects is None else objects
        if alter is not None:
            for obj in objects:
                alter(obj)
        if isinstance(workload, LWS):
            return SubmittedLWS(context, workload, namespace, objects)
        if isinstance(workload, JobSet):
            return SubmittedJobSet(context, workload, namespace, objects)
        return SubmittedBarrier(context, workload, namespace, objects)

    def pod(
        self, gpus: int = 1, priority: str = "", name: str = "", alter: Alter | None = None, cpu: str = "100m"
    ) -> str:
        """Submit a pod of no gang to the scheduler under test; its name."""
        name = name or self.context.next_pod_name()
        request = {"cpu": cpu, "memory": "64Mi", **({GPU: str(gpus)} if gpus else {})}
        self.context.submit_pod(name, "plain", request, priority, alter)
        return name

    def replicas(self, name: str, count: int, gpus: int = 1) -> Replicas:
        """Pods of no gang that a ReplicaSet makes, and makes again when they are gone; a handle on them."""
        return Replicas(self.context, name, count, gpus)

    def priority(self, name: str, value: int, *, preempts: bool = True) -> str:
        """A PriorityClass of this value, which is in force; its name, which all cases share."""
        shared = priority_class(self.context.testbed, self.namespace, value, preempts=preempts)
        self.context.recorder.act("note", text=f"the priority {name} is {value}, PriorityClass {shared}")
        return shared

    def delete(self, *pods: str) -> None:
        """Delete pods by their names."""
        for pod in pods:
            self.context.delete_pod(pod)

    # -- pods of no gang, and the scheduler ---------------------------------------------------------------------------

    def is_bound(self, *pods: str, deadline: str = "bound") -> Verdict:
        """The pods of no gang are bound within the deadline."""
        return self.stand(f"pods of no gang are bound: {', '.join(pods)}", *pods, least=len(pods), deadline=deadline)

    def stays_pending(self, *pods: str) -> Verdict:
        """The pods of no gang have no node once the scheduler has tried them."""
        if not self.context.passes(self.context.fence()):
            return self.context.verdict("refused", False)
        return self.stand(f"pods wait: {', '.join(pods)}", *pods, most=0)

    def scheduler_is_working(self) -> Verdict:
        """The scheduler has tried everything that was there when this was called."""
        return self.claim("the scheduler is at work", self.context.passes(self.context.fence(), deadline="bound"))

    def is_at_rest(self) -> Verdict:
        """The scheduler has tried everything, and what is bound runs: no component has anything left to write."""
        fence = self.context.fence()
        timeline, namespaces = self.context.recorder.timeline, self.context.testbed.namespaces

        def quiet() -> bool:
            pods = [pod for pod in timeline.pods.values() if pod.record.namespace in namespaces]
            return self.context.is_through(fence) and not any(pod.awaits_kubelet for pod in pods)

        return self.claim("everything came to rest", self.until(quiet, "bound") or None)

    # -- claims -------------------------------------------------------------------------------------------------------

    def deadline(self, name: str) -> float:
        """Seconds of the deadline of this name."""
        return self.context.deadline(name)

    def until(self, condition: Callable[[], bool], deadline: str) -> bool:
        """Whether the condition came true by the named deadline; it is looked at after every record."""
        return self.context.until(condition, deadline)

    def claim(self, sentence: str, held: bool | None, detail: str = "") -> Verdict:
        """Something the case saw for itself; None: it could not be seen."""
        return self.context.claim(sentence, held, detail)

    def stand(
        self,
        sentence: str,
        *counted: SubmittedGang | str,
        least: int = 0,
        most: int | None = None,
        deadline: str = "",
    ) -> Verdict:
        """So many of these pods of no gang, and of the members of these gangs, are bound and not leaving: now, or by
        the named deadline."""
        return claims.stand(self.context, sentence, counted, least, most, deadline)

    def are_on(
        self,
        sentence: str,
        *counted: SubmittedGang | str,
        by: str = "",
        role: str = "",
        deadline: str = "",
        **condition: Any,
    ) -> Verdict:
        """The nodes of these pods of no gang, and of the members of these gangs, are as the condition says: now, or by
        the named deadline. `by` a node label means its values instead, and a role only its members."""
        return claims.are_on(self.context, sentence, counted, by, role, deadline, condition)

    def finds(self, sentence: str, value: object, **condition: Any) -> Verdict:
        """What the case has read is as the condition says: `equals`, `differs`; how many there are: `count`, `least`,
        `most`; and each of them: `within`, `includes`, `excludes`."""
        return claims.finds(self.context, sentence, value, **condition)

    def sees(self, sentence: str, read: Callable[[], object], deadline: str = "bound", **condition: Any) -> Verdict:
        """What is read comes to be as the condition says within the deadline; what is not found counts as not yet.

        Without a condition what is read has to be true; that can only be believed when the history is judged again.
        """
        return claims.sees(self.context, sentence, read, deadline, **condition)


def _check_options(workload: Owner | LWS | JobSet | BarrierJobSet, **options: object) -> None:
    """TypeError for an option of `submit` that has no effect on this workload."""
    allowed = () if isinstance(workload, Owner) else ("alter", "objects")
    if refused := [name for name, value in options.items() if value and name not in allowed]:
        raise TypeError(
            f"submit has no {', '.join(refused)} for {type(workload).__name__} {workload.name}; allowed: "
            f"{', '.join(allowed) or 'none'}. Leave it out, or submit a Gang."
        )
