"""What a box is, whatever it is made of: the types that adapters, the testbed, cases and commands work with.

A box is a Kubernetes cluster that muster brings up, uses and removes, or one that exists and that it leaves as it was.
The kinds of box (`embedded`, `kind`, `existing`) are siblings: they share `Runtime` by composition and have nothing
else in common but these protocols. Code that needs something that not every kind has asks `box.capabilities`, never
for the kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from harness.box.api import Api
from harness.box.artifacts import Artifact
from harness.box.minor import Minor
from harness.box.nodes import Nodes
from harness.box.phases import Listener
from harness.box.pki import Authority

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

MASTERS = ("system:masters",)
PROGRAM = "muster.dev/program"  # annotation of a pod: the name under which its program is known

FAULTS = frozenset(("scheduler", "control-plane", "queues"))  # what a case may disturb in a box of muster's own

Probe = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Command:
    """How a process is started."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    role: str = ""  # scheduler, controller, apiserver, etcd, nodes, webhook


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What can be done with a box of some kind."""

    containers: bool  # its nodes run containers; otherwise pods are simulated
    host_processes: bool  # its control plane is made of processes of this machine
    audit_log: bool  # every write is in a file of the API server
    own_nodes: bool  # nodes can be made, changed and removed at will
    installs: bool  # an integration is installed into it; otherwise the one that is there is judged
    faults: frozenset[str]  # what cases may disturb beside their own gangs and nodes; see FAULTS


class Process(Protocol):
    """A program of a box: a process of this machine, or a container that a kubelet runs."""

    command: Command  # a change of it takes effect when the program is started next

    @property
    def name(self) -> str: ...

    @property
    def log(self) -> Path: ...

    @property
    def pid(self) -> int:
        """The pid on this machine; 0 if it does not run."""

    @property
    def alive(self) -> bool: ...

    @property
    def paused(self) -> bool: ...

    @property
    def crashed(self) -> bool:
        """Whether it has ended by itself, and only muster would start it again."""

    @property
    def ending(self) -> str:
        """How it ended."""

    @property
    def restarts(self) -> int:
        """How often a kubelet has started it again."""

    @property
    def stays_down(self) -> bool:
        """Whether it stays ended until it is started here; otherwise the cluster starts it again at once."""

    def start(self) -> None:
        """Start it; `wait_ready` says when it can be used."""

    def kill(self) -> None:
        """End it at once, as a crash would; it stays dead until it is started."""

    def end(self, timeout: float = 20.0) -> None:
        """Ask it to finish its work, and wait until it has."""

    def pause(self) -> None:
        """Stop it from running, as a long garbage collection or a lost machine would."""

    def resume(self) -> None:
        """Let it run again."""

    def restart(self, timeout: float = 60.0) -> None:
        """Kill it if it runs, start it again and wait until it is ready."""

    def restore(self) -> None:
        """Undo a change of its command: have it run with the one that it was made with."""

    def is_ready(self) -> bool:
        """Whether it can be used right now; ProcessError if it has died."""

    def wait_ready(self, timeout: float) -> None:
        """Return once it is ready; ProcessError with its last lines if it is not in time."""

    def has_logged(self, text: str) -> bool:
        """Whether it has written this since it was last started."""

    def tail(self, lines: int = 12) -> str:
        """The last lines that it wrote."""


class DeployedProcess(Process, Protocol):
    """A program that a Deployment runs in the cluster."""

    answers: Callable[[], bool]  # whether its webhooks can be called; part of being ready


class ContainerHost(Protocol):
    """Where a box whose nodes run containers runs the programs of an integration."""

    @property
    def node(self) -> str:
        """The node they run on."""

    def load(self, archive: Path) -> None:
        """Put the images of an archive onto that node."""

    def program(self, command: Command, namespace: str, deployment: str) -> DeployedProcess:
        """A handle on what a Deployment of one replica runs."""

    def reaches(self, address: str, port: int) -> bool:
        """Whether the API server would get an answer from this address."""


class Box(Protocol):
    """A cluster to work with. Use it as a context manager, or call `start` and `stop`."""

    @property
    def kind(self) -> str:
        """The name of its kind, for people: in the history, the report and `muster ps`."""

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def name(self) -> str: ...

    @property
    def kubernetes(self) -> str:
        """The full version of Kubernetes."""

    @property
    def minor(self) -> Minor: ...

    @property
    def gates(self) -> Mapping[str, bool]:
        """The feature gates of Kubernetes that were chosen."""

    @property
    def directory(self) -> Path:
        """The folder that holds everything it writes."""

    @property
    def kubeconfig(self) -> Path: ...

    @property
    def server(self) -> str: ...

    @property
    def audit_log(self) -> Path | None: ...

    @property
    def api(self) -> Api: ...

    @property
    def nodes(self) -> Nodes: ...

    @property
    def processes(self) -> dict[str, Process]: ...

    @property
    def artifacts(self) -> dict[str, Artifact]:
        """What it is made of, by component."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What a report tells of a cluster that muster did not make; empty for boxes that it did."""

    @property
    def timings(self) -> dict[str, float]: ...

    @property
    def listener(self) -> Listener: ...

    @property
    def authority(self) -> Authority:
        """Issues certificates, for webhooks and the like."""

    @property
    def shell(self) -> str:
        """An image with a shell that is on every node; empty if there is none."""

    @property
    def container_host(self) -> ContainerHost | None:
        """Where the programs of an integration run in containers; None where they are processes of this machine."""

    def start(self) -> Self:
        """Bring everything up; on any failure the logs are kept and nothing is left running."""

    def stop(self) -> None:
        """End it and remove its folder. Safe to call twice."""

    def keep(self) -> None:
        """Let it live on after this process; `muster down` ends it."""

    def fail(self, error: BaseException) -> None:
        """Stop for this error, keep the logs and say in the error where they are."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def client(self) -> ApiClient:
        """The official Python client, for tests that like its model classes."""

    def identity(self, user: str, groups: Sequence[str] = MASTERS) -> Path:
        """A kubeconfig for one more process, with a certificate of its own."""

    def run(self, command: Command, probe: Probe | None = None) -> Process:
        """Start one more process of this machine in the box."""

    def discard(self, name: str) -> None:
        """End a process that `run` started and forget it."""

    def reserve_port(self) -> int:
        """A port of 127.0.0.1 that stays free until a process of the box listens on it."""

    def https_probe(self, port: int, path: str = "/readyz") -> Probe:
        """Ready when this endpoint of 127.0.0.1 answers 200."""
