"""A real kind box: kubelets, containers, services, faults, and nothing left behind. Needs Docker and a node image."""

from __future__ import annotations

import base64
import json
import os
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from harness.box import image as own_images
from harness.box.api import Object
from harness.box.kind import docker, removal
from harness.box.nodes import Pool
from harness.core.errors import ApiError, MusterError
from harness.core.gang import GPU
from harness.core.kinds import CONFIG_MAP, NAMESPACE, NODE, POD, Kind
from tests.waiting import soon

SYSCTLS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops")
SHELL = "muster.local/busybox:1"


def why_not() -> str:
    """Why there can be no kind box here; empty if there can."""
    try:
        import pytest_kind  # noqa: F401

        docker.require_engine()
    except (ImportError, MusterError) as error:
        return str(error).splitlines()[0]
    return "" if own_images.stored_images() else "no node image is in the cache: muster image build"


pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")


def sysctls() -> dict[str, str]:
    return {name: Path("/proc/sys", name).read_text().strip() for name in SYSCTLS}


@pytest.fixture(scope="module")
def kind_box() -> Iterator[Any]:
    from harness.box.kind.box import KindBox

    before = sysctls()
    with KindBox(workers=1, sync="2s", image="own") as box:
        yield box
        assert sysctls() == before, "a kubelet has changed the machine's own settings"
    assert box.cluster.name not in docker.clusters()


@pytest.fixture
def namespace(kind_box: Any) -> Iterator[str]:
    name = f"test-{os.urandom(4).hex()}"
    kind_box.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    kind_box.api.delete(NAMESPACE, "", name)


def pod(namespace: str, name: str, script: str, **spec: Any) -> Object:
    container = {"name": "main", "image": SHELL, "imagePullPolicy": "Never", "command": ["sh", "-c", script]}
    meta = {"name": name, "namespace": namespace, "labels": {"app": name}}
    base = {"containers": [container], "terminationGracePeriodSeconds": 0, "restartPolicy": "Never"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {**base, **spec}}


def phase(box: Any, namespace: str, name: str) -> str:
    return str(box.api.get(POD, namespace, name)["status"].get("phase"))


def test_nodes_are_real_ready_and_have_gpus(kind_box: Any) -> None:
    nodes = {node["metadata"]["name"]: node for node in kind_box.api.list(NODE)}
    worker = nodes[f"{kind_box.cluster.name}-worker"]
    assert len(nodes) == 2
    assert worker["status"]["nodeInfo"]["kubeletVersion"] == f"v{kind_box.kubernetes}"
    assert worker["status"]["allocatable"][GPU] == "8"
    identities = {node["status"]["nodeInfo"]["machineID"] for node in nodes.values()}
    assert len(identities) == 2, "nodes must not take themselves for one machine"


def test_programs_can_be_taken_out_of_a_node_image(kind_box: Any, tmp_path: Path) -> None:
    """What is done with images of somebody else's, here with our own."""
    from harness.box.kind.box import KUBECTL, SECOND

    kubectl = docker.copy_from_image(kind_box.image.reference, KUBECTL, tmp_path / "kubectl")
    scheduler = docker.copy_program(kind_box.cluster.control_plane, SECOND, tmp_path / SECOND)
    with pytest.raises(MusterError, match="has no /usr/bin/nothing"):
        docker.copy_from_image(kind_box.image.reference, "/usr/bin/nothing", tmp_path / "nothing")
    with pytest.raises(MusterError, match="runs no nobody"):
        docker.copy_program(kind_box.cluster.control_plane, "nobody", tmp_path / "nobody")

    output = subprocess.run([kubectl, "version", "--client"], capture_output=True, text=True, check=True).stdout
    assert f"v{kind_box.kubernetes}" in output
    output = subprocess.run([scheduler, "--version"], capture_output=True, text=True, check=True).stdout
    assert output.strip() == f"Kubernetes v{kind_box.kubernetes}"
    taken = kind_box.image.artifact({SECOND: scheduler})
    assert taken.sources == {SECOND: kind_box.image.reference}


def test_containers_find_each_other_by_service_and_name(kind_box: Any, namespace: str) -> None:
    """Two servers, one on each node, so that the service has to cross nodes and to choose."""
    serve = "mkdir /tmp/w && hostname >/tmp/w/index.html && exec httpd -f -p 8080 -h /tmp/w"
    names = [node["metadata"]["name"] for node in kind_box.api.list(NODE)]
    for number, node in enumerate(names):
        server = pod(namespace, f"server-{number}", serve, nodeName=node)
        server["metadata"]["labels"]["app"] = "server"
        kind_box.api.create(server)
    service = {"selector": {"app": "server"}, "ports": [{"port": 80, "targetPort": 8080}]}
    meta = {"name": "server", "namespace": namespace}
    kind_box.api.create({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": service})
    for number in range(2):
        assert soon(lambda number=number: phase(kind_box, namespace, f"server-{number}") == "Running", 90)
    script = "for i in $(seq 60); do wget -q -O- http://server 2>/dev/null || sleep 0.5; done | sort -u"
    kind_box.api.create(pod(namespace, "client", script, nodeName=names[-1]))
    assert soon(lambda: phase(kind_box, namespace, "client") == "Succeeded", 120)
    log = kind_box.api.request("GET", f"{POD.path(namespace, 'client')}/log")["text"]
    assert log.split() == ["server-0", "server-1"]


def test_gpus_that_a_kubelet_drops_are_put_back(kind_box: Any) -> None:
    worker = kind_box.nodes.workers[0]
    none = {"status": {"capacity": {GPU: "0"}, "allocatable": {GPU: "0"}}}
    kind_box.api.patch(NODE, "", worker, none, subresource="status")
    assert soon(lambda: kind_box.api.get(NODE, "", worker)["status"]["allocatable"].get(GPU) == "8", 90)


def test_gpus_are_counted(kind_box: Any, namespace: str) -> None:
    for number in range(2):
        pod_with_gpus = pod(namespace, f"gpu-{number}", "sleep 600")
        pod_with_gpus["spec"]["containers"][0]["resources"] = {"limits": {GPU: "6"}}
        kind_box.api.create(pod_with_gpus)
    assert soon(lambda: any(phase(kind_box, namespace, f"gpu-{number}") == "Running" for number in range(2)), 90)
    pods = [kind_box.api.get(POD, namespace, f"gpu-{number}") for number in range(2)]
    assert sum("nodeName" in created["spec"] for created in pods) == 1


def test_a_killed_scheduler_stays_dead_until_it_is_started(kind_box: Any, namespace: str) -> None:
    scheduler = kind_box.processes["kube-scheduler"]
    before = scheduler.pid
    scheduler.kill()
    assert not scheduler.alive and not scheduler.pid
    kind_box.api.create(pod(namespace, "waiting", "sleep 600"))
    assert soon(lambda: kind_box.api.list(Kind("v1", "ServiceAccount", "serviceaccounts"), namespace), 90)
    assert "nodeName" not in kind_box.api.get(POD, namespace, "waiting")["spec"]
    scheduler.start()
    scheduler.wait_ready(60)
    assert scheduler.pid not in (0, before)
    assert soon(lambda: phase(kind_box, namespace, "waiting") == "Running", 90)


def test_a_paused_scheduler_goes_on_where_it_stopped(kind_box: Any, namespace: str) -> None:
    scheduler = kind_box.processes["kube-scheduler"]
    before = scheduler.pid
    scheduler.pause()
    assert scheduler.paused and not scheduler.is_ready()
    scheduler.resume()
    scheduler.wait_ready(60)
    assert scheduler.pid == before


def test_fake_nodes_run_beside_real_ones(kind_box: Any, namespace: str) -> None:
    names = kind_box.nodes.add(Pool(3, gpus=4, name="fake"))
    played = pod(namespace, "played", "exit 1", nodeSelector={"muster.dev/pool": "fake"})
    kind_box.api.create(played)
    assert soon(lambda: phase(kind_box, namespace, "played") == "Running", 90)
    assert kind_box.api.get(POD, namespace, "played")["spec"]["nodeName"] in names
    kind_box.nodes.remove_all()
    assert len(kind_box.api.list(NODE)) == 2


def test_an_init_container_holds_the_others_until_its_config_map_is_written(kind_box: Any, namespace: str) -> None:
    mount = {"name": "signal", "mountPath": "/signal"}
    wait = {
        "name": "wait",
        "image": SHELL,
        "imagePullPolicy": "Never",
        "volumeMounts": [mount],
        "command": ["sh", "-c", "until [ -s /signal/started ]; do sleep 0.2; done"],
    }
    volume = {"name": "signal", "configMap": {"name": "signal", "optional": True}}
    meta = {"name": "signal", "namespace": namespace}
    kind_box.api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})
    kind_box.api.create(pod(namespace, "held", "sleep 600", initContainers=[wait], volumes=[volume]))

    def running(kind: str) -> bool:
        return any(
            "running" in status["state"] for status in kind_box.api.get(POD, namespace, "held")["status"].get(kind, ())
        )

    assert soon(lambda: running("initContainerStatuses"), 90)
    assert not running("containerStatuses")
    kind_box.api.patch(CONFIG_MAP, namespace, "signal", {"data": {"started": "yes"}})
    assert soon(lambda: running("containerStatuses"), 90)


class Refuses(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {"uid": review["request"]["uid"], "allowed": False, "status": {"message": "refused from outside"}}
        body = json.dumps({**review, "response": answer}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_a_webhook_that_is_a_process_of_this_machine_is_called(kind_box: Any, namespace: str) -> None:
    pair = kind_box.authority.issue("hook")
    certificate = kind_box.directory / "hook.pem"
    certificate.write_bytes(pair.certificate + pair.key)
    server = HTTPServer(("127.0.0.1", 0), Refuses)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    client = {
        "url": f"https://127.0.0.1:{server.server_port}/refuse",
        "caBundle": base64.b64encode(kind_box.authority.certificate).decode(),
    }
    here = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    hook = {
        "name": "refuse.muster.dev",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "rules": [rule],
        "clientConfig": client,
        "namespaceSelector": here,
    }
    kind = "ValidatingWebhookConfiguration"
    version = "admissionregistration.k8s.io/v1"
    kind_box.api.apply({"apiVersion": version, "kind": kind, "metadata": {"name": "refuse"}, "webhooks": [hook]})

    def refused() -> bool:
        meta = {"generateName": "probe-", "namespace": namespace}
        try:
            kind_box.api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})
        except ApiError as error:
            return "refused from outside" in error.message
        return False

    try:
        assert soon(refused, 90)
    finally:
        kind_box.api.delete(kind_box.api.resource(version, kind), "", "refuse")
        server.shutdown()


def test_a_crash_is_counted_by_the_kubelet(kind_box: Any) -> None:
    program = kind_box.processes["kube-scheduler"]
    before = program.restarts
    os.kill(program.pid, signal.SIGKILL)
    assert soon(lambda: program.restarts == before + 1, 90)
    program.wait_ready(60)


def muster(*arguments: str) -> str:
    command = [sys.executable, "-m", "harness", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120).stdout


def test_ctrl_c_while_a_cluster_comes_up_leaves_nothing() -> None:
    command = [sys.executable, "-m", "harness", "up", "--box", "kind", "--image", "own", "--name", "pressed"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert soon(lambda: f"{docker.PREFIX}pressed" in docker.clusters(), 90)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode in (0, 130), errors
    assert f"{docker.PREFIX}pressed" not in docker.clusters()


@pytest.mark.parametrize("moment", ["nodes are made", "nodes run"])
def test_a_muster_killed_while_a_cluster_comes_up_leaves_nothing(moment: str) -> None:
    name = f"{docker.PREFIX}struck"
    command = [sys.executable, "-m", "harness", "up", "--box", "kind", "--image", "own", "--name", "struck"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert soon(lambda: bool(docker.containers(name)) if moment == "nodes are made" else "running" in states(name), 90)
    process.kill()
    process.wait()
    try:
        assert soon(lambda: "struck" not in muster("ps"), 90)
        assert docker.containers(name) == {}
    finally:
        removal.remove(name)


def states(name: str) -> set[str]:
    return set(docker.containers(name).values())


def test_a_cluster_whose_keeper_was_killed_is_found_and_removed() -> None:
    from harness.box.kind.box import KindBox

    box = KindBox(workers=1, image="own", name="orphan").start()
    try:
        assert box._keeper is not None
        os.kill(box._keeper.pid, signal.SIGKILL)
        assert soon(lambda: "orphan" in muster("ps") and "left by an earlier run" in muster("ps"), 90)
        assert "removed" in muster("down", "orphan")
        assert f"{docker.PREFIX}orphan" not in docker.clusters()
    finally:
        removal.remove(f"{docker.PREFIX}orphan")
