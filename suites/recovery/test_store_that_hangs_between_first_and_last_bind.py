"""Binds are on their way when etcd stops answering; the scheduler cannot know which of them were done."""

from harness import Gang, World, case


@case(
    "A gang in the middle of its binds when the store hangs MUST be bound whole afterwards.",
    clauses=["GANG-03", "GANG-17"],
    level="extended",
    disturbs="control-plane",
)
def test_store_that_hangs_between_first_and_last_bind(world: World) -> None:
    world.nodes(5, gpus=8)

    gang = world.submit(Gang("held", size=40, gpus=1))
    assert gang.is_being_bound()
    world.faults.pause("etcd")
    world.faults.store_is_stalled()
    world.faults.resume("etcd")

    assert gang.is_bound_whole()
