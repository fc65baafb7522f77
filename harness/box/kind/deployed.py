"""The programs of an integration, each of which a Deployment of one replica starts."""

from __future__ import annotations

from pathlib import Path

from harness.box.api import POD, Api, Object, Resource
from harness.box.kind.programs import Program
from harness.box.process import Command

DEPLOYMENT = Resource("apps/v1", "Deployment", "deployments", True)


class DeployedProgram(Program):
    """A program of an integration, which a Deployment of one replica starts."""

    def __init__(self, api: Api, command: Command, namespace: str, deployment: str, log: Path) -> None:
        super().__init__(api, command, namespace, log)
        self._deployment = deployment

    def _hold(self) -> None:
        self._scale(0)

    def _release(self) -> None:
        self._scale(1)

    def _scale(self, replicas: int) -> None:
        self._api.patch(DEPLOYMENT, self._namespace, self._deployment, {"spec": {"replicas": replicas}})

    def _node(self) -> str:
        pod = self._pod()
        return str(pod["spec"].get("nodeName", "")) if pod else ""

    def _label(self) -> str:
        return f"-l app.kubernetes.io/name={self._deployment}"

    def _pod(self) -> Object | None:
        found = self._api.list(POD, self._namespace, labelSelector=f"app.kubernetes.io/name={self._deployment}")
        found = [pod for pod in found if not pod["metadata"].get("deletionTimestamp")]
        return max(found, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), default=None)
