"""The embedded box: a real Kubernetes control plane as processes of this machine, in about three seconds.

etcd, kube-apiserver, kube-controller-manager, kube-scheduler and KWOK run side by side on loopback, each one a process
that can be killed, paused and restarted. The order of starting is measured, not guessed: the API server's own start is
the floor; everything that can be done before it is ready (certificates, copying the snapshot of etcd) is, and the
components that would give up or poll by the second against an API server that is not there yet start the moment it is.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from harness.box import crds
from harness.box.api import Api
from harness.box.artifacts import Artifact, resolve
from harness.box.artifacts.store import sha256
from harness.box.base import FAULTS, MASTERS, Capabilities, Command, Probe, Process
from harness.box.credentials import Credentials
from harness.box.embedded import etcd_snapshot, handover
from harness.box.embedded.control_plane import ETCD, SERVING, ControlPlane, ServerOptions, fingerprint
from harness.box.embedded.handover import Handover
from harness.box.minor import Minor, default_minor, minor_of
from harness.box.nodes import Nodes, Pool, total
from harness.box.phases import Listener, NullListener, phase
from harness.box.pki import Authority, signing_key
from harness.box.runtime import Runtime
from harness.core.errors import UsageError
from harness.core.files import write_private
from harness.core.waiting import until

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

START_TIMEOUT = 120.0  # seconds for the whole start; ten times what a slow machine was seen to need
BASIC_NAMESPACES = 4  # default and three of kube-: they come from a loop that readiness does not wait for


class EmbeddedBox:
    """A cluster made of host processes. Use it as a context manager, or call `start` and `stop`.

    with EmbeddedBox(kubernetes="1.37", nodes=[Pool(8, gpus=8)]) as box:
        box.processes["kube-scheduler"].kill()
    """

    kind = "embedded"
    capabilities = Capabilities(
        containers=False, host_processes=True, audit_log=True, own_nodes=True, installs=True, faults=FAULTS
    )
    shell = ""
    container_host = None

    facts: Mapping[str, Any] = {}
    kubernetes: str
    minor: Minor
    nodes: Nodes

    def __init__(
        self,
        kubernetes: str | None = None,
        nodes: Sequence[Pool] = (),
        *,
        name: str | None = None,
        binaries: Mapping[str, Path] | None = None,
        gates: Mapping[str, bool] | None = None,
        port: int = 0,
        scheduler: bool = True,
        listener: Listener | None = None,
        definitions: Sequence[Path] = (),
        watch_cache: bool = False,
        audit_calls: bool = False,
        spare: bool = False,
    ) -> None:
        """`definitions` are files of CRDs that are there before any controller starts.

        `watch_cache` and `audit_calls` are for measurements of load; see `ServerOptions`. `spare` takes a box that an
        earlier run has left ready, if there is one like it; see `handover`.
        """
        self.artifacts: dict[str, Artifact] = {}
        self.gates = dict(gates or {})
        self.listener = listener or NullListener()
        self._runtime = Runtime(self.kind, name)
        self._version = kubernetes or default_minor()
        self._pools = tuple(nodes)
        self._binaries = binaries
        self._port = port
        self._with_scheduler = scheduler
        self._definitions = tuple(definitions)
        self._server = ServerOptions(watch_cache, audit_calls)
        self._takes_spare = spare and not self._pools and not port and name is None

    # -- start and end ------------------------------------------------------------------------------------------------

    def start(self) -> Self:
        """Bring everything up; on any failure nothing is left running and the logs are kept."""
        if sys.platform != "linux":
            raise UsageError(
                "an embedded box runs on Linux only: its programs are made for Linux, and Linux ends them with muster",
                hint="Use --box kind with Docker, a cluster that you have (--kubeconfig), or a Linux machine.",
            )
        began = time.monotonic()
        self._resolve()
        if not (self._takes_spare and self._take_spare()):
            self._runtime.claim()
            try:
                self._bring_up()
            except BaseException as error:
                self.fail(error)
                raise
        self.timings["start"] = time.monotonic() - began
        return self

    def _resolve(self) -> None:
        """Know every program that it is made of."""
        for component in ("kubernetes", "etcd", "kwok"):
            version = self._version if component == "kubernetes" else None
            self.artifacts[component] = resolve(
                component, version, binaries=self._binaries, progress=self.listener.build
            )
        self.kubernetes = self.artifacts["kubernetes"].version
        self.minor = minor_of(self.kubernetes)
        for gate in self.gates:
            self.minor.homes(gate)

    def stop(self) -> None:
        """End every process and remove the folder. Safe to call twice."""
        self._runtime.stop()

    def keep(self) -> None:
        """Let the box live on after this process; `muster down` ends it."""
        self._register(keep=True)
        self._runtime.keep()

    def fail(self, error: BaseException) -> None:
        """Stop for this error, keep the logs and say in the error where they are."""
        self._runtime.fail(error)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # -- ways in ------------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._runtime.name

    @property
    def directory(self) -> Path:
        return self._runtime.directory

    @property
    def kubeconfig(self) -> Path:
        return self._runtime.kubeconfig

    @property
    def server(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def audit_log(self) -> Path:
        return self.directory / "audit.log"

    @property
    def api(self) -> Api:
        return self._runtime.api

    @property
    def processes(self) -> dict[str, Process]:
        return self._runtime.processes

    @property
    def timings(self) -> dict[str, float]:
        return self._runtime.timings

    @property
    def authority(self) -> Authority:
        """Issues certificates, for webhooks and the like."""
        return self._runtime.credentials.authority

    def client(self) -> ApiClient:
        """The official Python client, for tests that like its model classes."""
        return self._runtime.client()

    def identity(self, user: str, groups: Sequence[str] = MASTERS) -> Path:
        """A kubeconfig for one more process, with a certificate of its own."""
        return self._runtime.identity(user, groups)

    def run(self, command: Command, probe: Probe | None = None) -> Process:
        """Start one more process in the box."""
        return self._runtime.run(command, probe)

    def discard(self, name: str) -> None:
        """End a process that `run` started and forget it."""
        self._runtime.discard(name)

    def reserve_port(self) -> int:
        return self._runtime.reserve_port()

    def https_probe(self, port: int, path: str = "/readyz") -> Probe:
        """Ready when this endpoint answers 200."""
        return self._runtime.https_probe(port, path)

    # -- the start, step by step --------------------------------------------------------------------------------------

    def _bring_up(self) -> None:
        self.port = self._runtime.reserve_port(self._port)
        self._runtime.open("pki", "logs")
        self._connect()
        self._components = ControlPlane(self.artifacts, self.minor, self.gates, self.kubeconfig, self._server)
        if not etcd_snapshot.restore(self._snapshot_key(), self.directory / "etcd", self._take_snapshot):
            self.timings["snapshot"] = 1.0
        began = time.monotonic()
        with phase(self.listener, f"Starting Kubernetes {self.kubernetes}"):
            self._start_etcd()
            apiserver = self._start_apiserver()
            rest = self._rest()
            apiserver.wait_ready(START_TIMEOUT)
            self.timings["apiserver"] = time.monotonic() - began
            self._start_rest(rest)
        self.timings["ready"] = time.monotonic() - began
        self._register(keep=False)

    def _connect(self) -> None:
        """Make an authority of the box's own, and be its administrator."""
        credentials = Credentials(self.directory, self.server, Authority.create(), SERVING)
        credentials.write_admin()
        write_private(self.directory / "pki" / "service-account.key", signing_key())
        self._runtime.connect(credentials, Api(self.server, credentials.context))

    def _start_etcd(self) -> None:
        listens = partial(_accepts, self.directory, ETCD.removeprefix("unix://"))
        self.run(self._components.etcd(), listens).wait_ready(START_TIMEOUT)

    def _start_apiserver(self) -> Process:
        return self.run(self._components.apiserver(self.port), self.https_probe(self.port))

    def _rest(self) -> list[tuple[Command, Probe | None]]:
        """Everything that needs a ready API server: certificates and ports are had while that one starts."""
        components = [self._controller_manager(), self._kwok()]
        return [self._scheduler(), *components] if self._with_scheduler else components

    def _start_rest(self, rest: Sequence[tuple[Command, Probe | None]]) -> None:
        """All of it side by side, and the nodes meanwhile."""
        started = [self.run(command, probe) for command, probe in rest]
        self.nodes = Nodes(self.api, kubelet=f"v{self.kubernetes}")
        for pool in self._pools:
            self.nodes.add(pool)
        for process in started:
            process.wait_ready(START_TIMEOUT)

    def _controller_manager(self) -> tuple[Command, Probe | None]:
        self.identity("system:kube-controller-manager")  # its own role only covers it with a token per controller
        port = self.reserve_port()
        return self._components.controller_manager(port), self.https_probe(port, "/healthz")

    def _scheduler(self) -> tuple[Command, Probe | None]:
        self.identity("system:kube-scheduler", ())
        port = self.reserve_port()
        return self._components.scheduler(port), self.https_probe(port)

    def _kwok(self) -> tuple[Command, Probe | None]:
        self.identity("kwok")
        return self._components.kwok(), None

    def _register(self, *, keep: bool) -> None:
        nodes = total(self._pools)
        self._runtime.register(kubernetes=self.kubernetes, server=self.server, nodes=nodes, keep=keep)

    # -- a spare box --------------------------------------------------------------------------------------------------

    @property
    def key(self) -> str:
        """Equal for boxes that can stand in for each other; known once it has its programs."""
        parts = [self._snapshot_key(), str(self._with_scheduler), str(self._server)]
        parts += [f"{name}={digest}" for a in self.artifacts.values() for name, digest in sorted(a.checksums.items())]
        parts += [f"{gate}={on}" for gate, on in sorted(self.gates.items())]
        return etcd_snapshot.key_of(parts)

    def hand_over(self) -> tuple[Handover, list[int]]:
        """What another process needs to go on with this box, and the descriptors that it has to be given."""
        processes = tuple(handover.Running(process.command, process.pid) for process in self.processes.values())
        authority = self.authority
        return (
            Handover(
                str(self.directory),
                self.port,
                self._runtime.keeper.pid,
                authority.certificate,
                authority.key,
                processes,
            ),
            self._runtime.descriptors,
        )

    def _take_spare(self) -> bool:
        """Whether a spare box like this one was there; it is this one now."""
        taken = handover.take(self.key)
        if taken is None:
            return False
        offer, (keeper, *ports) = taken
        with phase(self.listener, f"Taking the spare box of Kubernetes {self.kubernetes}"):
            self.port = offer.port
            self._runtime.take_over(Path(offer.directory), (keeper, offer.keeper), ports)
            authority = Authority.restore(offer.certificate, offer.key)
            credentials = Credentials(self.directory, self.server, authority, ())
            self._runtime.connect(credentials, Api(self.server, credentials.context))
            for running in offer.processes:
                self._runtime.adopt(running.command, running.pid, self._probe(running.command))
            self.nodes = Nodes(self.api, kubelet=f"v{self.kubernetes}")
            self.processes["kube-apiserver"].wait_ready(START_TIMEOUT)
            self._register(keep=False)
        return True

    def _probe(self, command: Command) -> Probe | None:
        """How a component that runs already is asked whether it is ready."""
        if command.name == "etcd":
            return partial(_accepts, self.directory, ETCD.removeprefix("unix://"))
        ports = [flag.partition("=")[2] for flag in command.argv if flag.startswith("--secure-port=")]
        path = "/healthz" if command.role == "controller" else "/readyz"
        return self.https_probe(int(ports[0]), path) if ports else None

    # -- snapshot of etcd ---------------------------------------------------------------------------------------------

    def _snapshot_key(self) -> str:
        parts = fingerprint(self.artifacts, self.minor, self.gates)
        return etcd_snapshot.key_of([*parts, *map(sha256, self._definitions)])

    def _take_snapshot(self, folder: Path) -> None:
        """Let an API server write its basics into a fresh etcd, and copy what it wrote."""
        with phase(self.listener, f"Preparing etcd for Kubernetes {self.kubernetes} (once)"):
            self._start_etcd()
            self._start_apiserver().wait_ready(START_TIMEOUT)
            until(self._has_basic_namespaces, START_TIMEOUT, "the API server has made its own namespaces")
            crds.ensure(self.api, self._definitions)
            for name in ("kube-apiserver", "etcd"):
                self.processes.pop(name).end()
            (self.directory / ETCD.removeprefix("unix://")).unlink(missing_ok=True)
            etcd_snapshot.copy_sparse(self.directory / "etcd", folder)
            shutil.rmtree(self.directory / "etcd", ignore_errors=True)
            self.audit_log.unlink(missing_ok=True)

    def _has_basic_namespaces(self) -> bool:
        return len(self.api.request("GET", "/api/v1/namespaces")["items"]) >= BASIC_NAMESPACES


def _accepts(folder: Path, name: str) -> bool:
    """Whether a process listens on the socket; reached through the folder's descriptor, for socket paths are short."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"/proc/self/fd/{descriptor}/{name}")
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
