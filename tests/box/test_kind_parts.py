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
from harness.box import profile, registry
from harness.box.embedded import EmbeddedBox
from harness.box.image import recipe
from harness.box.kind import docker, gpus, nodeimage, relay
from harness.box.kind.box import KindBox
from harness.box.kind.config import cluster_config
from harness.box.kind.deployed import DeployedProgram
from harness.box.kinds import Wanted
from harness.box.link import KeeperLink
from harness.box.phases import Quiet
from harness.box.process import Command
from harness.core.errors import HarnessError, UsageError


def config(kubernetes: str = "1.37.1", **more: object) -> dict:  # type: ignore[type-arg]
    given = {
        "gates": {},
        "workers": 2,
        "port": 0,
        "own": True,
        "sync": "",
        "versions": {"etcd": "3.6.12", "coredns": "1.14.6"},
    }
    text = cluster_config(
        name="muster-x", profile=profile.profile(kubernetes), audit_folder=Path("/box/audit"), **{**given, **more}  # type: ignore[arg-type]
    )  # fmt: skip
    return yaml.safe_load(text)  # type: ignore[no-any-return]


def patch(cluster: dict, kind: str) -> dict:  # type: ignore[type-arg]
    found = [yaml.safe_load(text) for text in cluster["kubeadmConfigPatches"]]
    return next(one for one in found if one["kind"] == kind)


def flags(patched: dict, component: str) -> dict[str, str]:  # type: ignore[type-arg]
    return {one["name"]: one["value"] for one in patched[component]["extraArgs"]}


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
    own, official = patch(config(), "ClusterConfiguration"), patch(config(own=False), "ClusterConfiguration")
    assert own["etcd"]["local"]["imageTag"] == "3.6.12-0" and own["dns"]["imageTag"] == "v1.14.6"
    assert "imageTag" not in official["etcd"]["local"] and "dns" not in official
    assert config()["networking"]["kubeProxyMode"] == "nftables"
    assert "kubeProxyMode" not in config(own=False)["networking"]


def test_histories_can_be_made_from_the_audit_log() -> None:
    cluster = config()
    mounts = {one["containerPath"]: one["hostPath"] for one in cluster["nodes"][0]["extraMounts"]}
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
    made = own_images.NodeImage("1.37.1", "muster.local/node:v1.37.1-abc", "abc", {}, {}, 1, 1.0, "node-1.37.1-abc.tar")
    monkeypatch.setattr(own_images, "provide", lambda version, progress: made)
    yield asked


def test_auto_takes_the_official_image_where_a_registry_answers(
    engine: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodeimage, "_reachable", lambda registry: True)
    chosen = nodeimage.choose("auto", "1.37", Quiet())
    assert chosen.reference.startswith("kindest/node:v1.37.0@sha256:") and not chosen.own
    assert engine == [f"pull {chosen.reference}"]


def test_auto_takes_our_own_where_none_does(engine: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodeimage, "_reachable", lambda registry: False)
    chosen = nodeimage.choose("auto", "1.37", Quiet())
    assert chosen.own and chosen.kubernetes == "1.37.1" and "registry" in chosen.why
    assert engine == ["load node-1.37.1-abc.tar"]


def test_an_exact_version_is_not_replaced_by_another(engine: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodeimage, "_reachable", lambda registry: True)
    assert nodeimage.choose("auto", "1.37.1", Quiet()).own


def test_an_official_image_that_nobody_knows_is_refused(engine: list[str]) -> None:
    with pytest.raises(UsageError, match=r"no official node image of Kubernetes 1\.36"):
        nodeimage.choose("official", "1.36", Quiet())


def test_an_image_must_say_its_version(engine: list[str]) -> None:
    assert nodeimage.choose("example.org/node:v1.36.2", "1.37", Quiet()).kubernetes == "1.36.2"
    with pytest.raises(UsageError, match="does not say which Kubernetes"):
        nodeimage.choose("example.org/node:latest", "1.37", Quiet())


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


@pytest.mark.parametrize("wanted", [Wanted(workers=2), Wanted(image="own"), Wanted(sync="2s")])
def test_what_only_kind_has_is_refused_elsewhere(wanted: Wanted) -> None:
    with pytest.raises(UsageError, match="with --box kind only"):
        wanted.check()


def test_a_kind_of_box_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="no box of the kind 'kid'") as caught:
        Wanted("kid").check()
    assert "Did you mean 'kind'" in caught.value.hint


# -- the recipe of the image ------------------------------------------------------------------------------------------


def test_a_node_image_exists_for_every_locked_kubelet_and_no_other() -> None:
    assert recipe.versions("1.36")["kubernetes-node"] == "1.36.4"
    with pytest.raises(UsageError, match=r"no node image of Kubernetes 1\.35\.4"):
        recipe.versions("1.35")


def test_every_program_and_image_of_the_recipe_is_in_the_register() -> None:
    from harness.box.artifacts import load

    register, made = load(), recipe.recipe()
    named = [name for names in made.programs.values() for name in names]
    for name in [*named, *(inner.program for inner in made.images if inner.program)]:
        register.process(name)
    for inner in made.images:
        assert not inner.compiled or (recipe.source() / inner.compiled).is_file()


# -- GPUs and webhooks ------------------------------------------------------------------------------------------------


def node(wanted: str | None, capacity: str | None, allocatable: str | None) -> dict:  # type: ignore[type-arg]
    def amount(value: str | None) -> dict[str, str]:
        return {} if value is None else {"nvidia.com/gpu": value}

    annotations = {} if wanted is None else {gpus.WANTED: wanted}
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
        directory, said = tmp_path / f"box-{number}", tmp_path / f"said-{number}"
        directory.mkdir()
        link = KeeperLink(directory)
        link.farewell(["/usr/bin/touch", str(said)])
        if taken_back:
            link.farewell(())
        link.stop()
        assert said.exists() is not taken_back


# -- a cluster that cannot be set up ----------------------------------------------------------------------------------


class Failing(KindBox):
    """A kind box whose cluster and keeper only say what was asked of them."""

    def __init__(self, directory: Path, done: list[str], *, keep_failed: bool) -> None:
        self.directory, self.name, self.done = directory, "red", done
        self._keep_failed = keep_failed
        self._cluster = SimpleNamespace(  # type: ignore[assignment]
            name="muster-red", export_logs=lambda folder: done.append("logs"), delete=lambda: done.append("delete")
        )
        self._keeper = SimpleNamespace(farewell=lambda argv: None)  # type: ignore[assignment]

    def keep(self) -> None:
        self.done.append("keep")


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
    monkeypatch.setattr(EmbeddedBox, "fail", lambda self, error: happened.append("stop"))
    Failing(tmp_path, happened, keep_failed=keep).fail(error)

    assert happened == done
    if "keep" in done:
        told = error.hint if isinstance(error, HarnessError) else " ".join(error.__notes__)
        assert "muster down red" in told and "docker exec" in told and str(tmp_path / "kept") in told
