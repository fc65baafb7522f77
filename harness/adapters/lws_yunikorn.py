"""LeaderWorkerSet with gangs on YuniKorn, by a reference provider: no group objects, only what the pods say."""

from __future__ import annotations

from harness.adapters import lws_controller, lws_provider, yunikorn
from harness.adapters.base import Adapter, Box, Installed, Limit, Object, Settings
from harness.adapters.lws_controller import DOCS, SET, STATEFUL_SET, gang_name

DEPARTURES = (*lws_provider.DEPARTURES, *yunikorn.DEPARTURES[1:])


def install(box: Box, settings: Settings) -> Installed:
    return lws_provider.install(box, settings, yunikorn.ADAPTER, "yunikorn")


def features(version: str, kubernetes: str) -> frozenset[str]:
    return frozenset({"leader-worker-set", "lws-pods-only"})


def groups(kubernetes: str) -> tuple[tuple[str, str], ...]:
    return SET, STATEFUL_SET


def classify(pod: Object) -> tuple[str, str, str]:
    """Members are the pods of sets; the name of a placeholder's application tells which replica it holds room for."""
    replica, part, role = yunikorn.classify(pod)  # SET-INDEX, from NAMESPACE.SET-INDEX.TOKEN
    if part != "placeholder":
        return lws_controller.classify(pod)
    name, _, index = replica.rpartition("-")
    return gang_name(name, index), part, role


ADAPTER = Adapter(
    name="lws-yunikorn",
    title="LeaderWorkerSet on YuniKorn (reference provider)",
    organization="muster",
    url="https://lws.sigs.k8s.io",
    component="lws",
    scheduler=yunikorn.ADAPTER.scheduler,
    features=features,
    install=install,
    values=lws_controller.values,
    groups=groups,
    read_group=lws_controller.read_set,
    classify=classify,
    options=yunikorn.OPTIONS,
    cluster=lws_provider.cluster(yunikorn.PART, "yunikorn"),
    definitions=lws_controller.definitions(),
    limits=(
        Limit("leader-worker-set", ">=0.9", "No release of LeaderWorkerSet makes gangs for YuniKorn; a reference of "
              "muster's own does here.", f"{DOCS}/"),
        Limit("lws-min-resources", ">=0.9", "A leader that goes first is a gang of one: nothing asks for the room of "
              "its workers.", f"{DOCS}/"),
        Limit("lws-group-object", ">=0.9", "YuniKorn has no objects for gangs; its pods describe them.", f"{DOCS}/"),
    ),
)  # fmt: skip
