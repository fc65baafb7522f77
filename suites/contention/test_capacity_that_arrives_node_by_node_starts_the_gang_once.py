"""An autoscaler delivers one node after another. Each of them would do for a member, and none may be used before
the last."""

from harness import Gang, World, case


@case(
    "While nodes arrive one by one a gang MUST stay unbound until the last it needs, and MUST be bound whole then.",
    profile="GANG-CORE",
    clauses=["GANG-02", "GANG-05", "WL-35", "WL-44"],
)
def test_capacity_that_arrives_node_by_node_starts_the_gang_once(world: World) -> None:
    world.nodes(1, gpus=2)
    gang = world.submit(Gang("patient", size=4, gpus=2))
    assert gang.is_refused()

    for _ in range(2):
        world.nodes(1, gpus=2)
        assert gang.stays_pending()
    world.nodes(1, gpus=2)

    assert gang.is_bound_whole()
