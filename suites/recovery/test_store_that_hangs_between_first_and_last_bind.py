"""Binds are on their way when etcd stops answering; the scheduler cannot know which of them were done."""

from harness.case import case
from harness.core.gang import Gang
from harness.world import World


@case(
    "A gang in the middle of its binds when the store hangs MUST be bound whole afterwards.",
    clauses=["GANG-03", "GANG-17"],
    profile="GANG-RECOVERY",
    level="extended",
    disruptive=True,
)
def test_store_that_hangs_between_first_and_last_bind(world: World) -> None:
    world.nodes(5, gpus=8)

    gang = world.submit(Gang("held", size=40, gpus=1))
    assert gang.begins()
    world.pause("etcd")
    world.hangs()
    world.resume("etcd")

    assert gang.is_bound_whole()
