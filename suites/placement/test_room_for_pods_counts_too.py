"""GPUs enough, but the nodes take no more pods: a limit that has nothing to do with devices."""

from harness import Gang, World, case


@case(
    "A gang MUST NOT be bound in part when nodes have GPUs left but take no more pods.",
    clauses=["GANG-02", "GANG-04"],
)
def test_room_for_pods_counts_too(world: World) -> None:
    world.nodes(2, gpus=8, pods=3)

    gang = world.submit(Gang("crowd", size=7, gpus=1))

    assert gang.is_refused()
