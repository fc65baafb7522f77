"""A gang that cannot be placed must not be tried without end: others need the scheduler too."""

from harness import Gang, World, case


@case(
    "While a gang waits that cannot fit, the scheduler SHOULD rest between its attempts.",
    clauses=["GANG-36", "WL-55"],
    level="extended",
)
def test_scheduler_rests_while_a_gang_waits(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("giant", size=16, gpus=1))
    assert gang.is_refused()

    share = world.cluster.processor_share("scheduler")

    assert world.claim("the scheduler rests while the gang waits", share < 0.5, f"it is {share:.0%} as busy as can be")
