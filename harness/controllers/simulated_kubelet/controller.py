"""Simulates the kubelet for pods that wait at a barrier, on nodes that run no containers.

KWOK sets a pod to running in one step and cannot read a ConfigMap, so it ignores these pods. This program does what a
kubelet does with them: it holds a pod while a required volume is missing, runs the real command of the init container
that waits, with ConfigMaps mounted and kept up to date, reports how it ended, and follows the pod's restart policy. So
when the container ends, and with which exit code, is decided by its command alone. Other containers of these pods are
not run: init containers count as done, main containers as running. Verdicts say that this part is simulated.
"""

from __future__ import annotations

import datetime
import logging
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.controllers.jobset_barrier import spec as spec
from harness.controllers.runtime.admission import Handler
from harness.controllers.runtime.cache import Cache, key_of
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.queue import Key
from harness.controllers.runtime.service import Watch
from harness.controllers.simulated_kubelet import command, volumes
from harness.controllers.simulated_kubelet.command import CannotStart
from harness.controllers.simulated_kubelet.containers import Containers
from harness.controllers.simulated_kubelet.runtime import START_ERROR
from harness.core.kinds import CONFIG_MAP, POD

log = logging.getLogger(__name__)

FIRST_BACKOFF, LAST_BACKOFF = 10.0, 300.0  # seconds before a container that failed runs again, as kubelets wait
MOST = 1000  # containers at a time; a pod that comes then waits until another one has ended
FULL_INTERVAL = 1.0  # seconds until the next look whether there is room
ADDRESS = "10.0.0.1"
INITIALIZING = {"waiting": {"reason": "PodInitializing"}}


class SimulatedKubelet:
    """A controller whose keys are pods."""

    name = "simulated-kubelet"

    def __init__(self, client: Client, cache: Cache) -> None:
        self.client = client
        self.cache = cache
        self.folder = Path(tempfile.mkdtemp(prefix="containers-"))
        self.uids: dict[Key, str] = {}  # of the pods that have a folder
        self.containers = Containers(self._ended)
        log.info("commands run in %s", "namespaces" if self.containers.private else "folders, without namespaces")

    @property
    def watches(self) -> Sequence[Watch]:
        return (
            Watch(POD, lambda pod: [key_of(pod)], selector=spec.JOBSET_LABEL, wakes=has_waiting_container),
            Watch(CONFIG_MAP, self.mounted_by),
        )

    @property
    def admission(self) -> Mapping[str, Handler]:
        return {}

    def mounted_by(self, config_map: Object) -> list[Key]:
        """The pods that wait and mount this ConfigMap."""
        namespace, name = key_of(config_map)
        return [key_of(pod) for pod in self.cache.list(POD, namespace, waits) if name in command.config_maps(pod)]

    def reconcile(self, key: Key) -> float | None:
        """One step of a pod; returns the seconds until the next step if no event announces it."""
        pod = self.cache.get(POD, *key)
        uid = pod["metadata"]["uid"] if pod is not None and waits(pod) else ""
        self._clear(key, uid)
        if pod is None or not uid:
            return None
        statuses = pod["status"].get("initContainerStatuses") or ()
        container = next((status for status in statuses if status["name"] == spec.INIT), None)
        if container is None:
            return self._start(pod, _status(pod, spec.INIT))
        if "running" in container["state"]:
            return self._watch(pod, container)
        rest = _seconds_until(container["lastState"]["terminated"]["finishedAt"], _backoff(container["restartCount"]))
        return rest if rest > 0 else self._start(pod, container)

    def _start(self, pod: Object, container: Object) -> float | None:
        """The init container starts; all other containers wait for it."""
        if command.missing(pod, self._finder(pod)):
            return None  # the ConfigMap, once it is there, announces itself
        if len(self.containers) >= MOST:
            log.warning("%s waits: %d containers run", pod["metadata"]["name"], MOST)
            return FULL_INTERVAL
        container = {**container, "state": {"running": {"startedAt": _now()}}, "started": True, "ready": False}
        try:
            self._launch(pod, container)
        except CannotStart as error:
            return self._fail(pod, container, START_ERROR, "StartError", f"{spec.INIT} cannot start: {error}")
        self._write_status(pod, "Pending", container, INITIALIZING, ready=False)
        return None

    def _launch(self, pod: Object, container: Object) -> None:
        name = _id(pod, container)
        self.uids[key_of(pod)] = pod["metadata"]["uid"]
        self._project(pod)
        if name not in self.containers:
            finder, private = self._finder(pod), self.containers.private
            self.containers.run(name, command.launch(pod, self._folder(pod), finder, private=private))

    def _watch(self, pod: Object, container: Object) -> float | None:
        """Keep the volumes of a running container up to date, and report its end."""
        name = _id(pod, container)
        if name not in self.containers:
            self._launch(pod, container)  # this program was restarted, and the container ended with it
            return None
        code = self.containers.code(name)
        if code is None:
            self._project(pod)
            return None
        began = container["state"]["running"]["startedAt"]
        if code == 0:
            ended = {"exitCode": 0, "reason": "Completed", "startedAt": began, "finishedAt": _now()}
            container = {**container, "state": {"terminated": ended}, "ready": True, "started": False}
            self._write_status(pod, "Running", container, {"running": {"startedAt": _now()}}, ready=True)
        else:
            reason = "StartError" if code == START_ERROR else "Error"
            self._fail(pod, container, code, reason, self.containers.tail(name))
        return None

    def _fail(self, pod: Object, container: Object, code: int, reason: str, message: str) -> float | None:
        """The init container failed: so does the pod, unless its restart policy lets it try again."""
        log.info("%s of %s ended with %d: %s", spec.INIT, pod["metadata"]["name"], code, message)
        began = container["state"]["running"]["startedAt"]
        ended = {"exitCode": code, "reason": reason, "message": message, "startedAt": began, "finishedAt": _now()}
        if pod["spec"].get("restartPolicy") == "Never":
            container = {**container, "state": {"terminated": ended}, "ready": False, "started": False}
            self._write_status(pod, "Failed", container, INITIALIZING, ready=False)
            return None
        container = {
            **container,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": ended},
            "restartCount": container["restartCount"] + 1,
            "started": False,
        }
        self._write_status(pod, "Pending", container, INITIALIZING, ready=False)
        return None

    def _project(self, pod: Object) -> None:
        """Bring the volumes of the pod up to date."""
        find = self._finder(pod)
        for volume in pod["spec"].get("volumes") or ():
            folder = command.volume_folder(self._folder(pod), volume["name"])
            if "configMap" in volume:
                source = volume["configMap"]
                volumes.project(folder, volumes.config_map_files(source, find(source["name"])))
            else:
                folder.mkdir(parents=True, exist_ok=True)

    def _clear(self, key: Key, uid: str) -> None:
        """End the containers of a former pod of this name, and remove its folder."""
        former = self.uids.get(key, uid)
        if former != uid:
            self.containers.remove(_prefix(key, former))
            shutil.rmtree(self.folder / former, ignore_errors=True)
            del self.uids[key]

    def _ended(self, name: str) -> None:
        namespace, pod, *_ = name.split("/")
        self.cache.wake(POD, (namespace, pod))

    def _folder(self, pod: Object) -> Path:
        return self.folder / str(pod["metadata"]["uid"])

    def _finder(self, pod: Object) -> command.FindConfigMap:
        return lambda name: self.cache.get(CONFIG_MAP, pod["metadata"]["namespace"], name)

    def _write_status(self, pod: Object, phase: str, waiting: Object, main: Object, *, ready: bool) -> None:
        meta, before = pod["metadata"], pod["status"]
        passed = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": _now(), "finishedAt": _now()}}
        others = [container["name"] for container in pod["spec"]["initContainers"] if container["name"] != spec.INIT]
        state = {"state": passed if ready else INITIALIZING, "ready": ready}
        status = {
            "phase": phase,
            "startTime": before.get("startTime") or _now(),
            "hostIP": ADDRESS,
            "podIP": ADDRESS,
            "podIPs": [{"ip": ADDRESS}],
            "conditions": _conditions(before, ready),
            "initContainerStatuses": [waiting, *({**_status(pod, name), **state} for name in others)],
            "containerStatuses": [
                {**_status(pod, container["name"]), "state": main, "ready": ready, "started": ready}
                for container in pod["spec"]["containers"]
            ],
        }
        change = {"metadata": {"resourceVersion": meta["resourceVersion"]}, "status": status}
        self.client.patch(POD, meta["namespace"], meta["name"], change, subresource="status")


def has_waiting_container(pod: Object) -> bool:
    return spec.INIT in [container["name"] for container in pod["spec"].get("initContainers") or ()]


def waits(pod: Object) -> bool:
    """Whether this program simulates the pod: bound, not being deleted, at or before the barrier."""
    pending = (pod.get("status") or {}).get("phase") == "Pending"
    going = pod["metadata"].get("deletionTimestamp")
    return has_waiting_container(pod) and spec.is_scheduled(pod) and pending and not going


def _id(pod: Object, container: Object) -> str:
    """The id of a container: one that runs again is another one."""
    return f"{_prefix(key_of(pod), pod['metadata']['uid'])}{container['restartCount']}"


def _prefix(key: Key, uid: str) -> str:
    return "/".join((*key, uid, ""))


def _status(pod: Object, name: str) -> Object:
    containers = [*pod["spec"]["initContainers"], *pod["spec"]["containers"]]
    image = next(container["image"] for container in containers if container["name"] == name)
    return {"name": name, "image": image, "imageID": "", "restartCount": 0, "ready": False}


def _conditions(before: Object, ready: bool) -> list[Object]:
    """The conditions that others set, and those of the kubelet."""
    types = ("Initialized", "ContainersReady", "Ready")
    others = [condition for condition in before.get("conditions") or () if condition["type"] not in types]
    why = {} if ready else {"reason": "ContainersNotInitialized"}
    return others + [
        {"type": condition_type, "status": str(ready), "lastTransitionTime": _now(), **why} for condition_type in types
    ]


def _backoff(restarts: int) -> float:
    return float(min(FIRST_BACKOFF * 2.0 ** (restarts - 1), LAST_BACKOFF))


def _seconds_until(stamp: str, after: float) -> float:
    begun = datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    return after - (datetime.datetime.now(datetime.UTC) - begun).total_seconds()


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
