"""Nodes come one after another, and each could matter to a gang that was refused. It is to be tried after a rest that
grows, and not after each of them. How long is left to the scheduler, so changes are counted and not seconds."""

from harness import Gang, World, case

CHANGES = 8


@case(
    "A gang that was refused SHOULD rest before it is tried again, and not be tried after each change of the cluster.",
    clauses=["WL-55"],
    level="extended",
    kubernetes=">=1.36",
)
def test_refused_gang_rests_before_it_is_tried_again(world: World) -> None:
    world.nodes(1, gpus=4)
    gang = world.submit(Gang("giant", size=4 + 2 * CHANGES))
    assert gang.is_refused()

    tries = 0
    for _ in range(CHANGES):
        before = gang.last_try
        world.nodes(1, gpus=1)
        assert world.scheduler_is_working()
        tries += gang.last_try > before

    assert world.claim(f"it rests after most of {CHANGES} changes", tries <= CHANGES // 2, f"it is tried after {tries}")
    assert gang.stays_pending()
