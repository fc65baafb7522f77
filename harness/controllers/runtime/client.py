"""Requests of a controller: the official client, with plain dictionaries as objects.

The models of the official client drop every field that they do not know, and a controller that writes back an object
would delete these fields. So objects are dictionaries here, as the API server sent them.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3
import yaml
from kubernetes.client import ApiClient, Configuration
from kubernetes.config import ConfigException, load_incluster_config, load_kube_config

from harness.core.errors import ApiError, HarnessError, UsageError
from harness.core.kinds import EVENT, Kind

Object = dict[str, Any]

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"  # JSON is YAML
CONNECTIONS = 32  # kept open between two requests; others are opened for each request
TIMEOUT = (5.0, 30.0)  # seconds to connect, to answer


class Client:
    """One connection to an API server, for all threads of a controller."""

    def __init__(self, kubeconfig: Path | None) -> None:
        self._client = ApiClient(_configuration(kubeconfig))
        self.identify_as("muster")

    def identify_as(self, name: str) -> None:
        """Set the name in the user agent of requests (for the audit log) and in the source of events."""
        self.name = name
        self._client.user_agent = name

    def get(self, kind: Kind, namespace: str, name: str) -> Object | None:
        try:
            return self.request("GET", kind.path(namespace, name))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, kind: Kind, namespace: str = "", selector: str = "") -> list[Object]:
        items: list[Object] = self.list_all(kind, namespace, selector)["items"]
        return items

    def list_all(self, kind: Kind, namespace: str = "", selector: str = "") -> Object:
        """The whole answer, with the version of the list; every item has apiVersion and kind."""
        query = {"labelSelector": selector} if selector else {}
        answer = self.request("GET", kind.path(namespace), query=query)
        for item in answer["items"] or ():
            item.setdefault("apiVersion", kind.api_version)
            item.setdefault("kind", kind.kind)
        return {**answer, "items": answer["items"] or []}

    def create(self, kind: Kind, obj: Object) -> Object:
        return self.request("POST", kind.path(obj["metadata"]["namespace"]), obj)

    def patch(
        self, kind: Kind, namespace: str, name: str, change: Any, *, subresource: str = "", content_type: str = MERGE
    ) -> Object:
        return self.request("PATCH", kind.path(namespace, name, subresource), change, content_type=content_type)

    def apply(self, kind: Kind, obj: Object, *, subresource: str = "") -> Object:
        """Own these fields of an object by server-side apply, under the controller's name."""
        path = kind.path(obj["metadata"]["namespace"], obj["metadata"]["name"], subresource)
        query = {"fieldManager": self.name, "force": "true"}
        return self.request("PATCH", path, obj, query=query, content_type=APPLY)

    def delete(self, kind: Kind, namespace: str, name: str, *, uid: str = "") -> bool:
        """Delete the object, with `uid` only that object; returns whether it existed."""
        options: Object = {"propagationPolicy": "Background"}
        if uid:
            options["preconditions"] = {"uid": uid}
        try:
            self.request("DELETE", kind.path(namespace, name), options)
        except ApiError as error:
            if error.status == 404 or (uid and error.status == 409):
                return False
            raise
        return True

    def event(self, about: Object, reason: str, message: str, *, warning: bool = False) -> None:
        """Create an Event about an object; the same reason and message are one Event, even if reported again."""
        meta = about["metadata"]
        sentence = f"{meta.get('uid')}/{reason}/{message}"
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        event: Object = {
            "apiVersion": "v1",
            "kind": "Event",
            "type": "Warning" if warning else "Normal",
            "metadata": {
                "namespace": meta["namespace"],
                "name": f"{meta['name'][:200]}.{hashlib.sha256(sentence.encode()).hexdigest()[:16]}",
            },
            "involvedObject": {
                "apiVersion": about["apiVersion"],
                "kind": about["kind"],
                "namespace": meta["namespace"],
                "name": meta["name"],
                "uid": meta.get("uid", ""),
            },
            "reason": reason,
            "message": message[:1024],
            "source": {"component": self.name},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        try:
            self.create(EVENT, event)
        except ApiError as error:
            if error.reason != "AlreadyExists" and error.status != 404:  # 404: its namespace is being deleted
                raise

    def served_versions(self, group: str) -> tuple[str, ...]:
        """The served versions of an API group, the preferred one first; empty if the group is not served."""
        try:
            answer = self.request("GET", f"/apis/{group}")
        except ApiError as error:
            if error.status == 404:
                return ()
            raise
        return tuple(entry["version"] for entry in answer["versions"])

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Object:
        """One request; ApiError with the server's message if it is rejected, with status 0 if no server answers."""
        answer = self.open(method, path, body, query=query, content_type=content_type, timeout=TIMEOUT)
        try:
            content = answer.read()
        except urllib3.exceptions.HTTPError as error:
            raise ApiError(f"{method} {path}: {error}", status=0, reason="Unreachable") from error
        data: Object = json.loads(content) if content.startswith(b"{") else {"message": content.decode()}
        if answer.status >= 400:
            message, reason = data.get("message") or "", data.get("reason") or ""
            raise ApiError(f"{method} {path}: {message}", status=answer.status, reason=reason)
        return data

    def open(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: dict[str, str] | None = None,
        content_type: str = "application/json",
        timeout: tuple[float, float],
    ) -> Any:
        """Send a request and return the answer before its body is read, as a watch needs it."""
        headers = {"Accept": "application/json", "Content-Type": content_type}
        prepared = self._client.param_serialize(method, path, header_params=headers, auth_settings=["BearerToken"])
        url = f"{prepared[1]}?{urlencode(query)}" if query else prepared[1]
        try:
            return self._client.call_api(method, url, prepared[2], body, _request_timeout=timeout)
        except urllib3.exceptions.HTTPError as error:
            raise ApiError(f"{method} {path}: {error}", status=0, reason="Unreachable") from error

    def close(self) -> None:
        self._client.close()


def _configuration(kubeconfig: Path | None) -> Configuration:
    """From `kubeconfig`, from KUBECONFIG, or from the service account of the pod in which muster runs."""
    configuration = Configuration()
    path = str(kubeconfig) if kubeconfig is not None else os.environ.get("KUBECONFIG", "")
    try:
        if path:
            load_kube_config(config_file=path, client_configuration=configuration)
        else:
            load_incluster_config(client_configuration=configuration)
    except ConfigException as error:
        where = f"kubeconfig {path}" if path else "no kubeconfig was given, and this process does not run in a pod"
        raise UsageError(f"{where}: {error}", hint="Give the path of a kubeconfig file with --kubeconfig.") from error
    except (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise UsageError(
            f"kubeconfig {path} cannot be read: {str(error).splitlines()[0]}", hint="Is it a kubeconfig file?"
        ) from error
    if not configuration.host:
        raise HarnessError("the kubeconfig names no API server")
    configuration.connection_pool_maxsize = CONNECTIONS
    configuration.retries = urllib3.Retry(
        0, redirect=0
    )  # the controller retries by itself, after it has read the current state
    return configuration
