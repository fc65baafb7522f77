"""A program of a user's cluster: its pods can be deleted, and the workload that owns them makes new ones.

That is all that muster does to a program which is not its own, and only if the user allows it. It cannot be paused,
kept away, or started with other flags; a case that needs that is not supported there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from harness.box.api import Api, Object
from harness.box.base import Command
from harness.core.errors import ApiError, ProcessError, UnsupportedError
from harness.core.kinds import POD, Kind
from harness.core.waiting import until

POLL = 0.1  # seconds between two looks at its pods
GRACE = 1  # seconds that it is given to end: as little as lets its kubelet say when it has ended
ENDED = 60.0  # seconds until its pods are gone; two are usual


class ClusterProgram:
    """What the pods of a Deployment, StatefulSet or DaemonSet run; see `harness.box.base.Process`."""

    crashed = False  # the owner of its pods restarts them; see `restarts`
    ending = ""
    paused = False
    pid = 0
    stays_down = False

    def __init__(self, api: Api, kind: Kind, namespace: str, name: str, log: Path, role: str) -> None:
        self.command = Command(name, (), role=role)
        self.log = log  # never written: its log is in the cluster
        self._api = api
        self._kind = kind
        self._namespace = namespace
        self._killed: set[str] = set()  # uids of pods that were deleted

    @property
    def name(self) -> str:
        return self.command.name

    @property
    def alive(self) -> bool:
        """Whether it was not killed, or is back since."""
        return not self._killed or self.is_ready()

    @property
    def restarts(self) -> int:
        try:
            pods = self._pods()
        except ApiError:
            return 0
        statuses = [status for pod in pods for status in (pod.get("status") or {}).get("containerStatuses") or ()]
        return sum(int(status.get("restartCount", 0)) for status in statuses)

    def start(self) -> None:
        """Its owner starts it; `wait_ready` says when it has."""

    def kill(self) -> None:
        """Delete its pods, and see them gone."""
        pods = self._pods()
        self._killed |= {pod["metadata"]["uid"] for pod in pods}
        for pod in pods:
            self._api.delete(POD, self._namespace, pod["metadata"]["name"], grace=GRACE)

        def are_gone() -> bool:
            return not self._killed & {pod["metadata"]["uid"] for pod in self._pods()}

        until(are_gone, ENDED, f"the pods of {self.name} are gone", poll=POLL)

    def end(self, timeout: float = 20.0) -> None:
        self.kill()

    def pause(self) -> NoReturn:
        raise UnsupportedError("the case pauses the scheduler; in this cluster its pods can be deleted, not paused")

    def resume(self) -> NoReturn:
        raise UnsupportedError("a program of this cluster cannot be paused, so there is nothing to resume")

    def restart(self, timeout: float = 60.0) -> None:
        """Kill it unless that was done already, and wait until its owner has brought it back."""
        if not self._killed:
            self.kill()
        self.wait_ready(timeout)
        self._killed.clear()

    def restore(self) -> None:
        """Its command is its owner's alone."""

    def is_ready(self) -> bool:
        """Whether as many pods as its owner wants are ready, none of them one that was killed."""
        owner = self._api.get(self._kind, self._namespace, self.name)
        status = owner.get("status") or {}
        desired = int(status.get("desiredNumberScheduled", (owner.get("spec") or {}).get("replicas", 1)))
        pods = [pod for pod in self._pods() if pod["metadata"]["uid"] not in self._killed]
        return sum(_is_ready(pod) for pod in pods) >= max(1, desired)

    def wait_ready(self, timeout: float) -> None:
        def failure() -> ProcessError:
            return ProcessError(
                f"{self._kind.kind} {self._namespace}/{self.name} did not bring its pods back within {timeout:.0f} s",
                hint=f"See: kubectl -n {self._namespace} describe {self._kind.plural} {self.name}",
            )

        until(self.is_ready, timeout, f"{self.name} is ready", poll=POLL, failure=failure)

    def has_logged(self, text: str) -> bool:
        return False

    def tail(self, lines: int = 12) -> str:
        return f"  (in the cluster: kubectl -n {self._namespace} logs {self._kind.plural}/{self.name})"

    def _pods(self) -> list[Object]:
        selector = self._api.get(self._kind, self._namespace, self.name)["spec"]["selector"]
        return self._api.list(POD, self._namespace, labelSelector=_written(selector))


def _written(selector: Mapping[str, Any]) -> str:
    """A selector of a workload as the text that a list takes."""
    parts = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for term in selector.get("matchExpressions") or ():
        key, values = term["key"], ",".join(term.get("values") or ())
        parts.append(
            {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "Exists": key}.get(
                term["operator"], f"!{key}"
            )
        )
    return ",".join(parts)


def _is_ready(pod: Object) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    ready = any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)
    return ready and not pod["metadata"].get("deletionTimestamp")
