"""Admission webhooks over HTTPS, with field errors in the format of Kubernetes.

A handler gets a `Review` and returns an `Answer`. Errors reject the object with 422 Invalid; a JSON patch changes it
before it is stored. A handler that fails rejects the request too: an object is never stored unchecked. A request can be
put off with 429 as well, as the API server does by itself when it has too many.
"""

from __future__ import annotations

import base64
import json
import logging
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from harness.controllers.runtime.client import Object
from harness.core.errors import UsageError

LARGEST_REVIEW = 16 << 20  # bytes; the API server takes no object larger than 3 MiB
IDLE_SECONDS = 120.0  # a connection without a request is closed

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FieldError:
    """One error of a field, in the format of Kubernetes: `path: Problem: value: detail`."""

    path: str
    problem: str  # Unsupported value, Invalid value, Forbidden, Required value, Duplicate value
    value: str  # as it is quoted in the message; empty where Kubernetes quotes none
    detail: str
    reason: str  # FieldValueNotSupported and the like, for `details.causes`

    @classmethod
    def unsupported(cls, path: str, value: Any, allowed: Sequence[str]) -> FieldError:
        supported = ", ".join(map(json.dumps, sorted(allowed)))
        return cls(
            path, "Unsupported value", _quoted(value), f"supported values: {supported}", "FieldValueNotSupported"
        )

    @classmethod
    def invalid(cls, path: str, value: Any, detail: str) -> FieldError:
        return cls(path, "Invalid value", _quoted(value), detail, "FieldValueInvalid")

    @classmethod
    def immutable(cls, path: str, value: Any) -> FieldError:
        return cls.invalid(path, value, "field is immutable")

    @classmethod
    def forbidden(cls, path: str, detail: str) -> FieldError:
        return cls(path, "Forbidden", "", detail, "FieldValueForbidden")

    @classmethod
    def required(cls, path: str, detail: str = "") -> FieldError:
        return cls(path, "Required value", "", detail, "FieldValueRequired")

    @classmethod
    def duplicate(cls, path: str, value: Any) -> FieldError:
        return cls(path, "Duplicate value", _quoted(value), "", "FieldValueDuplicate")

    @property
    def message(self) -> str:
        """All but the path."""
        return ": ".join(part for part in (self.problem, self.value, self.detail) if part)

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass(frozen=True, slots=True)
class Review:
    """The request of the API server."""

    operation: str  # CREATE, UPDATE, DELETE
    kind: str
    group: str
    namespace: str
    name: str
    object: Object
    old_object: Object | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a handler: errors reject the object, the patch (RFC 6902) changes it."""

    errors: list[FieldError] = field(default_factory=list)
    patch: list[Object] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    throttled: str = ""  # why the request should come again a second later: 429


Handler = Callable[[Review], Answer]


def answer(handler: Handler, document: Object) -> Object:
    """The AdmissionReview that answers this one."""
    request: Object = document["request"]
    kind = request.get("kind") or {}
    review = Review(
        operation=request["operation"],
        kind=kind.get("kind", ""),
        group=kind.get("group", ""),
        namespace=request.get("namespace") or "",
        name=_name(request),
        object=request.get("object") or {},
        old_object=request.get("oldObject"),
    )
    response: Object = {"uid": request["uid"]}
    try:
        reply = handler(review)
    except Exception as error:
        log.exception("%s of %s %s/%s", review.operation, review.kind, review.namespace, review.name)
        response |= {"allowed": False, "status": {"code": 500, "reason": "InternalError", "message": str(error)}}
    else:
        response |= _response(review, reply)
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}


def _response(review: Review, reply: Answer) -> Object:
    response: Object = {"allowed": not reply.errors and not reply.throttled}
    if reply.throttled:
        response["status"] = {
            "status": "Failure",
            "code": 429,
            "reason": "TooManyRequests",
            "message": reply.throttled,
            "details": {"retryAfterSeconds": 1},
        }
    elif reply.errors:
        kind = f"{review.kind}.{review.group}" if review.group else review.kind
        message = ", ".join(str(error) for error in reply.errors)
        message = f"[{message}]" if len(reply.errors) > 1 else message
        causes = [{"reason": error.reason, "message": error.message, "field": error.path} for error in reply.errors]
        response["status"] = {
            "status": "Failure",
            "code": 422,
            "reason": "Invalid",
            "message": f'{kind} "{review.name}" is invalid: {message}',
            "details": {"group": review.group, "kind": review.kind, "name": review.name, "causes": causes},
        }
    elif reply.patch:
        response |= {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(reply.patch).encode()).decode()}
    if reply.warnings:
        response["warnings"] = reply.warnings
    return response


def _name(request: Object) -> str:
    """The name of the object, or its generateName while it has no name."""
    meta = (request.get("object") or request.get("oldObject") or {}).get("metadata") or {}
    return request.get("name") or meta.get("name") or meta.get("generateName") or ""


def _quoted(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


class WebhookServer(ThreadingHTTPServer):
    """Serves handlers by path, over TLS."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handlers: Mapping[str, Handler], cert: Path, key: Path) -> None:
        self.handlers = handlers
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            self._tls.load_cert_chain(cert, key)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(
                f"certificate {cert} and key {key} cannot be used: {error}",
                hint="Both must be PEM and belong together.",
            ) from error
        super().__init__(address, _Requests)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Do the handshake on the thread of the connection, so that a slow one does not block others."""
        request.settimeout(IDLE_SECONDS)
        try:
            with self._tls.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)
        except OSError as error:  # includes failed handshakes and connections that went idle
            log.debug("connection from %s: %s", client_address, error)


class _Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # one packet per answer
    disable_nagle_algorithm = True
    server: WebhookServer

    def do_POST(self) -> None:
        handler = self.server.handlers.get(self.path.partition("?")[0])
        length = int(self.headers.get("Content-Length") or 0)
        if handler is None or not 0 < length <= LARGEST_REVIEW:
            self.close_connection = True
            self._send(404 if handler is None else 413, {"message": f"no review for {self.path} of {length} bytes"})
            return
        try:
            document = answer(handler, json.loads(self.rfile.read(length)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self._send(400, {"message": f"this is not an AdmissionReview: {error!r}"})
            return
        self._send(200, document)

    def _send(self, status: int, document: Object) -> None:
        content = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)
