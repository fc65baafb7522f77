"""The command lines of a control plane of host processes: etcd, kube-apiserver and what needs a ready API server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.box.artifacts import Artifact
from harness.box.base import Command
from harness.box.data import data_root
from harness.box.kwok import kwok_command
from harness.box.minor import Minor, flags

ETCD = "unix://etcd.sock:1"  # a socket in the box's own folder: no port, no other user can connect
ETCD_PEER = "unix://peer.sock:1"
SERVING = ("apiserver", "controller-manager", "scheduler")  # what needs a certificate to serve with


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What differs between a box for cases and one for measurements of load."""

    watch_cache: bool = False  # as clusters have it; a watch may then end with a gap when the API server is restarted
    audit_calls: bool = False  # every request of the integration is in the audit log, not only what it does to pods

    @property
    def audit_policy(self) -> Path:
        name = "audit-policy-calls.yaml" if self.audit_calls else "audit-policy.yaml"
        return data_root() / "clusters" / name


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """How the components of one box are started."""

    artifacts: Mapping[str, Artifact]
    minor: Minor
    gates: Mapping[str, bool]
    kubeconfig: Path
    server: ServerOptions

    def etcd(self) -> Command:
        binary = self.artifacts["etcd"].binaries["etcd"]
        return self._command("etcd", binary, flags("etcd", etcd=ETCD, etcd_peer=ETCD_PEER), role="etcd")

    def apiserver(self, port: int) -> Command:
        served = ",".join(f"{group}=true" for group in self.minor.runtime_config)
        values = {"audit_policy": self.server.audit_policy, "watch_cache": str(self.server.watch_cache).lower()}
        options = [*flags("apiserver", etcd=ETCD, port=port, **values), f"--runtime-config={served}"]
        return self._kubernetes("kube-apiserver", "apiserver", options, role="apiserver")

    def controller_manager(self, port: int) -> Command:
        options = flags("controllerManager", port=port)
        return self._kubernetes("kube-controller-manager", "controllerManager", options, role="controller")

    def scheduler(self, port: int) -> Command:
        return self._kubernetes("kube-scheduler", "scheduler", flags("scheduler", port=port), role="scheduler")

    def kwok(self) -> Command:
        return kwok_command(self.artifacts["kwok"], lease=0)  # its controller manager waits a day for news of a node

    def _kubernetes(self, name: str, component: str, options: Sequence[str], *, role: str) -> Command:
        binary = self.artifacts["kubernetes"].binaries[name]
        return self._command(name, binary, [*options, *self.minor.gate_flags(component, self.gates)], role=role)

    def _command(self, name: str, binary: Path, options: Sequence[str], *, role: str) -> Command:
        return Command(name, (str(binary), *options), {"KUBECONFIG": str(self.kubeconfig)}, role=role)


def fingerprint(artifacts: Mapping[str, Artifact], minor: Minor, gates: Mapping[str, bool]) -> list[str]:
    """Everything that the content of a fresh etcd depends on."""
    checksums = [artifacts["etcd"].checksums["etcd"], artifacts["kubernetes"].checksums["kube-apiserver"]]
    return [*checksums, *minor.runtime_config, *minor.gate_flags("apiserver", gates)]
