"""The JobSet is deleted while nobody looks. What was made for it must not wait for somebody who remembers."""

from harness.case import case
from harness.jobsets import GANG, REPLICATED, job, submit
from harness.world import World


@case(
    "What was made for a JobSet MUST go with it, also while the controller is away.",
    clauses=["JSG-07"],
    needs=["jobset-gang"],
    profile="JOBSET-GANG",
    level="extended",
    disruptive=True,
)
def test_jobset_deleted_while_the_controller_is_away_leaves_nothing(world: World) -> None:
    world.nodes(1, gpus=4)
    live = submit(world, job("driver", pods=1, mode=GANG), job(pods=2, mode=REPLICATED))
    for gang in live.gangs.values():
        assert gang.is_bound_whole()
    world.kill("controller")
    live.remove()
    assert live.is_gone()

    world.restart("controller")
    again = submit(world, job(pods=2), mode=GANG)
    assert again.gang.is_bound_whole("reconnected")
