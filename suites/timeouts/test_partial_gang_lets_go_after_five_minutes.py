"""In 1.35 a partial gang keeps its places for a constant five minutes. It is long, but it ends."""

from harness import Gang, World, case


@case(
    "A partial gang MUST give back what it holds when the scheduler's own time is over.",
    clauses=["GANG-23", "WL-42", "WL-43"],
    needs=["workload-object"],
    level="extended",
    slow=True,
    kubernetes="<1.36",
)
def test_partial_gang_lets_go_after_five_minutes(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("holding", size=4, gpus=2))
    assert gang.is_refused()

    single = world.pod(gpus=6)

    assert world.is_bound(single, deadline="permit")
    assert gang.stays_pending()
