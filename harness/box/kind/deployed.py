"""The programs of an integration, each of which a Deployment of one replica starts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.box.api import PATCH_JSON, Api, Object
from harness.box.base import Command
from harness.box.kind.programs import ContainerProgram
from harness.core.kinds import DEPLOYMENT, POD


class DeployedProgram(ContainerProgram):
    """A program of an integration, which a Deployment of one replica starts.

    Its command is the program and, after it, the arguments of the container; others take effect when it is started.
    """

    def __init__(self, api: Api, command: Command, namespace: str, deployment: str, log: Path) -> None:
        super().__init__(api, command, namespace, log)
        self.answers: Callable[[], bool] = lambda: True  # whether its webhooks can be called by their service
        self._deployment = deployment
        self._written = command.argv

    def is_ready(self) -> bool:
        """Whether its pod is ready and found by its service; the second comes a moment later."""
        return super().is_ready() and self.answers()

    def _hold(self) -> None:
        self._api.patch(DEPLOYMENT, self._namespace, self._deployment, {"spec": {"replicas": 0}})

    def _release(self) -> None:
        change = [{"op": "replace", "path": "/spec/replicas", "value": 1}, *self._rewritten()]
        self._api.patch(DEPLOYMENT, self._namespace, self._deployment, change, content_type=PATCH_JSON)
        self._written = self.command.argv

    def _rewritten(self) -> list[Object]:
        """The change of its Deployment that gives it the arguments which `command` has by now."""
        if self.command.argv == self._written:
            return []
        where = "/spec/template/spec/containers/0/args"
        return [{"op": "add", "path": where, "value": list(self.command.argv[1:])}]

    def _node(self) -> str:
        pod = self._pod()
        return str(pod["spec"].get("nodeName", "")) if pod else ""

    def _label(self) -> str:
        return f"-l app.kubernetes.io/name={self._deployment}"

    def _pod(self) -> Object | None:
        pods = self._api.list(POD, self._namespace, labelSelector=f"app.kubernetes.io/name={self._deployment}")
        pods = [pod for pod in pods if not pod["metadata"].get("deletionTimestamp")]
        return max(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), default=None)
