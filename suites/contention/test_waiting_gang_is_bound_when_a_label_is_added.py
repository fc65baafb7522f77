"""An administrator gives a node the label that the gang selects; there is no more room than before, but more of it is
the gang's."""

from harness import Gang, World, case

FAST = {"example.com/kind": "fast"}


@case(
    "A waiting gang MUST be bound whole when the node that it lacks gets the label that it selects.",
    profile="GANG-CORE",
    clauses=["GANG-05", "GANG-11", "WL-44", "WL-56"],
    level="extended",
    disturbs="nodes",
)
def test_waiting_gang_is_bound_when_a_label_is_added(world: World) -> None:
    world.nodes(1, gpus=4, name="fast", labels=FAST)
    (plain,) = world.nodes(1, gpus=4)
    gang = world.submit(Gang("patient", size=4, gpus=2, selector=FAST))
    assert gang.is_refused()

    world.cluster.relabel(plain, FAST)

    assert gang.is_bound_whole()
