"""Install an integration: as processes beside the box, or as Deployments where the box has nodes that run them.

In a box that runs containers an integration is installed part by part. Every program of a part becomes an image, of our
locked binary and nothing else or of muster itself, is loaded onto one node, and is run there by the objects that the
part makes of manifests/. It keeps the name it has as a process, so a case that kills the scheduler need not know where
it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.adapters.common import base, hosting
from harness.adapters.common.base import Adapter, Departure, InstallContext, Installed, Object, Part, Settings
from harness.box.api import Api
from harness.box.artifacts import Artifact
from harness.box.base import PROGRAM, Box, Command, ContainerHost, DeployedProcess
from harness.box.image.archive import Image, program_image, write
from harness.box.minor import default_minor
from harness.box.options import DEFAULTS, BoxOptions
from harness.box.spec import BoxSpec
from harness.core.errors import UsageError
from harness.core.kinds import SERVICE
from harness.testbed.discover import discover

TIMEOUT = 120.0  # seconds until a program's pod is ready and its service answers; five are usual
NEED_CONTAINERS = frozenset({"jobset-barrier"})  # features whose cases are about what containers do
INSIDE = Departure(
    "images of our own, made of the locked binary alone", "no registry is needed; the binary is the same"
)


@dataclass(frozen=True, slots=True)
class DeployedPart:
    """A part that is installed and ready."""

    part: Part
    artifact: Artifact | None
    programs: Mapping[str, DeployedProcess]

    def of(self, role: str) -> list[str]:
        return [name for name, program in self.programs.items() if program.command.role == role]


def box_for(adapter: Adapter, spec: BoxSpec, settings: Settings, options: BoxOptions = DEFAULTS) -> Box:
    """A box for the integration, not started; UsageError for an option that the integration does not have."""
    spec, options = suited(adapter, spec, settings, options)
    return spec.make(options)


def suited(
    adapter: Adapter, spec: BoxSpec, settings: Settings, options: BoxOptions = DEFAULTS
) -> tuple[BoxSpec, BoxOptions]:
    """What makes a box for the integration: with its CRDs, and with kube-scheduler only if it needs that."""
    settings = base.with_preset(adapter, settings)
    base.check_options(adapter, settings)
    spec = replace(spec, kubernetes=spec.kubernetes or adapter.kubernetes or None)
    definitions = adapter.definitions(settings, spec.kubernetes or default_minor()) if spec.installs else ()
    return spec, replace(
        options,
        binaries=settings.binaries,
        scheduler=adapter.needs_scheduler,
        definitions=definitions,
        own_kinds=adapter.queue_kinds,
        gates={**dict.fromkeys(adapter.gates, True), **options.gates},
    )


def install(adapter: Adapter, box: Box, settings: Settings) -> Installed:
    """Install the integration in the way this box has for it."""
    settings = base.with_preset(adapter, settings)
    base.check_options(adapter, settings)
    if not box.capabilities.installs:
        return discover(adapter, box, settings)
    if box.container_host is None:
        return adapter.install(box, settings)
    if not adapter.cluster:
        return _install_beside(adapter, box, settings)
    check_cluster_options(adapter, settings)
    options, departures = options_inside(adapter, settings, shell=box.shell)
    parts = [_place(box, box.container_host, adapter, part, settings, options) for part in adapter.cluster]
    for part in parts:
        box.processes.update(part.programs)
    return summary(adapter, parts, (INSIDE, *departures, *hosting.option_departures(settings.options)))


def _install_beside(adapter: Adapter, box: Box, settings: Settings) -> Installed:
    """Let the integration install itself, as it does in an embedded box; what it starts on this machine is reported."""
    before = set(box.processes)
    installed = adapter.install(box, settings)
    if not (started := sorted(set(box.processes) - before)):
        return installed
    departure = Departure(
        f"outside of the cluster, as processes of this machine: {', '.join(started)}",
        "the integration has no objects that would run them in a cluster",
    )
    return replace(installed, departures=(*installed.departures, departure))


def check_cluster_options(adapter: Adapter, settings: Settings) -> None:
    """UsageError for an option that has no effect on what runs in a cluster."""
    options = _options(adapter)
    if refused := [option for option in settings.options if option not in options]:
        allowed = f"Options here: {', '.join(options)}. " if options else ""
        raise UsageError(
            f"{adapter.title} is installed in the cluster as its vendor ships it, so --set has no effect here; given: "
            f"{', '.join(refused)}",
            hint=f"{allowed}Leave --set {refused[0]} out, or use the embedded box.",
        )


def options_inside(
    adapter: Adapter, settings: Settings, *, shell: str
) -> tuple[Mapping[str, str], tuple[Departure, ...]]:
    """The options in force, and how we departed: where every node has a shell an init container uses it by default."""
    if shell and "init-image" in _options(adapter) and "init-image" not in settings.options:
        departure = Departure(f"init-image {shell}", "it is on every node of our own image, so no registry is needed")
        return {**settings.options, "init-image": shell}, (departure,)
    return settings.options, ()


def _options(adapter: Adapter) -> list[str]:
    return [option for part in adapter.cluster for option in part.options]


def summary(adapter: Adapter, parts: Sequence[DeployedPart], departures: Iterable[Departure]) -> Installed:
    """What the parts together are to those who use the box."""
    schedulers = tuple(name for part in parts for name in part.of("scheduler")) or ("kube-scheduler",)
    controllers = tuple(name for part in parts if part.part.keeps_gangs for name in part.of("controller"))
    artifacts = sorted(
        (part.artifact for part in parts if part.artifact), key=lambda a: a.component != adapter.component
    )
    of_parts = [departure for part in parts for departure in part.part.departures]
    return Installed(
        artifacts[0].version,
        tuple(artifacts),
        tuple(dict.fromkeys([*departures, *of_parts])),
        schedulers,
        controllers or schedulers,
    )


# -- one part ---------------------------------------------------------------------------------------------------------


def _place(
    box: Box, host: ContainerHost, adapter: Adapter, part: Part, settings: Settings, options: Mapping[str, str]
) -> DeployedPart:
    """Install a part; returns once its programs are ready and its webhooks answer."""
    artifact = _artifact(box, adapter, part, settings)
    if artifact is not None:
        part.prepare(box, artifact)
    images = images_of(part, artifact, settings)
    names = {process: image.name for process, image in images.items()}
    objects = part.objects(InstallContext(artifact, names, box.authority, options))
    for process, image in images.items():
        archive = write(image, box.directory / "images" / f"{process}.tar")
        host.load(archive)
        archive.unlink()
    deployments = [obj for obj in objects if obj["kind"] == "Deployment"]
    hooks = [obj for obj in objects if obj["kind"].endswith("WebhookConfiguration")]
    for deployment in deployments:
        keep_on(deployment, host.node)
    programs = [program_of(host, part, images, deployment) for deployment in deployments]
    for obj in objects:
        if obj not in hooks:
            box.api.apply(obj)
    for program in programs:
        program.wait_ready(TIMEOUT)
    for hook in hooks:
        box.api.apply(hook)
    for program, deployment in zip(programs, deployments, strict=True):
        program.answers = _answering(box.api, host, services_of(deployment, objects))
        program.wait_ready(TIMEOUT)  # some serve only once they see that they are asked for
    return DeployedPart(part, artifact, {program.name: program for program in programs})


def _artifact(box: Box, adapter: Adapter, part: Part, settings: Settings) -> Artifact | None:
    """What the part's programs come from, its CRDs served; None where the program is muster's own."""
    if not part.component:
        return None
    is_main = part.component == adapter.component
    artifact = hosting.artifact(part.component, settings if is_main else hosting.elsewhere(settings))
    hosting.ensure_crds(box, artifact)
    return artifact


def images_of(part: Part, artifact: Artifact | None, settings: Settings) -> dict[str, Image]:
    """An image of every program of the part, by the name of the process."""
    if part.image is not None:
        return {"controller": part.image(settings)}
    assert artifact is not None, "a part is a component, or has an image"
    return {
        process: program_image(
            f"muster.local/{artifact.component}-{process}:{artifact.version}-{artifact.checksums[process][:12]}", binary
        )
        for process, binary in artifact.binaries.items()
    }


def keep_on(deployment: Object, node: str) -> None:
    """Its pods run on the node that has their image, whether that is reserved or cordoned by a case."""
    spec = deployment["spec"]["template"]["spec"]
    spec["tolerations"] = [*(spec.get("tolerations") or ()), {"operator": "Exists", "effect": "NoSchedule"}]
    spec["nodeSelector"] = {"kubernetes.io/hostname": node}


def program_of(host: ContainerHost, part: Part, images: Mapping[str, Image], deployment: Object) -> DeployedProcess:
    """A handle on what a Deployment of one of our images runs."""
    meta = deployment["metadata"]
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    process, image = next((key, image) for key, image in images.items() if image.name == container["image"])
    name = image.entrypoint[0].rpartition("/")[2]
    deployment["spec"]["template"]["metadata"].setdefault("annotations", {})[PROGRAM] = name
    role = part.roles.get(process, "controller")
    command = Command(name, (image.entrypoint[0], *(container.get("args") or ())), role=role)
    return host.program(command, meta["namespace"], meta["name"])


def services_of(deployment: Object, objects: Iterable[Object]) -> list[tuple[str, str, int]]:
    """The services, each with its port, by which webhooks among these objects call what the Deployment runs."""
    labels = deployment["spec"]["template"]["metadata"]["labels"].items()
    objects = list(objects)
    called = {
        (client["service"]["namespace"], client["service"]["name"], int(client["service"].get("port", 443)))
        for obj in objects
        for client in (hook["clientConfig"] for hook in obj.get("webhooks") or ())
    }
    of_deployment = {
        (obj["metadata"]["namespace"], obj["metadata"]["name"])
        for obj in objects
        if obj["kind"] == "Service" and obj["spec"]["selector"].items() <= labels
    }
    return sorted(service for service in called if service[:2] in of_deployment)


def _answering(api: Api, host: ContainerHost, services: Iterable[tuple[str, str, int]]) -> Callable[[], bool]:
    """Whether all these services answer where the API server calls them: until then it would refuse every request."""
    places = [(api.get(SERVICE, space, name)["spec"]["clusterIP"], port) for space, name, port in services]
    return lambda: all(host.reaches(*place) for place in places)
