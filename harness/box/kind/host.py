"""The worker of a kind box that runs the programs of an integration; see `harness.box.base.ContainerHost`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.box.api import Api
from harness.box.base import Command, DeployedProcess
from harness.box.kind import docker
from harness.box.kind.cluster import LocalCluster
from harness.box.kind.deployed import DeployedProgram
from harness.core.errors import HarnessError


@dataclass(frozen=True, slots=True)
class WorkerHost:
    """One worker, named `node`; the logs of its programs are brought to `logs` by the follower."""

    api: Api
    cluster: LocalCluster
    node: str
    logs: Path

    def load(self, archive: Path) -> None:
        """Put the images of an archive onto the worker."""
        self.cluster.load(archive, self.node)

    def program(self, command: Command, namespace: str, deployment: str) -> DeployedProcess:
        """A handle on what a Deployment of one replica runs."""
        return DeployedProgram(self.api, command, namespace, deployment, self.logs / f"{command.name}.log")

    def reaches(self, address: str, port: int) -> bool:
        """Whether the API server would get an answer from this address."""
        try:
            docker.execute(self.cluster.control_plane, ["timeout", "2", "bash", "-c", f"</dev/tcp/{address}/{port}"])
        except HarnessError:
            return False
        return True
