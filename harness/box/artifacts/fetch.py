"""Files over HTTPS: with a short limit to connect, through proxies and mirrors, and hashed while they arrive.

A machine without a way to the internet must notice that in seconds, not minutes, so a host that could not be reached is
not asked again by this process. `ssl` takes the machine's certificates, or the file in SSL_CERT_FILE.
"""

from __future__ import annotations

import hashlib
import json
import os
import ssl
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import urllib3

from harness.box import config
from harness.core.errors import ArtifactError, UsageError

CONNECT = 3.0  # seconds to reach a host
READ = 30.0  # seconds without a single byte
CHUNK = 1 << 20
MOST_TEXT = 4 << 20  # bytes of a list of checksums or a manifest
VARIABLE = "MUSTER_MIRRORS"

_unreachable: dict[str, str] = {}  # host -> why, for this process

Received = Callable[[int, int], None]  # bytes so far, bytes in all (0: not known)


class UnreachableError(ArtifactError):
    """A host could not be reached, or does not have what was asked for: another source may."""


@contextmanager
def opened(url: str, headers: Mapping[str, str] | None = None) -> Iterator[urllib3.BaseHTTPResponse]:
    """The answer to a GET, to be read piece by piece; its status may be anything."""
    address = mirrored(url)
    host = urlsplit(address).netloc
    if host in _unreachable:
        raise UnreachableError(f"{address}: {_unreachable[host]}")
    try:
        answer = _pool(_proxy(address)).request("GET", address, headers=dict(headers or {}), preload_content=False)
    except urllib3.exceptions.HTTPError as error:
        reason = f"{host} cannot be reached: {_cause(error)}"
        _unreachable[host] = reason
        raise UnreachableError(f"{address}: {reason}") from error
    try:
        yield answer
    except urllib3.exceptions.HTTPError as error:
        raise UnreachableError(f"{address}: the download broke off: {_cause(error)}") from error
    finally:
        answer.release_conn()


def text(url: str, headers: Mapping[str, str] | None = None) -> str:
    """A small file; UnreachableError if there is none."""
    with opened(url, headers) as answer:
        expect_success(answer, url)
        content = answer.read(MOST_TEXT + 1)
    if len(content) > MOST_TEXT:
        raise ArtifactError(f"{mirrored(url)}: more than {MOST_TEXT >> 20} MB, which is no list of checksums")
    return content.decode("utf-8", "replace")


def json_of(url: str, headers: Mapping[str, str] | None = None) -> Any:
    """A small JSON document."""
    content = text(url, headers)
    try:
        return json.loads(content)
    except ValueError as error:
        raise UnreachableError(f"{mirrored(url)}: the answer is no JSON: {error}") from error


def download(url: str, target: Path, received: Received, headers: Mapping[str, str] | None = None) -> str:
    """Write a file; returns its sha256, which was computed while it arrived."""
    digest = hashlib.sha256()
    with opened(url, headers) as answer, target.open("wb") as file:
        expect_success(answer, url)
        total, count = int(answer.headers.get("Content-Length") or 0), 0
        for chunk in answer.stream(CHUNK):
            digest.update(chunk)
            file.write(chunk)
            count += len(chunk)
            received(count, total)
    if total and count != total:
        raise UnreachableError(f"{mirrored(url)}: {count} of {total} bytes arrived")
    return digest.hexdigest()


def expect_success(answer: urllib3.BaseHTTPResponse, url: str) -> None:
    if answer.status != 200:
        raise UnreachableError(f"{mirrored(url)}: HTTP {answer.status}")


def mirrored(url: str) -> str:
    """The address that is really asked: that of a mirror, where the user has named one for the beginning of the URL."""
    for prefix, mirror in sorted(mirrors().items(), key=lambda item: -len(item[0])):
        if url == prefix or url.startswith(prefix.rstrip("/") + "/"):
            return mirror.rstrip("/") + url[len(prefix.rstrip("/")) :]
    return url


def mirrors() -> dict[str, str]:
    """Beginnings of URLs and what takes their place: of the config file, and of the environment, which wins."""
    pairs = dict(config.load().mirrors)
    for entry in filter(None, (entry.strip() for entry in os.environ.get(VARIABLE, "").split(","))):
        prefix, separator, mirror = entry.partition("=")
        if not separator or not mirror.startswith(("https://", "http://")):
            hint = "For example: https://dl.k8s.io=https://mirror.example.com/k8s"
            raise UsageError(f"{VARIABLE}: expected URL=URL, given {entry!r}", hint=hint)
        pairs[prefix] = mirror
    return pairs


def forget_unreachable() -> None:
    """Let every host be asked again."""
    _unreachable.clear()


def _cause(error: BaseException) -> str:
    """The innermost reason, in its own words."""
    reason = getattr(error, "reason", None)
    while isinstance(reason, BaseException) and getattr(reason, "reason", None) is not None:
        reason = getattr(reason, "reason", None)
    return str(reason or error)


def _proxy(url: str) -> str:
    """The proxy for a URL, as the environment says; empty for none."""
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.hostname or ""):
        return ""
    return urllib.request.getproxies().get(parts.scheme, "")


@cache
def _pool(proxy: str) -> urllib3.PoolManager:
    settings: dict[str, Any] = {
        "timeout": urllib3.Timeout(connect=CONNECT, read=READ),
        "retries": urllib3.Retry(total=5, connect=0, read=0, redirect=5, raise_on_redirect=True),
        "ssl_context": ssl.create_default_context(),
        "headers": {"User-Agent": "muster"},
    }
    return urllib3.ProxyManager(proxy, **settings) if proxy else urllib3.PoolManager(**settings)
