"""The reference controllers by name. Each is imported only when asked for: its API client takes a second to load."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class ReferenceController:
    """One reference controller: `make(client, cache, **options)` of its module, and its folder in manifests/."""

    module: str
    folder: str
    about: str
    options: tuple[str, ...] = ()  # keywords of `make` that a user may set

    def load(self) -> Any:
        return import_module(f"harness.controllers.{self.module}").make


CONTROLLERS = {
    "jobset-gang": ReferenceController(
        "jobset_gang.controller", "jobset-gang", "Workloads and PodGroups for JobSets with a gangConfig", ("gangs",)
    ),
    "jobset-barrier": ReferenceController(
        "jobset_barrier.controller",
        "jobset-barrier",
        "holds the pods of a JobSet until all have started",
        ("init_image",),
    ),
    "lws-provider": ReferenceController(
        "lws.provider", "lws", "PodGroups for the replicas of LeaderWorkerSets", ("provider",)
    ),
}
LWS_PROVIDERS = {  # scheduler -> module and class that make gangs of LeaderWorkerSet replicas for it
    "coscheduling": ("lws.provider", "Coscheduling"),
    "yunikorn": ("lws.yunikorn", "YuniKorn"),
}


def lws_provider(scheduler: str) -> Any:
    """The class that makes gangs of LeaderWorkerSet replicas for a scheduler."""
    module, name = LWS_PROVIDERS[scheduler]
    return getattr(import_module(f"harness.controllers.{module}"), name)
