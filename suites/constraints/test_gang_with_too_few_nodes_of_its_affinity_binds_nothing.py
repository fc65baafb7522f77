"""GPUs in plenty, but only two of four members fit the nodes that all of them may use."""

from harness.cases.language import Gang, World, case, only_nodes

GENERATION = "example.com/generation"


@case(
    "A gang MUST NOT be bound in part when the nodes that its node affinity allows have room for a part.",
    clauses=["GANG-02", "GANG-11", "WL-47", "WL-81"],
    level="extended",
)
def test_gang_with_too_few_nodes_of_its_affinity_binds_nothing(world: World) -> None:
    world.nodes(2, gpus=8, name="old", labels={GENERATION: "2"})
    world.nodes(1, gpus=4, name="young", labels={GENERATION: "10"})

    gang = world.submit(Gang("modern", size=4, gpus=2), alter=only_nodes(GENERATION, "NotIn", "1", "2"))

    assert gang.is_refused()
    assert gang.stays_pending()
