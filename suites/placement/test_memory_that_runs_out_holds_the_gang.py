"""GPUs in plenty, but memory for two of three members."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT be bound in part when memory runs out first, and MUST be bound whole when there is more.",
    clauses=["GANG-02", "GANG-04", "GANG-42"],
    level="extended",
)
def test_memory_that_runs_out_holds_the_gang(world: World) -> None:
    world.nodes(2, gpus=8, memory="8Gi")
    gang = world.submit(Gang("large", size=3, gpus=1, memory="5Gi"))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.nodes(1, gpus=8, memory="8Gi")

    assert gang.is_bound_whole()
