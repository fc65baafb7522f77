"""A box with a scheduler in it, ready for cases: started once, emptied between two of them.

Between cases nothing is restarted. Pods, gang objects and nodes of the last case are deleted and proven gone by a fresh
list; its namespace goes in the background, since names are never used twice.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from harness.adapters.common.base import Adapter, Installed, Settings, features_of
from harness.box.base import Box, Process
from harness.box.busy import BUSY
from harness.box.nodes import Pool
from harness.box.options import DEFAULTS, BoxOptions
from harness.box.phases import phase
from harness.box.recorder import Recorder, kinds_of_claims
from harness.box.spec import BoxSpec
from harness.core import deadlines
from harness.core.catalogue.cases import DISTURBANCES, Case
from harness.core.catalogue.features import check_features
from harness.core.errors import ApiError, HarnessError, MusterError
from harness.core.kinds import NAMESPACE, NODE, POD, Kind
from harness.core.waiting import until
from harness.testbed.canary import run_canary
from harness.testbed.install import NEED_CONTAINERS, box_for, install
from harness.testbed.objects import ROOT_CA
from harness.testbed.supervisor import Supervisor

RESET_POLL = 0.005  # seconds between two lists while the last objects go
RESET_TRIES, RESET_PAUSE = 5, 1.0  # how often an API server that has no time is asked, and the seconds between
RESET_AGAIN = (*BUSY, 500, 504)  # what it answers then


@dataclass
class Testbed:
    """One integration installed in one running box."""

    __test__ = False  # the name looks like a test to pytest

    box: Box
    adapter: Adapter
    installed: Installed
    recorder: Recorder
    deadlines: Mapping[str, float]
    stated_version: str = ""  # of what is judged, in the words of the user; empty: as it is known
    rerun: str = ""  # the command that opens a testbed like this one; a case's id is added to it
    namespaces: list[str] = field(default_factory=list)
    markers: str = ""  # the namespace of all markers, once there is one
    priorities: dict[tuple[int, bool], str] = field(default_factory=dict)  # PriorityClasses that cases share
    cleanup: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)  # what undoes the changes of a case
    needs_probe: bool = False  # the last case may have left a scheduler that hangs, or that is still reconnecting
    programs: frozenset[str] = frozenset()  # names in box.processes of what belongs to the integration
    supervisor: Supervisor | None = None
    is_kept: bool = False  # the user wants to look into the box after the run

    @property
    def integration(self) -> str:
        return f"{self.adapter.name}@{self.version}"

    @property
    def version(self) -> str:
        """What is judged: the version that the user states, `given` for a program of theirs, or the one installed."""
        judged = [artifact for artifact in self.installed.artifacts if artifact.component == self.adapter.component]
        is_given = any("given" in artifact.sources.values() for artifact in judged)
        return self.stated_version or ("given" if is_given else self.installed.version)

    @property
    def features(self) -> frozenset[str]:
        claimed = features_of(self.adapter, self.box.kubernetes, self.installed.version) | self.installed.features
        return claimed - set(self.installed.unasked)

    @property
    def facts(self) -> dict[str, Any]:
        """What a report tells of a cluster that muster did not make."""
        return {**self.box.facts, **self.installed.facts}

    def forbids(self, case: Case) -> str:
        """Why the case cannot be run in this box, whatever the integration claims; empty if it can."""
        return forbidden(case, self.installed.unasked)

    @property
    def simulated(self) -> bool:
        """Whether KWOK plays the pods of cases; otherwise the containers of real workers run."""
        can = self.box.capabilities
        return can.own_nodes and not (can.containers and self.features & NEED_CONTAINERS)

    def add_nodes(self, pool: Pool) -> list[str]:
        """Nodes for a case, real ones if its pods are to run; their names. They go with the case.

        On return they are in the history: watches are not in step, and a pod may be seen on a node before the node is.
        """
        names = self.box.nodes.add(pool, real=not self.simulated)
        self.recorder.await_nodes(names)
        self.follow_nodes()
        return names

    def follow_nodes(self) -> None:
        """Nodes came, went or changed size: let the administrator of the integration do what has to be done then."""
        if self.adapter.follow_nodes is not None:
            self.adapter.follow_nodes(self.box)

    def namespace(self) -> str:
        """A new namespace with a name that was never used."""
        name = f"case-{secrets.token_hex(4)}"
        self.box.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self.namespaces.append(name)
        if not self.box.capabilities.installs:  # a cluster as people have it lets no pod in before this is there
            account = Kind("v1", "ServiceAccount", "serviceaccounts")
            what = f"the cluster has made a service account in {name}"
            until(lambda: self.box.api.find(account, name, "default") is not None, self.deadlines["ready"], what)
        if self.adapter.open_queue is not None:
            self.adapter.open_queue(self.box, "", name)
        return name

    def marker_namespace(self) -> str:
        """The namespace in which markers are; it stays until the box ends."""
        if not self.markers:
            self.markers = self.namespace()
            self.namespaces.remove(self.markers)
        return self.markers

    def reset(self) -> float:
        """Empty the box; the seconds it took. HarnessError if something does not go."""
        began = time.monotonic()
        for attempt in range(RESET_TRIES):
            try:
                self._reset()
                break
            except ApiError as error:
                if error.status not in RESET_AGAIN or attempt == RESET_TRIES - 1:
                    raise
                time.sleep(RESET_PAUSE)
        return time.monotonic() - began

    def _reset(self) -> None:
        with contextlib.suppress(MusterError):  # a command line that the case changed may not start; it is undone next
            self._run_all_processes()
        self.cleanup.close()
        self._run_all_processes()
        namespaces = self.namespaces
        marked = [self.markers] if self.markers and self.adapter.works_in_cycles else []  # a marker may still wait
        self._delete_objects([*namespaces, *marked])
        self.box.nodes.remove_all()  # after the pods: a cluster without nodes is a case of its own for a scheduler
        self._see_gone(self._remaining_nodes)
        self.follow_nodes()
        for namespace in namespaces:
            self.box.api.delete(NAMESPACE, "", namespace)
        self.namespaces = []
        if self.needs_probe:
            self.needs_probe = False
            self._probe()

    def _run_all_processes(self) -> None:
        for process in self.box.processes.values():
            if process.paused:
                process.resume()
            if not process.alive:
                process.restart()

    def _probe(self) -> None:
        """Prove that the scheduler still works; one that hangs after a case is restarted, for the next one's sake."""
        try:
            run_canary(self, "bound")
        except HarnessError:
            self._restart_integration()
            self.reset()
            with contextlib.suppress(HarnessError):  # if it still hangs, the next case will show it with evidence
                run_canary(self)

    def renew(self) -> None:
        """Restart the integration and see it work, so that nothing it remembers of former cases decides the next one.

        A cluster that allows no faults stays as it is.
        """
        if self.box.capabilities.faults:
            self._restart_integration()
            run_canary(self)

    def _restart_integration(self) -> None:
        for name in {*self.installed.schedulers, *self.installed.controllers}:
            self.box.processes[name].restart()

    def _delete_objects(self, namespaces: Sequence[str]) -> None:
        kinds = [POD, *self.group_resources()]
        with ThreadPoolExecutor(4) as workers:
            list(workers.map(lambda namespace: self._empty(namespace, kinds), namespaces))
        self._see_gone(lambda: self._remaining(kinds, namespaces), lambda: self._force(kinds, namespaces))

    def _empty(self, namespace: str, kinds: Sequence[Kind]) -> None:
        for resource in kinds:
            self.box.api.delete_all(resource, namespace, grace=0)

    def _force(self, kinds: Sequence[Kind], namespaces: Sequence[str]) -> None:
        """Delete once more what controllers made again meanwhile, and take away finalizers that are not removed: a
        program that leaves objects behind was judged for it already."""
        api = self.box.api
        for namespace in namespaces:
            self._empty(namespace, kinds)
        for resource in kinds:
            for namespace in namespaces:
                for obj in api.list(resource, namespace):
                    if obj["metadata"].get("finalizers"):
                        change = {"metadata": {"finalizers": None}}
                        with contextlib.suppress(ApiError):  # it may go by itself this very moment
                            api.patch(resource, namespace, obj["metadata"]["name"], change)

    def group_resources(self) -> list[Kind]:
        return list(self.adapter.groups(self.box.kubernetes))

    def _see_gone(self, remaining: Callable[[], list[str]], force: Callable[[], None] = lambda: None) -> None:
        """Return once nothing remains; what is still there after half of the time is forced."""
        began, patience = time.monotonic(), self.deadlines["reset"]
        names: list[str] = []

        def is_empty() -> bool:
            names[:] = remaining()
            if names and time.monotonic() - began > patience / 2:
                force()
            return not names

        def failure() -> HarnessError:
            there = ", ".join(names[:8])
            return HarnessError(f"the box could not be emptied after the last case; still there: {there}")

        until(is_empty, patience, "the box is empty", poll=RESET_POLL, failure=failure)

    def _remaining(self, kinds: Sequence[Kind], namespaces: Sequence[str]) -> list[str]:
        remaining: list[str] = []
        for resource in kinds:
            for namespace in namespaces:
                names = [obj["metadata"]["name"] for obj in self.box.api.list(resource, namespace)]
                remaining += [f"{resource.kind} {name}" for name in names if name != ROOT_CA]
        return remaining

    def _remaining_nodes(self) -> list[str]:
        return [
            f"Node {obj['metadata']['name']}" for obj in self.box.api.list(NODE, labelSelector=self.box.nodes.selector)
        ]

    def close(self) -> None:
        """End it; the box too, unless the user wants to look into it."""
        if self.supervisor is not None:
            self.supervisor.stop()
        self.recorder.stop()
        if self.is_kept:
            self.box.keep()
        else:
            self.box.stop()


def open_testbed(
    adapter: Adapter,
    spec: BoxSpec,
    settings: Settings,
    options: BoxOptions = DEFAULTS,
    *,
    timeout_factor: float = 1.0,
    rerun: Callable[[Box], str] = lambda box: "",
) -> Testbed:
    """Start a box, install the integration and prove by a canary gang of one that it schedules.

    `rerun` makes the command that opens a testbed like this one; it is given the box that was started.
    """
    box = box_for(adapter, spec, settings, replace(options, reserved=True)).start()
    try:
        action = "Installing" if box.capabilities.installs else "Looking at"
        with phase(box.listener, f"{action} {adapter.title}"):
            before = set(box.processes)
            installed = install(adapter, box, settings)
            recorder = Recorder(
                box.api,
                groups=adapter.groups(box.kubernetes),
                claims=kinds_of_claims(box.api),
                read_group=adapter.read_group,
                classify=adapter.classify,
                vocabulary=adapter.vocabulary,
                audit_log=box.audit_log,
                selectors=dict.fromkeys(("Node", "PersistentVolume", "PersistentVolumeClaim"), box.nodes.scope),
                programs=partial(_needed, box, installed),
            )
            recorder.start()
            testbed = Testbed(
                box,
                adapter,
                installed,
                recorder,
                deadlines.scaled(timeout_factor),
                settings.stated_version,
                rerun(box),
            )
            check_features(adapter.name, testbed.features)
            run_canary(testbed)
            started = set(box.processes) - before
            testbed.programs = frozenset(started.union(installed.schedulers, installed.controllers))
            testbed.supervisor = Supervisor([box.processes[name] for name in sorted(testbed.programs)], recorder)
    except BaseException as error:
        box.fail(error)
        raise
    return testbed


def forbidden(case: Case, unasked: Mapping[str, str]) -> str:
    """Why the case cannot be run where these features and disturbances cannot be asked for; empty if it can."""
    for feature, reason in unasked.items():
        if feature in case.needs:
            return f"the case needs the feature {feature}: {reason}"
    if case.disturbs in unasked:
        return f"the case {DISTURBANCES[case.disturbs]}, which is not allowed in this cluster: {unasked[case.disturbs]}"
    return ""


def _needed(box: Box, installed: Installed) -> list[Process]:
    """The processes of this machine without which the scheduler under test does nothing."""
    if not box.capabilities.host_processes:
        return []
    processes = list(box.processes.values())  # a case may start more at any moment
    return [p for p in processes if p.name in installed.schedulers or p.command.role in ("apiserver", "etcd")]


def departures(installed: Installed) -> tuple[dict[str, Any], ...]:
    return tuple({"what": departure.what, "why": departure.why} for departure in installed.departures)
