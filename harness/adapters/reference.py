"""How a reference controller of ours is run: as a process of a box, or as objects of a cluster.

In a box its webhooks are called by URL, in a cluster by service; the configurations are the same template,
manifests/<integration>/webhooks.yaml.j2. In both it has the rights of manifests/<integration>/rbac.yaml.j2, no others.
Another program with the same flags can take its place, in an embedded box with full rights: so a controller with a sin
is caught by a case and not by a missing right. `--binary jobset-gang.controller=PATH`.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from harness.adapters import hosting
from harness.adapters.base import Box, Departure, Object, Part, Settings, Site
from harness.adapters.render import parse, render
from harness.box.artifacts.register import load
from harness.box.artifacts.sources import all_binaries
from harness.box.image.archive import Image, program_image
from harness.box.image.python import muster_image
from harness.box.pki import Authority
from harness.box.process import Process

OURS = Departure(
    "a reference controller of muster's own does what the design asks for",
    "no release implements the design; the reference shows that it can be done and lets its clauses be judged",
)
NAMESPACE = "muster-system"  # inside a cluster


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
    given = all_binaries(settings.binaries, load()).get(binary)
    kubeconfig = box.identity(name) if given else _account(box, name, folder, values or {})
    flags = [
        f"--kubeconfig={kubeconfig}",
        f"--health-port={health}",
        f"--webhook-port={webhook}",
        f"--tls-cert={certificate}",
        f"--tls-key={key}",
        *arguments,
    ]
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


def _account(box: Box, name: str, folder: str, values: Mapping[str, str]) -> Path:
    """Who the controller is in a cluster, with the rights that its manifests give it and no others."""
    box.api.apply(hosting.namespace(NAMESPACE))
    for obj in parse(render(f"{folder}/rbac.yaml.j2", name=name, namespace=NAMESPACE, **values)):
        box.api.apply(obj)
    return box.identity(f"system:serviceaccount:{NAMESPACE}:{name}", ())


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


def in_cluster(
    name: str, folder: str, namespace: str, image: str, chosen: Mapping[str, str], *,
    authority: Authority | None = None, words: Sequence[str] | None = None,
) -> list[Object]:  # fmt: skip
    """Everything that runs the controller in a cluster; webhooks last, for they need it to answer.

    `words` come before its flags; they make a controller of an image that is started as `muster`.
    """
    authority = authority or Authority()
    arguments = [
        *(("controller", name) if words is None else words),
        "--address=0.0.0.0",
        f"--health-port={hosting.PORTS['health']}",
        f"--webhook-port={hosting.PORTS['webhook']}",
        f"--tls-cert={hosting.CERTIFICATES}/tls.crt",
        f"--tls-key={hosting.CERTIFICATES}/tls.key",
        *(f"--{option.replace('_', '-')}={value}" for option, value in chosen.items()),
    ]
    return [
        hosting.namespace(namespace),
        *parse(render(f"{folder}/rbac.yaml.j2", name=name, namespace=namespace, **chosen)),
        *hosting.controller_in_cluster(
            name, namespace, image, authority=authority, service=name, arguments=arguments
        ),
        *webhooks(folder, authority.certificate, service=name, namespace=namespace, values=chosen),
    ]  # fmt: skip


def part(
    name: str, folder: str, *, binary: str, values: Mapping[str, str] | None = None,
    options: Mapping[str, Callable[[str], str]] | None = None, departure: Departure = OURS,
) -> Part:  # fmt: skip
    """The controller in a cluster. `values` are flags it always has; `options` become flags when --set names them, and
    say whether a value is one."""
    checks = options or {}

    def objects(site: Site) -> list[Object]:
        given = {option: check(site.chosen[option]) for option, check in checks.items() if option in site.chosen}
        chosen = {**(values or {}), **{option.replace("-", "_"): value for option, value in given.items()}}
        return in_cluster(
            name, folder, NAMESPACE, site.images["controller"], chosen, authority=site.authority, words=()
        )

    def image(settings: Settings) -> Image:
        program = all_binaries(settings.binaries, load()).get(binary)
        if program is not None:
            return program_image(f"muster.local/{name}:given", program, name)
        return muster_image(f"muster.local/{name}:{version('muster')}", name, ("controller", name))

    return Part(objects, image=image, options=tuple(checks), departures=(departure,))
