"""Kubeconfig files: how a process, a person or kubectl gets into a box.

Certificates are embedded, so a kubeconfig can be copied elsewhere and is complete. It holds a private key, hence
only its owner can read it.
"""

from __future__ import annotations

import base64
from pathlib import Path

import yaml

from harness.box.pki import KeyPair
from harness.core.files import write_private


def write_kubeconfig(path: Path, *, server: str, authority: bytes, pair: KeyPair, cluster: str) -> Path:
    """Write a kubeconfig for one user of one cluster."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": cluster,
        "clusters": [{"name": cluster, "cluster": {"server": server, "certificate-authority-data": _b64(authority)}}],
        "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": cluster}}],
        "users": [
            {
                "name": cluster,
                "user": {
                    "client-certificate-data": _b64(pair.certificate),
                    "client-key-data": _b64(pair.key),
                },
            }
        ],
    }
    return write_private(path, yaml.safe_dump(content, sort_keys=False).encode())


def _b64(content: bytes) -> str:
    return base64.b64encode(content).decode()
