"""What the integrations that bring their own programs have in common: running them beside the box's.

Every program gets a kubeconfig of its own, so that the audit log can tell who did what, and a certificate under the
box's authority where it serves TLS. Starting is idempotent: a program that runs already is left alone.
"""

from __future__ import annotations

import base64
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from harness.adapters.common.base import Departure, Edit, Object, Settings
from harness.adapters.common.render import parse, render
from harness.box import crds
from harness.box.artifacts import Artifact, resolve
from harness.box.base import Box, Command, Process
from harness.box.data import data_root
from harness.box.pki import Authority
from harness.core.errors import HarnessError
from harness.core.files import write_private
from harness.core.gang import Gang
from harness.core.kinds import Kind
from harness.core.waiting import until

START_TIMEOUT = 60.0  # seconds for one program; a second is usual, half a minute was seen beside a compiler

OUTSIDE = Departure(
    "the vendor's programs run as processes of this machine with full rights, not as Deployments with its ClusterRole",
    "the box has no nodes that run containers; the in-cluster way is for kind",
)
PORTS = {"webhook": 9443, "health": 8081}  # of a controller inside a cluster
CERTIFICATES, FILES = "/etc/muster", "/etc/config"  # its folders there
QUIET = Departure("log level 2", "the vendor's level writes megabytes a minute; placement does not depend on it")


def artifact(component: str, settings: Settings) -> Artifact:
    """The binaries and files of the integration in the version the user wants."""
    return resolve(component, settings.version, binaries=settings.binaries, progress=settings.progress)


def elsewhere(settings: Settings) -> Settings:
    """The user's settings for a component that is not the one whose version was chosen."""
    return replace(settings, version=None)


def definitions(component: str) -> Callable[[Settings, str], tuple[Path, ...]]:
    """The CRDs of a component, as the `definitions` of an adapter."""
    return lambda settings, kubernetes: tuple(artifact(component, settings).files["crds"])


def ensure_crds(box: Box, artifact: Artifact) -> None:
    """Have the component's CRDs served; they are already if the box was made with them."""
    crds.ensure(box.api, artifact.files.get("crds", ()))


def ensure_namespace(box: Box, name: str) -> None:
    """The namespace a vendor installs itself into."""
    box.api.apply(namespace(name))


def start(
    box: Box,
    name: str,
    binary: Path,
    flags: Sequence[str],
    *,
    role: str,
    probe: Callable[[], bool] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Process:
    """Start a program in the box unless it runs already; `wait_ready` of what is returned says when it can be used."""
    running: Process | None = box.processes.get(name)
    if running is not None and running.alive:
        return running
    kubeconfig = box.directory / f"{name}.kubeconfig"
    command = Command(name, (str(binary), *flags), {"KUBECONFIG": str(kubeconfig), **(environment or {})}, role=role)
    process: Process = box.run(command, probe)
    return process


def runs(box: Box, *names: str) -> bool:
    """Whether all these programs are in the box and alive."""
    return all(name in box.processes and box.processes[name].alive for name in names)


def serving(box: Box, name: str) -> tuple[Path, Path]:
    """Certificate and key for a program that serves TLS on 127.0.0.1."""
    pair = box.authority.issue(name)
    folder = box.directory / "pki"
    return write_private(folder / f"{name}.crt", pair.certificate), write_private(folder / f"{name}.key", pair.key)


def http_probe(port: int, path: str) -> Callable[[], bool]:
    """Ready when this endpoint, without TLS, answers 200."""

    def probe() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=2) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    return probe


def tcp_probe(port: int) -> Callable[[], bool]:
    """Ready when something listens there: for a server that opens its port last."""

    def probe() -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=2).close()
        except OSError:
            return False
        return True

    return probe


def wait(condition: Callable[[], bool], what: str, process: Process | None, timeout: float = START_TIMEOUT) -> None:
    """Return once the condition holds; fail with the last words of the process it depends on, if we have that."""

    def holds() -> bool:
        if condition():
            return True
        if process is not None:
            process.is_ready()  # raises if it has died
        return False

    def late() -> HarnessError:
        if process is None:
            return HarnessError(f"{what} did not come within {timeout:.0f} s")
        return HarnessError(
            f"{what} did not come within {timeout:.0f} s; the last lines of {process.name}:\n{process.tail()}",
            hint=f"its whole log: {process.log}",
        )

    until(holds, timeout, what, poll=0.02, failure=late)


def write_yaml(path: Path, content: Any) -> Path:
    """A configuration file of a program."""
    return write_private(path, yaml.safe_dump(content, sort_keys=False).encode())


def read_yaml(paths: Iterable[Path], name: str) -> Any:
    """The content of the file of this name among an artifact's files."""
    return yaml.safe_load(pick(paths, name).read_text(encoding="utf-8"))


def pick(paths: Iterable[Path], name: str) -> Path:
    """The file of this name among an artifact's files."""
    return next(path for path in paths if path.name == name)


def scheduler_flags(box: Box, name: str, config: Path, port: int, kubeconfig: Path | None = None) -> list[str]:
    """The flags of anything built on kube-scheduler: where it listens and whom it asks who is calling."""
    certificate, key = serving(box, name)
    kubeconfig = kubeconfig or box.identity(name)
    return [
        f"--config={config}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--tls-cert-file={certificate}",
        f"--tls-private-key-file={key}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
    ]


def scheduler_config(config: Object, kubeconfig: Path) -> Object:
    """A vendor's KubeSchedulerConfiguration as it runs here: with our kubeconfig and without leader election."""
    return {
        **config,
        "leaderElection": {**config.get("leaderElection", {}), "leaderElect": False},
        "clientConnection": {**config.get("clientConnection", {}), "kubeconfig": str(kubeconfig)},
    }


def plain_scheduler(box: Box, name: str, kubeconfig: Path, *, role: str) -> Process:
    """Start the kube-scheduler of the box's Kubernetes once more, for pods that ask for it by this name."""
    path, port = box.directory / f"{name}.yaml", box.reserve_port()
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": name}],
    }
    write_yaml(path, scheduler_config(config, kubeconfig))
    binary = box.artifacts["kubernetes"].binaries["kube-scheduler"]
    flags = scheduler_flags(box, name, path, port, kubeconfig)
    process: Process = box.run(Command(name, (str(binary), *flags), role=role), box.https_probe(port))
    return process


def without_points(config: Object, plugin: str, points: str) -> Object:
    """The configuration with the plugin left out at these extension points (`permit+preFilter`): a mutant."""
    profiles = [{**profile, "plugins": dict(profile.get("plugins") or {})} for profile in config["profiles"]]
    for point in filter(None, points.split("+")):
        for plugins in (profile["plugins"] for profile in profiles):
            entry = plugins.get(point) or {}
            enabled = [enabled for enabled in entry.get("enabled") or () if enabled["name"] != plugin]
            plugins[point] = {"enabled": enabled, "disabled": [*(entry.get("disabled") or ()), {"name": plugin}]}
    return {**config, "profiles": profiles}


def namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def in_cluster(name: str, where: str, **values: Any) -> list[Object]:
    """The objects that run an integration in this namespace, from its templates rbac, deployment and service."""
    objects: list[Object] = [namespace(where)]
    for template in ("rbac", "deployment", "service"):
        path = f"{name}/{template}.yaml.j2"
        if (data_root() / "manifests" / path).is_file():
            objects += parse(render(path, namespace=where, **values))
    return objects


def controller_in_cluster(
    name: str,
    where: str,
    image: str,
    *,
    authority: Authority,
    service: str,
    arguments: Sequence[str],
    files: Mapping[str, str] | None = None,
) -> list[Object]:
    """What runs a controller in this namespace: its certificate and files, its one pod, the service of its webhooks."""
    pair = authority.issue(name, names=(f"{service}.{where}.svc",))
    text = render(
        "common/controller.yaml.j2",
        name=name,
        namespace=where,
        image=image,
        service=service,
        ports=PORTS,
        arguments=list(arguments),
        files=files or {},
        folders={"certificates": CERTIFICATES, "files": FILES},
        certificate=base64.b64encode(pair.certificate).decode(),
        key=base64.b64encode(pair.key).decode(),
    )
    return parse(text)


def option_departures(options: Mapping[str, str]) -> tuple[Departure, ...]:
    """What the user set, as departures from what the vendor ships."""
    return tuple(Departure(f"{name} {value}", "asked for with --set") for name, value in options.items())


def edit_min_member(kind: Kind) -> Callable[[Gang, int, str], list[Edit]]:
    """How the quorum is changed of a gang whose object has it in spec.minMember, as the `edit_quorum` of an adapter."""
    return lambda gang, quorum, kubernetes: [(kind, gang.name, {"spec": {"minMember": quorum}})]
