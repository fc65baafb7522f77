"""The cluster's own authority, so that a process of ours has an identity in the cluster as in an embedded box."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from harness.box.kind import docker
from harness.box.pki import LOOPBACK, Authority
from harness.core.errors import HarnessError

FOLDER = "/etc/kubernetes/pki"


def cluster_authority(control_plane: str, address: str) -> Authority:
    """The authority that kubeadm made, out of the control plane's container.

    `address` is this machine's on the cluster's network: what serves here is called there.
    """
    certificate, key = (docker.execute(control_plane, ["cat", f"{FOLDER}/ca.{part}"]) for part in ("crt", "key"))
    private = load_pem_private_key(key.encode(), None)
    if not isinstance(private, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise HarnessError(f"the authority of {control_plane} has a key that certificates cannot be signed with")
    return Authority(certificate.encode(), private, (LOOPBACK, address))
