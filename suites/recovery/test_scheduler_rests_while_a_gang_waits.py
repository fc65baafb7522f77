"""A gang that cannot be placed is tried again and again. How much of a processor that takes is worth knowing."""

from harness import Gang, World, case


@case(
    "While a gang waits that cannot fit, the processor time of the scheduler is reported.",
    clauses=["GANG-36", "WL-55"],
    level="extended",
)
def test_scheduler_rests_while_a_gang_waits(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("giant", size=16, gpus=1))
    assert gang.is_refused()

    share = world.cluster.processor_share("scheduler")

    world.claim("the scheduler rests while the gang waits", share < 0.5, f"it uses {share:.2f} of a processor")
