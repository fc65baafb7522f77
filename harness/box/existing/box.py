"""The existing box: a cluster that others run, used for cases and left as it was.

Nothing is installed. A run has a label, namespaces of its own, and nodes: fake ones that KWOK plays from this machine,
or real ones that the user has selected and that it borrows. When it ends, all of that is removed or given back, and
what others have in the cluster is compared with what they had before. Of the cluster's programs only the pods of the
scheduler can be killed, if the user allows it; cases that need more are not asked for.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from harness.box.api import Api
from harness.box.artifacts import Artifact, resolve
from harness.box.base import MASTERS, Capabilities, Command, Probe, Process
from harness.box.existing import foreign, removal, survey
from harness.box.existing.access import Access, check_reachable, clock_skew
from harness.box.existing.nodes import OwnNodes
from harness.box.existing.ownership import Ownership
from harness.box.existing.real_nodes import RealNodes, usable_nodes
from harness.box.kwok import kwok_command
from harness.box.minor import Minor, minor_of
from harness.box.nodes import Nodes
from harness.box.options import DEFAULTS, BoxOptions
from harness.box.phases import NullListener, phase
from harness.box.pki import Authority
from harness.box.runtime import Runtime
from harness.core.errors import HarnessError, MusterError, UsageError
from harness.core.text import counted

if TYPE_CHECKING:
    from kubernetes.client import ApiClient


MOST_SKEW = 1.5  # seconds between the clocks: a difference of up to one cannot be told from none


class ExistingBox:
    """Somebody's cluster, by a context of a kubeconfig."""

    kind = "existing"
    shell = ""
    container_host = None
    gates: Mapping[str, bool] = {}

    kubernetes: str
    minor: Minor
    nodes: Nodes

    def __init__(
        self,
        access: Access,
        options: BoxOptions = DEFAULTS,
        *,
        audit_log: Path | None = None,
        nodes_selector: str = "",
        pause_image: str = "",
        faults: frozenset[str] = frozenset(),
    ) -> None:
        """`nodes_selector` names real nodes to be borrowed; `faults` is what the user lets cases disturb."""
        self.access = access
        self.artifacts: dict[str, Artifact] = {}
        self.listener = options.listener or NullListener()
        self.ownership = Ownership(secrets.token_hex(4), pause_image)
        self.capabilities = Capabilities(
            containers=bool(nodes_selector),
            host_processes=False,
            audit_log=audit_log is not None,
            own_nodes=not nodes_selector,
            installs=False,
            faults=faults,
        )
        self._nodes_selector = nodes_selector
        self._own_kinds = tuple(options.own_kinds)
        self._audit_log = audit_log
        self._binaries = options.binaries
        self._pools = tuple(options.nodes)
        self._runtime = Runtime(self.kind, None)
        self._before: foreign.Foreign | None = None
        self.facts: dict[str, Any] = {}

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> Self:
        """Connect, look at what is there and start what plays the nodes of the run."""
        began = time.monotonic()
        if not self._nodes_selector:
            self.artifacts["kwok"] = resolve("kwok", None, binaries=self._binaries, progress=self.listener.build)
        self._runtime.claim()
        try:
            with phase(self.listener, f"Connecting to {self.access.context}"):
                self._connect()
            with phase(self.listener, "Looking at what others have in the cluster"):
                self._before = foreign.look(self.api)
            self._start_nodes()
        except BaseException as error:
            self.fail(error)
            raise
        self.timings["start"] = time.monotonic() - began
        return self

    def stop(self) -> None:
        """Remove everything of the run from the cluster, and see that others have what they had. Safe to call twice."""
        try:
            self._remove()
        finally:
            self._runtime.stop()

    def _remove(self) -> None:
        if not self._runtime.is_open or not hasattr(self._runtime, "api"):
            return
        with phase(self.listener, "Removing everything of the run from the cluster"):
            removal.remove(self.api, self.ownership.run, self._own_kinds)
            self._runtime.keeper.farewell(())
            if self._before is not None:
                self.facts["foreign_objects"] = len(self._before.objects)
                self.facts["foreign_changes"] = self._before.changes(foreign.look(self.api))

    def keep(self) -> None:
        raise HarnessError("there is nothing to keep: the cluster is not muster's, and the run's objects are removed")

    def fail(self, error: BaseException) -> None:
        """Stop for this error; what could not be removed is reported with the command that removes it."""
        try:
            self._remove()
        except MusterError as problem:
            if isinstance(error, MusterError):
                error.hint = "\n".join(part for part in (error.hint, problem.message, self.clean_command) if part)
        self._runtime.fail(error)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # -- ways in ------------------------------------------------------------------------------------------------------

    @property
    def clean_command(self) -> str:
        return f"muster clean --kubeconfig {self.access.path} --context {self.access.context}"

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
        return self.access.server

    @property
    def audit_log(self) -> Path | None:
        return self._audit_log

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
        raise HarnessError("muster issues no certificates in a cluster that is not its own")

    def client(self) -> ApiClient:
        """The official Python client, with the rights of the user's context; it does not mark what it creates."""
        return self._runtime.client()

    def identity(self, user: str, groups: Sequence[str] = MASTERS) -> Path:
        """A kubeconfig for a program of this machine: it acts as the user of the context."""
        return self.access.write(self.directory / f"{user.rsplit(':', 1)[-1]}.kubeconfig")

    def run(self, command: Command, probe: Probe | None = None) -> Process:
        return self._runtime.run(command, probe)

    def discard(self, name: str) -> None:
        self._runtime.discard(name)

    def reserve_port(self) -> int:
        return self._runtime.reserve_port()

    def https_probe(self, port: int, path: str = "/readyz") -> Probe:
        return self._runtime.https_probe(port, path)

    # -- the start, step by step --------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._runtime.open("logs")
        self._runtime.api = api = self.access.connect(self.ownership)
        self.access.write(self.kubeconfig)
        leave = removal.command(self.access, self.kubeconfig, self.ownership.run, self._own_kinds)
        self._runtime.keeper.farewell(leave)  # if this process is killed
        self.kubernetes = check_reachable(api, self.access)
        self.minor = minor_of(self.kubernetes)
        skew = clock_skew(api)
        self.facts = {
            "nodes": survey.node_count(api),
            "clock_skew_seconds": _rounded(skew),
            "audit_log": self._audit_log is not None,
        }
        if self._audit_log is not None and (skew is None or abs(skew) > MOST_SKEW):
            raise UsageError(
                f"the times of {self._audit_log} cannot be used: the clock of the API server is "
                f"{'not known' if skew is None else f'{skew:+.1f} s from ours'}",
                hint="Have both clocks set by NTP, or leave --audit-log out.",
            )

    def _start_nodes(self) -> None:
        self.nodes = self._borrow_nodes() if self._nodes_selector else self._play_nodes()
        for pool in self._pools:
            self.nodes.add(pool)

    def _play_nodes(self) -> Nodes:
        """Fake nodes, which KWOK plays from here."""
        self.identity("kwok")
        self.run(kwok_command(self.artifacts["kwok"], self.ownership.run))
        return OwnNodes(self.api, f"v{self.kubernetes}", self.ownership)

    def _borrow_nodes(self) -> Nodes:
        """The real nodes that the user has selected."""
        names, _ = usable_nodes(self.api, self._nodes_selector)
        self.facts |= {"nodes_selector": self._nodes_selector, "borrowed_nodes": len(names)}
        nodes = RealNodes(self.api, self.ownership, names)
        with phase(self.listener, f"Borrowing {counted(len(names), 'node')} of the cluster"):
            nodes.borrow()
        return nodes


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
