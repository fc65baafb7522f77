"""The parts of a controller against a real API server: what the cache knows, what survives when the server goes away.

The controller of these tests keeps a ConfigMap `copy-NAME` for each ConfigMap with the label `copy`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from harness.box.api import Object
from harness.box.embedded.box import EmbeddedBox
from harness.controllers.runtime import conditions
from harness.controllers.runtime.cache import Cache, key_of
from harness.controllers.runtime.client import Client
from harness.controllers.runtime.conditions import Condition
from harness.controllers.runtime.queue import Key
from harness.controllers.runtime.service import ControllerOptions, Service, Watch
from harness.core.errors import ApiError
from harness.core.kinds import CONFIG_MAP, EVENT, POD
from tests.waiting import soon


class Copies:
    name = "copies"
    admission: dict[str, Callable] = {}  # noqa: RUF012

    def __init__(self, client: Client, cache: Cache) -> None:
        self.client, self.cache, self.failing = client, cache, 0

    @property
    def watches(self) -> list[Watch]:
        return [Watch(CONFIG_MAP, self.keys, "copy")]

    def keys(self, obj: Object) -> list[Key]:
        namespace, name = key_of(obj)
        return [(namespace, name.removeprefix("copy-"))]

    def reconcile(self, key: Key) -> float | None:
        if self.failing:
            self.failing -= 1
            raise ApiError("not now", status=500)
        original, copy = self.cache.get(CONFIG_MAP, *key), self.cache.get(CONFIG_MAP, key[0], f"copy-{key[1]}")
        if original is None:
            if copy is not None:
                self.client.delete(CONFIG_MAP, key[0], f"copy-{key[1]}")
        elif copy is None:
            self.client.create(CONFIG_MAP, a_map(f"copy-{key[1]}", original["data"]["x"]))
        elif copy["data"] != original["data"]:
            self.client.patch(CONFIG_MAP, key[0], f"copy-{key[1]}", {"data": original["data"]})
        return None


def a_map(name: str, value: str) -> Object:
    meta = {"name": name, "namespace": "default", "labels": {"copy": "yes"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"x": value}}


@pytest.fixture(scope="module")
def box() -> Iterator[EmbeddedBox]:
    with EmbeddedBox(scheduler=False) as running:
        yield running


@pytest.fixture
def service(box: EmbeddedBox) -> Iterator[Service]:
    box.api.delete_all(CONFIG_MAP, "default", labelSelector="copy")
    running, stopped = (
        Service(Copies, ControllerOptions(kubeconfig=box.kubeconfig, health_port=box.reserve_port())),
        threading.Event(),
    )
    thread = threading.Thread(target=running.run, args=(stopped,))
    thread.start()
    assert soon(lambda: running.ready)
    yield running
    stopped.set()
    thread.join(timeout=30)
    assert not thread.is_alive()


def value(box: EmbeddedBox, name: str) -> str:
    return (box.api.find(CONFIG_MAP, "default", name) or {"data": {"x": ""}})["data"]["x"]


def test_objects_come_change_and_go(box: EmbeddedBox, service: Service) -> None:
    box.api.create(a_map("one", "1"))
    assert soon(lambda: value(box, "copy-one") == "1")
    box.api.patch(CONFIG_MAP, "default", "one", {"data": {"x": "2"}})
    assert soon(lambda: value(box, "copy-one") == "2")
    box.api.delete(CONFIG_MAP, "default", "copy-one")
    assert soon(lambda: value(box, "copy-one") == "2")
    assert soon(
        lambda: (
            {obj["metadata"]["name"] for obj in service.cache.of(CONFIG_MAP, ("default", "one"))} == {"copy-one", "one"}
        )
    )
    box.api.delete(CONFIG_MAP, "default", "one")
    assert soon(lambda: value(box, "copy-one") == "")
    assert soon(lambda: service.cache.of(CONFIG_MAP, ("default", "one")) == [])


def test_failures_are_tried_again(box: EmbeddedBox, service: Service) -> None:
    service.controller.failing = 4  # type: ignore[attr-defined]
    box.api.create(a_map("hard", "1"))

    assert soon(lambda: value(box, "copy-hard") == "1")
    assert service.failures == 4


def test_what_happened_while_the_server_was_away_is_seen(box: EmbeddedBox, service: Service) -> None:
    box.api.create(a_map("before", "1"))
    box.api.create(a_map("gone", "1"))
    assert soon(lambda: value(box, "copy-gone") == "1")
    for _ in range(2):
        box.processes["kube-apiserver"].restart()
    box.api.delete(CONFIG_MAP, "default", "gone")
    box.api.patch(CONFIG_MAP, "default", "before", {"data": {"x": "2"}})
    box.api.create(a_map("after", "1"))

    assert soon(
        lambda: (value(box, "copy-before"), value(box, "copy-after"), value(box, "copy-gone")) == ("2", "1", ""), 60
    )


def test_a_key_in_the_cache_is_dropped_with_its_last_object(box: EmbeddedBox, service: Service) -> None:
    for number in range(50):
        box.api.create(a_map(f"many-{number}", "1"))
    assert soon(lambda: value(box, "copy-many-49") == "1")
    box.api.delete_all(CONFIG_MAP, "default", labelSelector="copy")
    assert soon(lambda: not service.cache.list(CONFIG_MAP, "default"), 60)

    assert service.cache._stores[CONFIG_MAP].by_key == {}
    assert service.cache._stores[CONFIG_MAP]._keys_of == {}


def test_health_and_metrics(service: Service) -> None:
    def ask(path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{service.options.health_port}{path}", timeout=5) as answer:
            return answer.read().decode()

    assert ask("/healthz") == ask("/readyz") == "ok\n"
    assert 'muster_controller_reconciles_total{controller="copies"}' in ask("/metrics")


def test_requests_in_plain_words(box: EmbeddedBox) -> None:
    client = Client(box.kubeconfig)
    client.identify_as("somebody")
    stored = client.create(CONFIG_MAP, a_map("words", "1"))

    with pytest.raises(ApiError) as refused:
        client.create(CONFIG_MAP, a_map("words", "1"))
    assert (refused.value.status, refused.value.reason) == (409, "AlreadyExists")
    assert client.get(CONFIG_MAP, "default", "nobody") is None
    assert not client.delete(CONFIG_MAP, "default", "words", uid="another")
    assert "v1" in client.served_versions("scheduling.k8s.io")
    assert client.served_versions("nowhere.example") == ()
    for _ in range(2):
        client.event(stored, "Said", "the same sentence twice", warning=True)
    events = [event for event in client.list(EVENT, "default") if event["reason"] == "Said"]
    assert [(event["type"], event["source"]["component"]) for event in events] == [("Warning", "somebody")]
    assert client.delete(CONFIG_MAP, "default", "words", uid=stored["metadata"]["uid"])


def test_conditions_are_written_once_and_beside_others(box: EmbeddedBox) -> None:
    pods, client = POD, Client(box.kubeconfig)
    spec = {"containers": [{"name": "main", "image": "x"}], "schedulerName": "nobody"}
    meta = {"name": "told", "namespace": "default"}
    pod = client.create(pods, {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    other = {"type": "Other", "status": "True", "reason": "R", "message": "", "lastTransitionTime": None}
    client.patch(pods, "default", "told", {"status": {"conditions": [other]}}, subresource="status")
    condition = Condition("Told", True, "Because", "it was told")

    conditions.write(client, pods, pod, condition)
    stored = client.get(pods, "default", "told")
    assert stored is not None and conditions.has(stored, condition)
    assert {entry["type"] for entry in stored["status"]["conditions"]} == {"Told", "Other"}
    assert not conditions.has(stored, Condition("Told", False, "Because", "it was told"))


def test_nobody_answers(tmp_path) -> None:
    config = tmp_path / "kubeconfig"
    config.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
        "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: t}}]\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "harness", "controller", "jobset-gang", "--kubeconfig", str(config)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 3
    assert "Traceback" not in done.stderr and "127.0.0.1" in done.stderr


def test_it_ends_well_when_asked(box: EmbeddedBox) -> None:
    port = box.reserve_port()
    command = [
        sys.executable,
        "-m",
        "harness",
        "controller",
        "jobset-gang",
        "--gangs",
        "off",
        "--health-port",
        str(port),
    ]
    environment = {**os.environ, "KUBECONFIG": str(box.kubeconfig)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert soon(lambda: answers(port))
    process.send_signal(signal.SIGTERM)

    assert process.wait(timeout=30) == 0
    assert "Traceback" not in process.stderr.read()  # type: ignore[union-attr]


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.mark.parametrize("handlers", [{}, {"/validate": lambda review: None}])
def test_a_controller_whose_webhooks_nobody_serves_says_so(
    box: EmbeddedBox, handlers: dict, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Copies, "admission", handlers)
    stopped = threading.Event()
    copies = Service(Copies, ControllerOptions(kubeconfig=box.kubeconfig))
    with caplog.at_level("WARNING"):
        thread = threading.Thread(target=copies.run, args=(stopped,))
        thread.start()
        assert soon(lambda: copies.ready and any(other.name.startswith("worker-") for other in threading.enumerate()))
        stopped.set()
        thread.join(timeout=30)

    warnings = [record.message for record in caplog.records if "--webhook-port" in record.message]
    assert len(warnings) == len(handlers)
    assert all("/validate" in warning for warning in warnings)
