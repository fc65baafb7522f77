"""The containers of the simulated kubelet: real commands, in namespaces where there are any, and in folders."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.controllers.jobset_barrier.spec import INIT
from harness.controllers.simulated_kubelet import command, volumes
from harness.controllers.simulated_kubelet.command import CannotStart, expand
from harness.controllers.simulated_kubelet.containers import Containers, Launch
from harness.core.waiting import until

Object = dict[str, Any]
WAIT = "while [ ! -f /signal/go ]; do sleep 0.02; done; cat /signal/go"


class Host:
    """Containers, and the ids of those that ended in order."""

    def __init__(self, *options: str) -> None:
        self.ended: queue.Queue[str] = queue.Queue()
        self.containers = Containers(self.ended.put, *options)

    def run(self, pod: Object, folder: Path, find: command.FindConfigMap = lambda name: None) -> Launch:
        folder.mkdir(exist_ok=True)
        for volume in pod["spec"].get("volumes") or ():
            volumes.project(command.volume_folder(folder, volume["name"]), {})
        launched = command.launch(pod, folder, find, private=self.containers.private)
        self.containers.run("ns/pod/u/0", launched)
        return launched

    def code(self) -> int | None:
        return self.containers.code(self.ended.get(timeout=10))


@pytest.fixture(params=["namespaces", "folders"])
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    started = Host(*(["--folder-only"] if request.param == "folders" else []))
    if request.param == "namespaces" and not started.containers.private:
        started.containers.close()
        pytest.skip("the kernel gives this user no namespaces")
    yield started
    started.containers.close()


def pod(*argv: str, **container: Any) -> Object:
    mounts = [{"name": "signal", "mountPath": "/signal"}]
    waiting = {"name": INIT, "image": "bash", "command": list(argv), "volumeMounts": mounts, **container}
    meta = {"name": "pod", "namespace": "ns", "uid": "u", "labels": {"attempt": "3"}}
    source = [{"name": "signal", "configMap": {"name": "go", "optional": True}}]
    return {"metadata": meta, "spec": {"initContainers": [waiting], "volumes": source}}


def test_a_command_ends_by_itself_when_its_file_comes(host: Host, tmp_path: Path) -> None:
    launched = host.run(pod("sh", "-c", WAIT), tmp_path / "u")
    with pytest.raises(queue.Empty):
        host.ended.get(timeout=0.3)
    volumes.project(command.volume_folder(tmp_path / "u", "signal"), {"go": b"some arbitrary data"})

    assert host.code() == 0
    assert launched.tail() == "some arbitrary data"


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -9 $$$$", 137), ("nosuchprogram", 127)])
def test_the_exit_code_is_that_of_the_command(host: Host, script: str, code: int, tmp_path: Path) -> None:
    host.run(pod("sh", "-c", script), tmp_path / "u")
    assert host.code() == code


def test_variables_are_those_of_the_pod_and_no_others(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "of the host")
    env = [
        {"name": "ATTEMPT", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['attempt']"}}},
        {"name": "NAMED", "value": "try-$(ATTEMPT)"},
        {"name": "WHO", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ]
    launched = host.run(pod("sh", "-c", 'echo "$NAMED $WHO ${SECRET-none} $(ATTEMPT)"', env=env), tmp_path / "u")

    assert host.code() == 0
    assert launched.tail() == "try-3 pod none 3"


def test_a_program_that_only_the_image_has_cannot_start(host: Host, tmp_path: Path) -> None:
    launched = host.run(pod("/opt/image/wait-for-all"), tmp_path / "u")
    assert host.code() == 128
    assert "cannot start /opt/image/wait-for-all: No such file" in launched.tail()


def test_a_container_that_is_removed_leaves_no_process(host: Host, tmp_path: Path) -> None:
    host.run(pod("sh", "-c", "echo $$$$; sleep 97531 & sleep 97531"), tmp_path / "u")
    until(lambda: len(sleepers()) == 2, 10, "both children of the container run")
    host.containers.remove("ns/pod/u/")
    until(lambda: not sleepers(), 10, "nothing of the container runs")
    assert host.ended.empty(), "the end of a container that nobody asks for any more is not told"


def test_nothing_outlives_the_kubelet_that_is_killed(tmp_path: Path) -> None:
    host = Host()
    host.run(pod("sh", "-c", "sleep 97531"), tmp_path / "u")
    until(lambda: len(sleepers()) == 1, 10, "the container runs")
    host.containers.close()
    until(lambda: not sleepers(), 10, "it ended with its kubelet")


def test_limits_hold(host: Host, tmp_path: Path) -> None:
    launched = host.run(pod("sh", "-c", "head -c 2000000 /dev/zero > /signal/large"), tmp_path / "u")
    assert host.code() != 0
    assert (command.volume_folder(launched.folder, "signal") / "large").stat().st_size <= 1 << 20


def test_a_private_command_sees_nothing_of_the_machine(tmp_path: Path) -> None:
    host = Host()
    if not host.containers.private:
        pytest.skip("the kernel gives this user no namespaces")
    script = f"id -u; ls / | tr '\\n' ' '; [ -e {tmp_path} ] || echo hidden; touch /usr/mine || echo read-only"
    launched = host.run(pod("sh", "-c", script), tmp_path / "u")
    assert host.code() == 0
    user, listing, *rest = launched.log.read_text().splitlines()
    assert user == "65534"
    assert "hidden" in listing + " ".join(rest) and "read-only" in rest
    assert "home" not in listing and "root" not in listing
    host.containers.close()


@pytest.mark.parametrize(
    ("container", "reason"),
    [
        ({"command": []}, "no command"),
        ({"volumeMounts": [{"name": "signal", "mountPath": "/s", "subPath": "go"}]}, "subPath"),
        ({"env": [{"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}, "secretKeyRef"),
        ({"env": [{"name": "S", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}]}, "has no key k"),
        ({"envFrom": [{"secretRef": {"name": "s"}}]}, "something else than a ConfigMap"),
        ({"env": [{"name": "S", "valueFrom": {"fieldRef": {"fieldPath": "spec"}}}]}, "field spec"),
    ],
)
def test_what_is_not_simulated_is_said(container: Object, reason: str, tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=reason):
        command.launch(pod("sh", **container), tmp_path, lambda name: None, private=True)


def test_config_maps_that_must_be_there_hold_the_pod() -> None:
    obj = pod("sh", envFrom=[{"configMapRef": {"name": "b"}}])
    obj["spec"]["volumes"].append({"name": "settings", "configMap": {"name": "a"}})
    assert command.missing(obj, lambda name: None) == ["a", "b"]
    assert command.missing(obj, lambda name: {}) == []


@pytest.mark.parametrize(
    ("text", "result"),
    [("$(A)", "1"), ("$(B) $((1+1)) $(date +%s)", "$(B) $((1+1)) $(date +%s)"), ("$$(A) $A $$", "$(A) $A $")],
)
def test_only_known_variables_are_expanded(text: str, result: str) -> None:
    assert expand(text, {"A": "1"}) == result


def test_without_namespaces_whole_mount_paths_are_replaced(tmp_path: Path) -> None:
    script = 'test -f /signal/go || test -d "/signal" || test -d /a/signal || test -d /signals'
    launched = command.launch(pod("sh", "-c", script), tmp_path, lambda name: None, private=False)
    here = tmp_path / "volumes" / "signal"
    expected = f'test -f {here}/go || test -d "{here}" || test -d /a/signal || test -d /signals'
    assert launched.argv[-1] == expected


def test_a_volume_changes_in_one_step(tmp_path: Path) -> None:
    source = {"name": "go"}
    volumes.project(tmp_path, volumes.config_map_files(source, {"data": {"a": "1", "b": "1"}}))
    assert (tmp_path / "a").read_text() == "1"
    volumes.project(tmp_path, volumes.config_map_files(source, {"data": {"a": "2"}, "binaryData": {"c": "Aw=="}}))
    assert (tmp_path / "a").read_text() == "2" and (tmp_path / "c").read_bytes() == b"\x03"
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("..")) == ["a", "c"]
    items = {"items": [{"key": "a", "path": "deep/file"}, {"key": "missing", "path": "x"}]}
    volumes.project(tmp_path, volumes.config_map_files(items, {"data": {"a": "3"}}))
    assert (tmp_path / "deep" / "file").read_text() == "3" and not (tmp_path / "a").exists()
    volumes.project(tmp_path, volumes.config_map_files(source, None))
    assert not [path for path in tmp_path.iterdir() if not path.name.startswith("..")]


def sleepers() -> list[int]:
    """The processes of these tests that sleep for a time that nobody else sleeps for."""
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                argv = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if argv[:2] == [b"sleep", b"97531"]:
                pids.append(int(entry.name))
    return pids
