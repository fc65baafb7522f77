"""Handles on programs that run inside a cluster: the same few words as for a process of an embedded box.

A program is a container that the kubelet starts again whenever it ends, so ending one for good takes two steps: take
away what the kubelet starts it from (the manifest of a static pod, the replicas of a Deployment), and kill it. Signals
are sent inside the node's container; starting is putting back what was taken away.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from harness.box.api import POD, Api, Object
from harness.box.kind import docker
from harness.box.process import Command
from harness.core.errors import ApiError, HarnessError, ProcessError

POLL = 0.1  # seconds between two looks at a pod


class Program(ABC):
    """One program in a cluster; see `harness.box.process.Process` for what the words mean."""

    crashed = False  # whoever crashes here is started again by its kubelet, as in every cluster; see `restarts`
    ending = ""

    def __init__(self, api: Api, command: Command, namespace: str, log: Path) -> None:
        self.command = command
        self.log = log
        self.paused = False
        self.exit_code: int | None = None
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
        """How often its kubelet has started it again; one that was ended by us is a new pod, which counts anew."""
        try:
            pod = self._pod() or {}
        except ApiError:  # the API server may be down, on purpose
            return 0
        return sum(int(one["restartCount"]) for one in (pod.get("status") or {}).get("containerStatuses") or ())

    @property
    def pid(self) -> int:
        """The pid on this machine; 0 if it does not run."""
        node = self._node()
        wanted = self.command.argv[0].rpartition("/")[2]
        for pid, line in docker.processes(node) if node else []:
            if line.split()[0].rpartition("/")[2] == wanted:
                return pid
        return 0

    def kill(self) -> None:
        """End it at once, as a crash would, and keep it from coming back until `start`."""
        node = self._node()
        self._hold()
        self._held = True
        if node:
            self._signal(node, "KILL")
        self._wait(lambda: not self.pid, "did not end")

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
        deadline = time.monotonic() + timeout
        while not self.is_ready():
            if time.monotonic() > deadline:
                raise ProcessError(
                    f"{self.name} was not ready within {timeout:.0f} s; its last lines:\n{self.tail()}",
                    hint=f"See its pod: kubectl -n {self._namespace} describe pod {self._label()}",
                )
            time.sleep(POLL)

    def said(self, text: str) -> bool:
        return text in self._log_text()

    def tail(self, lines: int = 12) -> str:
        """The last lines that it wrote."""
        said = self._log_text(lines).splitlines()[-lines:]
        return "\n".join(f"  {line[:300]}" for line in said) or "  (it wrote nothing)"

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

    def _wait(self, condition: Any, what: str, timeout: float = 20.0) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise ProcessError(f"{self.name} {what} within {timeout:.0f} s")
            time.sleep(POLL)

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
    running = [((one.get("state") or {}).get("running") or {}).get("startedAt", "") for one in statuses if one["ready"]]
    begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since - 1))
    return bool(statuses) and len(running) == len(statuses) and all(at >= begun for at in running)
