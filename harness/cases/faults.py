"""`world.faults`: kill, pause and restart processes, delay deletions.

Every fault writes itself into the history first, so that a reader of the verdict knows what the scheduler had to cope
with, and so that time in which a process was down does not count against it. What was changed is undone after the case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from harness.adapters import jobset_gang
from harness.adapters.common import hosting, lws_controller
from harness.box.api import PATCH_STRATEGIC, Object
from harness.cases.context import Context
from harness.core.errors import ApiError, HarnessError, UnsupportedError
from harness.core.kinds import POD

STALL = 1.0  # seconds without an answer after which a write counts as hanging; a healthy one takes milliseconds
GATED = {"kube-apiserver": "apiserver", "kube-controller-manager": "controllerManager", "kube-scheduler": "scheduler"}
SECOND = "second-scheduler"
FINALIZER = "muster.dev/cling"  # of objects whose deletion is delayed
GRACE = 600  # seconds that their containers may take to end: longer than any case


class Faults:
    """Fault injection."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._restored: set[str] = set()  # processes that run as they were made after the case

    # -- processes ----------------------------------------------------------------------------------------------------

    def kill(self, role: str, *, until_restart: bool = False) -> None:
        """End every process of a role at once (scheduler, controller, apiserver, etcd, or the name of a process).

        In somebody's cluster its owner may bring it back at once. A case that depends on its absence says so by
        `until_restart`, and is not supported there.
        """
        processes = self._context.processes(role)
        if until_restart and not all(process.stays_down for process in processes):
            raise UnsupportedError(f"the case needs the {role} to stay away, and its owner brings it back at once")
        for process in processes:
            self._act("kill", process, role)
            process.kill()

    def pause(self, role: str) -> None:
        """Stop every process of a role until it is resumed.

        A scheduler has seen the nodes first, if there is no gang yet: what comes meanwhile it sees at once, in any
        order, and it could refuse a gang before it knows of the nodes that were there first.
        """
        self._probe_later(role)
        if role == "scheduler" and not self._context.recorder.timeline.incarnations:
            self._context.see_nodes()
        for process in self._context.processes(role):
            self._act("pause", process, role)
            process.pause()

    def resume(self, role: str) -> None:
        for process in self._context.processes(role):
            process.resume()
            self._act("resume", process, role)

    def restart(self, role: str) -> None:
        """Start every process of a role (again) and wait until it is ready."""
        self._probe_later(role)
        for process in self._context.processes(role):
            self._act("restart", process, role)
            process.restart(self._context.deadline("ready"))
            if not process.stays_down:  # it may have to wait until it is the leader
                self._context.see_scheduler()
            self._act("ready", process, role)

    def set_gates(self, **gates: bool) -> None:
        """Restart every component of Kubernetes with these gates, where it knows them."""
        box = self._context.testbed.box
        components = {
            name: {gate: on for gate, on in gates.items() if component in box.minor.homes(gate)}
            for name, component in GATED.items()
            if name in box.processes
        }
        names = [name for name, gates_here in components.items() if gates_here]
        self._restore_later(*names)
        for name in names:
            self._context.testbed.needs_probe = True
            flags = [flag for flag in box.processes[name].command.argv if not flag.startswith("--feature-gates=")]
            self._restart_with(name, [*flags, *box.minor.gate_flags(GATED[name], gates)], gates=components[name])

    def set_gang_gates(self, *, on: bool) -> None:
        """Turn all gates that gang scheduling of this Kubernetes needs on or off."""
        gates = self._context.testbed.box.minor.gates
        self.set_gates(**{gate: on for names in gates.values() for gate in names})

    def turn_gangs_off(self) -> None:
        """Restart the controller that makes gangs of users' objects with gangs turned off."""
        processes = self._context.testbed.box.processes
        name, change = _switch(self._context)
        self._restart_with(name, change(processes[name].command.argv), gangs=False)

    def set_wait_time(self, seconds: int) -> None:
        """Restart the scheduler so that gangs wait this long which do not say how long."""
        testbed = self._context.testbed
        change, (name,) = testbed.adapter.wait_time, testbed.installed.schedulers
        if change is None:
            raise HarnessError(f"{testbed.adapter.title} has no wait time of its own that can be set")
        self._restart_with(name, change(testbed.box, seconds), wait_time=seconds)

    def start_second_scheduler(self) -> str:
        """Run a plain kube-scheduler beside the scheduler under test; the name by which pods ask for it."""
        box = self._context.testbed.box
        self._context.recorder.act("note", text=f"{SECOND} is started")
        process = hosting.plain_scheduler(box, SECOND, box.identity(f"system:{SECOND}"), role="second scheduler")
        self._context.testbed.cleanup.callback(box.discard, SECOND)
        process.wait_ready(self._context.deadline("ready"))
        return SECOND

    def store_is_stalled(self) -> bool:
        """Whether a write gets no answer: the evidence that a paused store is needed."""
        context = self._context
        meta = {"name": "probe", "namespace": context.namespace}
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}
        try:
            context.api.request("POST", f"/api/v1/namespaces/{context.namespace}/configmaps", obj, timeout=STALL)
        except ApiError as error:
            return error.status in (0, 500, 504)
        return False

    def _act(self, verb: str, process: Any, role: str) -> None:
        """Write down what is done to a process, in the role that the case named or, by its name, its own."""
        named = process.command.role if role == process.name else role
        self._context.recorder.act(verb, process.name, role=named)

    def _probe_later(self, role: str) -> None:
        """Have the scheduler prove after the case that it still works."""
        self._context.testbed.needs_probe |= role in ("apiserver", "etcd")

    def _restore_later(self, *names: str) -> None:
        """Have these processes run as they were made after the case: the first one first, since others need it."""
        for name in reversed(names):
            if name not in self._restored:
                self._restored.add(name)
                self._context.testbed.cleanup.callback(self._context.testbed.box.processes[name].restore)

    def _restart_with(self, name: str, argv: Sequence[str], **details: Any) -> None:
        """Restart a process with another command line until the end of the case; `details` go into the history."""
        self._restore_later(name)
        process = self._context.testbed.box.processes[name]
        self._context.recorder.act("restart", name, role=process.command.role, **details)
        process.command = replace(process.command, argv=tuple(argv))
        process.restart(self._context.deadline("ready"))
        self._act("ready", process, name)

    # -- deletions that take their time -------------------------------------------------------------------------------

    @staticmethod
    def delay_deletion(obj: Object) -> None:
        """To be given as `alter`: after its deletion the pod stays until `finish_deletions`, and within its grace."""
        obj["metadata"].setdefault("finalizers", []).append(FINALIZER)
        obj["spec"]["terminationGracePeriodSeconds"] = GRACE  # who outlives it is taken for stuck by some

    def begin_deletions(self, *pods: str) -> None:
        """Delete pods of no gang within their grace, as users do; those that are delayed keep their room meanwhile."""
        context = self._context
        context.need_simulation("the case has pods keep their room while they are being deleted")
        for name in pods:
            context.note_deletion(context.namespace, name)
            context.api.delete(POD, context.namespace, name)

    def finish_deletions(self) -> None:
        """Let all pods be deleted that were delayed."""
        context = self._context
        context.recorder.act("note", text="delayed deletions of pods may end")
        for namespace in context.testbed.namespaces:
            for pod in context.api.list(POD, namespace):
                if FINALIZER in (pod["metadata"].get("finalizers") or ()):
                    # by name: a list that was read would bring back what others take away at the same time
                    change = {"metadata": {"$deleteFromPrimitiveList/finalizers": [FINALIZER]}}
                    name = pod["metadata"]["name"]
                    context.api.patch(POD, namespace, name, change, content_type=PATCH_STRATEGIC)


# -- what differs between the controllers that make gangs of users' objects --------------------------------------------


def _switch(context: Context) -> tuple[str, Callable[[Sequence[str]], list[str]]]:
    """The controller, and how its command line is changed to turn gangs off."""
    if context.testbed.adapter.folder == jobset_gang.NAME:
        return jobset_gang.NAME, lambda argv: [*argv, "--gangs=off"]
    on, off = f"/{lws_controller.CONFIG}", f"/{lws_controller.CONFIG_OFF}"
    return lws_controller.CONTROLLER, lambda argv: [flag.replace(on, off) for flag in argv]
