"""Two gangs lose a member each. One of them gets a new one in time, the other only holds room that it cannot use."""

from harness import Gang, World, case


@case(
    "A gang that stays below its quorum MUST be evicted whole when its grace period is over, and MUST NOT be before.",
    clauses=["KAI-01"],
    needs=["stale-eviction"],
    level="extended",
)
def test_gang_that_stays_broken_is_evicted_whole(world: World) -> None:
    world.nodes(4, gpus=4)
    broken, mended = (world.submit(Gang(name, size=4, gpus=2, style="stale-eviction")) for name in ("broken", "mended"))
    assert broken.is_bound_whole()
    assert mended.is_bound_whole()
    waiting = world.submit(Gang("waiting", size=3, gpus=2))
    assert waiting.is_refused()

    broken.delete("broken-0")
    mended.delete("mended-0")
    assert world.scheduler_is_working()
    assert world.stand("the grace period is granted", broken, mended, least=6)
    mended.create_again("mended-0")

    assert mended.is_bound_whole()
    assert broken.is_released("stale")
    assert waiting.is_bound_whole()
    assert world.stand("the gang that is whole again stays", mended, least=4)
