"""Admission over real HTTPS: errors in Kubernetes' words, patches, and nothing let in that nobody has looked at."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.box.pki import Authority
from harness.controllers.runtime.admission import Answer, FieldError, Review, WebhookServer
from harness.core.errors import UsageError


def refuse(review: Review) -> Answer:
    mode = review.object["spec"]["mode"]
    errors = [FieldError.unsupported("spec.mode", mode, ("Off", "Gang"))]
    return Answer(errors + ([FieldError.forbidden("spec.other", "may not be set")] if mode == "both" else []))


def change(review: Review) -> Answer:
    return Answer(patch=[{"op": "add", "path": "/spec/x", "value": review.name}], warnings=["be careful"])


def put_off(review: Review) -> Answer:
    return Answer(throttled="too many of them")


def fail(review: Review) -> Answer:
    raise ValueError(f"no idea about {review.name}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WebhookServer, ssl.SSLContext]]:
    folder, authority = tmp_path_factory.mktemp("pki"), Authority.create()
    pair = authority.issue("webhook")
    (folder / "tls.crt").write_bytes(pair.certificate)
    (folder / "tls.key").write_bytes(pair.key)
    paths = {"/refuse": refuse, "/change": change, "/fail": fail, "/put-off": put_off}
    webhooks = WebhookServer(("127.0.0.1", 0), paths, folder / "tls.crt", folder / "tls.key")
    threading.Thread(target=webhooks.serve_forever, daemon=True).start()
    yield webhooks, ssl.create_default_context(cadata=authority.certificate.decode())
    webhooks.shutdown()
    webhooks.server_close()


def ask(server: tuple[WebhookServer, ssl.SSLContext], path: str, *bodies: Any) -> list[tuple[int, Any]]:
    """The answers to several requests over one connection."""
    connection = http.client.HTTPSConnection("127.0.0.1", server[0].server_port, context=server[1], timeout=10)
    answers = []
    for body in bodies:
        connection.request("POST", path, body if isinstance(body, bytes) else json.dumps(body))
        answer = connection.getresponse()
        answers.append((answer.status, json.loads(answer.read())))
    connection.close()
    return answers


def review(mode: str = "Gangs", name: str = "train") -> dict[str, Any]:
    meta = {"name": name} if name else {"generateName": "train-"}
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "u-1",
            "operation": "CREATE",
            "namespace": "ns",
            "name": name,
            "kind": {"group": "jobset.x-k8s.io", "version": "v1alpha2", "kind": "JobSet"},
            "object": {"metadata": meta, "spec": {"mode": mode}},
            "userInfo": {"username": "somebody"},
        },
    }


def test_errors_are_worded_as_kubernetes_words_them(server: tuple[WebhookServer, ssl.SSLContext]) -> None:
    (status, single), (_, double) = ask(server, "/refuse", review(), review("both"))

    wrong = 'spec.mode: Unsupported value: "Gangs": supported values: "Gang", "Off"'
    refusal = single["response"]
    assert (status, refusal["uid"], refusal["allowed"]) == (200, "u-1", False)
    assert refusal["status"]["message"] == f'JobSet.jobset.x-k8s.io "train" is invalid: {wrong}'
    assert (refusal["status"]["code"], refusal["status"]["reason"]) == (422, "Invalid")
    assert refusal["status"]["details"]["causes"][0]["field"] == "spec.mode"
    assert double["response"]["status"]["message"].endswith(", spec.other: Forbidden: may not be set]")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FieldError.immutable("spec.a", "x"), 'spec.a: Invalid value: "x": field is immutable'),
        (FieldError.invalid("spec.a", 3, "must be less"), "spec.a: Invalid value: 3: must be less"),
        (FieldError.required("spec.a"), "spec.a: Required value"),
        (FieldError.required("spec.a", "why"), "spec.a: Required value: why"),
        (FieldError.duplicate("spec.a[1]", "x"), 'spec.a[1]: Duplicate value: "x"'),
        (FieldError.immutable("spec.a", None), "spec.a: Invalid value: null: field is immutable"),
    ],
)
def test_each_kind_of_error(error: FieldError, text: str) -> None:
    assert str(error) == text


def test_patch_and_warnings(server: tuple[WebhookServer, ssl.SSLContext]) -> None:
    ((_, document), (_, unnamed)) = ask(server, "/change", review(), review(name=""))

    response = document["response"]
    assert response["allowed"] and response["patchType"] == "JSONPatch"
    assert json.loads(base64.b64decode(response["patch"])) == [{"op": "add", "path": "/spec/x", "value": "train"}]
    assert response["warnings"] == ["be careful"]
    assert json.loads(base64.b64decode(unnamed["response"]["patch"]))[0]["value"] == "train-"


def test_a_request_is_put_off_as_the_api_server_does_it(server: tuple[WebhookServer, ssl.SSLContext]) -> None:
    [(_, document)] = ask(server, "/put-off", review())
    status = document["response"]["status"]
    assert not document["response"]["allowed"]
    assert (status["code"], status["reason"], status["message"]) == (429, "TooManyRequests", "too many of them")
    assert status["details"] == {"retryAfterSeconds": 1}


def test_a_handler_that_fails_lets_nothing_in(server: tuple[WebhookServer, ssl.SSLContext]) -> None:
    ((status, document),) = ask(server, "/fail", review())

    assert status == 200
    assert document["response"]["allowed"] is False
    assert document["response"]["status"]["code"] == 500


def test_what_is_no_review_is_answered_with_400(server: tuple[WebhookServer, ssl.SSLContext]) -> None:
    answers = ask(server, "/change", b"not json", {"request": {}}, [1, 2], review())

    assert [status for status, _ in answers] == [400, 400, 400, 200]
    assert ask(server, "/nowhere", review())[0][0] == 404
    assert ask(server, "/change", b"")[0][0] == 413


def test_plain_http_is_not_spoken_and_harms_nobody(server: tuple[WebhookServer, ssl.SSLContext]) -> None:
    plain = http.client.HTTPConnection("127.0.0.1", server[0].server_port, timeout=10)
    with pytest.raises((http.client.HTTPException, OSError)):
        plain.request("POST", "/change", "{}")
        plain.getresponse()

    assert ask(server, "/change", review())[0][0] == 200


def test_many_connections_at_once(server: tuple[WebhookServer, ssl.SSLContext]) -> None:
    statuses: list[int] = []
    threads = [
        threading.Thread(
            target=lambda: statuses.extend(status for status, _ in ask(server, "/change", *[review()] * 20))
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)

    assert statuses == [200] * 160


def test_a_certificate_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "tls.crt").write_text("nonsense")
    with pytest.raises(UsageError, match="cannot be used"):
        WebhookServer(("127.0.0.1", 0), {}, tmp_path / "tls.crt", tmp_path / "none")
