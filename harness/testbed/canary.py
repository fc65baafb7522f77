"""A gang of one that must be bound and run before any case begins: no case waits for a scheduler that is away."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Protocol

from harness.adapters.common.base import Adapter, Installed
from harness.adapters.common.render import gang_objects
from harness.box.base import Box
from harness.box.nodes import Pool
from harness.box.recorder import Recorder
from harness.core.errors import HarnessError, UsageError
from harness.core.gang import Gang
from harness.core.kinds import POD
from harness.core.oracle.incarnation import Pod
from harness.core.waiting import until
from harness.testbed.objects import create_all

AUDITED = 15.0  # seconds until an audit log has what was done; it is written before a request is answered
LOOK = 0.2  # seconds between two looks whether the scheduler still lives
LABEL = "muster.dev/canary"


class Host(Protocol):
    """What a canary needs of the testbed that it is run in."""

    box: Box
    adapter: Adapter
    installed: Installed
    recorder: Recorder
    deadlines: Mapping[str, float]
    namespaces: list[str]

    def add_nodes(self, pool: Pool) -> list[str]: ...

    def namespace(self) -> str: ...

    def reset(self) -> float: ...


def run_canary(testbed: Host, deadline: str = "reconnected") -> None:
    """Bind a gang of one to a node that is new; HarnessError with the scheduler's last lines if that fails.

    The node has a label of its own: a scheduler that still works with an old list of nodes cannot choose one of them.
    """
    namespace = _submit(testbed)
    processes = [
        testbed.box.processes[name] for name in (*testbed.installed.schedulers, *testbed.installed.controllers)
    ]

    def is_decided() -> bool:
        is_bound = testbed.recorder.wait(lambda: any(pod.node for pod in _members(testbed, namespace)), LOOK)
        return is_bound or any(process.crashed for process in processes)

    def failure() -> HarnessError:
        tails = "\n".join(f"the last lines of {process.name}:\n{process.tail()}" for process in processes)
        return HarnessError(f"{testbed.adapter.title} started but does not schedule a gang of one; {tails}")

    until(is_decided, testbed.deadlines[deadline], "a gang of one is bound", poll=0.0, failure=failure)
    for process in processes:
        process.is_ready()  # raises with its last lines if it has died
    _see_running(testbed, namespace)
    if testbed.box.audit_log is not None and not testbed.box.capabilities.installs:
        _see_audited(testbed, namespace)
    testbed.reset()


def _submit(testbed: Host) -> str:
    """Create node and gang; the namespace of the gang."""
    testbed.recorder.begin()
    namespace = testbed.namespace()
    label = {LABEL: secrets.token_hex(4)}
    testbed.recorder.act("node-add", count=1, gpus=1)
    testbed.add_nodes(Pool(1, gpus=1, name=f"canary-{label[LABEL]}", labels=label))
    gang = Gang("canary", size=1, selector=label)
    objects = gang_objects(testbed.adapter, gang, namespace, testbed.box.kubernetes)
    testbed.adapter.finish(objects)
    testbed.recorder.act("submit", gang.name, namespace, gang=gang.as_record())
    create_all(testbed.box.api, objects)
    return namespace


def _members(testbed: Host, namespace: str) -> list[Pod]:
    """What the timeline knows of the canary's only member, once it exists."""
    pods = list(testbed.recorder.timeline.pods.values())
    return [pod for pod in pods if pod.record.namespace == namespace and pod.part == "member" and not pod.gone]


def _see_audited(testbed: Host, namespace: str) -> None:
    """See that an audit log which the user has given tells of this cluster, and of all that a history needs from it."""
    name = _members(testbed, namespace)[0].record.name
    testbed.box.api.delete(POD, namespace, name, grace=0)

    def failure() -> UsageError:
        return UsageError(
            f"{testbed.box.audit_log} does not say who bound and who deleted a pod of this cluster",
            hint="It must be the log of the cluster's API server, with pods/binding at the level Request and with "
            "deletions of pods. Or leave --audit-log out.",
        )

    def is_audited() -> bool:
        return {("bind", name), ("delete", name)} <= testbed.recorder.audited(namespace)

    until(is_audited, AUDITED, "the audit log tells of the canary", poll=0.1, failure=failure)


def _see_running(testbed: Host, namespace: str) -> None:
    """See the canary run. KWOK was seen, about once in thirty starts, to take charge of no node; a restart mends it."""

    def running() -> bool:
        return any(pod.phase in ("Running", "Succeeded", "Failed") for pod in _members(testbed, namespace))

    if not testbed.box.capabilities.own_nodes:
        if not testbed.recorder.wait(running, testbed.deadlines["ready"]):
            raise HarnessError(
                "a pod that was bound to a real node does not run there",
                hint="Its node may not have the image: name another one with --pause-image.",
            )
        return
    for _ in range(3):
        if testbed.recorder.wait(running, testbed.deadlines["started"]):
            return
        testbed.box.processes["kwok"].restart()
    raise HarnessError("KWOK starts no pod, though it runs and was restarted", hint="See its log: muster logs kwok")
