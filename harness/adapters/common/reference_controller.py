"""How a reference controller of ours is run: as a process of a box, or as objects of a cluster.

In a box its webhooks are called by URL, in a cluster by service; the configurations are the same template,
manifests/<integration>/webhooks.yaml.j2. In both it has the rights of manifests/<integration>/rbac.yaml.j2, no others.
Another program with the same flags can take its place, in an embedded box with full rights: so a mutant is killed by a
case and not by a missing right. `--binary jobset-gang.controller=PATH`.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from harness.adapters.common import hosting
from harness.adapters.common.base import Departure, InstallContext, Object, Part, Settings
from harness.adapters.common.render import parse, render
from harness.box.artifacts.register import load
from harness.box.artifacts.sources import all_binaries
from harness.box.base import Box, Process
from harness.box.image.archive import Image, program_image
from harness.box.image.python import muster_image
from harness.box.pki import Authority
from harness.core.version import __version__

OURS = Departure(
    "a reference controller of muster's own does what the design asks for",
    "no release implements the design; the reference shows that it can be done and lets its clauses be judged",
)
NAMESPACE = "muster-system"  # inside a cluster


def start(
    box: Box,
    settings: Settings,
    name: str,
    folder: str,
    *,
    binary: str,
    arguments: Sequence[str] = (),
    values: Mapping[str, str] | None = None,
) -> Process:
    """Start the controller of this name unless it runs, and have its webhooks called; returns once it is ready."""
    process: Process
    if hosting.runs(box, name):
        process = box.processes[name]
        return process
    webhook, health = box.reserve_port(), box.reserve_port()
    certificate, key = hosting.serving(box, name)
    substitute = all_binaries(settings.binaries, load()).get(binary)
    kubeconfig = box.identity(name) if substitute else _account(box, name, folder, values or {})
    flags = [
        f"--kubeconfig={kubeconfig}",
        f"--health-port={health}",
        f"--webhook-port={webhook}",
        f"--tls-cert={certificate}",
        f"--tls-key={key}",
        *arguments,
    ]
    program = (substitute, ()) if substitute else (Path(sys.executable), ("-m", "harness", "controller", name))
    process = hosting.start(
        box,
        name,
        program[0],
        [*program[1], *flags],
        role="controller",
        probe=hosting.http_probe(health, "/readyz"),
        environment={"TMPDIR": str(box.directory)},  # the official client writes its keys to files there
    )
    process.wait_ready(hosting.START_TIMEOUT)
    for obj in webhooks(folder, box.authority.certificate, url=f"https://127.0.0.1:{webhook}", values=values or {}):
        box.api.apply(obj)
    return process


def _account(box: Box, name: str, folder: str, values: Mapping[str, str]) -> Path:
    """Who the controller is in a cluster, with the rights that its manifests give it and no others."""
    box.api.apply(hosting.namespace(NAMESPACE))
    for obj in parse(render(f"{folder}/rbac.yaml.j2", name=name, namespace=NAMESPACE, **values)):
        box.api.apply(obj)
    return box.identity(f"system:serviceaccount:{NAMESPACE}:{name}", ())


def webhooks(
    folder: str,
    authority: bytes,
    *,
    url: str = "",
    service: str = "",
    namespace: str = "",
    values: Mapping[str, str] | None = None,
) -> list[Object]:
    """The webhook configurations of an integration, by URL or by service; none if it has no such template."""
    bundle = base64.b64encode(authority).decode()
    text = render(
        f"{folder}/webhooks.yaml.j2", url=url, service=service, namespace=namespace, bundle=bundle, **(values or {})
    )
    return parse(text)


def in_cluster(
    name: str,
    folder: str,
    namespace: str,
    image: str,
    options: Mapping[str, str],
    *,
    authority: Authority | None = None,
    command: Sequence[str] | None = None,
) -> list[Object]:
    """Everything that runs the controller in a cluster; webhooks last, for they need it to answer.

    `command` comes before its flags; it makes a controller of an image that is started as `muster`.
    """
    authority = authority or Authority.create()
    arguments = [
        *(("controller", name) if command is None else command),
        "--address=0.0.0.0",
        f"--health-port={hosting.PORTS['health']}",
        f"--webhook-port={hosting.PORTS['webhook']}",
        f"--tls-cert={hosting.CERTIFICATES}/tls.crt",
        f"--tls-key={hosting.CERTIFICATES}/tls.key",
        *(f"--{option.replace('_', '-')}={value}" for option, value in options.items()),
    ]
    return [
        hosting.namespace(namespace),
        *parse(render(f"{folder}/rbac.yaml.j2", name=name, namespace=namespace, **options)),
        *hosting.controller_in_cluster(name, namespace, image, authority=authority, service=name, arguments=arguments),
        *webhooks(folder, authority.certificate, service=name, namespace=namespace, values=options),
    ]


def part(
    name: str,
    folder: str,
    *,
    binary: str,
    values: Mapping[str, str] | None = None,
    options: Mapping[str, Callable[[str], str]] | None = None,
    departure: Departure = OURS,
) -> Part:
    """The controller in a cluster. `values` are flags it always has; `options` become flags when --set names them, and
    say whether a value is one."""
    checks = options or {}

    def objects(context: InstallContext) -> list[Object]:
        checked = {
            option.replace("-", "_"): check(context.options[option])
            for option, check in checks.items()
            if option in context.options
        }
        flags = {**(values or {}), **checked}
        image = context.images["controller"]
        return in_cluster(name, folder, NAMESPACE, image, flags, authority=context.authority, command=())

    def image(settings: Settings) -> Image:
        program = all_binaries(settings.binaries, load()).get(binary)
        if program is not None:
            return program_image(f"muster.local/{name}:given", program, name)
        return muster_image(f"muster.local/{name}:{__version__}", name, ("controller", name))

    return Part(objects, image=image, options=tuple(checks), departures=(departure,))
