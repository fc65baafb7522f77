"""What the integrations that bring their own programs have in common: running them beside the box's.

Every program gets a kubeconfig of its own, so that the audit log can tell who did what, and a certificate under the
box's authority where it serves TLS. Starting is idempotent: a program that runs already is left alone.
"""

from __future__ import annotations

import base64
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from harness.adapters.base import Box, Departure, Object, Settings
from harness.adapters.render import parse, render
from harness.box import crds
from harness.box.artifacts import Artifact, resolve
from harness.box.artifacts.register import nearest
from harness.box.data import data_root
from harness.box.pki import Authority, write_private
from harness.box.process import Command, Process
from harness.core.errors import HarnessError, UsageError
from harness.core.gang import Gang

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


def definitions(component: str) -> Callable[[Settings], tuple[Path, ...]]:
    """The CRDs of a component, as the `definitions` of an adapter."""
    return lambda settings: tuple(artifact(component, settings).files["crds"])


def ensure_crds(box: Box, found: Artifact) -> None:
    """Have the component's CRDs served; they are already if the box was made with them."""
    crds.ensure(box.api, found.files.get("crds", ()))


def ensure_namespace(box: Box, name: str) -> None:
    """The namespace a vendor installs itself into."""
    box.api.apply(namespace(name))


def start(
    box: Box, name: str, binary: Path, flags: Sequence[str], *, role: str, probe: Callable[[], bool] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Process:  # fmt: skip
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


def wait(condition: Callable[[], bool], what: str, process: Process, timeout: float = START_TIMEOUT) -> None:
    """Return once the condition holds; fail with the last words of the process it depends on."""
    deadline = time.monotonic() + timeout
    while not condition():
        process.is_ready()  # raises if it has died
        if time.monotonic() > deadline:
            raise HarnessError(
                f"{what} did not come within {timeout:.0f} s; the last lines of {process.name}:\n{process.tail()}",
                hint=f"its whole log: {process.log}",
            )
        time.sleep(0.02)


def write_yaml(path: Path, content: Any) -> Path:
    """A configuration file of a program."""
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


def read_yaml(paths: Iterable[Path], name: str) -> Any:
    """The content of the file of this name among an artifact's files."""
    return yaml.safe_load(pick(paths, name).read_text(encoding="utf-8"))


def pick(paths: Iterable[Path], name: str) -> Path:
    """The file of this name among an artifact's files."""
    return next(path for path in paths if path.name == name)


def scheduler_flags(box: Box, name: str, config: Path, port: int) -> list[str]:
    """The flags of anything built on kube-scheduler: where it listens and whom it asks who is calling."""
    certificate, key = serving(box, name)
    kubeconfig = box.identity(name)
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


def without_points(config: Object, plugin: str, points: str) -> Object:
    """The configuration with the plugin left out at these extension points (`permit+preFilter`), as a handicap."""
    profiles = [{**one, "plugins": dict(one.get("plugins") or {})} for one in config["profiles"]]
    for point in filter(None, points.split("+")):
        for plugins in (one["plugins"] for one in profiles):
            entry = plugins.get(point) or {}
            kept = [one for one in entry.get("enabled") or () if one["name"] != plugin]
            plugins[point] = {"enabled": kept, "disabled": [*(entry.get("disabled") or ()), {"name": plugin}]}
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
    name: str, where: str, image: str, *, authority: Authority, service: str, arguments: Sequence[str],
    files: Mapping[str, str] | None = None,
) -> list[Object]:  # fmt: skip
    """What runs a controller in this namespace: its certificate and files, its one pod, the service of its webhooks."""
    pair = authority.issue(name, names=(f"{service}.{where}.svc",))
    text = render(
        "common/controller.yaml.j2", name=name, namespace=where, image=image, service=service, ports=PORTS,
        arguments=list(arguments), files=files or {}, folders={"certificates": CERTIFICATES, "files": FILES},
        certificate=base64.b64encode(pair.certificate).decode(), key=base64.b64encode(pair.key).decode(),
    )  # fmt: skip
    return parse(text)


def chosen_departures(chosen: Mapping[str, str]) -> tuple[Departure, ...]:
    """What the user set, as departures from what the vendor ships."""
    return tuple(Departure(f"{name} {value}", "asked for with --set") for name, value in chosen.items())


def styles(gang: Gang, allowed: Iterable[str]) -> frozenset[str]:
    """The variations a gang asks for, several joined by `+`; UsageError for one the integration does not have."""
    allowed = tuple(allowed)
    wanted = frozenset((gang.style or "").split("+")) - {""}
    if unknown := sorted(wanted - set(allowed)):
        raise UsageError(
            f"gang {gang.name}: unknown style {unknown[0]!r}",
            hint=f"{nearest(unknown[0], allowed)}Styles here: {', '.join(allowed) or 'none'}.",
        )
    return wanted
