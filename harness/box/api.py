"""A thin client of the API server: plain dictionaries in, plain dictionaries out.

The official client builds model objects for everything it sees, which costs more than the API server does once a
recorder watches thousands of pods, and it drops fields it does not know, such as the scheduling fields of a Kubernetes
release newer than itself. muster judges exactly those. So requests and watches here are raw JSON over urllib3. The
official client stays available to users as `box.client()`.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import urllib3

from harness.box.busy import ask
from harness.core.errors import ApiError
from harness.core.kinds import Kind

Object = dict[str, Any]

PATCH_MERGE = "application/merge-patch+json"
PATCH_STRATEGIC = "application/strategic-merge-patch+json"
PATCH_JSON = "application/json-patch+json"
ONLY_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
PAGE = 500  # objects of a list that is asked for in pages, as kubectl does it
APPLY = "application/apply-patch+yaml"  # JSON is YAML


class Api:
    """Requests to one API server as one user. Safe to use from several threads."""

    def __init__(
        self,
        server: str,
        context: ssl.SSLContext,
        headers: Mapping[str, str] | None = None,
        authorize: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """`authorize` returns further headers for each request: a token may be renewed while a box is used."""
        self.server = server
        self.context = context
        self._pool = urllib3.PoolManager(maxsize=32, ssl_context=context, retries=False)
        self._fixed = {"User-Agent": "muster", **(headers or {})}
        self._authorize = authorize
        self._resources: dict[tuple[str, str], Kind] = {}
        self._lock = threading.Lock()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content_type: str = "application/json",
        accept: str = "application/json",
        params: Mapping[str, str] | None = None,
        timeout: float = 30.0,
    ) -> Object:
        """One request; the decoded answer, or ApiError in words.

        An API server that has no time now, and says when to come again, is asked again as long as the time allows.
        """
        url = f"{self.server}{path}?{urlencode(params)}" if params else self.server + path
        body = self.prepared(body, creates=method == "POST" or content_type == APPLY)
        encoded = None if body is None else json.dumps(body).encode()
        headers = {**self.headers(), "Content-Type": content_type, "Accept": accept}
        try:
            answer = ask(
                lambda: self._pool.request(method, url, body=encoded, headers=headers, timeout=timeout), timeout
            )
        except urllib3.exceptions.HTTPError as error:
            raise ApiError(f"{method} {path}: the API server does not answer ({error})", status=0) from error
        data: Object = json.loads(answer.data) if answer.data[:1] == b"{" else {"text": answer.data.decode()}
        if answer.status >= 400:
            message = data.get("message") or data.get("text") or f"status {answer.status}"
            raise ApiError(f"{method} {path}: {message}", status=answer.status, reason=str(data.get("reason", "")))
        return data

    def headers_of(self, path: str) -> Mapping[str, str]:
        """The headers of an answer, such as the server's time."""
        answer = self._pool.request("GET", self.server + path, headers=self.headers(), timeout=10)
        return dict(answer.headers)

    def get(self, resource: Kind, namespace: str, name: str) -> Object:
        return self.request("GET", resource.path(namespace, name))

    def find(self, resource: Kind, namespace: str, name: str) -> Object | None:
        """The object, or None if there is no such."""
        try:
            return self.get(resource, namespace, name)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, resource: Kind, namespace: str = "", **params: str) -> list[Object]:
        """Every object of a kind, from etcd's latest state."""
        items: list[Object] = self.request("GET", resource.path(namespace), params=params).get("items") or []
        return items

    def versions(self, resource: Kind, selector: str = "") -> tuple[dict[str, int], int]:
        """The revision of every object of a kind by its uid, and the revision of all of it: one consistent list.

        It comes in pages and without what the objects contain: ten thousand pods at once are 30 MB of JSON.
        """
        versions: dict[str, int] = {}
        query = {"limit": str(PAGE), **({"labelSelector": selector} if selector else {})}
        while True:
            page = self.request("GET", resource.path(), params=query, accept=ONLY_METADATA)
            for obj in page.get("items") or ():
                versions[obj["metadata"]["uid"]] = int(obj["metadata"]["resourceVersion"])
            if not (token := page["metadata"].get("continue")):
                return versions, int(page["metadata"]["resourceVersion"])
            query["continue"] = token

    def create(self, obj: Object, **params: str) -> Object:
        """Create the object where its apiVersion, kind and namespace say."""
        return self.request("POST", self.home(obj), obj, params=params)

    def apply(self, obj: Object) -> Object:
        """Create or update the object by server-side apply."""
        path = f"{self.home(obj)}/{obj['metadata']['name']}"
        return self.request("PATCH", path, obj, content_type=APPLY, params={"fieldManager": "muster", "force": "true"})

    def patch(
        self,
        resource: Kind,
        namespace: str,
        name: str,
        change: Any,
        *,
        subresource: str = "",
        content_type: str = PATCH_MERGE,
    ) -> Object:
        path = resource.path(namespace, name) + (f"/{subresource}" if subresource else "")
        return self.request("PATCH", path, change, content_type=content_type)

    def delete(self, resource: Kind, namespace: str, name: str, *, grace: int | None = None) -> bool:
        """Delete the object; whether there was one."""
        options: Object = {"propagationPolicy": "Background"}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        try:
            self.request("DELETE", resource.path(namespace, name), options)
        except ApiError as error:
            if error.status == 404:
                return False
            raise
        return True

    def delete_all(self, resource: Kind, namespace: str = "", *, grace: int | None = None, **params: str) -> None:
        """Delete every object of a kind (in a namespace), by one request."""
        options: Object = {"propagationPolicy": "Background"}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        self.request("DELETE", resource.path(namespace), options, params=params)

    def watch(
        self,
        resource: Kind,
        version: str,
        *,
        namespace: str = "",
        selector: str = "",
        timeout: int = 3600,
        opened: Callable[[], None] = lambda: None,
    ) -> Iterator[Object]:
        """Watch events as they come, raw, until the server closes the stream; `opened` is called when that is open."""
        query = {
            "watch": "1",
            "resourceVersion": version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(timeout),
            **({"labelSelector": selector} if selector else {}),
        }
        answer = self._pool.request(
            "GET",
            f"{self.server}{resource.path(namespace)}?{urlencode(query)}",
            preload_content=False,
            headers=self.headers(),
            timeout=urllib3.Timeout(connect=5, read=timeout + 30),
        )
        try:
            if answer.status != 200:
                message = answer.read().decode(errors="replace")
                raise ApiError(f"watch of {resource.plural}: {message}", status=answer.status)
            opened()
            rest = b""
            while chunk := answer.read1(1 << 16):
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (json.loads(line) for line in lines)
        finally:
            answer.close()

    def stream(self, path: str, params: Mapping[str, str], *, timeout: float = 3600.0) -> Iterator[bytes]:
        """What the server sends, piece by piece, until it closes the stream: logs that are followed."""
        answer = self._pool.request(
            "GET",
            f"{self.server}{path}?{urlencode(params)}",
            preload_content=False,
            headers=self.headers(),
            timeout=urllib3.Timeout(connect=5, read=timeout),
        )
        try:
            if answer.status != 200:
                raise ApiError(f"GET {path}: {answer.read().decode(errors='replace')}", status=answer.status)
            while chunk := answer.read1(1 << 16):
                yield chunk
        finally:
            answer.close()

    def resource(self, api_version: str, kind: str) -> Kind:
        """Where a kind lives, asked from the API server once."""
        key = (api_version, kind)
        with self._lock:
            if key not in self._resources:
                root = f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"
                for entry in self.request("GET", root).get("resources", []):
                    if "/" not in entry["name"]:
                        resource = Kind(api_version, entry["kind"], entry["name"], entry["namespaced"])
                        self._resources[api_version, entry["kind"]] = resource
            if key not in self._resources:
                raise ApiError(f"this API server serves no {kind} in {api_version}", status=404)
            return self._resources[key]

    def prepared(self, body: Any, *, creates: bool) -> Any:
        """What is sent for a body; a client of a user's cluster marks what it creates or applies as its own."""
        return body

    def close(self) -> None:
        self._pool.clear()

    def headers(self) -> dict[str, str]:
        """What every request begins with: who asks, and by what right."""
        return {**self._fixed, **self._authorize()}

    def home(self, obj: Object) -> str:
        """The path that an object is created at."""
        resource = self.resource(obj["apiVersion"], obj["kind"])
        return resource.path(obj["metadata"].get("namespace", ""))
