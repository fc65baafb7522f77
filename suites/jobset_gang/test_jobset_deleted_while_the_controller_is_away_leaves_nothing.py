"""The JobSet is deleted while nobody looks. What was made for it must not wait for somebody who remembers."""

from harness.cases.language import GANG, REPLICATED, JobSet, ReplicatedJob, World, case


@case(
    "What was made for a JobSet MUST go with it, also while the controller is away.",
    clauses=["JSG-07"],
    level="extended",
    disturbs="control-plane",
)
def test_jobset_deleted_while_the_controller_is_away_leaves_nothing(world: World) -> None:
    world.nodes(1, gpus=4)
    jobset = world.submit(
        JobSet(ReplicatedJob("driver", pods=1, mode=GANG), ReplicatedJob("worker", pods=2, mode=REPLICATED))
    )
    assert jobset.is_bound_whole()
    world.faults.kill("controller")
    jobset.delete()
    assert jobset.is_gone()

    world.faults.restart("controller")
    again = world.submit(JobSet(ReplicatedJob("worker", pods=2), mode=GANG))
    assert again.is_bound_whole("reconnected")
