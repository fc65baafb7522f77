"""Nothing says how large the gang is while its object is missing, so every member must wait; the object alone
releases them, for nobody touches the pods again."""

from harness import Gang, World, case


@case(
    "Pods whose group object does not exist MUST wait for it, and MUST be bound whole once it does.",
    clauses=["GANG-15", "WL-18", "WL-26", "WL-27", "WL-32", "WL-79", "KOORD-15"],
    needs=["group-first"],
)
def test_pods_before_their_group_wait_for_it(world: World) -> None:
    world.nodes(2, gpus=4)

    gang = world.submit(Gang("early", size=4, gpus=2), without="group")
    assert gang.stays_pending()
    gang.create_group()

    assert gang.is_bound_whole()
