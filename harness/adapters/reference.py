"""How a reference controller of ours is run: as a process of a box, or as objects of a cluster.

In a box its webhooks are called by URL, in a cluster by service; the configurations are the same template,
manifests/<integration>/webhooks.yaml.j2. Another program with the same flags can take its place, which is how the
suite proves that a controller with a sin is caught: `--binary jobset-gang.controller=PATH`.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.adapters import hosting
from harness.adapters.base import Box, Departure, Object, Settings
from harness.adapters.render import parse, render
from harness.box.artifacts.register import load
from harness.box.artifacts.sources import all_binaries
from harness.box.pki import Authority
from harness.box.process import Process

OURS = Departure(
    "a reference controller of muster's own does what the design asks for",
    "no release implements the design; the reference shows that it can be done and lets its clauses be judged",
)
PORTS = {"webhook": 9443, "health": 8081}  # inside a cluster


def start(
    box: Box, settings: Settings, name: str, folder: str, *, binary: str, arguments: Sequence[str] = (),
    values: Mapping[str, str] | None = None,
) -> Process:  # fmt: skip
    """Start the controller of this name unless it runs, and have its webhooks called; returns once it is ready."""
    process: Process
    if hosting.runs(box, name):
        process = box.processes[name]
        return process
    webhook, health = box.reserve_port(), box.reserve_port()
    certificate, key = hosting.serving(box, name)
    flags = [
        f"--kubeconfig={box.identity(name)}",
        f"--health-port={health}",
        f"--webhook-port={webhook}",
        f"--tls-cert={certificate}",
        f"--tls-key={key}",
        *arguments,
    ]
    given = all_binaries(settings.binaries, load()).get(binary)
    program = (given, ()) if given else (Path(sys.executable), ("-m", "harness", "controller", name))
    process = hosting.start(
        box, name, program[0], [*program[1], *flags], role="controller",
        probe=hosting.http_probe(health, "/readyz"),
        environment={"TMPDIR": str(box.directory)},  # the official client writes its keys to files there
    )  # fmt: skip
    process.wait_ready(hosting.START_TIMEOUT)
    for obj in webhooks(folder, box.authority.certificate, url=f"https://127.0.0.1:{webhook}", values=values or {}):
        box.api.apply(obj)
    return process


def webhooks(
    folder: str, authority: bytes, *, url: str = "", service: str = "", namespace: str = "",
    values: Mapping[str, str] | None = None,
) -> list[Object]:  # fmt: skip
    """The webhook configurations of an integration, by URL or by service; none if it has no such template."""
    bundle = base64.b64encode(authority).decode()
    text = render(
        f"{folder}/webhooks.yaml.j2", url=url, service=service, namespace=namespace, bundle=bundle, **(values or {})
    )
    return parse(text)


def in_cluster(name: str, folder: str, namespace: str, image: str, chosen: Mapping[str, str]) -> list[Object]:
    """Everything that runs the controller in a cluster; webhooks last, for they need it to answer."""
    authority = Authority()
    pair = authority.issue(name, names=(f"{name}.{namespace}.svc",))
    encoded = {"certificate": pair.certificate, "key": pair.key}
    values = {what: base64.b64encode(text).decode() for what, text in encoded.items()}
    objects: list[Object] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}]
    objects += parse(render(f"{folder}/rbac.yaml.j2", name=name, namespace=namespace, **chosen))
    text = render(
        "common/controller.yaml.j2", name=name, namespace=namespace, image=image, ports=PORTS,
        arguments=[f"--{option.replace('_', '-')}={value}" for option, value in chosen.items()], **values,
    )  # fmt: skip
    objects += parse(text)
    return objects + webhooks(folder, authority.certificate, service=name, namespace=namespace, values=chosen)
