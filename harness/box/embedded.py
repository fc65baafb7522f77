"""The embedded box: a real Kubernetes control plane as processes of this machine, in about three seconds.

etcd, kube-apiserver, kube-controller-manager, kube-scheduler and KWOK run side by side on loopback, each one a process
that can be killed, paused and restarted. The order of starting is measured, not guessed: the API server's own start is
the floor; everything that can be done before it is ready (certificates, copying the prepared etcd) is, and the
components that would give up or poll by the second against an API server that is not there yet start the moment it is.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import psutil

from harness.box import crds, prepared, profile, registry
from harness.box.api import Api
from harness.box.artifacts import Artifact, resolve
from harness.box.artifacts.store import sha256
from harness.box.credentials import MASTERS, Credentials
from harness.box.data import data_root
from harness.box.link import KeeperLink
from harness.box.nodes import Nodes, Pool, total
from harness.box.phases import Listener, Quiet, phase
from harness.box.pki import Authority
from harness.box.ports import Ports
from harness.box.process import Command, Probe, Process
from harness.core.errors import ApiError, MusterError

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

START_TIMEOUT = 120.0  # seconds for the whole start; ten times what a slow machine was seen to need
ETCD = "unix://etcd.sock:1"  # a socket in the box's own folder: no port, nobody else can connect
ETCD_PEER = "unix://peer.sock:1"
ROLES = {"etcd": "etcd", "kube-apiserver": "apiserver", "kube-controller-manager": "controller",
         "kube-scheduler": "scheduler", "kwok": "nodes"}  # fmt: skip


class EmbeddedBox:
    """A cluster made of host processes. Use it as a context manager, or call `start` and `stop`.

    with EmbeddedBox(kubernetes="1.37", nodes=[Pool(8, gpus=8)]) as box:
        box.processes["kube-scheduler"].kill()
    """

    kind = "embedded"
    shell = ""  # an image with a shell that is on every node, if there is one

    def __init__(
        self, kubernetes: str | None = None, nodes: Sequence[Pool] = (), *, name: str | None = None,
        binaries: Mapping[str, Path] | None = None, gates: Mapping[str, bool] | None = None, port: int = 0,
        scheduler: bool = True, listener: Listener | None = None, definitions: Sequence[Path] = (),
    ) -> None:  # fmt: skip
        self.pools = tuple(nodes)
        self.processes: dict[str, Process] = {}
        self.artifacts: dict[str, Artifact] = {}
        self.timings: dict[str, float] = {}
        self._wanted = kubernetes or profile.default_minor()
        self._name = registry.check_name(name) if name is not None else None
        self._binaries = binaries
        self.gates = dict(gates or {})
        self._port = port
        self._with_scheduler = scheduler
        self._definitions = tuple(definitions)  # files of CRDs that are there before any controller starts
        self.listener = listener or Quiet()
        self._ports = Ports()
        self._keeper: KeeperLink | None = None

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> Self:
        """Bring everything up; on any failure nothing is left running and the logs are kept."""
        began = time.monotonic()
        for component in ("kubernetes", "etcd", "kwok"):
            version = self._wanted if component == "kubernetes" else None
            self.artifacts[component] = resolve(
                component, version, binaries=self._binaries, progress=self.listener.build
            )
        self.kubernetes = self.artifacts["kubernetes"].version
        self.profile = profile.profile(self.kubernetes)
        for gate in self.gates:
            self.profile.homes(gate)
        self.directory = registry.claim(self._name)
        self.name = self.directory.name
        try:
            self._bring_up()
        except BaseException as error:
            self.fail(error)
            raise
        self.timings["start"] = time.monotonic() - began
        return self

    def stop(self) -> None:
        """End every process and remove the folder. Safe to call twice."""
        if self._keeper is not None:
            self._keeper.stop()
            self._keeper = None
            self.api.close()
        self._ports.close()

    def keep(self) -> None:
        """Let the box live on after this process; `muster down` ends it."""
        assert self._keeper is not None, "the box is not running"
        self._register(kept=True)
        self._keeper.keep()
        self._keeper = None
        self.api.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # -- ways in ------------------------------------------------------------------------------------------------------

    @property
    def kubeconfig(self) -> Path:
        return self.directory / "kubeconfig"

    @property
    def server(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def audit_log(self) -> Path:
        return self.directory / "audit.log"

    def client(self) -> ApiClient:
        """The official Python client, for tests that like its model classes."""
        from kubernetes.config import new_client_from_config

        client: ApiClient = new_client_from_config(str(self.kubeconfig))
        return client

    def identity(self, user: str, groups: Sequence[str] = MASTERS) -> Path:
        """A kubeconfig for one more process, with a certificate of its own."""
        return self._credentials.identity(user, groups)

    @property
    def authority(self) -> Authority:
        """Issues certificates, for webhooks and the like."""
        return self._credentials.authority

    def run(self, command: Command, probe: Probe | None = None) -> Process:
        """Start one more process in the box."""
        assert self._keeper is not None, "the box is not running"
        log = self.directory / "logs" / f"{command.name}.log"
        process = Process(self._keeper, command, log, probe)
        self.processes[command.name] = process
        process.start()
        return process

    def reserve_port(self) -> int:
        return self._ports.reserve()

    def https_probe(self, port: int, path: str = "/readyz") -> Probe:
        """Ready when this endpoint answers 200."""
        api = Api(f"https://127.0.0.1:{port}", self._credentials.context)

        def probe() -> bool:
            try:
                api.request("GET", path, timeout=2)
            except ApiError:
                return False
            return True

        return probe

    # -- the start, step by step --------------------------------------------------------------------------------------

    def _bring_up(self) -> None:
        listener = self.listener
        for folder in ("pki", "logs"):
            (self.directory / folder).mkdir(mode=0o700)
        self.port = self._ports.reserve(self._port)
        self._keeper = KeeperLink(self.directory)
        self._credentials = Credentials(self.directory, self.server)
        self.api = Api(self.server, self._credentials.context)
        if not prepared.install(self._prepared_key(), self.directory / "etcd", self._prepare):
            self.timings["prepared"] = 1.0
        began = time.monotonic()
        with phase(listener, f"Starting Kubernetes {self.kubernetes}"):
            self._start_etcd()
            apiserver = self._start_apiserver()
            rest = self._rest()
            apiserver.wait_ready(START_TIMEOUT)
            self.timings["apiserver"] = time.monotonic() - began
            self._start_rest(rest)
        self.timings["ready"] = time.monotonic() - began
        self._register(kept=False)

    def _rest(self) -> list[tuple[Command, Probe | None]]:
        """Everything that needs a ready API server: certificates and ports are had while that one starts."""
        wanted = [self._controller_manager(), self._kwok()]
        return [self._scheduler(), *wanted] if self._with_scheduler else wanted

    def _start_rest(self, rest: Sequence[tuple[Command, Probe | None]]) -> None:
        """All of it side by side, and the nodes meanwhile."""
        started = [self.run(command, probe) for command, probe in rest]
        self.nodes = Nodes(self.api, kubelet=f"v{self.kubernetes}")
        for pool in self.pools:
            self.nodes.add(pool)
        for process in started:
            process.wait_ready(START_TIMEOUT)

    def _start_etcd(self) -> None:
        binary = self.artifacts["etcd"].binaries["etcd"]
        command = self._command("etcd", binary, profile.flags("etcd", etcd=ETCD, etcd_peer=ETCD_PEER))
        self.run(command, partial(_accepts, self.directory, ETCD.removeprefix("unix://"))).wait_ready(START_TIMEOUT)

    def _start_apiserver(self) -> Process:
        served = ",".join(f"{group}=true" for group in self.profile.runtime_config)
        policy = data_root() / "clusters" / "audit-policy.yaml"
        flags = profile.flags("apiserver", etcd=ETCD, port=self.port, audit_policy=policy)
        flags += [f"--runtime-config={served}", *self.profile.gate_flags("apiserver", self.gates)]
        return self.run(self._kubernetes("kube-apiserver", flags), self.https_probe(self.port))

    def _controller_manager(self) -> tuple[Command, Probe | None]:
        self.identity("system:kube-controller-manager")  # its own role only covers it with a token per controller
        port = self.reserve_port()
        flags = profile.flags("controllerManager", port=port) + self.profile.gate_flags(
            "controllerManager", self.gates
        )
        return self._kubernetes("kube-controller-manager", flags), self.https_probe(port, "/healthz")

    def _scheduler(self) -> tuple[Command, Probe | None]:
        self.identity("system:kube-scheduler", ())
        port = self.reserve_port()
        flags = profile.flags("scheduler", port=port) + self.profile.gate_flags("scheduler", self.gates)
        return self._kubernetes("kube-scheduler", flags), self.https_probe(port)

    def _kwok(self) -> tuple[Command, Probe | None]:
        self.identity("kwok")
        flags = profile.flags("kwok", stages=data_root() / "clusters" / "stages.yaml")
        return self._command("kwok", self.artifacts["kwok"].binaries["kwok"], flags), None

    def _kubernetes(self, name: str, flags: Sequence[str]) -> Command:
        return self._command(name, self.artifacts["kubernetes"].binaries[name], flags)

    def _command(self, name: str, binary: Path, flags: Sequence[str]) -> Command:
        environment = {"KUBECONFIG": str(self.kubeconfig)}
        return Command(name, (str(binary), *flags), environment, role=ROLES[name])

    # -- prepared etcd ------------------------------------------------------------------------------------------------

    def _prepared_key(self) -> str:
        parts = [self.artifacts["etcd"].checksums["etcd"], self.artifacts["kubernetes"].checksums["kube-apiserver"]]
        parts += [*self.profile.runtime_config, *self.profile.gate_flags("apiserver", self.gates)]
        return prepared.key(parts + [sha256(path) for path in self._definitions])

    def _prepare(self, folder: Path) -> None:
        """Let an API server write its basics into a fresh etcd, and take the result."""
        with phase(self.listener, f"Preparing etcd for Kubernetes {self.kubernetes} (once)"):
            self._start_etcd()
            self._start_apiserver().wait_ready(START_TIMEOUT)
            deadline = time.monotonic() + START_TIMEOUT
            while len(self.api.request("GET", "/api/v1/namespaces")["items"]) < 4 and time.monotonic() < deadline:
                time.sleep(0.05)  # kube-system and its like come from a loop that readiness does not wait for
            crds.ensure(self.api, self._definitions)
            for name in ("kube-apiserver", "etcd"):
                self.processes.pop(name).end()
            (self.directory / ETCD.removeprefix("unix://")).unlink(missing_ok=True)
            prepared.copy_sparse(self.directory / "etcd", folder)
            for leftover in ("etcd", "audit.log"):
                _remove(self.directory / leftover)

    # -- book-keeping -------------------------------------------------------------------------------------------------

    def _register(self, *, kept: bool) -> None:
        assert self._keeper is not None
        started = psutil.Process(self._keeper.pid).create_time()
        entry = registry.Entry(
            name=self.name, kind=self.kind, kubernetes=self.kubernetes, keeper=self._keeper.pid, keeper_started=started,
            created=time.time(), server=self.server, nodes=total(self.pools), kept=kept,
        )  # fmt: skip
        registry.write(entry, self.directory)

    def fail(self, error: BaseException) -> None:
        """Stop for this error, keep the logs and tell in the error where they are."""
        kept = registry.keep_logs(self.directory) if (self.directory / "logs").is_dir() else None
        if isinstance(error, MusterError) and kept is not None:
            error.hint = "\n".join(part for part in (error.hint, f"The logs of all components: {kept}") if part)
        if self._keeper is not None:
            self._keeper.stop()
            self._keeper = None
        else:
            _remove(self.directory)
        self._ports.close()


def _accepts(folder: Path, name: str) -> bool:
    """Whether somebody listens on the socket; reached through the folder's descriptor, for socket paths are short."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"/proc/self/fd/{descriptor}/{name}")
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
