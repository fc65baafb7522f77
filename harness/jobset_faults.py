"""What can go wrong between a JobSet and its gangs: refused Workloads, a controller turned off, nobody who cleans up.

Each word writes itself into the history before it acts; what it changed is undone after the case.
"""

from __future__ import annotations

from harness.adapters.jobset_gang import NAME
from harness.core.errors import ApiError
from harness.core.verdict import Verdict
from harness.native import Native
from harness.world import World

CLEANER = "kube-controller-manager"
REFUSAL = "no Workload may be made for now, says the case"


def turn_off(world: World) -> None:
    """Run the controller with gangs turned off until the end of the case."""
    argv = world.lab.box.processes[NAME].command.argv
    world.start_otherwise(NAME, [*argv, "--gangs=off"], gangs=False)


def stop_cleaning(world: World) -> None:
    """From now on nobody collects what belongs to deleted objects, as when there is too much of it."""
    world.recorder.act("pause", CLEANER, role="controller")
    world.lab.box.processes[CLEANER].pause()


def go_on_cleaning(world: World) -> None:
    """Lift what `stop_cleaning` did."""
    world.lab.box.processes[CLEANER].resume()
    world.recorder.act("resume", CLEANER, role="controller")


def refuse_workloads(world: World) -> Verdict:
    """From now on the API server refuses to create Workloads in the case's namespace."""
    world.forbid(Native(world).version, "workloads", REFUSAL)

    def refused() -> bool:
        try:
            world.api.create(Native(world).workload("probe"), dryRun="All")
        except ApiError as error:
            return REFUSAL in error.message
        return False

    return world.sees("the API server refuses Workloads", refused)


def allow_workloads(world: World) -> None:
    """Lift what `refuse_workloads` did."""
    world.permit("workloads")
