"""Every process of a box can be killed, paused and brought back, and the cluster goes on."""

import time

import pytest

from harness.box.embedded.box import EmbeddedBox
from harness.core.errors import ApiError
from harness.core.kinds import NAMESPACE


def found_again(box: EmbeddedBox, namespace: str) -> object:
    """The namespace, as soon as the API server has found its store again; its connections back off one by one."""
    for _ in range(60):
        try:
            return box.api.find(NAMESPACE, "", namespace)
        except ApiError:
            time.sleep(0.5)
    return None


@pytest.mark.parametrize("name", ["kube-scheduler", "kube-controller-manager", "kube-apiserver", "etcd"])
def test_a_killed_process_comes_back_with_everything_it_knew(box: EmbeddedBox, namespace: str, name: str):
    process = box.processes[name]
    first = process.pid

    process.kill()
    assert not process.alive
    process.restart()
    if name == "etcd":
        box.processes["kube-apiserver"].wait_ready(30)

    assert process.pid != first
    assert found_again(box, namespace) is not None


def test_a_paused_api_server_answers_nothing_until_it_is_resumed(box: EmbeddedBox):
    server = box.processes["kube-apiserver"]
    server.pause()
    try:
        with pytest.raises(ApiError) as silent:
            box.api.request("GET", "/readyz", timeout=0.5)
        assert silent.value.status == 0
    finally:
        server.resume()

    server.wait_ready(20)
