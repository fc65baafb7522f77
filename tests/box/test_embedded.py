"""The embedded box is a real cluster: API, access, nodes, audit log."""

import socket
import ssl
import stat
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from harness.box.embedded.box import EmbeddedBox
from harness.core.errors import ApiError, UsageError
from harness.core.kinds import NODE, POD
from harness.core.waiting import until


def test_it_says_its_version(box: EmbeddedBox):
    assert box.api.request("GET", "/version")["gitVersion"] == f"v{box.kubernetes}"


def test_its_nodes_are_ready_and_have_gpus(box: EmbeddedBox):
    nodes = box.api.list(NODE, labelSelector="muster.dev/pool=node")

    assert len(nodes) == 8
    assert {node["status"]["allocatable"]["nvidia.com/gpu"] for node in nodes} == {"8"}
    assert all(not node["spec"].get("taints") for node in nodes)


def test_it_serves_the_gang_api_of_its_version(box: EmbeddedBox):
    kinds = {entry["kind"] for entry in box.api.request("GET", f"/apis/{box.minor.gang_api.version}")["resources"]}

    assert {"Workload", "PodGroup"} <= kinds


def test_nobody_gets_in_without_a_certificate(box: EmbeddedBox):
    trusting = ssl.create_default_context(cadata=box.authority.certificate.decode())

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{box.server}/api", context=trusting)
    assert refused.value.code == 401


def test_roles_are_enforced(box: EmbeddedBox):
    from harness.box.connect import connect

    stranger = connect(box.identity("stranger", groups=()))

    with pytest.raises(ApiError, match="stranger") as refused:
        stranger.list(POD, "default")
    assert refused.value.status == 403


def test_secrets_are_readable_by_their_owner_only(box: EmbeddedBox):
    files = [*(box.directory / "pki").iterdir(), *box.directory.glob("*kubeconfig")]

    assert len(files) > 8
    assert [path.name for path in files if stat.S_IMODE(path.stat().st_mode) != 0o600] == []
    assert stat.S_IMODE(box.directory.stat().st_mode) == 0o700


def test_it_listens_on_loopback_only(box: EmbeddedBox):
    pids = {process.pid for process in box.processes.values()}
    listening = [c for c in psutil.net_connections("tcp") if c.pid in pids and c.status == psutil.CONN_LISTEN]

    assert {connection.laddr.ip for connection in listening} == {"127.0.0.1"}


def test_no_command_line_holds_a_secret(box: EmbeddedBox):
    flags = {flag.partition("=")[0] for process in box.processes.values() for flag in process.command.argv[1:]}

    assert [flag for flag in flags if "token" in flag or "password" in flag] == []


def test_a_bound_pod_runs_and_its_bind_is_in_the_audit_log(box: EmbeddedBox, namespace: str):
    pod = plain_pod(namespace, "one")
    box.api.create(pod)

    wait_for_phase(box, namespace, "one", "Running")

    assert '"name":"one"' in box.audit_log.read_text()
    assert '"subresource":"binding"' in box.audit_log.read_text()


@pytest.mark.parametrize(
    ("annotation", "value", "phase"),
    [("muster.dev/runs-for", "100ms", "Succeeded"), ("muster.dev/fails-after", "100ms", "Failed")],
)
def test_annotations_choose_the_fate_of_a_pod(
    box: EmbeddedBox, namespace: str, annotation: str, value: str, phase: str
):
    pod = plain_pod(namespace, "fated")
    pod["metadata"]["annotations"] = {annotation: value}
    box.api.create(pod)

    wait_for_phase(box, namespace, "fated", phase)


def test_a_late_report_of_the_kubelet_never_reaches_a_new_pod_of_the_same_name(box: EmbeddedBox, namespace: str):
    """KWOK learns of a pod late, on a busy machine; by then the pod may be gone, and another one waits for a node."""
    (node, *_) = box.nodes.names
    names = [f"again-{number}" for number in range(10)]
    box.processes["kwok"].pause()
    for name in names:
        bound, waiting = plain_pod(namespace, name), plain_pod(namespace, name)
        bound["spec"]["nodeName"] = node
        waiting["spec"]["schedulerName"] = "nobody"
        box.api.create(bound)
        box.api.delete(POD, namespace, name, grace=0)
        box.api.create(waiting)
    box.processes["kwok"].resume()
    box.api.create(plain_pod(namespace, "last"))

    wait_for_phase(box, namespace, "last", "Running")

    phases = {name: box.api.get(POD, namespace, name)["status"]["phase"] for name in names}
    assert phases == dict.fromkeys(names, "Pending")


def test_a_pod_can_be_made_never_to_start(box: EmbeddedBox, namespace: str):
    pod = plain_pod(namespace, "stuck")
    pod["metadata"]["annotations"] = {"muster.dev/never-starts": "true"}
    box.api.create(pod)
    box.api.create(plain_pod(namespace, "later"))

    wait_for_phase(box, namespace, "later", "Running")

    stuck = box.api.get(POD, namespace, "stuck")
    assert stuck["spec"].get("nodeName")
    assert stuck["status"]["phase"] == "Pending"


def test_the_official_client_works_too(box: EmbeddedBox):
    from kubernetes.client import CoreV1Api

    assert len(CoreV1Api(box.client()).list_node().items) >= 8


def test_a_port_that_is_taken_is_refused_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(UsageError, match="cannot be used"):
            EmbeddedBox(port=other.getsockname()[1]).start()

    assert list((tmp_path / "muster" / "boxes").iterdir()) == []


def test_a_second_box_of_the_same_name_is_refused(box: EmbeddedBox):
    with pytest.raises(UsageError, match="already there"):
        EmbeddedBox(name=box.name).start()


def test_an_unknown_gate_is_refused_before_anything_starts():
    with pytest.raises(UsageError, match="no gate 'GangSheduling'"):
        EmbeddedBox(gates={"GangSheduling": True}).start()


def plain_pod(namespace: str, name: str) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"terminationGracePeriodSeconds": 0, "containers": [{"name": "main", "image": "pause"}]},
    }


def wait_for_phase(box: EmbeddedBox, namespace: str, name: str, phase: str) -> None:
    until(lambda: box.api.get(POD, namespace, name)["status"]["phase"] == phase, 20, f"{name} is {phase}")


def test_elsewhere_than_on_linux_it_says_why_it_cannot_start(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(UsageError, match="on Linux only") as raised:
        EmbeddedBox().start()
    assert "--box kind" in raised.value.hint
