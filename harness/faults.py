"""What can befall the processes and nodes of a box while a case runs, each in one word.

Every word writes itself into the history first, so that a reader of the verdict knows what the scheduler was up
against, and so that time in which a process was down is not held against it.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psutil

from harness.box.api import POD, Api, Object
from harness.box.process import Command
from harness.box.recorder import Recorder
from harness.core.errors import ApiError, HarnessError
from harness.lab import Lab

POLL = 0.05  # seconds between two questions whether a policy is in force
STALL = 1.0  # seconds without an answer after which a write counts as hanging; a healthy one takes milliseconds
SPAN = 1.5  # seconds over which processor time is measured: enough for the coarse clock of the system
GATED = {"kube-apiserver": "apiserver", "kube-controller-manager": "controllerManager", "kube-scheduler": "scheduler"}
SECOND = "second-scheduler"
POLICIES, POLICY = "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"


class Faults(ABC):
    """The words for faults; a part of `World`."""

    lab: Lab
    api: Api
    recorder: Recorder
    namespace: str

    @abstractmethod
    def create(self, obj: Object) -> Object:
        """Create any object; it goes with the case."""

    def deadline(self, name: str) -> float:
        return self.lab.deadlines[name]

    # -- processes ----------------------------------------------------------------------------------------------------

    def kill(self, role: str) -> None:
        """End every process of a role at once (scheduler, controller, apiserver, etcd)."""
        for process in self._of(role):
            self.recorder.act("kill", process.name, role=role)
            process.kill()

    def pause(self, role: str) -> None:
        self.lab.shaken |= role in ("apiserver", "etcd")
        for process in self._of(role):
            self.recorder.act("pause", process.name, role=role)
            process.pause()

    def resume(self, role: str) -> None:
        for process in self._of(role):
            process.resume()
            self.recorder.act("resume", process.name, role=role)

    def restart(self, role: str) -> None:
        """Start every process of a role (again) and wait until it is ready."""
        self.lab.shaken |= role in ("apiserver", "etcd")
        for process in self._of(role):
            self.recorder.act("restart", process.name, role=role)
            process.restart(self.deadline("ready"))
            self.recorder.act("ready", process.name, role=role)

    def _of(self, role: str) -> list[Any]:
        lab = self.lab
        names: Sequence[str] = {"scheduler": lab.installed.schedulers, "controller": lab.installed.controllers}.get(
            role, ()
        )
        names = names or [name for name, process in lab.box.processes.items() if process.command.role == role]
        if not names:
            raise HarnessError(f"this box has no process of the role {role!r}")
        return [lab.box.processes[name] for name in names]

    def processor_share(self, role: str) -> float:
        """Of how many processors the processes of a role are busy, over a second and a half."""
        processes = [psutil.Process(process.pid) for process in self._of(role)]
        began, before = time.monotonic(), sum(sum(one.cpu_times()[:2]) for one in processes)
        self.recorder.wait(lambda: False, SPAN)
        spent = sum(sum(one.cpu_times()[:2]) for one in processes) - before
        return spent / (time.monotonic() - began)

    def gang_gates(self, *, on: bool) -> dict[str, bool]:
        """The gates that gang scheduling of this Kubernetes needs, all on or all off."""
        return {gate: on for gates in self.lab.box.profile.gates.values() for gate in gates}

    def set_gates(self, **gates: bool) -> None:
        """Restart every component of Kubernetes with these gates, where it knows them; undone after the case."""
        box = self.lab.box
        for name, component in GATED.items():
            process = box.processes.get(name)
            known = {gate: on for gate, on in gates.items() if component in box.profile.homes(gate)}
            if process is None or not known:
                continue
            self.lab.shaken = True
            kept = [flag for flag in process.command.argv if not flag.startswith("--feature-gates=")]
            self.start_otherwise(name, [*kept, *box.profile.gate_flags(component, gates)], gates=known)

    def start_otherwise(self, name: str, argv: Sequence[str], **said: Any) -> None:
        """Restart a process with another command line until the end of the case; `said` goes into the history."""
        process = self.lab.box.processes[name]
        self.lab.commands.setdefault(name, process.command)
        self.recorder.act("restart", name, role=process.command.role, **said)
        process.command = replace(process.command, argv=tuple(argv))
        process.restart(self.deadline("ready"))
        self.recorder.act("ready", name, role=process.command.role)

    def start_second_scheduler(self) -> str:
        """Run a plain kube-scheduler beside the scheduler under test; the name that pods choose it by."""
        box = self.lab.box
        box.identity(f"system:{SECOND}")
        port = box.reserve_port()
        config = box.directory / f"{SECOND}.json"
        config.write_text(json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": False}, "profiles": [{"schedulerName": SECOND}],
            "clientConnection": {"kubeconfig": f"{SECOND}.kubeconfig"},
        }))  # fmt: skip
        binary = box.artifacts["kubernetes"].binaries["kube-scheduler"]
        flags = [
            f"--config={config}", "--bind-address=127.0.0.1", f"--secure-port={port}",
            "--tls-cert-file=pki/scheduler.crt", "--tls-private-key-file=pki/scheduler.key",
            f"--authentication-kubeconfig={SECOND}.kubeconfig", f"--authorization-kubeconfig={SECOND}.kubeconfig",
        ]  # fmt: skip
        self.recorder.act("note", text=f"{SECOND} is started")
        process = box.run(Command(SECOND, (str(binary), *flags), role="visitor"), box.https_probe(port))
        self.lab.visitors.append(SECOND)
        process.wait_ready(self.deadline("ready"))
        return SECOND

    # -- the API ------------------------------------------------------------------------------------------------------

    def refuse_bind(self, pod: str) -> None:
        """From now on the API server refuses to bind the pod of that name."""
        self.forbid("v1", "pods/binding", "this bind is refused by the case", unless=f"request.name != '{pod}'")
        deadline = time.monotonic() + self.deadline("ready")
        while not self._bind_is_refused(pod):
            if time.monotonic() > deadline:
                raise HarnessError(f"the policy that refuses to bind {pod} did not come into force")
            time.sleep(POLL)

    def allow_bind(self) -> None:
        """Lift what `refuse_bind` did."""
        self.permit("pods/binding")

    def forbid(self, api_version: str, plural: str, message: str, unless: str = "false") -> None:
        """Have the API server refuse to create such objects in the case's namespace; it takes a moment to know."""
        group, _, version = api_version.rpartition("/")
        what = {"apiGroups": [group], "apiVersions": [version], "operations": ["CREATE"], "resources": [plural]}
        rule = {"expression": f"request.namespace != '{self.namespace}' || {unless}", "message": message}
        spec = {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [what]}, "validations": [rule]}
        meta = {"name": self._policy(plural)}
        self.create({"apiVersion": POLICIES, "kind": POLICY, "metadata": meta, "spec": spec})
        bound = {"policyName": meta["name"], "validationActions": ["Deny"]}
        self.create({"apiVersion": POLICIES, "kind": f"{POLICY}Binding", "metadata": meta, "spec": bound})

    def permit(self, plural: str) -> None:
        """Lift what `forbid` did."""
        self.recorder.act("note", text=f"{plural} may be created again")
        for kind in (f"{POLICY}Binding", POLICY):
            self.api.delete(self.api.resource(POLICIES, kind), "", self._policy(plural))

    def _policy(self, plural: str) -> str:
        return f"no-{plural.replace('/', '-')}-{self.namespace}"

    def _bind_is_refused(self, pod: str) -> bool:
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": {"name": "nowhere"}}
        try:
            self.api.request("POST", f"{POD.path(self.namespace, pod)}/binding", binding, params={"dryRun": "All"})
        except ApiError as error:
            return "refused by the case" in error.message
        return False

    def hangs(self) -> bool:
        """Whether a write gets no answer: the evidence that a paused store is missed."""
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "probe", "namespace": self.namespace}}
        try:
            self.api.request("POST", f"/api/v1/namespaces/{self.namespace}/configmaps", obj, timeout=STALL)
        except ApiError as error:
            return error.status in (0, 500, 504)
        return False

    # -- nodes --------------------------------------------------------------------------------------------------------

    def cordon(self, *names: str) -> None:
        for name in names:
            self._change(name, "cordon")

    def uncordon(self, *names: str) -> None:
        for name in names:
            self._change(name, "uncordon")

    def lose(self, name: str) -> None:
        """The node falls silent."""
        self._change(name, "lose")

    def recover(self, name: str) -> None:
        self._change(name, "recover")

    def is_tainted(self, name: str) -> bool:
        """Whether the node carries a taint now, as a lost one does once somebody noticed."""
        nodes = self.recorder.latest("Node")
        return any(node.name == name and node.state.get("taints") for node in nodes)

    def resize(self, name: str, gpus: int) -> None:
        self._change(name, "resize", gpus=gpus)

    def remove_node(self, name: str) -> None:
        self.recorder.act("node-remove", nodes=[name])
        self.lab.box.nodes.remove(name)

    def _change(self, name: str, change: str, **details: Any) -> None:
        self.recorder.act("node-change", nodes=[name], change=change, **details)
        getattr(self.lab.box.nodes, change)(name, **details)
