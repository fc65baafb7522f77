"""The way into a user's cluster: a kubeconfig and the context in it that the user has named.

There is no default context: the current one of a file may be production. Faults of a file are reported before a cluster
is asked. Certificates are always verified; a kubeconfig that turns this off is refused.
"""

from __future__ import annotations

import contextlib
import logging
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, cast

import yaml
from cryptography import x509

from harness.box.api import Api
from harness.box.existing.ownership import OwnedApi, Ownership
from harness.core.errors import ApiError, HarnessError, UsageError
from harness.core.files import write_private
from harness.core.text import nearest

PATHS = {  # keys of a kubeconfig that name files, which are relative to the kubeconfig
    "cluster": ("certificate-authority",),
    "user": ("client-certificate", "client-key", "tokenFile"),
}


ASKED = 3  # how often the API server is asked for its time


@dataclass(frozen=True, slots=True)
class Access:
    """One context of a kubeconfig, checked."""

    path: Path
    context: str
    server: str
    content: Mapping[str, Any]  # a kubeconfig of this context alone, with absolute paths

    def write(self, target: Path) -> Path:
        """A kubeconfig of this context alone, for a program that muster starts."""
        return write_private(target, yaml.safe_dump(dict(self.content), sort_keys=False).encode())

    def connect(self, ownership: Ownership | None = None) -> Api:
        """A client with the rights of this context; with an owner, everything that it creates is marked as theirs."""
        context, authorize = _credentials(self)
        return (
            OwnedApi(self.server, context, authorize, ownership)
            if ownership
            else Api(self.server, context, authorize=authorize)
        )


def read_access(path: Path, context: str) -> Access:
    """The context of the file; UsageError if the file or the context is not what it should be."""
    content = _read(path)
    contexts = _named(content, "contexts", "context")
    if context not in contexts:
        what = f"{path} has no context {context!r}" if context else "which cluster is meant must be said"
        listed = ", ".join(sorted(contexts)) or "none"
        guess = nearest(context, contexts) if context else ""
        raise UsageError(what, hint=f"{guess}Contexts in {path}: {listed}. Name one with --context.")
    entry = contexts[context]
    cluster = _entry(path, content, "clusters", "cluster", entry.get("cluster"))
    user = _entry(path, content, "users", "user", entry.get("user"))
    server = str(cluster.get("server") or "")
    if not server.startswith("https://"):
        raise UsageError(
            f"{path}: the cluster of context {context!r} has the server {server!r}",
            hint="muster speaks https with a verified certificate only.",
        )
    if cluster.get("insecure-skip-tls-verify"):
        raise UsageError(
            f"{path}: context {context!r} turns the verification of the server's certificate off",
            hint="Put the cluster's CA into certificate-authority-data instead of insecure-skip-tls-verify.",
        )
    if cluster.get("proxy-url"):
        raise UsageError(f"{path}: context {context!r} uses proxy-url, which muster does not support")
    narrowed = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": context,
        "contexts": [{"name": context, "context": {**entry, "cluster": context, "user": context}}],
        "clusters": [{"name": context, "cluster": _absolute(path, "cluster", cluster)}],
        "users": [{"name": context, "user": _absolute(path, "user", user)}],
    }
    return Access(path, context, server.rstrip("/"), narrowed)


def clock_skew(api: Api) -> float | None:
    """How many seconds the API server's clock is ahead of ours, to about a second; None if it does not say.

    Of a few answers the quickest one says it best.
    """
    skews: list[tuple[float, float]] = []
    for _ in range(ASKED):
        began = time.time()
        date = api.headers_of("/version").get("Date", "")
        now = time.time()
        with contextlib.suppress(ValueError):
            server = parsedate_to_datetime(date).timestamp() + 0.5  # it is cut to whole seconds
            skews.append((now - began, server - (began + now) / 2))
    return min(skews)[1] if skews else None


def check_reachable(api: Api, access: Access) -> str:
    """The full version of the cluster's Kubernetes, such as 1.37.1; HarnessError if it cannot be asked."""
    try:
        version = str(api.request("GET", "/version", timeout=10).get("gitVersion", ""))
    except ApiError as error:
        reason = {0: "cannot be reached", 401: "does not accept the credentials", 403: "refuses the request"}
        raise HarnessError(
            f"the cluster of context {access.context!r} ({access.server}) "
            f"{reason.get(error.status, 'does not answer as a Kubernetes API server')}: {error.message}",
            hint=f"See whether this works: kubectl --kubeconfig {access.path} --context {access.context} get --raw "
            "/version",
        ) from error
    return version.removeprefix("v").partition("+")[0].partition("-")[0]


def _check_certificate(access: Access, path: Path) -> None:
    """UsageError for a client certificate that is not valid any more: a server says of it no more than that."""
    ends = x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc
    if ends < datetime.now(UTC):
        raise UsageError(
            f"the client certificate of context {access.context!r} in {access.path} expired on {ends:%Y-%m-%d}",
            hint="Log in to the cluster again, or have a new one issued, then repeat the command.",
        )


def _read(path: Path) -> Mapping[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"the kubeconfig {path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no kubeconfig: it is not YAML ({str(error).splitlines()[0]})") from error
    if not isinstance(content, dict) or not isinstance(content.get("contexts"), list):
        raise UsageError(f"{path} is no kubeconfig: it has no list of contexts")
    return cast(Mapping[str, Any], content)


def _named(content: Mapping[str, Any], plural: str, singular: str) -> dict[str, Mapping[str, Any]]:
    """The entries of a list by their names; what is no entry is left out."""
    entries = content.get(plural)
    return {
        str(entry.get("name")): entry.get(singular) or {}
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get(singular) or {}, dict)
    }


def _entry(path: Path, content: Mapping[str, Any], plural: str, singular: str, name: object) -> Mapping[str, Any]:
    entries = _named(content, plural, singular)
    if name not in entries:
        raise UsageError(f"{path} has no {singular} {name!r}, which the context names")
    return entries[str(name)]


def _absolute(path: Path, kind: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    folder = path.absolute().parent
    files = {key: str(folder / str(entry[key])) for key in PATHS[kind] if entry.get(key)}
    return {**entry, **files}


@contextlib.contextmanager
def _logged_errors() -> Iterator[list[str]]:
    """What is logged as an error meanwhile: the client says so of a login program that failed, and goes on without."""
    messages: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        yield messages
    finally:
        logging.getLogger().removeHandler(handler)


def _credentials(access: Access) -> tuple[ssl.SSLContext, Callable[[], Mapping[str, str]]]:
    """What proves who we are: certificates in the TLS context, tokens in a header that may be renewed."""
    from kubernetes.client import Configuration
    from kubernetes.config import ConfigException, load_kube_config_from_dict

    configuration = Configuration()
    try:
        with _logged_errors() as errors:
            load_kube_config_from_dict(dict(access.content), access.context, configuration, persist_config=False)
        if errors:
            raise ValueError(errors[0])
        context = ssl.create_default_context(cafile=configuration.ssl_ca_cert)
        if configuration.cert_file:
            context.load_cert_chain(configuration.cert_file, configuration.key_file)
            _check_certificate(access, Path(configuration.cert_file))
    except (ConfigException, OSError, ValueError) as error:
        raise UsageError(
            f"the credentials of context {access.context!r} in {access.path} cannot be used: {error}",
            hint="Log in to the cluster again, then repeat the command.",
        ) from error

    def authorize() -> Mapping[str, str]:
        token = configuration.get_api_key_with_prefix("BearerToken")  # renews it where the kubeconfig says how
        return {"Authorization": token} if token else {}

    return context, authorize
