"""LeaderWorkerSet with gangs on YuniKorn, by a reference provider: no group objects, only what the pods say."""

from __future__ import annotations

from harness.adapters import yunikorn
from harness.adapters.common.base import Limit, Object
from harness.adapters.common.lws_controller import DOCS, classify_by_set, gang_name, lws_adapter


def classify(pod: Object) -> tuple[str, str, str]:
    """Members are the pods of sets; the name of a placeholder's application tells which replica it holds room for."""
    replica, part, role = yunikorn.classify(pod)  # SET-INDEX, from NAMESPACE.SET-INDEX.TOKEN
    if part != "placeholder":
        return classify_by_set(pod)
    name, _, index = replica.rpartition("-")
    return gang_name(name, index), part, role


ADAPTER = lws_adapter(
    yunikorn.ADAPTER,
    name="lws-yunikorn",
    title="LeaderWorkerSet on YuniKorn (reference provider)",
    organization="muster",
    released_provider=False,
    classify=classify,
    limits=(
        Limit(
            "leader-worker-set",
            ">=0.9",
            "No release of LeaderWorkerSet makes gangs for YuniKorn; a reference of muster's own does here.",
            f"{DOCS}/",
        ),
        Limit(
            "lws-min-resources",
            ">=0.9",
            "A leader that goes first is a gang of one: nothing asks for the room of its workers.",
            f"{DOCS}/",
        ),
        Limit("lws-group-object", ">=0.9", "YuniKorn has no objects for gangs; its pods describe them.", f"{DOCS}/"),
    ),
)
