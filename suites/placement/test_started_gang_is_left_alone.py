"""A gang that was started and then loses members to its own scheduler was not started at all."""

from harness import Gang, World, case


@case(
    "A scheduler MUST NOT delete or fail members of a gang that it has just started.",
    clauses=["GANG-01"],
    level="extended",
)
def test_started_gang_is_left_alone(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("started", size=4, gpus=2))
    gang.must_stay_untouched()
    assert gang.is_bound_whole()

    assert world.is_at_rest()
    world.until(lambda: gang.bound < 4, "started")  # a member may also be taken away some seconds later
    assert world.stand("all members are still there", gang, least=4)
