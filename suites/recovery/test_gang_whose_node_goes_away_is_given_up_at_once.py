"""The gang waits for one more place when a node that it could use goes away. It is no nearer to starting than before,
so what is left must be open to others at once, not after a timeout."""

from harness import Gang, World, case


@case(
    "When a node goes away that a waiting gang counts on, the gang MUST be given up and others MUST be bound at once.",
    clauses=["GANG-06", "GANG-17", "WL-54", "WL-85"],
    needs=["instant-refusal"],
    level="extended",
    disturbs="nodes",
)
def test_gang_whose_node_goes_away_is_given_up_at_once(world: World) -> None:
    world.nodes(1, gpus=4)
    (lost,) = world.nodes(1, gpus=4, name="lost")
    gang = world.submit(Gang("waiting", size=5, gpus=2))
    assert gang.is_refused()
    assert world.scheduler_is_working()

    world.cluster.remove(lost)
    other = world.submit(Gang("other", size=2, gpus=2))

    assert other.is_bound_whole()
    assert gang.stays_pending()
