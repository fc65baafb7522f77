"""What of an integration is there already, in a cluster that is not muster's own: found and named, never installed.

The gang's API must be served, or there is nothing to judge. The programs are looked for among the workloads of the
cluster by the names of their images. In a managed cluster they may run out of sight; then the canary alone shows that
they work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.adapters.common.base import Adapter, Installed, Settings
from harness.box.api import Api
from harness.box.base import Box
from harness.box.existing import survey
from harness.box.existing.programs import ClusterProgram
from harness.box.minor import minor_of
from harness.core.errors import ApiError, UsageError
from harness.core.kinds import Kind

UNKNOWN = "unknown"
NO_QUEUES = "a queue of its own would change the configuration of the cluster's scheduler"
ASK_QUEUES = "its queues share the cluster with all other queues; --disrupt queues allows it"
ASK_SCHEDULER = "others use that scheduler too; --disrupt scheduler allows it"
UNSEEN = "its pods are not seen among the workloads of the cluster"
STATIC = "it is a static pod, which a kubelet keeps running whatever is deleted"


def served(adapter: Adapter, api: Api, kubernetes: str) -> list[Kind]:
    """The kinds of its gang objects that the cluster serves."""
    return [kind for kind in adapter.groups(kubernetes) if _is_served(api, kind)]


def _is_served(api: Api, kind: Kind) -> bool:
    try:
        api.resource(kind.api_version, kind.kind)
    except ApiError as error:
        if error.status == 404:
            return False
        raise
    return True


def absent(adapter: Adapter, api: Api, kubernetes: str, schedulers: Sequence[survey.Program]) -> str:
    """What of the integration is missing in the cluster; empty if it is there."""
    kinds, present = adapter.groups(kubernetes), served(adapter, api, kubernetes)
    for kind in kinds:
        if kind not in present:
            return f"no {kind.kind} of {kind.api_version} is served"
    if not kinds and not schedulers and adapter.images:
        return f"no image like {adapter.images['scheduler']} is among the workloads of the cluster"
    return ""


def _check_present(adapter: Adapter, api: Api, kubernetes: str, schedulers: Sequence[survey.Program]) -> None:
    """UsageError if the integration is not in the cluster, or if its queues would have to be made and changed: those
    belong to the administrators of the cluster."""
    if adapter.follow_nodes is not None:
        raise UsageError(
            f"{adapter.title} cannot be judged in a cluster that exists: cases need queues of their own, and a quota "
            "that follows the nodes",
            hint=f"Use a box of muster's own: muster run --integration {adapter.name}",
        )
    if reason := absent(adapter, api, kubernetes, schedulers):
        raise UsageError(
            f"{adapter.title} is not installed in this cluster: {reason}",
            hint="Install it as its vendor says, or turn its API on; see: muster doctor --kubeconfig FILE",
        )


def schedulers_of(adapter: Adapter, programs: Sequence[survey.Program]) -> list[survey.Program]:
    """The programs among these that are the scheduler of the integration."""
    return survey.matching(programs, adapter.images.get("scheduler", ""))


def unasked(adapter: Adapter, schedulers: Sequence[survey.Program], allowed: frozenset[str]) -> dict[str, str]:
    """What cannot be asked for in a cluster where the user allows this: features and disturbances, each with why."""
    reasons = {}
    if not adapter.queue_kinds:
        reasons["queue"] = NO_QUEUES
    elif "queues" not in allowed:
        reasons["queue"] = ASK_QUEUES
    if "scheduler" not in allowed:
        reasons["scheduler"] = ASK_SCHEDULER
    elif not schedulers:
        reasons["scheduler"] = UNSEEN
    elif any(program.kind not in survey.WORKLOADS for program in schedulers):
        reasons["scheduler"] = STATIC
    reasons["control-plane"] = "it is not muster's own"
    return reasons


def facts_of(
    adapter: Adapter, api: Api, kubernetes: str, schedulers: Sequence[survey.Program]
) -> dict[str, Mapping[str, str]]:
    """The definitions of its kinds, and the gates that decide about the native API, as far as the cluster tells."""
    minor = minor_of(kubernetes)
    names = {gate for gates in minor.gates.values() for gate in gates} if adapter.component == "kubernetes" else set()
    facts = {
        "definitions": survey.definitions(api, adapter.groups(kubernetes)),
        "gates": survey.gates(api, names, schedulers) if names else {},
    }
    return {name: values for name, values in facts.items() if values}


def check_installed(
    adapter: Adapter, api: Api, kubernetes: str, settings: Settings
) -> tuple[str, dict[str, list[survey.Program]]]:
    """Its version and its programs by their roles; UsageError if it is not there as the user asks for it."""
    if settings.options or settings.binaries:
        options = [*(f"--set {name}" for name in settings.options), *(f"--binary {name}" for name in settings.binaries)]
        raise UsageError(
            f"in an existing cluster {adapter.title} is judged as it is installed; given: {', '.join(options)}",
            hint="Leave it out, or use a box of muster's own.",
        )
    everything = survey.programs(api)
    programs = {role: survey.matching(everything, pattern) for role, pattern in adapter.images.items()}
    _check_present(adapter, api, kubernetes, programs.get("scheduler", []))
    versions = {program.version for program in programs.get("scheduler", []) if program.version}
    version = kubernetes if adapter.component == "kubernetes" else ", ".join(sorted(versions)) or UNKNOWN
    if settings.version and version not in (UNKNOWN, settings.version):
        raise UsageError(
            f"version {settings.version} of {adapter.title} was asked for; the cluster has {version}",
            hint=f"Leave the version out: --integration {adapter.name}",
        )
    return settings.version if version == UNKNOWN and settings.version else version, programs


def discover(adapter: Adapter, box: Box, settings: Settings) -> Installed:
    """The integration as it is installed; UsageError if it is not, or in another version than was asked for."""
    version, programs = check_installed(adapter, box.api, box.kubernetes, settings)
    schedulers = programs.get("scheduler", [])
    reasons = unasked(adapter, schedulers, box.capabilities.faults)
    handles = {} if "scheduler" in reasons else _handles(box, schedulers)
    box.processes.update(handles)
    return Installed(
        version,
        schedulers=tuple(handles),
        images=_images(adapter, programs),
        facts=facts_of(adapter, box.api, box.kubernetes, schedulers),
        unasked=reasons,
    )


def _handles(box: Box, programs: Sequence[survey.Program]) -> dict[str, ClusterProgram]:
    """A handle on each workload that is a scheduler, by its name."""
    return {
        program.name: ClusterProgram(
            box.api,
            survey.WORKLOADS[program.kind],
            program.namespace,
            program.name,
            box.directory / "logs" / f"{program.name}.log",
            "scheduler",
        )
        for program in programs
    }


def _images(adapter: Adapter, programs: Mapping[str, Sequence[survey.Program]]) -> tuple[Mapping[str, str], ...]:
    """The images of its programs, as rows of the report."""
    return tuple(
        {
            "component": adapter.component,
            "version": program.version or UNKNOWN,
            "process": role,
            "sha256": program.digest.removeprefix("sha256:"),
            "source": f"{program.image} of {program.address}",
        }
        for role, matches in programs.items()
        for program in matches
    )
