"""Who may do what in a box: its authority, the certificates its components serve with, and a kubeconfig per user.

Everything lies in files that only their owner can read.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from pathlib import Path

from harness.box.base import MASTERS
from harness.box.kubeconfig import write_kubeconfig
from harness.box.pki import Authority, KeyPair
from harness.core.files import write_private

ADMIN = "admin"


class Credentials:
    """The certificates of one box under its authority, written below its folder."""

    def __init__(self, directory: Path, server: str, authority: Authority, serving: Sequence[str]) -> None:
        """`serving` are the components that get a certificate to serve with; none if all files are there already."""
        self.authority = authority
        self._directory = directory
        self._server = server
        pki = directory / "pki"
        if serving:
            write_private(pki / "ca.crt", authority.certificate)
            for name in serving:
                names = ("kubernetes.default.svc",) if name == "apiserver" else ()
                _write_pair(pki, name, authority.issue(name, names=names))
            _write_pair(pki, ADMIN, authority.issue(ADMIN, MASTERS))
        self._admin = KeyPair((pki / f"{ADMIN}.crt").read_bytes(), (pki / f"{ADMIN}.key").read_bytes())
        self.context = ssl.create_default_context(cadata=authority.certificate.decode())
        self.context.load_cert_chain(pki / f"{ADMIN}.crt", pki / f"{ADMIN}.key")

    def write_admin(self) -> Path:
        """The kubeconfig of the box itself, with every right."""
        return self._write("kubeconfig", self._admin)

    def identity(self, user: str, groups: Sequence[str]) -> Path:
        """A kubeconfig for a user with a certificate of its own."""
        name = user.rsplit(":", 1)[-1].removeprefix("kube-")
        return self._write(f"{name}.kubeconfig", self.authority.issue(user, tuple(groups)))

    def _write(self, name: str, pair: KeyPair) -> Path:
        return write_kubeconfig(
            self._directory / name,
            server=self._server,
            authority=self.authority.certificate,
            pair=pair,
            cluster=self._directory.name,
        )


def _write_pair(folder: Path, name: str, pair: KeyPair) -> None:
    write_private(folder / f"{name}.crt", pair.certificate)
    write_private(folder / f"{name}.key", pair.key)
