"""Teams own namespaces, and jobs span teams."""

from harness import Gang, World, case


@case(
    "Gangs of different namespaces that ask to start together MUST do so.",
    clauses=["GANG-33", "KOORD-13"],
    needs=["gang-group"],
    level="extended",
)
def test_group_of_gangs_spans_namespaces(world: World) -> None:
    world.nodes(2, gpus=4)
    here, there = world.namespace, world.cluster.another_namespace()

    first = world.submit(Gang("one", size=2, gpus=2, group=(f"{there}/two",)))
    assert first.stays_pending()
    second = world.submit(Gang("two", size=2, gpus=2, group=(f"{here}/one",)), namespace=there)

    assert first.is_bound_whole()
    assert second.is_bound_whole()
