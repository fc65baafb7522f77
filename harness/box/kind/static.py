"""The programs of the control plane, which a kubelet starts from files of its node."""

from __future__ import annotations

from pathlib import Path

import yaml

from harness.box.api import Api, Object
from harness.box.base import Command
from harness.box.kind import docker
from harness.box.kind.programs import ContainerProgram
from harness.core.errors import HarnessError
from harness.core.kinds import POD

MANIFESTS = "/etc/kubernetes/manifests"
HELD = "/kind/held"  # where the manifest of a program lies that is to stay dead
ROLES = {
    "etcd": "etcd",
    "kube-apiserver": "apiserver",
    "kube-controller-manager": "controller",
    "kube-scheduler": "scheduler",
}
HEALTH = {  # where a program of the control plane says that it is ready, asked on its own node
    "kube-apiserver": "https://127.0.0.1:6443/readyz",
    "kube-controller-manager": "https://127.0.0.1:10257/healthz",
    "kube-scheduler": "https://127.0.0.1:10259/readyz",
    "etcd": "http://127.0.0.1:2381/readyz",
}
AUTHORITY = "--certificate-authority=/etc/kubernetes/pki/ca.crt"
# kubeadm lets these two sign their own certificates at every start: there is nothing to check them by. They are asked
# on the node's own loopback whether they are well, and no credentials are shown to them.
SELF_SIGNED = ("kube-controller-manager", "kube-scheduler")


class StaticProgram(ContainerProgram):
    """A program of the control plane, which the kubelet starts from a file."""

    def __init__(self, api: Api, command: Command, node: str, log: Path) -> None:
        super().__init__(api, command, "kube-system", log)
        self._container = node
        self._written = command.argv

    def start(self) -> None:
        if self._held and self.command.argv != self._written:
            self._rewrite()
        super().start()

    def restart(self, timeout: float = 60.0) -> None:
        """Kill it and let its kubelet start it; only other flags need another manifest."""
        if self._held or self.command.argv != self._written:
            super().restart(timeout)
            return
        before = self.pid
        self._signal(self._container, "KILL")
        self._wait_ended(lambda: self.pid != before)
        self.paused = False
        self.wait_ready(timeout)

    def is_ready(self) -> bool:
        """Whether it answers; its pod's own word comes ten seconds later, when the first probe is due."""
        server, _, path = HEALTH[self.name].rpartition("/")
        trust = "--insecure-skip-tls-verify" if self.name in SELF_SIGNED else AUTHORITY
        ask = [
            "kubectl",
            f"--server={server}",
            trust,
            "--request-timeout=5s",
            "--token=none",
            "get",
            "--raw",
            f"/{path}",
        ]
        try:
            docker.execute(self._container, ask)
        except HarnessError:
            return False
        return True

    def _hold(self) -> None:
        file = f"{self.name}.yaml"
        docker.execute(self._container, ["sh", "-c", f"mkdir -p {HELD} && mv {MANIFESTS}/{file} {HELD}/{file}"])

    def _release(self) -> None:
        docker.execute(self._container, ["mv", f"{HELD}/{self.name}.yaml", f"{MANIFESTS}/{self.name}.yaml"])

    def _rewrite(self) -> None:
        """Put the flags into the manifest that `command` has by now."""
        path = f"{HELD}/{self.name}.yaml"
        manifest = yaml.safe_load(docker.execute(self._container, ["cat", path]))
        manifest["spec"]["containers"][0]["command"] = list(self.command.argv)
        text = yaml.safe_dump(manifest, sort_keys=False)
        docker.execute(self._container, ["sh", "-c", f"cat >{path} <<'MUSTER'\n{text}\nMUSTER\n"])
        self._written = self.command.argv

    def _node(self) -> str:
        return self._container

    def _label(self) -> str:
        return f"{self.name}-{self._container}"

    def _pod(self) -> Object | None:
        return self._api.find(POD, "kube-system", self._label())


def static_programs(api: Api, node: str, logs: Path) -> dict[str, StaticProgram]:
    """A handle on every program of the control plane, with the flags it was started with."""
    programs = {}
    for name, role in ROLES.items():
        manifest = yaml.safe_load(docker.execute(node, ["cat", f"{MANIFESTS}/{name}.yaml"]))
        command = Command(name, tuple(manifest["spec"]["containers"][0]["command"]), role=role)
        programs[name] = StaticProgram(api, command, node, logs / f"{name}.log")
    return programs
