"""An `Api` from a kubeconfig file, for processes that are given nothing else."""

from __future__ import annotations

import base64
import ssl
import tempfile
from pathlib import Path
from typing import Any

import yaml

from harness.box.api import Api
from harness.core.errors import UsageError


def connect(kubeconfig: Path, *, agent: str = "muster") -> Api:
    """A client for the current context; certificates may be embedded or files, a token may stand instead."""
    try:
        config = yaml.safe_load(kubeconfig.read_text())
        context = _named(config["contexts"], config["current-context"])["context"]
        cluster = _named(config["clusters"], context["cluster"])["cluster"]
        user = _named(config["users"], context["user"])["user"]
    except (OSError, KeyError, TypeError, StopIteration, yaml.YAMLError) as error:
        raise UsageError(f"{kubeconfig} is not a usable kubeconfig: {error}") from error
    authority = _content(cluster, "certificate-authority")
    tls = ssl.create_default_context(cadata=authority.decode() if authority else None)
    certificate, key = _content(user, "client-certificate"), _content(user, "client-key")
    if certificate and key:
        with tempfile.NamedTemporaryFile() as file:  # the ssl module reads certificates from files only; this is 0600
            file.write(certificate + b"\n" + key)
            file.flush()
            tls.load_cert_chain(file.name)
    headers = {"User-Agent": agent, **({"Authorization": f"Bearer {user['token']}"} if "token" in user else {})}
    return Api(cluster["server"], tls, headers)


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["name"] == name)


def _content(entry: dict[str, Any], key: str) -> bytes | None:
    if f"{key}-data" in entry:
        return base64.b64decode(entry[f"{key}-data"])
    return Path(entry[key]).read_bytes() if key in entry else None
