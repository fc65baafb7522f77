"""What every kind of box has around its cluster: a folder, an entry in the registry, a keeper, ports and credentials.

A box uses one of these by composition. It ends in one of three ways: `stop` leaves nothing, `fail` leaves the logs,
`keep` leaves everything running.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from harness.box import registry
from harness.box.api import Api
from harness.box.base import Command, Probe, Process
from harness.box.credentials import Credentials
from harness.box.link import KeeperLink
from harness.box.ports import Ports
from harness.box.process import HostProcess
from harness.core.errors import ApiError, MusterError

if TYPE_CHECKING:
    from kubernetes.client import ApiClient


class Runtime:
    """The frame of one box: `claim` the folder, `open` it, `connect` to the cluster, then one of the three ends."""

    directory: Path
    api: Api
    credentials: Credentials

    def __init__(self, kind: str, name: str | None) -> None:
        self.processes: dict[str, Process] = {}
        self.timings: dict[str, float] = {}
        self._kind = kind
        self._name = registry.check_name(name) if name is not None else None
        self._ports = Ports()
        self._keeper: KeeperLink | None = None

    # -- beginning ----------------------------------------------------------------------------------------------------

    def claim(self) -> None:
        """Take a folder of the box's name, or of a new one."""
        self.directory = registry.claim(self._name)

    def open(self, *folders: str) -> None:
        """Make the folders in it and start the keeper."""
        for folder in folders:
            (self.directory / folder).mkdir(mode=0o700)
        self._keeper = KeeperLink(self.directory)

    def take_over(self, directory: Path, keeper: tuple[int, int], ports: Sequence[int]) -> None:
        """Use a box that another process has started: its folder, the socket and pid of its keeper, its ports."""
        self.directory = directory
        self._keeper = KeeperLink(directory, keeper)
        self._ports.take_over(ports)

    def adopt(self, command: Command, pid: int, probe: Probe | None) -> None:
        """Know a process of such a box."""
        process = HostProcess(self.keeper, command, self.directory / "logs" / f"{command.name}.log", probe)
        process.adopt(pid)
        self.processes[command.name] = process

    @property
    def descriptors(self) -> list[int]:
        """What another process needs to take it over: the socket of the keeper, and those of its ports."""
        return [self.keeper.descriptor, *self._ports.descriptors]

    def connect(self, credentials: Credentials, api: Api) -> None:
        """Work with the cluster through this client from now on."""
        self.credentials = credentials
        self.api = api

    def register(self, *, kubernetes: str, server: str, nodes: int, keep: bool) -> None:
        """Write down for `muster ps` and `muster down` what the box is and who keeps it."""
        entry = registry.Entry(
            name=self.name,
            kind=self._kind,
            kubernetes=kubernetes,
            keeper=self.keeper.pid,
            keeper_started=psutil.Process(self.keeper.pid).create_time(),
            created=time.time(),
            server=server,
            nodes=nodes,
            persistent=keep,
        )
        registry.write(entry, self.directory)

    # -- use ----------------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether it has a keeper: from `open` until one of its ends."""
        return self._keeper is not None

    @property
    def keeper(self) -> KeeperLink:
        assert self._keeper is not None, "the box is not running"
        return self._keeper

    @property
    def name(self) -> str:
        return self.directory.name

    @property
    def kubeconfig(self) -> Path:
        return self.directory / "kubeconfig"

    def client(self) -> ApiClient:
        """The official Python client."""
        from kubernetes.config import new_client_from_config

        client: ApiClient = new_client_from_config(str(self.kubeconfig))
        return client

    def identity(self, user: str, groups: Sequence[str]) -> Path:
        """A kubeconfig for a user with a certificate of its own."""
        return self.credentials.identity(user, groups)

    def run(self, command: Command, probe: Probe | None = None) -> Process:
        """Start one more process of this machine."""
        process = HostProcess(self.keeper, command, self.directory / "logs" / f"{command.name}.log", probe)
        self.processes[command.name] = process
        process.start()
        return process

    def discard(self, name: str) -> None:
        """End a process and forget it."""
        self.processes.pop(name).kill()

    def reserve_port(self, port: int = 0) -> int:
        """A free port, or exactly this one."""
        return self._ports.reserve(port)

    def https_probe(self, port: int, path: str) -> Probe:
        """Ready when this endpoint answers 200."""
        api = Api(f"https://127.0.0.1:{port}", self.credentials.context)

        def probe() -> bool:
            try:
                api.request("GET", path, timeout=2)
            except ApiError:
                return False
            return True

        return probe

    # -- end ----------------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """End every process and remove the folder. Safe to call twice."""
        if self._keeper is not None:
            self._keeper.stop()
        self._close()

    def keep(self) -> None:
        """Let the keeper and what it keeps live on without this process."""
        self.keeper.keep()
        self._close()

    def fail(self, error: BaseException) -> None:
        """Stop for this error, keep the logs and say in the error where they are."""
        logs = registry.keep_logs(self.directory) if (self.directory / "logs").is_dir() else None
        if isinstance(error, MusterError) and logs is not None:
            hint = error.hint.replace(str(self.directory / "logs"), str(logs))
            error.hint = "\n".join(part for part in (hint, f"The logs of all components: {logs}") if part)
            error.logs = logs
        if self._keeper is None:
            shutil.rmtree(self.directory, ignore_errors=True)
        self.stop()

    def _close(self) -> None:
        self._keeper = None
        if hasattr(self, "api"):
            self.api.close()
        self._ports.close()
