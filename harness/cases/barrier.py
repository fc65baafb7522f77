"""A submitted JobSet that waits at a barrier: what was injected, which pods wait, whether the signal is given.

A case holds it to the law of the barrier: the oracle compares when containers started
(`harness.core.oracle.checks.barrier`). Everything else is what the API server answers. Of names only that of the
waiting container is known, which the design reserves: the ConfigMap is the one that this container mounts, whatever it
is called, and any data in it is the signal.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from harness.box.api import Object
from harness.cases import claims
from harness.cases.context import Context
from harness.cases.gang import submit_gang
from harness.cases.gangs_of_object import SubmittedGangs
from harness.cases.values import BarrierJobSet
from harness.controllers.jobset_barrier.spec import INIT, JOB_LABEL, JOBSET_LABEL
from harness.core.errors import ApiError
from harness.core.history.records import History
from harness.core.kinds import CONFIG_MAP, JOB, JOBSET, POD
from harness.core.oracle.replay import timeline
from harness.core.verdict import Verdict


class SubmittedBarrier(SubmittedGangs):
    """A JobSet in the world, whether it asks for a barrier or not.

    From its submission on no main container of a target may run before all pods of the targets have started.
    """

    KIND = JOBSET

    def __init__(self, context: Context, workload: BarrierJobSet, namespace: str, objects: Sequence[Object]) -> None:
        super().__init__(context, workload.name, namespace)
        self.object = objects[0]
        self._expected = workload.expected
        self._signal_map = ""
        maps = context.api.list(CONFIG_MAP, namespace)
        self._earlier = {obj["metadata"]["uid"]: _content(obj) for obj in maps}  # of others: no signal of this JobSet
        try:
            self.gangs = [submit_gang(context, workload.gang, namespace, objects=list(objects))]
        except ApiError as error:
            claims.answered(context, f"JobSet {self.name} is accepted", error.status, error.message)
            raise
        if workload.targets:
            context.expect("barrier", self.gangs, 0.0, init=INIT, count=self._expected)

    # -- what there is ------------------------------------------------------------------------------------------------

    def jobs(self) -> dict[str, Object]:
        """Its Jobs, by name."""
        jobs = self._objects.all_of(JOB, f"{JOBSET_LABEL}={self.name}")
        return {job["metadata"]["name"]: job for job in jobs}

    def pods(self, job: str = "") -> list[Object]:
        """Its pods that are not being deleted, of one replicated job or of all."""
        selector = f"{JOBSET_LABEL}={self.name}" + (f",{JOB_LABEL}={job}" if job else "")
        return [pod for pod in self._objects.all_of(POD, selector) if "deletionTimestamp" not in pod["metadata"]]

    def uids(self) -> set[str]:
        """The uids of its pods, by which a pod is told from the one that it replaces."""
        return {pod["metadata"]["uid"] for pod in self.pods()}

    def waiting(self) -> list[str]:
        """The members whose init container runs."""
        return self._members_in(INIT)

    def running(self, job: str = "") -> list[str]:
        """The members whose main container runs; with the name of a replicated job, its pods, members or not."""
        if not job:
            return self._members_in("main")
        return [pod["metadata"]["name"] for pod in self.pods(job) if "running" in container(pod).get("state", {})]

    def _members_in(self, name: str) -> list[str]:
        """The members whose container of this name runs now, as the recorder saw them last."""
        with self._context.recorder.changed:
            return [pod.record.name for pod in self.gang.members() if pod.runs(name)]

    @property
    def signal_map(self) -> str:
        """The name of the ConfigMap that the waiting containers of its Jobs mount; empty while there are none."""
        if not self._signal_map:
            names = [barrier_map(job["spec"]["template"]["spec"]) for job in self.jobs().values()]
            self._signal_map = next((name for name in names if name), "")
        return self._signal_map

    def config_map(self) -> Object:
        """The ConfigMap of its signal; empty if it is not there."""
        return self._objects.find(CONFIG_MAP, self.signal_map) if self.signal_map else {}

    def signal(self) -> str:
        """What the ConfigMap contains that was not there before the JobSet; empty while the barrier stands.

        A ConfigMap that went and came back is another one: a JobSet of the same name had the old one.
        """
        config_map = self.config_map()
        earlier = self._earlier.get(config_map["metadata"]["uid"], set()) if config_map else set()
        return ", ".join(sorted(_content(config_map) - earlier))

    def condition(self, kind: str) -> str:
        """The status of a condition of the JobSet; empty if it has none."""
        conditions = (self.stored().get("status") or {}).get("conditions") or ()
        return next((str(condition["status"]) for condition in conditions if condition["type"] == kind), "")

    @property
    def restarts(self) -> int:
        return int((self.stored().get("status") or {}).get("restarts") or 0)

    # -- promises -----------------------------------------------------------------------------------------------------

    def has_waiting(self, count: int) -> Verdict:
        """So many pods come to run their init container."""
        sentence = f"{count} pods of {self.name} run {INIT}"
        return claims.sees(self._context, sentence, self.waiting, "projected", count=count)

    def has_started(self, count: int) -> Verdict:
        """So many pods come to have begun their init container, whether it still runs or not."""

        def begun() -> list[str]:
            with self._context.recorder.changed:
                return [pod.record.name for pod in self.gang.members() if pod.has_begun(INIT)]

        return claims.sees(self._context, f"{count} pods of {self.name} have started", begun, "projected", count=count)

    def is_held(self) -> Verdict:
        """No signal, and no main container of a target runs."""
        there = {"running": self.running(), "signal": self.signal()}
        sentence = f"{self.name} is held at its barrier"
        return claims.finds(self._context, sentence, there, equals={"running": [], "signal": ""})

    def stays_held(self) -> Verdict:
        """It is held even after the controller has had the time to count again."""
        claims.wait_for(self._context, lambda: bool(self.signal() or self.running()), "recounted")
        return self.is_held()

    def stays_waiting(self) -> Verdict:
        """No main container of a target comes to run, though the controller has had the time to count again.

        What the ConfigMap contains is not asked: after a restart a signal of the former attempt may still be there.
        """
        claims.wait_for(self._context, lambda: bool(self.running()), "recounted")
        return claims.finds(self._context, f"the main containers of {self.name} wait", self.running(), count=0)

    def has_passed(self) -> Verdict:
        """The signal is given and every main container of the targets runs."""

        def passed() -> list[str]:
            running = self.running()
            return running if self.signal() else []

        sentence = f"{self.name} passes its barrier whole"
        return claims.sees(self._context, sentence, passed, "projected", count=self._expected)

    # -- figures ------------------------------------------------------------------------------------------------------

    def figures(self) -> tuple[int, float, float]:
        """How often the ConfigMap was written, its making included; and the seconds from the last start of a waiting
        container to the signal, and from the signal to the last start of a main container, as they were seen."""
        history = self._context.history()
        records = history.records
        kinds = [record for record in records if record.kind.startswith("ConfigMap")]
        signals = [record for record in kinds if record.name == self.signal_map]
        signalled = signals[-1].at
        waited, ran = (self._last_start(name, history) for name in (INIT, "main"))
        return len(signals), signalled - waited, ran - signalled

    def _last_start(self, name: str, history: History) -> float:
        """When the last member was first seen to have begun its container of this name."""
        pods = [pod for pod in timeline(history).pods.values() if pod.gang == self.gang.key]
        begun = [pod.containers[name].pos for pod in pods if pod.containers and name in pod.containers]
        return max(history.records[pos].at for pos in begun)


def container(pod: Object, name: str = "main") -> Object:
    """What the kubelet reports of a container; empty if it has reported nothing."""
    status = pod.get("status") or {}
    statuses = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return next((status for status in statuses if status["name"] == name), {})


def template(obj: Object, job: str) -> Object:
    """The pod spec of one replicated job of a stored JobSet."""
    named = next(entry for entry in obj["spec"]["replicatedJobs"] if entry["name"] == job)
    spec: Object = named["template"]["spec"]["template"]["spec"]
    return spec


def barrier_map(pod_spec: Object) -> str:
    """The ConfigMap that the waiting container of a pod spec mounts and that may be missing; empty if there is no
    waiting container, more than one, or one without such a mount."""
    waiting = [init for init in pod_spec.get("initContainers") or () if init["name"] == INIT]
    if len(waiting) != 1:
        return ""
    mounted = [mount["name"] for mount in waiting[0].get("volumeMounts") or ()]
    sources = [volume.get("configMap") or {} for volume in pod_spec.get("volumes") or () if volume["name"] in mounted]
    return next((str(source["name"]) for source in sources if source.get("optional")), "")


def lasted(status: Object) -> float:
    """For how many seconds a container ran that has ended, as its kubelet reports it; KeyError while it runs."""
    ended = status["state"]["terminated"]
    began, finished = (datetime.fromisoformat(ended[key].replace("Z", "+00:00")) for key in ("startedAt", "finishedAt"))
    return (finished - began).total_seconds()


def _content(config_map: Object) -> set[str]:
    """The keys of a ConfigMap, which are the files that a pod sees."""
    return {*(config_map.get("data") or {}), *(config_map.get("binaryData") or {})}
