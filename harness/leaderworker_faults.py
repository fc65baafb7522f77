"""What can go wrong between a set and its gangs: groups that are refused, a controller that is away or turned off.

Each word writes itself into the history before it acts; what it changed is undone after the case.
"""

from __future__ import annotations

from harness.adapters.lws_controller import CONFIG, CONFIG_OFF, CONTROLLER, DIALECTS
from harness.core.errors import ApiError
from harness.core.verdict import Verdict
from harness.leaderworker import POD, LiveSet
from harness.world import CLING, Object, World


def refuse_groups(world: World) -> Verdict:
    """From now on the API server refuses to create group objects in the case's namespace."""
    kind = _kind(world)
    world.forbid(kind[0], world.api.resource(*kind).plural, _words(world))
    return world.sees("the API server refuses group objects", lambda: _refused(world, kind))


def _words(world: World) -> str:
    """The words of the refusal, which no other case's controller has heard."""
    return f"no group may be made in {world.namespace} for now, says the case"


def _kind(world: World) -> tuple[str, str]:
    kind = DIALECTS[world.lab.adapter.name].group
    assert kind is not None, "this integration has no group objects"
    return kind


def allow_groups(world: World) -> None:
    """Lift what `refuse_groups` did."""
    world.permit(world.api.resource(*_kind(world)).plural)


def _refused(world: World, kind: tuple[str, str]) -> bool:
    meta = {"name": "probe", "namespace": world.namespace}
    probe = {"apiVersion": kind[0], "kind": kind[1], "metadata": meta, "spec": {"minMember": 1}}
    try:
        world.api.create(probe, dryRun="All")
    except ApiError as error:
        return _words(world) in error.message
    return False


def controller_complains(world: World) -> Verdict:
    """Whoever makes the groups has tried and was refused: its own log says so."""
    processes = [world.lab.box.processes[name] for name in world.lab.installed.controllers]
    return world.sees(
        "the controller tried to make a group and was refused",
        lambda: any(process.said(_words(world)) for process in processes),
    )


def pods_are_refused(world: World, name: str) -> Verdict:
    """The StatefulSet of this name cannot create its pods, and says so."""

    def failing() -> bool:
        return any(
            event["reason"] == "FailedCreate" and event["involvedObject"]["name"] == name
            for event in world.all_of(("v1", "Event"))
        )

    return world.sees(f"the pods of StatefulSet {name} are refused", failing)


def fail(live: LiveSet, pod: str, index: int = 0) -> set[str]:
    """Restart a container, for which its replica is made anew; the uids of the pods that have to go."""
    old = live.starts_over(index)
    found = live.world.find(POD, pod)
    statuses = [{**one, "restartCount": 1} for one in found["status"]["containerStatuses"]]
    live.world.change(POD, pod, {"status": {"containerStatuses": statuses}}, subresource="status")
    return old


def make_group(live: LiveSet, name: str, minimum: int) -> Object:
    """Make a group object by hand, as its scheduler wants it."""
    version, kind = _kind(live.world)
    meta = {"name": name, "namespace": live.namespace}
    return live.world.create({"apiVersion": version, "kind": kind, "metadata": meta, "spec": {"minMember": minimum}})


def hold_group(live: LiveSet, *, hold: bool) -> None:
    """Keep the groups of a set from going when they are deleted, or let them go."""
    world, kind = live.world, _kind(live.world)
    for group in live.groups():
        change: Object = {"metadata": {"finalizers": [CLING] if hold else []}}
        world.change(kind, group["metadata"]["name"], change)


def turn_off(world: World) -> None:
    """Run the controller without gangs until the end of the case."""
    argv = world.lab.box.processes[CONTROLLER].command.argv
    world.start_otherwise(CONTROLLER, [one.replace(f"/{CONFIG}", f"/{CONFIG_OFF}") for one in argv], gangs=False)
