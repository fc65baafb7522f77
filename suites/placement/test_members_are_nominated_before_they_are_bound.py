"""A nomination keeps a place in the books of every scheduler while the members are bound one after another."""

from harness import Gang, World, case


@case(
    "Every member of a gang that is placed MUST be nominated to its node before it is bound there.",
    clauses=["WL-51"],
    needs=["nominates"],
    level="extended",
)
def test_members_are_nominated_before_they_are_bound(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("named", size=4, gpus=2))

    assert gang.is_bound_whole()
    places = gang.nominations()
    bound = {record.name: record.state.get("node") for record in gang.pods()}
    assert world.finds("each member was nominated to its node", places, equals=bound)
