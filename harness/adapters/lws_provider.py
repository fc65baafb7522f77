"""LeaderWorkerSet on a scheduler that no release serves: the released controller without gangs, and our provider.

Shared by the integrations for Coscheduling and YuniKorn, which the design names beside Volcano. What they judge is the
design, made real by a reference, and the schedulers under it; not a release of LeaderWorkerSet.
"""

from __future__ import annotations

from dataclasses import replace

from harness.adapters import hosting, lws_controller, reference
from harness.adapters.base import Adapter, Box, Departure, Installed, Part, Settings
from harness.box.artifacts import Artifact

NAME = "lws-provider"
BINARY = "lws.provider"
OURS = Departure("gangs come from a reference provider of muster's own, beside the released controller",
                 "the design names this scheduler, and no release has a provider for it")  # fmt: skip
DEPARTURES = (*lws_controller.DEPARTURES, OURS)


def install(box: Box, settings: Settings, scheduler: Adapter, provider: str) -> Installed:
    """The scheduler as its own integration installs it, the release with gangs off, and the provider."""
    below = scheduler.install(box, hosting.elsewhere(settings))
    found: Artifact = lws_controller.start(box, settings)
    arguments = [f"--provider={provider}"]
    reference.start(box, settings, NAME, "lws", binary=BINARY, arguments=arguments, values={"provider": provider})
    departures = DEPARTURES + hosting.chosen_departures(settings.options)
    return Installed(found.version, (found, *below.artifacts), departures, below.schedulers, (NAME,))


def cluster(scheduler: Part, provider: str) -> tuple[Part, ...]:
    """The same three in a cluster; who keeps the gangs is the provider alone."""
    return (
        replace(scheduler, keeps_gangs=False),
        lws_controller.part(keeps_gangs=False),
        reference.part(NAME, "lws", binary=BINARY, values={"provider": provider}, departure=OURS),
    )
