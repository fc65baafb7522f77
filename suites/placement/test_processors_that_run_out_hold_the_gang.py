"""GPUs in plenty, and no processors to feed them: the request that is forgotten most easily."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT be bound in part when processors run out first, and MUST be bound whole when there are more.",
    clauses=["GANG-02", "GANG-04", "GANG-42"],
    level="extended",
)
def test_processors_that_run_out_hold_the_gang(world: World) -> None:
    world.nodes(2, gpus=8, cpu="4")
    gang = world.submit(Gang("busy", size=3, gpus=1, cpu="3"))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=8, cpu="4")

    assert gang.is_bound_whole()
