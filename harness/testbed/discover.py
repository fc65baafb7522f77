"""What of an integration is there already, in a cluster that is not muster's own: found and named, never installed.

The gang's API must be served, or there is nothing to judge. The programs are looked for among the workloads of the
cluster by the names of their images. In a managed cluster they may run where nobody sees them; then the canary alone
shows that they work.
"""

from __future__ import annotations

from harness.adapters.common.base import Adapter, Installed, Settings
from harness.box.api import Api
from harness.box.base import Box
from harness.box.existing import survey
from harness.core.errors import ApiError, UsageError
from harness.core.kinds import Kind

UNKNOWN = "unknown"
UNASKED = {"queue": "a queue of its own would change the configuration of the cluster's scheduler"}


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


def check_served(adapter: Adapter, api: Api, kubernetes: str) -> None:
    """UsageError if the cluster does not serve the objects that gangs of the integration are made of, or if its queues
    would have to be made and changed: those belong to the administrators of the cluster."""
    if adapter.follow_nodes is not None:
        raise UsageError(
            f"{adapter.title} cannot be judged in a cluster that exists: cases need queues of their own, and a quota "
            "that follows the nodes",
            hint=f"Use a box of muster's own: muster run --integration {adapter.name}",
        )
    for kind in adapter.groups(kubernetes):
        if not _is_served(api, kind):
            raise UsageError(
                f"{adapter.title} is not installed in this cluster: no {kind.kind} of {kind.api_version} is served",
                hint="Install it as its vendor says, or turn its API on; see: muster doctor --kubeconfig FILE",
            )


def discover(adapter: Adapter, box: Box, settings: Settings) -> Installed:
    """The integration as it is installed; UsageError if it is not, or in another version than was asked for."""
    if settings.options or settings.binaries:
        options = [*(f"--set {name}" for name in settings.options), *(f"--binary {name}" for name in settings.binaries)]
        raise UsageError(
            f"in an existing cluster {adapter.title} is judged as it is installed; given: {', '.join(options)}",
            hint="Leave it out, or use a box of muster's own.",
        )
    check_served(adapter, box.api, box.kubernetes)
    everything = survey.programs(box.api)
    programs = {role: survey.matching(everything, pattern) for role, pattern in adapter.images.items()}
    schedulers = programs.get("scheduler", [])
    versions = {program.version for program in schedulers if program.version}
    version = box.kubernetes if adapter.component == "kubernetes" else ", ".join(sorted(versions)) or UNKNOWN
    if settings.version and version != UNKNOWN and version != settings.version:
        raise UsageError(
            f"version {settings.version} of {adapter.title} was asked for; the cluster has {version}",
            hint=f"Leave the version out: --integration {adapter.name}",
        )
    images = tuple(
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
    return Installed(
        settings.version if version == UNKNOWN and settings.version else version, images=images, unasked=UNASKED
    )
