"""The sum of what is free is enough, but no node has enough for one more member: adding up is not placing."""

from harness import Gang, World, case


@case(
    "A gang that fits the sum of free GPUs but not the single nodes MUST NOT have a member bound.",
    clauses=["GANG-02", "GANG-11", "WL-35"],
)
def test_fragmented_room_is_no_room(world: World) -> None:
    world.nodes(4, gpus=3)

    gang = world.submit(Gang("wide", size=6, gpus=2))

    assert gang.is_refused()
    assert gang.stays_pending()
