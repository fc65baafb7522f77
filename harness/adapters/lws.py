"""LeaderWorkerSet with gangs on Volcano: the release's own gang provider, the only one it has.

Volcano is installed as its own integration does it; LeaderWorkerSet then makes a PodGroup for each replica and names it
in an annotation of the replica's pods. The set's templates must ask for Volcano's scheduler themselves.
"""

from __future__ import annotations

from dataclasses import replace

from harness.adapters import hosting, lws_controller, volcano
from harness.adapters.base import Adapter, Box, Installed, Limit, Object, Settings
from harness.adapters.lws_controller import CONTROLLER, DOCS, SET, STATEFUL_SET

DEPARTURES = (*lws_controller.DEPARTURES, *volcano.DEPARTURES[1:])


def install(box: Box, settings: Settings) -> Installed:
    """Volcano first, for the controller wants to see PodGroups when it starts."""
    scheduler = volcano.install(box, hosting.elsewhere(settings))
    found = lws_controller.start(box, settings, provider="volcano")
    departures = DEPARTURES + hosting.chosen_departures(settings.options)
    return Installed(found.version, (found, *scheduler.artifacts), departures, scheduler.schedulers, (CONTROLLER,))


def features(version: str, kubernetes: str) -> frozenset[str]:
    return frozenset({"leader-worker-set", "lws-group-object", "lws-min-resources", "lws-switch"})


def groups(kubernetes: str) -> tuple[tuple[str, str], ...]:
    return SET, STATEFUL_SET, volcano.POD_GROUP


def read_group(obj: Object) -> tuple[str, int | None]:
    if obj["kind"] != volcano.POD_GROUP[1]:
        return lws_controller.read_set(obj)
    return lws_controller.gang_of_labels(obj), (obj.get("spec") or {}).get("minMember")


ADAPTER = Adapter(
    name="lws",
    title="LeaderWorkerSet on Volcano",
    organization="Kubernetes SIG Apps",
    url="https://lws.sigs.k8s.io",
    component="lws",
    scheduler=volcano.ADAPTER.scheduler,
    features=features,
    install=install,
    values=lws_controller.values,
    groups=groups,
    read_group=read_group,
    classify=lws_controller.classify,
    options=volcano.OPTIONS,
    cluster=(replace(volcano.PART, keeps_gangs=False), lws_controller.part("volcano")),
    definitions=lws_controller.definitions("volcano"),
    limits=(
        Limit("leader-worker-set", ">=0.7", "The name of a PodGroup carries the hash of the template besides the set "
              "and the index of the replica.", f"{DOCS}/examples/"),
        Limit("leader-worker-set", ">=0.7", "It makes gangs for Volcano and no other scheduler.", f"{DOCS}/examples/"),
    ),
)  # fmt: skip
