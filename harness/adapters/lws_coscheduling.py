"""LeaderWorkerSet with gangs on Coscheduling, by a reference provider: PodGroups called as the design calls them."""

from __future__ import annotations

from harness.adapters import coscheduling, lws_controller, lws_provider
from harness.adapters.base import Adapter, Box, Installed, Limit, Object, Settings
from harness.adapters.lws_controller import DOCS, SET, STATEFUL_SET

DEPARTURES = (*lws_provider.DEPARTURES, *coscheduling.DEPARTURES[1:])


def install(box: Box, settings: Settings) -> Installed:
    return lws_provider.install(box, settings, coscheduling.ADAPTER, "coscheduling")


def features(version: str, kubernetes: str) -> frozenset[str]:
    return frozenset({"leader-worker-set", "lws-group-object", "lws-min-resources"})


def groups(kubernetes: str) -> tuple[tuple[str, str], ...]:
    return SET, STATEFUL_SET, coscheduling.POD_GROUP


def read_group(obj: Object) -> tuple[str, int | None]:
    if obj["kind"] != coscheduling.POD_GROUP[1]:
        return lws_controller.read_set(obj)
    return lws_controller.gang_of_labels(obj), (obj.get("spec") or {}).get("minMember")


ADAPTER = Adapter(
    name="lws-coscheduling",
    title="LeaderWorkerSet on Coscheduling (reference provider)",
    organization="muster",
    url="https://lws.sigs.k8s.io",
    component="lws",
    scheduler=coscheduling.NAME,
    features=features,
    install=install,
    values=lws_controller.values,
    groups=groups,
    read_group=read_group,
    classify=lws_controller.classify,
    options=coscheduling.OPTIONS,
    cluster=lws_provider.cluster(coscheduling.PART, "coscheduling"),
    definitions=lws_controller.definitions("scheduler-plugins"),
    limits=(
        Limit("leader-worker-set", ">=0.9", "No release of LeaderWorkerSet makes gangs for Coscheduling; a reference "
              "of muster's own does here.", f"{DOCS}/"),
    ),
)  # fmt: skip
