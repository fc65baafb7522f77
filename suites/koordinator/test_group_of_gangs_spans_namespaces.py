"""Teams own namespaces, and jobs span teams."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "Gangs of different namespaces that ask to start together MUST do so.",
    clauses=["GANG-33", "KOORD-13"],
    needs=["gang", "gang-group"],
    profile="KOORDINATOR",
    level="extended",
)
def test_group_of_gangs_spans_namespaces(world: World) -> None:
    world.nodes(2, gpus=4)
    here, there = world.namespace, world.another_namespace()

    one = world.submit(Gang("one", size=2, gpus=2, group=(f"{there}/two",)))
    assert one.still_waits()
    two = world.submit(Gang("two", size=2, gpus=2, group=(f"{here}/one",)), namespace=there)

    assert one.is_bound_whole()
    assert two.is_bound_whole()
