"""A box with a scheduler in it, ready for cases: started once, emptied between two of them."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from harness.adapters.common.base import Adapter, Installed, Settings, features_of
from harness.box.base import Box, Process
from harness.box.nodes import Pool
from harness.box.options import DEFAULTS, BoxOptions
from harness.box.phases import phase
from harness.box.recorder import Recorder, kinds_of_claims
from harness.box.spec import BoxSpec
from harness.core import deadlines
from harness.core.catalogue.cases import DISTURBANCES, Case
from harness.core.catalogue.features import check_features
from harness.core.kinds import Kind
from harness.core.waiting import until
from harness.testbed.canary import run_canary
from harness.testbed.install import NEED_CONTAINERS, box_for, install
from harness.testbed.reset import renew, reset
from harness.testbed.supervisor import Supervisor


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
        reset(self)
        return time.monotonic() - began

    def renew(self) -> None:
        """Restart the integration and see it work, so that nothing it remembers of former cases decides the next one.

        A cluster that allows no faults stays as it is.
        """
        if self.box.capabilities.faults:
            renew(self)

    def group_resources(self) -> list[Kind]:
        return list(self.adapter.groups(self.box.kubernetes))

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
