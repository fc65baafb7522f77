"""Handles on programs that run inside a cluster, used like processes of this machine.

A program is a container that the kubelet starts again whenever it ends, so ending one for good takes two steps: take
away what the kubelet starts it from (the manifest of a static pod, the replicas of a Deployment), and kill it. Signals
are sent inside the node's container; starting is putting back what was taken away.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness.box.api import Api, Object
from harness.box.base import Command
from harness.box.kind import docker
from harness.core.errors import ApiError, HarnessError, ProcessError
from harness.core.kinds import POD
from harness.core.waiting import until

POLL = 0.1  # seconds between two looks at a pod


class ContainerProgram(ABC):
    """One program in a cluster; see `harness.box.base.Process` for what its methods mean."""

    crashed = False  # what crashes here is started again by its kubelet, as in every cluster; see `restarts`
    ending = ""
    stays_down = True

    def __init__(self, api: Api, command: Command, namespace: str, log: Path) -> None:
        self.command = command
        self._original = command
        self.log = log
        self.paused = False
        self._api = api
        self._namespace = namespace
        self._held = False
        self._started = 0.0  # pods that are older than this do not count as ready

    @property
    def name(self) -> str:
        return self.command.name

    @property
    def alive(self) -> bool:
        return not self._held

    @property
    def restarts(self) -> int:
        """How often its kubelet has started it again; after we have ended it, its new pod counts from zero."""
        try:
            pod = self._pod() or {}
        except ApiError:  # the API server may be down, on purpose
            return 0
        return sum(int(status["restartCount"]) for status in (pod.get("status") or {}).get("containerStatuses") or ())

    @property
    def pid(self) -> int:
        """The pid on this machine; 0 if it does not run."""
        node = self._node()
        program = self.command.argv[0].rpartition("/")[2]
        for pid, line in docker.processes(node) if node else []:
            if line.split()[0].rpartition("/")[2] == program:
                return pid
        return 0

    def kill(self) -> None:
        """End it at once, as a crash would, and keep it from coming back until `start`."""
        node = self._node()
        self._hold()
        self._held = True
        if node:
            self._signal(node, "KILL")
        self._wait_ended(lambda: not self.pid)

    def end(self, timeout: float = 20.0) -> None:
        self.kill()

    def start(self) -> None:
        if self._held:
            self._started = time.time()
            self._release()
            self._held = False
            self.paused = False

    def pause(self) -> None:
        """Stop it from running; a pause of more than a minute would make its kubelet start it again."""
        self._signal(self._where(), "STOP")
        self.paused = True

    def resume(self) -> None:
        self._signal(self._where(), "CONT")
        self.paused = False

    def restart(self, timeout: float = 60.0) -> None:
        if self.alive:
            self.kill()
        self.start()
        self.wait_ready(timeout)

    def restore(self) -> None:
        """Undo a change of its command: have it run with the one that it was made with."""
        if self.command != self._original:
            self.command = self._original
            self.restart()

    def is_ready(self) -> bool:
        """Whether its pod is ready and is not the one that was killed."""
        try:
            pod = self._pod()
        except ApiError as error:
            if error.status in (0, 500, 503):  # the API server is the one that is being restarted
                return False
            raise
        return pod is not None and _is_ready(pod, self._started)

    def wait_ready(self, timeout: float) -> None:
        def failure() -> ProcessError:
            reason = f"{self.name} was not ready within {timeout:.0f} s; its last lines:\n{self.tail()}"
            return ProcessError(reason, hint=f"See its pod: kubectl -n {self._namespace} describe pod {self._label()}")

        until(self.is_ready, timeout, f"{self.name} is ready", poll=POLL, failure=failure)

    def has_logged(self, text: str) -> bool:
        return text in self._log_text()

    def tail(self, lines: int = 12) -> str:
        """The last lines that it wrote."""
        text = self._log_text(lines).splitlines()[-lines:]
        return "\n".join(f"  {line[:300]}" for line in text) or "  (it wrote nothing)"

    def _log_text(self, lines: int = 10_000) -> str:
        try:
            pod = self._pod()
            if pod is None:
                return ""
            path = f"{POD.path(self._namespace, pod['metadata']['name'])}/log"
            answer = self._api.request("GET", path, params={"tailLines": str(lines)})
        except ApiError as error:
            return str(error.message)
        return str(answer.get("text", ""))

    def _signal(self, node: str, name: str) -> None:
        program = self.command.argv[0].rpartition("/")[2]
        script = f"for p in $(pgrep -f '^([^ ]*/)?{program}( |$)'); do kill -{name} $p; done"
        docker.execute(node, ["sh", "-c", script])

    def _where(self) -> str:
        node = self._node()
        if not node:
            raise HarnessError(f"{self.name} runs on no node, so it cannot be sent a signal")
        return node

    def _wait_ended(self, condition: Callable[[], bool], timeout: float = 20.0) -> None:
        failure = partial(ProcessError, f"{self.name} did not end within {timeout:.0f} s")
        until(condition, timeout, f"{self.name} has ended", poll=POLL, failure=failure)

    @abstractmethod
    def _hold(self) -> None:
        """Take away what the kubelet starts it from."""

    @abstractmethod
    def _release(self) -> None:
        """Put that back."""

    @abstractmethod
    def _node(self) -> str:
        """The container of the node it runs on; empty if it runs on none."""

    @abstractmethod
    def _label(self) -> str:
        """How kubectl finds its pod."""

    @abstractmethod
    def _pod(self) -> Object | None: ...


def _is_ready(pod: Object, since: float) -> bool:
    """Whether all containers of the pod are ready and were started no earlier than that."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or []
    running = [_started_at(status) for status in statuses if status["ready"]]
    begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since - 1))
    return bool(statuses) and len(running) == len(statuses) and all(at >= begun for at in running)


def _started_at(status: Object) -> str:
    """When the container of this status was started; empty if it does not run."""
    return str(((status.get("state") or {}).get("running") or {}).get("startedAt", ""))
