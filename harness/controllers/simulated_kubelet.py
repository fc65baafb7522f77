"""Plays the kubelet for pods that wait at a barrier, on nodes that run no containers.

KWOK brings pods to life in one step and cannot look at a ConfigMap; so it leaves these to us. This is what a kubelet
and the script of the waiting container would do between them, and no more: hold a pod back while a volume it needs is
missing, let its init container run, end it well when the signal for its attempt is mounted, end it badly when its time
is over, and follow the pod's restart policy. Whoever reads a verdict is told that this part is simulated.
"""

from __future__ import annotations

import argparse
import datetime
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.controllers import jobset_barrier_spec as spec
from harness.controllers.admission import Handler
from harness.controllers.cache import Cache, key_of
from harness.controllers.client import Client, Kind, Object
from harness.controllers.queue import Key
from harness.controllers.service import Options, Watch, serve

CONFIG_MAP = Kind("v1", "ConfigMap", "configmaps")
POD = Kind("v1", "Pod", "pods")
FIRST_BACKOFF, LAST_BACKOFF = 10.0, 300.0  # seconds before a container that failed runs again, as kubelets wait
ADDRESS = "10.0.0.1"
INITIALIZING = {"waiting": {"reason": "PodInitializing"}}


class SimulatedKubelet:
    """A controller whose keys are pods."""

    name = "simulated-kubelet"

    def __init__(self, client: Client, cache: Cache) -> None:
        self.client = client
        self.cache = cache

    @property
    def watches(self) -> Sequence[Watch]:
        return (
            Watch(POD, lambda pod: [key_of(pod)], selector=spec.JOBSET_LABEL, wakes=waits),
            Watch(CONFIG_MAP, self.mounted_by),
        )

    @property
    def admission(self) -> Mapping[str, Handler]:
        return {}

    def mounted_by(self, config_map: Object) -> list[Key]:
        """The pods that wait and mount this ConfigMap."""
        namespace, name = key_of(config_map)
        pods = self.cache.list(POD, namespace, lambda pod: waits(pod) and any(one == name for one, _ in mounts(pod)))
        return [key_of(pod) for pod in pods]

    def reconcile(self, key: Key) -> float | None:
        """One step of a pod's life; seconds until the next one that no change announces."""
        pod = self.cache.get(POD, *key)
        if pod is None or not waits(pod):
            return None
        own = next((one for one in pod["status"].get("initContainerStatuses") or () if one["name"] == spec.INIT), None)
        if own is None:
            missing = [name for name, optional in mounts(pod) if not optional and self._data(pod, name) is None]
            return None if missing else self._run(pod, _status(pod, spec.INIT))
        if "running" in own["state"]:
            return self._wait(pod, own)
        rest = _seconds_until(own["lastState"]["terminated"]["finishedAt"], _backoff(own["restartCount"]))
        return rest if rest > 0 else self._run(pod, own)

    def _run(self, pod: Object, own: Object) -> float | None:
        """The init container begins; all others wait for it."""
        own = {**own, "state": {"running": {"startedAt": _now()}}, "started": True, "ready": False}
        self._say(pod, "Pending", own, INITIALIZING, ready=False)
        return None

    def _wait(self, pod: Object, own: Object) -> float | None:
        """What the script does: look for the signal, and at the clock."""
        volume: Object = next((one for one in pod["spec"]["volumes"] if one["name"] == spec.VOLUME), {})
        data = self._data(pod, spec.part(volume, "configMap").get("name", "")) or {}
        began = own["state"]["running"]["startedAt"]
        if data.get(spec.STARTED) == spec.attempt_of_pod(pod):
            ended = {"exitCode": 0, "reason": "Completed", "startedAt": began, "finishedAt": _now()}
            own = {**own, "state": {"terminated": ended}, "ready": True, "started": False}
            self._say(pod, "Running", own, {"running": {"startedAt": _now()}}, ready=True)
            return None
        timeout = time_limit(pod)
        rest = math.inf if timeout is None else _seconds_until(began, timeout)
        if rest > 0:
            return None if timeout is None else rest
        ended = {"exitCode": 1, "reason": "Error", "startedAt": began, "finishedAt": _now()}
        if pod["spec"].get("restartPolicy") == "Never":
            own = {**own, "state": {"terminated": ended}, "ready": False, "started": False}
            self._say(pod, "Failed", own, INITIALIZING, ready=False)
            return None
        own = {**own, "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": ended},
               "restartCount": own["restartCount"] + 1, "started": False}  # fmt: skip
        self._say(pod, "Pending", own, INITIALIZING, ready=False)
        return None

    def _data(self, pod: Object, name: str) -> Object | None:
        found = self.cache.get(CONFIG_MAP, pod["metadata"]["namespace"], name)
        return None if found is None else found.get("data") or {}

    def _say(self, pod: Object, phase: str, own: Object, main: Object, *, ready: bool) -> None:
        meta, before = pod["metadata"], pod["status"]
        passed = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": _now(), "finishedAt": _now()}}
        others = [one["name"] for one in pod["spec"]["initContainers"] if one["name"] != spec.INIT]
        state = {"state": passed if ready else INITIALIZING, "ready": ready}
        status = {
            "phase": phase, "startTime": before.get("startTime") or _now(), "hostIP": ADDRESS, "podIP": ADDRESS,
            "podIPs": [{"ip": ADDRESS}],
            "conditions": _conditions(before, ready),
            "initContainerStatuses": [own, *({**_status(pod, name), **state} for name in others)],
            "containerStatuses": [
                {**_status(pod, one["name"]), "state": main, "ready": ready, "started": ready}
                for one in pod["spec"]["containers"]
            ],
        }  # fmt: skip
        change = {"metadata": {"resourceVersion": meta["resourceVersion"]}, "status": status}
        self.client.patch(POD, meta["namespace"], meta["name"], change, subresource="status")


def waits(pod: Object) -> bool:
    """Whether this pod is ours to play: placed, not going, at or before the barrier."""
    names = [one["name"] for one in pod["spec"].get("initContainers") or ()]
    pending = (pod.get("status") or {}).get("phase") == "Pending"
    return spec.INIT in names and spec.is_scheduled(pod) and pending and not pod["metadata"].get("deletionTimestamp")


def mounts(pod: Object) -> list[tuple[str, bool]]:
    """The ConfigMaps that the pod mounts, and whether each may be missing."""
    sources = [one["configMap"] for one in pod["spec"].get("volumes") or () if "configMap" in one]
    return [(one["name"], bool(one.get("optional"))) for one in sources]


def time_limit(pod: Object) -> float | None:
    """How long the script of the init container waits."""
    own = next(one for one in pod["spec"]["initContainers"] if one["name"] == spec.INIT)
    given = next((one.get("value") for one in own.get("env") or () if one["name"] == "TIMEOUT_AFTER_SECONDS"), "")
    return float(given) if given else None


def _status(pod: Object, name: str) -> Object:
    containers = [*pod["spec"]["initContainers"], *pod["spec"]["containers"]]
    image = next(one["image"] for one in containers if one["name"] == name)
    return {"name": name, "image": image, "imageID": "", "restartCount": 0, "ready": False}


def _conditions(before: Object, ready: bool) -> list[Object]:
    """Those that others set, and the kubelet's own."""
    own = ("Initialized", "ContainersReady", "Ready")
    kept = [one for one in before.get("conditions") or () if one["type"] not in own]
    why = {} if ready else {"reason": "ContainersNotInitialized"}
    return kept + [{"type": kind, "status": str(ready), "lastTransitionTime": _now(), **why} for kind in own]


def _backoff(restarts: int) -> float:
    return float(min(FIRST_BACKOFF * 2.0 ** (restarts - 1), LAST_BACKOFF))


def _seconds_until(stamp: str, after: float) -> float:
    begun = datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    return after - (datetime.datetime.now(datetime.UTC) - begun).total_seconds()


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--health-port", type=int, required=True)
    given = parser.parse_args()
    serve(SimulatedKubelet, Options(kubeconfig=given.kubeconfig, health_port=given.health_port))


if __name__ == "__main__":
    main()
