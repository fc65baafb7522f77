"""The kind box: real kubelets and real containers, used like the embedded box.

kind makes the cluster (one control plane and some workers, each a container); around it is what every box has: a
folder, a keeper that ends after us and cleans up, an audit log for the recorder, identities, KWOK for fake nodes. What
is a process of this machine in an embedded box is a program in a container here, with the same handle.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import yaml

from harness.box import crds, registry
from harness.box.api import Api
from harness.box.artifacts import Artifact, resolve
from harness.box.base import FAULTS, MASTERS, Capabilities, Command, ContainerHost, Probe, Process
from harness.box.credentials import Credentials
from harness.box.image import recipe
from harness.box.kind import cluster, config, docker, nodeimage, relay
from harness.box.kind.authority import cluster_authority
from harness.box.kind.companions import Companions
from harness.box.kind.host import WorkerHost
from harness.box.kind.nodes import KindNodes, keep_off_fake_nodes, wait_all_ready
from harness.box.kind.static import static_programs
from harness.box.minor import Minor, default_minor, minor_of
from harness.box.nodes import Pool, total
from harness.box.phases import Listener, NullListener, phase
from harness.box.pki import Authority
from harness.box.runtime import Runtime
from harness.core.errors import MusterError, UsageError

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

WORKERS, AUTO = 2, "auto"  # how many workers, and which image of them, if nothing else is asked for
READY_TIMEOUT = 180.0  # seconds from a control plane that is up to workers that are ready; ten is usual
INSIDE = {*recipe.recipe().components(), "kind"}  # what comes with the node image, or makes it a node
KUBECTL = "/usr/bin/kubectl"  # where every node image has it
SECOND = "kube-scheduler"  # what cases start beside the scheduler of the cluster
SERVING = ("scheduler",)  # a further kube-scheduler that a case starts needs a certificate to serve with
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,38}[a-z0-9])?")


class KindBox:
    """A cluster made of containers. Use it as a context manager, or call `start` and `stop`.

    with KindBox(kubernetes="1.37", workers=2, gpus=8) as box:
        box.processes["kube-scheduler"].kill()
    """

    kind = "kind"
    capabilities = Capabilities(
        containers=True, host_processes=False, audit_log=True, own_nodes=True, installs=True, faults=FAULTS
    )

    facts: Mapping[str, Any] = {}
    kubernetes: str
    minor: Minor
    image: nodeimage.EngineImage
    nodes: KindNodes

    def __init__(
        self,
        kubernetes: str | None = None,
        nodes: Sequence[Pool] = (),
        *,
        name: str | None = None,
        binaries: Mapping[str, Path] | None = None,
        gates: Mapping[str, bool] | None = None,
        port: int = 0,
        listener: Listener | None = None,
        definitions: Sequence[Path] = (),
        workers: int = WORKERS,
        gpus: int = 8,
        image: str = AUTO,
        sync: str = "",
        reserved: bool = False,
        keep_failed: bool = False,
    ) -> None:
        """`nodes` are fake ones beside the workers; `reserved` keeps what does not ask for them off the workers."""
        _check(name, binaries or {})
        self.artifacts: dict[str, Artifact] = {}
        self.gates = dict(gates or {})
        self.listener = listener or NullListener()
        self.port = 0  # until kind has chosen one
        self.workers = workers
        self._runtime = Runtime(self.kind, name)
        self._name = name
        self._version = kubernetes or default_minor()
        self._pools = tuple(nodes)
        self._port = port
        self._definitions = tuple(definitions)
        self._gpus = gpus
        self._image = image
        self._sync = sync
        self._reserved = reserved
        self._keep_failed = keep_failed
        self._cluster: cluster.LocalCluster | None = None
        self._companions = Companions(self)

    # -- start and end ------------------------------------------------------------------------------------------------

    def start(self) -> Self:
        """Bring everything up; on any failure the logs are kept and, unless asked otherwise, nothing is left."""
        began = time.monotonic()
        docker.require_engine()
        cluster.require_driver()
        self.image = nodeimage.choose(self._image, self._version, self.listener)
        self.kubernetes = self.image.kubernetes
        self.minor = minor_of(self.kubernetes)
        for gate in self.gates:
            self.minor.homes(gate)
        self._resolve()
        self._claim()
        try:
            self._bring_up()
        except BaseException as error:
            self.fail(error)
            raise
        self.timings["start"] = time.monotonic() - began
        return self

    def stop(self) -> None:
        """Delete the cluster, end every process and remove the folder. Safe to call twice."""
        self._delete()
        self._runtime.stop()

    def keep(self) -> None:
        """Let the box live on after this process; `muster down` ends it."""
        self._register(keep=True)
        self._runtime.keep()

    def fail(self, error: BaseException) -> None:
        """Stop for this error; the logs of all nodes are kept, and so is the cluster if that was asked for."""
        if self._cluster is not None and self._cluster.name in docker.clusters():
            interrupted = isinstance(error, KeyboardInterrupt)
            if not interrupted:
                self._cluster.export_logs(self.directory / "logs" / "kind")
            if self._keep_failed and not interrupted:
                self._keep_for(error)
                return
        self._delete()
        self._runtime.fail(error)

    def _keep_for(self, error: BaseException) -> None:
        """Leave the cluster as it is, and say in the error how to look into it."""
        logs = registry.keep_logs(self.directory)
        self.keep()
        hint = f"{self._ways_in()}\nThe logs of all nodes: {logs}"
        if isinstance(error, MusterError):
            error.hint = hint
        else:
            error.add_note(hint)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _delete(self) -> None:
        """Delete the cluster; if that fails the keeper tries once more."""
        if self._runtime.is_open and self._cluster is not None:
            with contextlib.suppress(MusterError):
                self._cluster.delete()
                self._runtime.keeper.farewell(())

    def _ways_in(self) -> str:
        return (
            f"The cluster was kept: export KUBECONFIG={self.kubeconfig}, or look into a node with "
            f"`docker exec -it {self._cluster_name}-control-plane bash`. Delete it with: muster down {self.name}"
        )

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
        return self.directory / "audit" / "audit.log"

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
        """Issues certificates under the cluster's own authority, for webhooks and the like."""
        return self._runtime.credentials.authority

    @property
    def shell(self) -> str:
        return nodeimage.SHELL if self.image.is_own else ""

    @property
    def container_host(self) -> ContainerHost:
        return WorkerHost(self.api, self.cluster, self.nodes.host, self.directory / "logs")

    def client(self) -> ApiClient:
        """The official Python client, for tests that like its model classes."""
        return self._runtime.client()

    def identity(self, user: str, groups: Sequence[str] = MASTERS) -> Path:
        """A kubeconfig for one more process, with a certificate of its own."""
        return self._runtime.identity(user, groups)

    def run(self, command: Command, probe: Probe | None = None) -> Process:
        """Start one more process of this machine in the box."""
        return self._runtime.run(command, probe)

    def discard(self, name: str) -> None:
        """End a process that `run` started and forget it."""
        self._runtime.discard(name)

    def reserve_port(self) -> int:
        return self._runtime.reserve_port()

    def https_probe(self, port: int, path: str = "/readyz") -> Probe:
        """Ready when this endpoint of this machine answers 200."""
        return self._runtime.https_probe(port, path)

    @property
    def cluster(self) -> cluster.LocalCluster:
        assert self._cluster is not None, "the box is not running"
        return self._cluster

    @property
    def versions(self) -> dict[str, str]:
        """Of what is in the node image, if it is our own."""
        return recipe.versions(self.kubernetes) if self.image.is_own else {}

    # -- the start, step by step --------------------------------------------------------------------------------------

    def _resolve(self) -> None:
        for component in ("kind", "kwok"):
            self.artifacts[component] = resolve(component, progress=self.listener.build)
        if self.image.is_own:
            for component in ("kubernetes", "kubernetes-node", "etcd"):
                version = None if component == "etcd" else self.kubernetes
                self.artifacts[component] = resolve(component, version, progress=self.listener.build)

    def _claim(self) -> None:
        leftover = f"{docker.PREFIX}{self._name}" if self._name else ""
        if leftover in docker.clusters() and leftover[len(docker.PREFIX) :] not in _running():
            raise UsageError(
                f"a kind cluster called {leftover} was left by an earlier run",
                hint=f"Remove it: muster down {self._name}",
            )
        self._runtime.claim()

    @property
    def _cluster_name(self) -> str:
        return f"{docker.PREFIX}{self.name}"

    def _bring_up(self) -> None:
        self._runtime.open("pki", "logs", "audit")
        self.audit_log.touch(mode=0o600)  # the API server appends; the file stays ours to read
        self._register(keep=False)
        self._cluster = cluster.LocalCluster(
            self.directory,
            self._cluster_name,
            self.image.reference,
            kind=self.artifacts["kind"].binaries["kind"],
            kubectl=self._kubectl(),
        )
        self._runtime.keeper.farewell(self._cluster.farewell())
        began = time.monotonic()
        workers = "1 worker" if self.workers == 1 else f"{self.workers} workers"
        with phase(self.listener, f"Creating kind cluster: Kubernetes {self.kubernetes}, {workers}"):
            self._cluster.create(self._write_config())
            self.timings["create"] = time.monotonic() - began
            self._connect()
            self._companions.start_kwok()
            wait_all_ready(self.api, self._node_names(), READY_TIMEOUT)
            if not self.image.is_own:
                self._take_out()
        self.timings["ready"] = time.monotonic() - began
        with phase(self.listener, "Furnishing nodes"):
            self._furnish()
        self._register(keep=False)

    def _kubectl(self) -> Path:
        if self.image.is_own:
            return self.artifacts["kubernetes-node"].binaries["kubectl"]
        return docker.copy_from_image(self.image.reference, KUBECTL, self.directory / "kubectl")

    def _take_out(self) -> None:
        """Take the programs out of a foreign image that cases start beside those of the cluster."""
        self.processes[SECOND].wait_ready(READY_TIMEOUT)
        program = docker.copy_program(self.cluster.control_plane, SECOND, self.directory / SECOND)
        self.artifacts["kubernetes"] = self.image.artifact({SECOND: program})

    def _write_config(self) -> Path:
        path = self.directory / "cluster.yaml"
        path.write_text(
            config.cluster_config(
                name=self._cluster_name,
                minor=self.minor,
                gates=self.gates,
                workers=self.workers,
                port=self._port,
                own_image=self.image.is_own,
                audit_folder=self.directory / "audit",
                sync=self._sync,
                versions=self.versions,
            )
        )
        return path

    def _connect(self) -> None:
        """Become the cluster's authority and administrator."""
        kubeconfig = yaml.safe_load(self.kubeconfig.read_text())
        self.port = int(kubeconfig["clusters"][0]["cluster"]["server"].rpartition(":")[2])
        gateway = relay.gateway()
        authority = cluster_authority(self.cluster.control_plane, gateway)
        credentials = Credentials(self.directory, self.server, authority, SERVING)
        api = relay.RelayedApi(self.server, credentials.context, gateway=gateway, relay=self._companions.start_relay)
        self._runtime.connect(credentials, api)
        self.processes.update(static_programs(self.api, self.cluster.control_plane, self.directory / "logs"))

    def _furnish(self) -> None:
        """Definitions, GPUs, fake nodes: what a box has before it is used."""
        if self._definitions:
            crds.ensure(self.api, self._definitions)
            # it learns of kinds that appear after its start only half a minute later
            self.processes["kube-controller-manager"].restart(READY_TIMEOUT)
        self._companions.start_gpus()
        self._companions.start_follower()
        real = [name for name in self._node_names() if name != self.cluster.control_plane]
        self.nodes = KindNodes(self.api, f"v{self.kubernetes}", real)
        keep_off_fake_nodes(self.api)
        if self._reserved:
            self.nodes.reserve()
        else:
            for name in real:
                self.nodes.give_gpus(name, self._gpus)
        for pool in self._pools:
            self.nodes.add(pool)

    def _node_names(self) -> list[str]:
        """The nodes kind makes, by the names it gives them."""
        numbers = ["" if number == 1 else str(number) for number in range(1, self.workers + 1)]
        return [self.cluster.control_plane, *(f"{self._cluster_name}-worker{number}" for number in numbers)]

    def _register(self, *, keep: bool) -> None:
        nodes = total(self._pools) + self.workers + 1
        self._runtime.register(kubernetes=self.kubernetes, server=self.server, nodes=nodes, keep=keep)


def _running() -> set[str]:
    return {entry.name for entry in registry.running()}


def _check(name: str | None, binaries: Mapping[str, Path]) -> None:
    """UsageError for a name that a kind box cannot have, and for programs that come with its node image."""
    if name is not None and not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a kind box",
            hint="Use up to 40 lower-case letters, digits, '-' or '.', a letter or digit at both ends.",
        )
    if inside := [binary for binary in binaries if binary.partition(".")[0] in INSIDE]:
        raise UsageError(
            f"a kind box runs the {inside[0]} of its node image, so it cannot be replaced",
            hint="Use the embedded box for this --binary, or an image of your own with --image.",
        )
