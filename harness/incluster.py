"""Install an integration: as processes beside the box, or as Deployments where the box has nodes that run them.

In a kind box an integration is installed part by part. Every program of a part becomes an image, of our locked binary
and nothing else or of muster itself, is loaded onto one worker, and is run there by the objects that the part makes of
manifests/. It keeps the name it has as a process, so a case that kills the scheduler need not know where it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from harness.adapters import hosting
from harness.adapters.base import Adapter, Departure, Installed, Object, Part, Settings, Site
from harness.box.api import Resource
from harness.box.artifacts import Artifact
from harness.box.embedded import EmbeddedBox
from harness.box.image.archive import Image, program_image, write
from harness.box.kind import docker
from harness.box.kind.box import KindBox
from harness.box.kind.deployed import DeployedProgram
from harness.box.kind.follow import PROGRAM
from harness.box.kind.nodeimage import SHELL
from harness.box.process import Command
from harness.core.errors import HarnessError, UsageError

TIMEOUT = 120.0  # seconds until a program's pod is ready and its service answers; five are usual
NEED_CONTAINERS = frozenset({"jobset-barrier"})  # features whose cases are about what containers do
SERVICE = Resource("v1", "Service", "services", True)
INSIDE = Departure(
    "images of our own, made of the locked binary alone", "no registry is needed; the binary is the same"
)
OUR_SHELL = Departure(f"init-image {SHELL}", "it is on every node of our own image, so that no registry is needed")


@dataclass(frozen=True, slots=True)
class Placed:
    """A part that is installed and ready."""

    part: Part
    found: Artifact | None
    programs: Mapping[str, DeployedProgram]

    def of(self, role: str) -> list[str]:
        return [name for name, program in self.programs.items() if program.command.role == role]


def install(adapter: Adapter, box: EmbeddedBox, settings: Settings) -> Installed:
    """Install the integration in the way this kind of box has for it."""
    if not isinstance(box, KindBox):
        return adapter.install(box, settings)
    if adapter.features("", box.kubernetes) & NEED_CONTAINERS:
        box.nodes.containers = True
    if not adapter.cluster:
        return _install_beside(adapter, box, settings)
    check_options(adapter, settings)
    chosen, shell = chosen_inside(adapter, settings, own=box.image.own)
    placed = [_place(box, adapter, part, settings, chosen) for part in adapter.cluster]
    for one in placed:
        box.processes.update(one.programs)  # type: ignore[arg-type]
    departures = (INSIDE, *shell, *hosting.chosen_departures(settings.options))
    return summary(adapter, placed, departures)


def _install_beside(adapter: Adapter, box: KindBox, settings: Settings) -> Installed:
    """Let the integration install itself, as it does in an embedded box; what it starts on this machine is told."""
    before = set(box.processes)
    installed = adapter.install(box, settings)
    if not (started := sorted(set(box.processes) - before)):
        return installed
    told = Departure(f"outside of the cluster, as processes of this machine: {', '.join(started)}",
                     "the integration has no objects that would run them in a cluster")  # fmt: skip
    return replace(installed, departures=(*installed.departures, told))


def check_options(adapter: Adapter, settings: Settings) -> None:
    """UsageError for an option that has no effect on what runs in a cluster."""
    known = _options(adapter)
    if refused := [option for option in settings.options if option not in known]:
        allowed = f"Options here: {', '.join(known)}. " if known else ""
        raise UsageError(
            f"{adapter.title} is installed in the cluster as its vendor ships it, so --set has no effect here; given: "
            f"{', '.join(refused)}",
            hint=f"{allowed}Leave --set {refused[0]} out, or use the embedded box.",
        )


def chosen_inside(
    adapter: Adapter, settings: Settings, *, own: bool
) -> tuple[Mapping[str, str], tuple[Departure, ...]]:
    """What is set, and how we departed: on nodes of our own image an init container gets their shell by default."""
    if own and "init-image" in _options(adapter) and "init-image" not in settings.options:
        return {**settings.options, "init-image": SHELL}, (OUR_SHELL,)
    return settings.options, ()


def _options(adapter: Adapter) -> list[str]:
    return [option for part in adapter.cluster for option in part.options]


def summary(adapter: Adapter, placed: Iterable[Placed], departures: Iterable[Departure]) -> Installed:
    """What the parts together are to those who use the box."""
    placed = list(placed)
    schedulers = tuple(name for one in placed for name in one.of("scheduler")) or ("kube-scheduler",)
    controllers = tuple(name for one in placed if one.part.keeps_gangs for name in one.of("controller"))
    artifacts = sorted((one.found for one in placed if one.found), key=lambda a: a.component != adapter.component)
    all_departures = dict.fromkeys([*departures, *(this for one in placed for this in one.part.departures)])
    return Installed(
        artifacts[0].version, tuple(artifacts), tuple(all_departures), schedulers, controllers or schedulers
    )


# -- one part ---------------------------------------------------------------------------------------------------------


def _place(box: KindBox, adapter: Adapter, part: Part, settings: Settings, chosen: Mapping[str, str]) -> Placed:
    """Install a part; returns once its programs are ready and its webhooks answer."""
    found: Artifact | None = None
    if part.component:
        own = part.component == adapter.component
        found = hosting.artifact(part.component, settings if own else hosting.elsewhere(settings))
        hosting.ensure_crds(box, found)
    part.prepare(box, found)
    images = images_of(part, found, settings)
    names = {process: image.name for process, image in images.items()}
    objects = part.objects(Site(found, names, box.authority, chosen))
    for process, image in images.items():
        _load(box, process, image, box.nodes.host)
    deployments = [obj for obj in objects if obj["kind"] == "Deployment"]
    hooks = [obj for obj in objects if obj["kind"].endswith("WebhookConfiguration")]
    for deployment in deployments:
        keep_on(deployment, box.nodes.host)
    programs = [program_of(box, images, deployment) for deployment in deployments]
    for obj in objects:
        if obj not in hooks:
            box.api.apply(obj)
    for program in programs:
        program.wait_ready(TIMEOUT)
    for hook in hooks:
        box.api.apply(hook)
    for program, deployment in zip(programs, deployments, strict=True):
        program.answers = _answering(box, services_of(deployment, objects))
        program.wait_ready(TIMEOUT)  # some serve only once they see that they are asked for
    return Placed(part, found, {program.name: program for program in programs})


def images_of(part: Part, found: Artifact | None, settings: Settings) -> dict[str, Image]:
    """An image of every program of the part, by the name of the process."""
    if part.image is not None:
        return {"controller": part.image(settings)}
    assert found is not None, "a part is a component, or has an image"
    return {
        process: program_image(
            f"muster.local/{found.component}-{process}:{found.version}-{found.checksums[process][:12]}", binary
        )
        for process, binary in found.binaries.items()
    }


def _load(box: KindBox, process: str, image: Image, node: str) -> None:
    archive = write(image, box.directory / "images" / f"{process}.tar")
    box.cluster.load(archive, node)
    archive.unlink()


def keep_on(deployment: Object, node: str) -> None:
    """Its pods run on the node that has their image, whether that is reserved or cordoned by a case."""
    spec = deployment["spec"]["template"]["spec"]
    spec["tolerations"] = [*(spec.get("tolerations") or ()), {"operator": "Exists", "effect": "NoSchedule"}]
    spec["nodeSelector"] = {"kubernetes.io/hostname": node}


def program_of(box: KindBox, images: Mapping[str, Image], deployment: Object) -> DeployedProgram:
    """A handle on what a Deployment of one of our images runs."""
    meta = deployment["metadata"]
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    process, image = next((key, one) for key, one in images.items() if one.name == container["image"])
    name = image.entrypoint[0].rpartition("/")[2]
    deployment["spec"]["template"]["metadata"].setdefault("annotations", {})[PROGRAM] = name
    role = process if process == "scheduler" else "webhook" if "webhook" in process else "controller"
    command = Command(name, (image.entrypoint[0], *(container.get("args") or ())), role=role)
    return DeployedProgram(box.api, command, meta["namespace"], meta["name"], box.directory / "logs" / f"{name}.log")


def services_of(deployment: Object, objects: Iterable[Object]) -> list[tuple[str, str, int]]:
    """The services, each with its port, by which webhooks among these objects call what the Deployment runs."""
    labels = deployment["spec"]["template"]["metadata"]["labels"].items()
    objects = list(objects)
    called = {
        (client["service"]["namespace"], client["service"]["name"], int(client["service"].get("port", 443)))
        for obj in objects
        for client in (hook["clientConfig"] for hook in obj.get("webhooks") or ())
    }
    own = {
        (obj["metadata"]["namespace"], obj["metadata"]["name"])
        for obj in objects
        if obj["kind"] == "Service" and obj["spec"]["selector"].items() <= labels
    }
    return sorted(service for service in called if service[:2] in own)


def _answering(box: KindBox, services: Iterable[tuple[str, str, int]]) -> Callable[[], bool]:
    """Whether all these services answer where the API server calls them: until then it would refuse every request."""
    places = [(box.api.get(SERVICE, space, name)["spec"]["clusterIP"], port) for space, name, port in services]

    def answers(address: str, port: int) -> bool:
        try:
            docker.execute(box.cluster.control_plane, ["timeout", "2", "bash", "-c", f"</dev/tcp/{address}/{port}"])
        except HarnessError:
            return False
        return True

    return lambda: all(answers(*place) for place in places)
