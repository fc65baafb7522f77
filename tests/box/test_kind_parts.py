"""The parts of a kind box that need no engine: its configuration, its choices, its words for what is missing."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from harness.box import image as own_images
from harness.box import registry
from harness.box.base import Command
from harness.box.image import recipe
from harness.box.kind import docker, gpus, nodeimage, relay
from harness.box.kind.box import KindBox
from harness.box.kind.config import cluster_config
from harness.box.kind.deployed import DeployedProgram
from harness.box.link import KeeperLink
from harness.box.minor import minor_of
from harness.box.phases import NullListener
from harness.box.spec import BoxSpec
from harness.core.errors import HarnessError, UsageError


def config(kubernetes: str = "1.37.1", **more: object) -> dict:  # type: ignore[type-arg]
    defaults = {
        "gates": {},
        "workers": 2,
        "port": 0,
        "own_image": True,
        "sync": "",
        "versions": {"etcd": "3.6.12", "coredns": "1.14.6"},
    }
    text = cluster_config(
        name="muster-x",
        minor=minor_of(kubernetes),
        audit_folder=Path("/box/audit"),
        **{**defaults, **more},  # type: ignore[arg-type]
    )
    return yaml.safe_load(text)  # type: ignore[no-any-return]


def patch(cluster: dict, kind: str) -> dict:  # type: ignore[type-arg]
    patches = [yaml.safe_load(text) for text in cluster["kubeadmConfigPatches"]]
    return next(patch for patch in patches if patch["kind"] == kind)


def flags(patched: dict, component: str) -> dict[str, str]:  # type: ignore[type-arg]
    return {flag["name"]: flag["value"] for flag in patched[component]["extraArgs"]}


def test_every_component_has_the_gates_it_knows_and_no_others() -> None:
    patched = patch(config("1.36.4"), "ClusterConfiguration")
    assert flags(patched, "apiServer")["feature-gates"] == "GangScheduling=true,GenericWorkload=true"
    assert flags(patched, "controllerManager")["feature-gates"] == "GenericWorkload=true"
    assert flags(patched, "apiServer")["runtime-config"] == "scheduling.k8s.io/v1alpha2=true"


def test_a_gate_of_the_user_reaches_its_components() -> None:
    patched = patch(config("1.37.1", gates={"TopologyAwareWorkloadScheduling": True}), "ClusterConfiguration")
    assert "TopologyAwareWorkloadScheduling=true" in flags(patched, "scheduler")["feature-gates"]
    assert "TopologyAware" not in flags(patched, "controllerManager")["feature-gates"]


def test_nodes_ports_and_sync_are_what_was_asked_for() -> None:
    cluster = config(workers=3, port=6443, sync="2s")
    assert [node["role"] for node in cluster["nodes"]] == ["control-plane", "worker", "worker", "worker"]
    assert cluster["networking"]["apiServerPort"] == 6443
    assert patch(cluster, "KubeletConfiguration")["syncFrequency"] == "2s"
    assert "syncFrequency" not in patch(config(), "KubeletConfiguration")


def test_an_official_image_keeps_its_own_tags() -> None:
    built = patch(config(), "ClusterConfiguration")
    official = patch(config(own_image=False), "ClusterConfiguration")
    assert built["etcd"]["local"]["imageTag"] == "3.6.12-0" and built["dns"]["imageTag"] == "v1.14.6"
    assert "imageTag" not in official["etcd"]["local"] and "dns" not in official
    assert config()["networking"]["kubeProxyMode"] == "nftables"
    assert "kubeProxyMode" not in config(own_image=False)["networking"]


def test_histories_can_be_made_from_the_audit_log() -> None:
    cluster = config()
    mounts = {mount["containerPath"]: mount["hostPath"] for mount in cluster["nodes"][0]["extraMounts"]}
    assert mounts["/kind/audit"] == "/box/audit"
    assert Path(mounts["/kind/audit-policy.yaml"]).is_file()
    assert flags(patch(cluster, "ClusterConfiguration"), "apiServer")["audit-log-mode"] == "blocking"


# -- choices ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What an engine was asked for, without one."""
    asked: list[str] = []
    monkeypatch.setattr(docker, "has_image", lambda tag: False)
    monkeypatch.setattr(docker, "pull", lambda reference: asked.append(f"pull {reference}"))
    monkeypatch.setattr(docker, "load", lambda archive: asked.append(f"load {archive.name}"))
    image = own_images.NodeImage(
        "1.37.1", "muster.local/node:v1.37.1-abc", "abc", {}, {}, 1, 1.0, "node-1.37.1-abc.tar"
    )
    monkeypatch.setattr(own_images, "provide", lambda version, progress: image)
    yield asked


def test_auto_takes_the_official_image_where_a_registry_answers(
    engine: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodeimage, "_reachable", lambda registry: True)
    image = nodeimage.choose("auto", "1.37", NullListener())
    assert image.reference.startswith("kindest/node:v1.37.0@sha256:") and not image.is_own
    assert engine == [f"pull {image.reference}"]


def test_auto_takes_our_own_where_none_does(engine: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodeimage, "_reachable", lambda registry: False)
    image = nodeimage.choose("auto", "1.37", NullListener())
    assert image.is_own and image.kubernetes == "1.37.1" and "registry" in image.why
    assert engine == ["load node-1.37.1-abc.tar"]


def test_an_exact_version_is_not_replaced_by_another(engine: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodeimage, "_reachable", lambda registry: True)
    assert nodeimage.choose("auto", "1.37.1", NullListener()).is_own


def test_an_official_image_that_nobody_knows_is_refused(engine: list[str]) -> None:
    with pytest.raises(UsageError, match=r"no official node image of Kubernetes 1\.36"):
        nodeimage.choose("official", "1.36", NullListener())


def test_an_image_must_say_its_version(engine: list[str]) -> None:
    assert nodeimage.choose("example.org/node:v1.36.2", "1.37", NullListener()).kubernetes == "1.36.2"
    with pytest.raises(UsageError, match="does not say which Kubernetes"):
        nodeimage.choose("example.org/node:latest", "1.37", NullListener())


def test_without_docker_the_message_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(HarnessError, match="needs a Docker engine") as caught:
        docker.require_engine()
    assert "ci/docker-up" in caught.value.hint
    assert docker.clusters() == []


@pytest.mark.parametrize("name", ["Upper", "under_score", "-x", "x-", "a" * 41])
def test_names_that_docker_cannot_use_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a kind box"):
        KindBox(name=name)


def test_a_binary_of_the_node_image_cannot_be_replaced_one_of_an_integration_can() -> None:
    with pytest.raises(UsageError, match=r"kubernetes\.kube-scheduler of its node image"):
        KindBox(binaries={"kubernetes.kube-scheduler": Path("/bin/true")})
    KindBox(binaries={"volcano.scheduler": Path("/bin/true")})


@pytest.mark.parametrize("spec", [BoxSpec(workers=2), BoxSpec(image="own"), BoxSpec(sync="2s")])
def test_what_only_kind_has_is_refused_elsewhere(spec: BoxSpec) -> None:
    with pytest.raises(UsageError, match="is for --box kind only"):
        spec.check()


def test_a_kind_of_box_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="no box of the kind 'kid'") as caught:
        BoxSpec("kid").check()
    assert "Did you mean 'kind'" in caught.value.hint


# -- the recipe of the image ------------------------------------------------------------------------------------------


def test_a_node_image_exists_for_every_locked_kubelet_and_no_other() -> None:
    assert recipe.versions("1.36")["kubernetes-node"] == "1.36.4"
    with pytest.raises(UsageError, match=r"no node image of Kubernetes 1\.35\.4"):
        recipe.versions("1.35")


def test_every_program_and_image_of_the_recipe_is_in_the_register() -> None:
    from harness.box.artifacts import load

    register, steps = load(), recipe.recipe()
    named = [name for names in steps.programs.values() for name in names]
    for name in [*named, *(inner.program for inner in steps.images if inner.program)]:
        register.process(name)
    for inner in steps.images:
        assert not inner.compiled or (recipe.source() / inner.compiled).is_file()


# -- GPUs and webhooks ------------------------------------------------------------------------------------------------


def node(annotated: str | None, capacity: str | None, allocatable: str | None) -> dict:  # type: ignore[type-arg]
    def amount(value: str | None) -> dict[str, str]:
        return {} if value is None else {"nvidia.com/gpu": value}

    annotations = {} if annotated is None else {gpus.ANNOTATION: annotated}
    return {
        "metadata": {"name": "n", "annotations": annotations},
        "status": {"capacity": amount(capacity), "allocatable": amount(allocatable)},
    }


def test_gpus_are_missed_where_they_were_wanted() -> None:
    assert gpus.missing(node("8", "0", "0")) == "8"
    assert gpus.missing(node("8", "8", None)) == "8"
    assert gpus.missing(node("8", "8", "8")) == ""
    assert gpus.missing(node(None, None, None)) == ""
    assert gpus.missing(node("0", None, None)) == ""


def test_webhooks_on_this_machine_are_called_across_the_network() -> None:
    asked: list[int] = []
    api = relay.RelayedApi.__new__(relay.RelayedApi)
    api.gateway, api._relay = "172.18.0.1", asked.append
    hooks = [{"clientConfig": {"url": "https://127.0.0.1:9443/a?b"}}, {"clientConfig": {"service": {"name": "s"}}}]
    changed = api._reachable({"kind": "MutatingWebhookConfiguration", "webhooks": hooks})
    assert changed["webhooks"][0]["clientConfig"]["url"] == "https://172.18.0.1:9443/a?b"
    assert changed["webhooks"][1] == hooks[1] and asked == [9443]


def test_the_relay_carries_both_ways() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        loop = asyncio.new_event_loop()
        task = loop.create_task(relay.serve("127.0.0.2", port))

        def run() -> None:
            with contextlib.suppress(asyncio.CancelledError):
                loop.run_until_complete(task)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        for _ in range(500):
            with contextlib.suppress(OSError):
                client = socket.create_connection(("127.0.0.2", port), timeout=5)
                break
            time.sleep(0.02)
        with client:
            inner, _ = server.accept()
            with inner:
                client.sendall(b"question")
                assert inner.recv(100) == b"question"
                inner.sendall(b"answer")
                assert client.recv(100) == b"answer"
        loop.call_soon_threadsafe(task.cancel)
        thread.join(5)


@pytest.mark.parametrize(
    ("program", "line", "meant"),
    [
        ("kube-scheduler", "kube-scheduler --config=x", True),
        ("vc-scheduler", "/vc-scheduler", True),
        ("jobset-gang", "/opt/muster/bin/jobset-gang -m harness controller jobset-gang", True),
        ("scheduler", "/vc-scheduler", False),
        ("lws-controller", "sh -c /lws-controller", False),
    ],
)
def test_signals_reach_the_program_and_no_other(
    program: str, line: str, meant: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts: list[str] = []
    monkeypatch.setattr(docker, "execute", lambda node, command: scripts.append(command[-1]))
    handle = DeployedProgram(None, Command(program, (f"/{program}",)), "n", program, Path("log"))  # type: ignore[arg-type]
    handle._signal("node", "STOP")
    (pattern,) = re.findall("pgrep -f '([^']*)'", scripts[0])

    assert bool(re.search(pattern, line)) is meant


def test_a_farewell_is_said_when_muster_is_gone_and_not_when_it_was_taken_back(tmp_path: Path) -> None:
    for number, taken_back in enumerate((False, True)):
        directory, touched = tmp_path / f"box-{number}", tmp_path / f"said-{number}"
        directory.mkdir()
        link = KeeperLink(directory)
        link.farewell(["/usr/bin/touch", str(touched)])
        if taken_back:
            link.farewell(())
        link.stop()
        assert touched.exists() is not taken_back


# -- a cluster that cannot be set up ----------------------------------------------------------------------------------


def failing(directory: Path, done: list[str], monkeypatch: pytest.MonkeyPatch, *, keep_failed: bool) -> KindBox:
    """A kind box whose cluster and runtime only say what was asked of them."""
    box = KindBox(keep_failed=keep_failed)
    box._runtime = SimpleNamespace(  # type: ignore[assignment]
        directory=directory,
        name="red",
        kubeconfig=directory / "kubeconfig",
        is_open=True,
        keeper=SimpleNamespace(farewell=lambda argv: None),
        fail=lambda error: done.append("stop"),
    )
    box._cluster = SimpleNamespace(  # type: ignore[assignment]
        name="muster-red", export_logs=lambda folder: done.append("logs"), delete=lambda: done.append("delete")
    )
    monkeypatch.setattr(box, "keep", lambda: done.append("keep"))
    return box


@pytest.mark.parametrize(
    ("error", "keep", "done"),
    [
        (HarnessError("no"), False, ["logs", "delete", "stop"]),
        (HarnessError("no"), True, ["logs", "keep"]),
        (ValueError("no"), True, ["logs", "keep"]),
        (KeyboardInterrupt(), True, ["delete", "stop"]),
    ],
    ids=["deleted", "kept", "kept whatever the error", "Ctrl-C"],
)
def test_what_becomes_of_a_cluster_that_failed(
    error: BaseException, keep: bool, done: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    monkeypatch.setattr(docker, "clusters", lambda: ["muster-red"])
    monkeypatch.setattr(registry, "keep_logs", lambda folder: folder / "kept")
    failing(tmp_path, happened, monkeypatch, keep_failed=keep).fail(error)

    assert happened == done
    if "keep" in done:
        text = error.hint if isinstance(error, HarnessError) else " ".join(error.__notes__)
        assert "muster down red" in text and "docker exec" in text and str(tmp_path / "kept") in text
