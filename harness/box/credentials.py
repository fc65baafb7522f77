"""Who may do what in a box: its authority, the certificates its components serve with, and a kubeconfig per user.

Everything is made fresh for each box and lies in files only their owner can read.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from pathlib import Path

from harness.box.kubeconfig import write_kubeconfig
from harness.box.pki import Authority, KeyPair, signing_key, write_private

MASTERS = ("system:masters",)
SERVERS = ("apiserver", "controller-manager", "scheduler")


class Credentials:
    """The certificates of one box, written below its folder."""

    def __init__(self, directory: Path, server: str) -> None:
        self._directory = directory
        self._server = server
        self.authority = Authority()
        pki = directory / "pki"
        write_private(pki / "ca.crt", self.authority.certificate)
        write_private(pki / "service-account.key", signing_key())
        for name in SERVERS:
            names = ("kubernetes.default.svc",) if name == "apiserver" else ()
            _write_pair(pki, name, self.authority.issue(name, names=names))
        admin = self.authority.issue("admin", MASTERS)
        _write_pair(pki, "admin", admin)
        self.kubeconfig = self._write("kubeconfig", admin)
        self.context = ssl.create_default_context(cadata=self.authority.certificate.decode())
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


def _write_pair(folder: Path, name: str, pair: KeyPair) -> None:
    write_private(folder / f"{name}.crt", pair.certificate)
    write_private(folder / f"{name}.key", pair.key)
