"""A webhook that puts requests off with 429, as an API server does that has too many of them.

The API server's own limits cannot be held at zero, so the answer comes from an admission webhook. Clients cannot tell
the two apart: status, reason and the time after which to come again are the same.
"""

from __future__ import annotations

import base64
import threading

from harness.adapters.common import hosting
from harness.box.api import Object
from harness.box.base import Box
from harness.controllers.runtime.admission import Answer, Review, WebhookServer
from harness.core.kinds import Kind

PATH = "/throttle"
ADMISSION_API = "admissionregistration.k8s.io/v1"


class Throttle:
    """Puts off the creation of objects of a kind in a namespace, but for the object that shows that it is in force."""

    def __init__(self, box: Box, kind: Kind, namespace: str, probe: str) -> None:
        self._kind = kind
        self._namespace = namespace
        self._probe = probe
        self._authority = box.authority.certificate
        self.name = f"throttle-{namespace}"
        self.is_in_force = False
        self.put_off = 0  # requests
        self._server = WebhookServer(("127.0.0.1", 0), {PATH: self._review}, *hosting.serving(box, self.name))
        self._thread = threading.Thread(target=self._server.serve_forever, name=self.name, daemon=True)

    def start(self) -> Object:
        """Serve; the object that makes the API server ask."""
        self._thread.start()
        group, _, version = self._kind.api_version.rpartition("/")
        rule = {
            "apiGroups": [group],
            "apiVersions": [version],
            "operations": ["CREATE"],
            "resources": [self._kind.plural],
        }
        hook = {
            "name": "throttle.muster.dev",
            "clientConfig": {
                "url": f"https://127.0.0.1:{self._server.server_address[1]}{PATH}",
                "caBundle": base64.b64encode(self._authority).decode(),
            },
            "rules": [rule],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self._namespace}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "failurePolicy": "Fail",
        }
        meta = {"name": self.name}
        return {
            "apiVersion": ADMISSION_API,
            "kind": "ValidatingWebhookConfiguration",
            "metadata": meta,
            "webhooks": [hook],
        }

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _review(self, review: Review) -> Answer:
        if review.name == self._probe:
            self.is_in_force = True
            return Answer()
        self.put_off += 1
        return Answer(throttled="too many requests, please try again later")
