"""The parts of a controller against a real API server: what the cache knows, what survives when the server goes away.

The controller of these tests keeps a ConfigMap `copy-NAME` for each ConfigMap with the label `copy`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from harness.box.api import Object, Resource
from harness.box.embedded import EmbeddedBox
from harness.controllers import conditions
from harness.controllers.cache import Cache, key_of
from harness.controllers.client import Client, Kind
from harness.controllers.conditions import Condition
from harness.controllers.queue import Key
from harness.controllers.service import Options, Service, Watch
from harness.core.errors import ApiError

MAP = Kind("v1", "ConfigMap", "configmaps")
MAPS = Resource("v1", "ConfigMap", "configmaps", True)


class Copies:
    name = "copies"
    admission: dict[str, Callable] = {}  # noqa: RUF012

    def __init__(self, client: Client, cache: Cache) -> None:
        self.client, self.cache, self.failing = client, cache, 0

    @property
    def watches(self) -> list[Watch]:
        return [Watch(MAP, self.keys, "copy")]

    def keys(self, obj: Object) -> list[Key]:
        namespace, name = key_of(obj)
        return [(namespace, name.removeprefix("copy-"))]

    def reconcile(self, key: Key) -> float | None:
        if self.failing:
            self.failing -= 1
            raise ApiError("not now", status=500)
        original, copy = self.cache.get(MAP, *key), self.cache.get(MAP, key[0], f"copy-{key[1]}")
        if original is None:
            if copy is not None:
                self.client.delete(MAP, key[0], f"copy-{key[1]}")
        elif copy is None:
            self.client.create(MAP, a_map(f"copy-{key[1]}", original["data"]["x"]))
        elif copy["data"] != original["data"]:
            self.client.patch(MAP, key[0], f"copy-{key[1]}", {"data": original["data"]})
        return None


def a_map(name: str, value: str) -> Object:
    meta = {"name": name, "namespace": "default", "labels": {"copy": "yes"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"x": value}}


@pytest.fixture(scope="module")
def box() -> Iterator[EmbeddedBox]:
    with EmbeddedBox(scheduler=False) as made:
        yield made


@pytest.fixture
def service(box: EmbeddedBox) -> Iterator[Service]:
    box.api.delete_all(MAPS, "default", labelSelector="copy")
    made, stopped = (
        Service(Copies, Options(kubeconfig=box.kubeconfig, health_port=box.reserve_port())),
        threading.Event(),
    )
    thread = threading.Thread(target=made.run, args=(stopped,))
    thread.start()
    until(lambda: made.ready)
    yield made
    stopped.set()
    thread.join(timeout=30)
    assert not thread.is_alive()


def until(condition: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def value(box: EmbeddedBox, name: str) -> str:
    return (box.api.find(MAPS, "default", name) or {"data": {"x": ""}})["data"]["x"]


def test_objects_come_change_and_go(box: EmbeddedBox, service: Service) -> None:
    box.api.create(a_map("one", "1"))
    until(lambda: value(box, "copy-one") == "1")
    box.api.patch(MAPS, "default", "one", {"data": {"x": "2"}})
    until(lambda: value(box, "copy-one") == "2")
    box.api.delete(MAPS, "default", "copy-one")
    until(lambda: value(box, "copy-one") == "2")
    until(lambda: {obj["metadata"]["name"] for obj in service.cache.of(MAP, ("default", "one"))} == {"copy-one", "one"})
    box.api.delete(MAPS, "default", "one")
    until(lambda: value(box, "copy-one") == "")
    until(lambda: service.cache.of(MAP, ("default", "one")) == [])


def test_failures_are_tried_again(box: EmbeddedBox, service: Service) -> None:
    service.controller.failing = 4  # type: ignore[attr-defined]
    box.api.create(a_map("hard", "1"))

    until(lambda: value(box, "copy-hard") == "1")
    assert service.failures == 4


def test_what_happened_while_the_server_was_away_is_seen(box: EmbeddedBox, service: Service) -> None:
    box.api.create(a_map("before", "1"))
    box.api.create(a_map("gone", "1"))
    until(lambda: value(box, "copy-gone") == "1")
    for _ in range(2):
        box.processes["kube-apiserver"].restart()
    box.api.delete(MAPS, "default", "gone")
    box.api.patch(MAPS, "default", "before", {"data": {"x": "2"}})
    box.api.create(a_map("after", "1"))

    until(lambda: (value(box, "copy-before"), value(box, "copy-after"), value(box, "copy-gone")) == ("2", "1", ""), 60)


def test_a_key_in_the_cache_is_dropped_with_its_last_object(box: EmbeddedBox, service: Service) -> None:
    for number in range(50):
        box.api.create(a_map(f"many-{number}", "1"))
    until(lambda: value(box, "copy-many-49") == "1")
    box.api.delete_all(MAPS, "default", labelSelector="copy")
    until(lambda: not service.cache.list(MAP, "default"), 60)

    assert service.cache._shelves[MAP].filed == {}
    assert service.cache._shelves[MAP]._woken == {}


def test_health_and_metrics(service: Service) -> None:
    def ask(path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{service.options.health_port}{path}", timeout=5) as answer:
            return answer.read().decode()

    assert ask("/healthz") == ask("/readyz") == "ok\n"
    assert 'muster_controller_reconciles_total{controller="copies"}' in ask("/metrics")


def test_requests_in_plain_words(box: EmbeddedBox) -> None:
    client = Client(box.kubeconfig)
    client.introduce("somebody")
    made = client.create(MAP, a_map("words", "1"))

    with pytest.raises(ApiError) as refused:
        client.create(MAP, a_map("words", "1"))
    assert (refused.value.status, refused.value.reason) == (409, "AlreadyExists")
    assert client.get(MAP, "default", "nobody") is None
    assert not client.delete(MAP, "default", "words", uid="another")
    assert "v1" in client.served_versions("scheduling.k8s.io")
    assert client.served_versions("nowhere.example") == ()
    for _ in range(2):
        client.event(made, "Said", "the same sentence twice", warning=True)
    events = [one for one in client.list(Kind("v1", "Event", "events"), "default") if one["reason"] == "Said"]
    assert [(one["type"], one["source"]["component"]) for one in events] == [("Warning", "somebody")]
    assert client.delete(MAP, "default", "words", uid=made["metadata"]["uid"])


def test_conditions_are_written_once_and_beside_others(box: EmbeddedBox) -> None:
    pods, client = Kind("v1", "Pod", "pods"), Client(box.kubeconfig)
    spec = {"containers": [{"name": "main", "image": "x"}], "schedulerName": "nobody"}
    meta = {"name": "told", "namespace": "default"}
    pod = client.create(pods, {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    other = {"type": "Other", "status": "True", "reason": "R", "message": "", "lastTransitionTime": None}
    client.patch(pods, "default", "told", {"status": {"conditions": [other]}}, subresource="status")
    said = Condition("Told", True, "Because", "it was told")

    conditions.write(client, pods, pod, said)
    stored = client.get(pods, "default", "told")
    assert stored is not None and conditions.says(stored, said)
    assert {one["type"] for one in stored["status"]["conditions"]} == {"Told", "Other"}
    assert not conditions.says(stored, Condition("Told", False, "Because", "it was told"))


def test_nobody_answers(tmp_path) -> None:
    config = tmp_path / "kubeconfig"
    config.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
        "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: t}}]\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "harness", "controller", "jobset-gang", "--kubeconfig", str(config)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

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
    until(lambda: answers(port))
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
    made = Service(Copies, Options(kubeconfig=box.kubeconfig))
    with caplog.at_level("WARNING"):
        thread = threading.Thread(target=made.run, args=(stopped,))
        thread.start()
        until(lambda: made.ready and any(one.name.startswith("worker-") for one in threading.enumerate()))
        stopped.set()
        thread.join(timeout=30)

    said = [record.message for record in caplog.records if "--webhook-port" in record.message]
    assert len(said) == len(handlers)
    assert all("/validate" in one for one in said)
