"""Install an integration: as processes beside the box, or as Deployments where the box has nodes that run them.

In a kind box every program becomes an image of our locked binary and nothing else, is loaded onto the nodes, and is run
by the objects that the adapter makes of manifests/<integration>. It keeps the name it has as a process, so a case that
kills the scheduler need not know where it runs. An integration that has no such objects runs as processes of this
machine against the cluster; its webhooks are then called across the cluster's network.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.adapters import hosting
from harness.adapters.base import Adapter, Departure, Installed, Object, Settings
from harness.box.api import Api, Resource
from harness.box.artifacts import Artifact
from harness.box.embedded import EmbeddedBox
from harness.box.image.archive import Image, write
from harness.box.kind import docker
from harness.box.kind.box import KindBox
from harness.box.kind.deployed import DeployedProgram
from harness.box.kind.follow import PROGRAM
from harness.box.kind.nodes import REAL_ONLY, RESERVED
from harness.box.process import Command
from harness.core.errors import HarnessError, UsageError

TIMEOUT = 120.0  # seconds until a program's pod is ready and its service answers; five are usual
POLL = 0.2
NEED_CONTAINERS = frozenset({"jobset-barrier"})  # features whose cases are about what containers do
SHELL = "muster.local/busybox:1"  # on every node of our own image
SERVICE = Resource("v1", "Service", "services", True)
INSIDE = Departure(
    "images of our own, made of the locked binary alone", "no registry is needed; the binary is the same"
)


def install(adapter: Adapter, box: EmbeddedBox, settings: Settings) -> Installed:
    """Install the integration in the way this kind of box has for it."""
    if not isinstance(box, KindBox):
        return adapter.install(box, settings)
    if adapter.features("", box.kubernetes) & NEED_CONTAINERS:
        box.nodes.containers = True
    if adapter.cluster is None:
        return adapter.install(box, _with_our_image(adapter, settings) if box.image.own else settings)
    if settings.options:
        raise UsageError(
            f"{adapter.title} is installed in the cluster as its vendor ships it, so --set has no effect here; given: "
            f"{', '.join(settings.options)}",
            hint="Leave --set out, or use the embedded box.",
        )
    found = hosting.artifact(adapter.component, settings)
    hosting.ensure_crds(box, found)
    images = load_images(box, found)
    objects = adapter.cluster(found, images, box.authority)
    hooks = [obj for obj in objects if obj["kind"].endswith("WebhookConfiguration")]
    programs: dict[str, DeployedProgram] = {}
    for obj in objects:
        if obj["kind"] == "Deployment":
            keep_on_real_nodes(obj)
            programs |= _program(box, found, images, obj)
        if obj not in hooks:
            box.api.apply(obj)
    for program in programs.values():
        program.wait_ready(TIMEOUT)
    for hook in hooks:
        box.api.apply(hook)
    for hook in hooks:  # some serve only once they see that they are asked for
        _wait_for_services(box, hook)
    box.processes.update(programs)  # type: ignore[arg-type]
    by_role = {
        role: [p.name for p in programs.values() if p.command.role == role] for role in ("scheduler", "controller")
    }
    schedulers = tuple(by_role["scheduler"]) or ("kube-scheduler",)
    return Installed(found.version, (found,), (INSIDE,), schedulers, tuple(by_role["controller"]) or schedulers)


def _with_our_image(adapter: Adapter, settings: Settings) -> Settings:
    """An init container of ours needs a shell, and must not need a registry."""
    if "init-image" not in (adapter.options or {}) or "init-image" in settings.options:
        return settings
    return replace(settings, options={**settings.options, "init-image": SHELL})


def load_images(box: KindBox, found: Artifact) -> dict[str, str]:
    """An image of every program of the component, on every node; by the name of the process."""
    images = {}
    for process, binary in found.binaries.items():
        name = f"muster.local/{found.component}-{process}:{found.version}-{found.checksums[process][:12]}"
        image = Image(name, {f"/{binary.name}": binary}, (f"/{binary.name}",), folders=("tmp", "etc"))
        archive = write(image, box.directory / "images" / f"{found.component}-{process}.tar")
        box.cluster.load(archive)
        archive.unlink()
        images[process] = name
    return images


def keep_on_real_nodes(deployment: Object) -> None:
    """Its pods may use workers that are reserved, and must not be put on nodes that run nothing."""
    spec = deployment["spec"]["template"]["spec"]
    spec["tolerations"] = [*(spec.get("tolerations") or ()), {"key": RESERVED, "operator": "Exists"}]
    spec["affinity"] = REAL_ONLY


def _program(
    box: KindBox, found: Artifact, images: Mapping[str, str], deployment: Object
) -> dict[str, DeployedProgram]:
    """A handle on what a Deployment of one of our images runs."""
    meta = deployment["metadata"]
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    process = next((name for name, image in images.items() if image == container["image"]), None)
    if process is None:
        return {}
    name = found.binaries[process].name
    deployment["spec"]["template"]["metadata"].setdefault("annotations", {})[PROGRAM] = name
    role = process if process == "scheduler" else "webhook" if "webhook" in process else "controller"
    command = Command(name, (f"/{name}", *(container.get("args") or ())), role=role)
    log = box.directory / "logs" / f"{name}.log"
    return {name: DeployedProgram(box.api, command, meta["namespace"], meta["name"], log)}


def _wait_for_services(box: KindBox, hook: Object) -> None:
    """Return once the services behind a webhook configuration answer: before that every request would be refused."""
    wanted = [(one.get("clientConfig") or {}).get("service") for one in hook["webhooks"]]
    for service in {(one["namespace"], one["name"], one.get("port", 443)) for one in wanted if one}:
        _wait_for_service(box.api, box.cluster.control_plane, *service)


def _wait_for_service(api: Api, node: str, namespace: str, name: str, port: int) -> None:
    address: Any = api.get(SERVICE, namespace, name)["spec"]["clusterIP"]
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            docker.execute(node, ["timeout", "2", "bash", "-c", f"</dev/tcp/{address}/{port}"])
            return
        except HarnessError:
            if time.monotonic() > deadline:
                raise HarnessError(f"the service {namespace}/{name} did not answer within {TIMEOUT:.0f} s") from None
            time.sleep(POLL)
