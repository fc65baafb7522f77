"""JobSets that wait at a barrier, in the words of the cases: what was injected, who waits, whether the signal is given.

A case submits a JobSet of a few replicated jobs and holds it to the law of the barrier: the oracle compares when
containers started (`harness.core.checks.barrier`). Everything else is what the API server answers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from harness.adapters.jobset import JOB, JOBSET
from harness.adapters.jobset_barrier import CONFIG_MAP, ReplicatedJob, render_jobset
from harness.controllers.jobset_barrier_injection import DEFAULT_IMAGE
from harness.controllers.jobset_barrier_spec import CONFIG, INIT, JOB_LABEL, JOBSET_LABEL, MOUNT, STARTED, VOLUME
from harness.core.errors import ApiError
from harness.core.gang import Gang
from harness.core.history import Record
from harness.core.verdict import Verdict
from harness.lab import ROOT_CA
from harness.objects import POLL, REFUSALS
from harness.world import Object, World

__all__ = ["CONFIG", "CONFIG_MAP", "INIT", "JOB", "JOBSET", "MOUNT", "STARTED", "VOLUME", "BarrierSet", "ReplicatedJob"]

POD = ("v1", "Pod")
UNTIL_TOLD = "trap 'exit 143' TERM; while :; do sleep 1 & wait $!; done"


class BarrierSet:
    """A JobSet of the case, whether it asks for a barrier or not."""

    def __init__(
        self, world: World, name: str, *jobs: ReplicatedJob, timeout: int | None = None, targets: Any = None,
        config: Mapping[str, Any] | None = None, asks: bool = True, **how: Any,
    ) -> None:  # fmt: skip
        """`config` is the whole groupSchedulingConfig; without it, it is made of `timeout` and `targets`."""
        self.world, self.name = world, name
        given = {"timeoutAfterSeconds": timeout, "targetReplicatedJobs": targets}
        made = {key: value for key, value in given.items() if value is not None}
        barrier = (config if config is not None else made) if asks else None
        named = (barrier or {}).get("targetReplicatedJobs")
        self.targets = [job.name for job in jobs if barrier is not None and (not named or job.name in named)]
        self.expected = sum(job.replicas * job.pods for job in jobs if job.name in self.targets)
        # placed one by one by a scheduler that knows no gangs: a quorum of one
        self.gang = Gang(name, size=max(1, self.expected), quorum=1)
        self.object = render_jobset(self.gang, world.namespace, jobs, barrier, **how)
        if world.lab.box.kind != "embedded":
            self._let_fail()
        self.signal_map = f"{name}-{VOLUME}"

    def _let_fail(self) -> None:
        """Where containers are real, have main ones that fail when they are told to end: a pause ends well, and the Job
        of a pod that was deleted would take it for done."""
        image = self.world.lab.box.shell or DEFAULT_IMAGE
        for job in self.object["spec"]["replicatedJobs"]:
            (main,) = job["template"]["spec"]["template"]["spec"]["containers"]
            main |= {"image": image, "imagePullPolicy": "IfNotPresent", "command": ["sh", "-c", UNTIL_TOLD]}

    def submit(self) -> BarrierSet:
        """Create it; from now on no main container of a target may run before all pods of the targets have started."""
        world = self.world
        try:
            self.live = world.submit(self.gang, objects=[self.object])
        except ApiError as error:
            world.claim(f"JobSet {self.name} is accepted", False if error.status in REFUSALS else None, error.message)
            raise
        if self.targets:
            world.expect("barrier", [self.live], 0.0, init=INIT, count=self.expected)
        return self

    # -- what there is ------------------------------------------------------------------------------------------------

    def stored(self) -> Object:
        return self.world.find(JOBSET, self.name)

    def jobs(self) -> dict[str, Object]:
        """Its Jobs, by name."""
        found = self.world.all_of(JOB, f"{JOBSET_LABEL}={self.name}")
        return {job["metadata"]["name"]: job for job in found}

    def pods(self, job: str = "") -> list[Object]:
        """Its pods that are not on their way out, of one replicated job or of all."""
        selector = f"{JOBSET_LABEL}={self.name}" + (f",{JOB_LABEL}={job}" if job else "")
        return [pod for pod in self.world.all_of(POD, selector) if "deletionTimestamp" not in pod["metadata"]]

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
        here = [(one.name, one.state) for one in self._members() if not one.state.get("deleting")]
        return [pod for pod, state in here if name in state.get("running", ()) and name not in state.get("exited", ())]

    def _members(self) -> list[Record]:
        with self.world.recorder.changed:
            return self.live.members()

    def config_map(self) -> Object:
        return self.world.find(CONFIG_MAP, self.signal_map)

    def config_maps(self) -> list[str]:
        """The names of all ConfigMaps of the namespace, but for the one that a cluster keeps in each."""
        names = [one["metadata"]["name"] for one in self.world.all_of(CONFIG_MAP)]
        return [name for name in names if name != ROOT_CA]

    def signal(self) -> str:
        """What the ConfigMap says; empty while the barrier stands."""
        return str((self.config_map().get("data") or {}).get(STARTED, ""))

    def condition(self, kind: str) -> str:
        """The status of a condition of the JobSet; empty if it has none."""
        found = (self.stored().get("status") or {}).get("conditions") or ()
        return next((str(one["status"]) for one in found if one["type"] == kind), "")

    @property
    def restarts(self) -> int:
        return int((self.stored().get("status") or {}).get("restarts") or 0)

    # -- promises -----------------------------------------------------------------------------------------------------

    def has_its_config_map(self) -> Verdict:
        """The ConfigMap is there."""
        return self.world.sees(f"the ConfigMap {self.signal_map} is made", self.config_map)

    def has_waiting(self, count: int) -> Verdict:
        """So many pods come to run their init container."""
        said = f"{count} pods of {self.name} run {INIT}"
        return self.world.sees(said, lambda: len(self.waiting()) == count, "projected")

    def has_started(self, count: int) -> Verdict:
        """So many pods come to have begun their init container, whether it still runs or not."""

        def begun() -> bool:
            return sum(INIT in one.state.get("running", ()) for one in self._members()) == count

        return self.world.sees(f"{count} pods of {self.name} have started", begun, "projected")

    def is_held(self) -> Verdict:
        """No signal, and no main container of a target runs."""
        early = self.running()
        signal = self.signal()
        seen = f"running: {', '.join(early) or 'none'}; signal: {signal or 'none'}"
        return self.world.claim(f"{self.name} is held at its barrier", not early and not signal, seen)

    def stays_held(self) -> Verdict:
        """It is held even after the controller has had the time to count again."""

        def early() -> bool:
            return bool(self.signal() or self.running())

        world = self.world
        until = time.monotonic() + world.deadline("recounted")
        while not early() and time.monotonic() < until:
            with world.recorder.changed:
                world.recorder.changed.wait(POLL)
        return self.is_held()

    def is_released(self) -> Verdict:
        """The signal is given and every main container of the targets runs."""

        def passed() -> bool:
            return len(self.running()) == self.expected and bool(self.signal())

        return self.world.sees(f"{self.name} passes its barrier whole", passed, "projected")

    # -- figures ------------------------------------------------------------------------------------------------------

    def writes_to_config_map(self) -> int:
        """How often the ConfigMap was written, its making included."""
        return len(self._signals())

    def seconds_from_last_start_to_signal(self) -> float:
        """From when the last pod was seen to wait until the signal was seen."""
        return self._signals()[-1].at - max(self._first_seen(INIT).values())

    def seconds_from_signal_to_last_main(self) -> float:
        """From when the signal was seen until the last main container was seen to run."""
        return max(self._first_seen("main").values()) - self._signals()[-1].at

    def _signals(self) -> list[Record]:
        records = self.world.history().records
        return [one for one in records if one.kind.startswith("ConfigMap") and one.name == self.signal_map]

    def _first_seen(self, name: str) -> dict[str, float]:
        """When each member was first seen to have begun its container of this name."""
        seen: dict[str, float] = {}
        for record in self.world.history().records:
            of_ours = record.kind == "Pod" and record.state.get("gang") == self.live.key
            if of_ours and name in (record.state.get("running") or {}):
                seen.setdefault(record.uid, record.at)
        return seen

    # -- changes ------------------------------------------------------------------------------------------------------

    def accepts(self, change: Object, sentence: str) -> Verdict:
        """The API server merges the change into the JobSet."""
        try:
            self.world.change(JOBSET, self.name, change)
        except ApiError as error:
            return self.world.claim(sentence, False if error.status in REFUSALS else None, error.message)
        return self.world.claim(sentence, True)

    def delete(self) -> None:
        """Delete the JobSet; what it owns must follow."""
        self.world.recorder.act("delete", self.name, self.world.namespace, what="gang")
        self.world.remove(JOBSET, self.name)


def container(pod: Object, name: str = "main") -> Object:
    """What the kubelet says of a container; empty if it has said nothing."""
    status = pod.get("status") or {}
    every = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return next((one for one in every if one["name"] == name), {})


def template(obj: Object, job: str) -> Object:
    """The pod spec of one replicated job of a stored JobSet."""
    found = next(one for one in obj["spec"]["replicatedJobs"] if one["name"] == job)
    spec: Object = found["template"]["spec"]["template"]["spec"]
    return spec


def has_barrier(pod_spec: Object, config_map: str) -> bool:
    """Whether a pod spec has the waiting container, first, and the ConfigMap it looks at; all of it once."""
    inits = [one["name"] for one in pod_spec.get("initContainers") or ()]
    if inits[:1] != [INIT] or inits.count(INIT) > 1:
        return False
    mounts = [one["mountPath"] for one in pod_spec["initContainers"][0]["volumeMounts"] if one["name"] == VOLUME]
    sources = [one.get("configMap") for one in pod_spec.get("volumes") or () if one["name"] == VOLUME]
    return mounts == [MOUNT] and len(sources) == 1 and sources[0] | {"defaultMode": 0} == {
        "name": config_map, "optional": True, "defaultMode": 0,
    }  # fmt: skip
