"""There is room, but not where the gang may go."""

from harness import Gang, World, case


@case(
    "A gang with a node selector MUST wait until the selected nodes have room, and MUST be bound whole then.",
    clauses=["GANG-11", "WL-47"],
)
def test_gang_uses_only_nodes_it_selects(world: World) -> None:
    world.nodes(2, gpus=4)
    fast = world.nodes(1, gpus=4, name="fast", labels={"example.com/kind": "fast"})
    gang = world.submit(Gang("picky", size=4, gpus=2, selector={"example.com/kind": "fast"}))
    assert gang.is_refused()

    fast += world.nodes(1, gpus=4, name="fast", labels={"example.com/kind": "fast"})

    assert gang.is_bound_whole()
    assert world.are_on("all members are on selected nodes", gang, within=fast)
