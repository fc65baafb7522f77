"""The cluster's own authority, so that a process of ours is somebody in the cluster as it is in an embedded box."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from harness.box.credentials import MASTERS
from harness.box.kind import docker
from harness.box.kubeconfig import write_kubeconfig
from harness.box.pki import Authority, KeyPair, write_private


class ClusterAuthority(Authority):
    """Issues certificates under the authority that kubeadm made."""

    def __init__(self, certificate: bytes, key: bytes, address: str) -> None:
        """`address` is this machine's on the cluster's network: who serves here is called there."""
        self.addresses = (*Authority.addresses, address)
        self.certificate = certificate
        self._name = x509.load_pem_x509_certificate(certificate).subject
        self._key = serialization.load_pem_private_key(key, None)  # type: ignore[assignment]

    @classmethod
    def of(cls, control_plane: str, address: str) -> ClusterAuthority:
        """The authority that lies in the control plane's container."""
        folder = "/etc/kubernetes/pki"
        pair = [docker.execute(control_plane, ["cat", f"{folder}/ca.{part}"]).encode() for part in ("crt", "key")]
        return cls(pair[0], pair[1], address)


class ClusterCredentials:
    """The certificates of a kind box, written below its folder; the counterpart of `credentials.Credentials`."""

    def __init__(self, directory: Path, server: str, authority: ClusterAuthority) -> None:
        self._directory = directory
        self._server = server
        self.authority = authority
        self.kubeconfig = directory / "kubeconfig"
        pki = directory / "pki"
        write_private(pki / "ca.crt", authority.certificate)
        for name in ("admin", "scheduler"):  # the second is for a further kube-scheduler that a case starts
            pair = authority.issue(name, MASTERS if name == "admin" else ())
            write_private(pki / f"{name}.crt", pair.certificate)
            write_private(pki / f"{name}.key", pair.key)
        self.context = ssl.create_default_context(cadata=authority.certificate.decode())
        self.context.load_cert_chain(pki / "admin.crt", pki / "admin.key")

    def identity(self, user: str, groups: Sequence[str]) -> Path:
        """A kubeconfig for a user with a certificate of its own."""
        name = user.rsplit(":", 1)[-1].removeprefix("kube-")
        return self._write(f"{name}.kubeconfig", self.authority.issue(user, tuple(groups)))

    def _write(self, name: str, pair: KeyPair) -> Path:
        return write_kubeconfig(
            self._directory / name, server=self._server, authority=self.authority.certificate, pair=pair,
            cluster=self._directory.name,
        )  # fmt: skip
