"""Node affinity compares: here a gang needs machines of a later generation than the second."""

from harness.cases.language import Gang, World, case, only_nodes

GENERATION = "example.com/generation"


@case(
    "A gang MUST be bound whole to nodes that its required node affinity allows, and to no others.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    level="extended",
)
def test_gang_uses_only_nodes_that_its_affinity_allows(world: World) -> None:
    world.nodes(2, gpus=8)
    world.nodes(2, gpus=8, name="old", labels={GENERATION: "2"})
    allowed = world.nodes(2, gpus=4, name="young", labels={GENERATION: "10"})

    gang = world.submit(Gang("modern", size=4, gpus=2), alter=only_nodes(GENERATION, "Gt", "2"))

    assert gang.is_bound_whole()
    assert world.are_on("all members are on nodes that they allow", gang, within=allowed)
