"""What a case about sets reads off the history, and off the answers of the API server.

The order of things comes from the recorded revisions, never from times; what admission would do to a pod comes from a
dry run, which stores nothing.
"""

from __future__ import annotations

from harness.adapters.lws_controller import gang_name
from harness.core.errors import ApiError
from harness.core.gang import Gang
from harness.core.quantity import millis
from harness.leaderworker import LiveSet
from harness.livegang import LiveGang
from harness.world import Object, World

STATEFUL_SETS = "StatefulSet.apps"  # what they are called in a history


def first_seen(world: World, kind: str, name: str) -> int:
    """The revision in which an object of that name first appeared in the history; LookupError if it never did."""
    seen = [one.rev for one in world.history().records if (one.kind, one.name) == (kind, name) and one.rev is not None]
    return seen[0]


def when_bound(world: World, pod: str) -> int:
    """The revision in which a pod was bound; LookupError if it never was."""
    records = world.history().records
    seen = [one.rev for one in records if (one.kind, one.name) == ("Pod", pod) and "bound" in one.changed]
    return seen[0] or 0


def groups_seen(world: World, live: LiveSet, index: int) -> set[str]:
    """The names of all group objects that the history has seen for a replica."""
    key = f"{live.namespace}/{gang_name(live.name, index)}"
    records = world.history().records
    return {one.name for one in records if one.kind == live.group_kind and one.state.get("gang") == key}


def all_but_one_run(live: LiveSet) -> LiveGang | None:
    """All replicas but one are bound whole and that one waits whole: the one that waits."""
    size, count = live.replica.size, len(live.gangs) - 1
    live.world.until(lambda: sum(gang.bound for gang in live.gangs) >= size * count, "bound")
    bound = [gang.bound for gang in live.gangs]
    held = sorted(bound) == [0, *[size] * count]
    live.world.claim(f"{count} replicas run whole and one waits whole", held, f"bound of each: {bound}")
    return live.gangs[bound.index(0)] if held else None


def group_kinds(world: World) -> list[tuple[str, str]]:
    """Every kind called PodGroup that the API server knows."""
    found = []
    for group in world.api.request("GET", "/apis")["groups"]:
        version = group["preferredVersion"]["groupVersion"]
        names = {entry["kind"] for entry in world.api.request("GET", f"/apis/{version}")["resources"]}
        found += [(version, "PodGroup")] if "PodGroup" in names else []
    return found


def pod_of(template: Object, name: str, namespace: str) -> Object:
    """The pod that a StatefulSet would create under this name."""
    template = template["spec"]["template"]
    meta = {**template["metadata"], "name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": template["spec"]}


def answer_to(world: World, pod: Object) -> Object | str:
    """What the API server would store for a pod, or the words in which it refuses it; nothing is stored."""
    try:
        return world.api.create(pod, dryRun="All")
    except ApiError as error:
        return error.message


def amounts(group: Object) -> dict[str, int]:
    """What a group asks for in its minResources, in thousandths."""
    return millis((group.get("spec") or {}).get("minResources"))


def sum_of(replica: Gang) -> dict[str, int]:
    """What leader and workers of a replica ask for together, in thousandths."""
    total: dict[str, int] = {}
    for role in replica.parts:
        for resource, amount in millis(role.request).items():
            total[resource] = total.get(resource, 0) + amount * role.size
    return total
