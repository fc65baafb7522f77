"""The priority class says that its pods go first in the line but put nobody out."""

from harness import Gang, World, case


@case(
    "A gang whose priority class forbids preemption MUST NOT evict anything.",
    clauses=["GANG-21"],
)
def test_gang_that_must_not_preempt_waits(world: World) -> None:
    low, polite = world.priority("low", 10), world.priority("polite", 100, preempts=False)
    world.nodes(2, gpus=4)
    running = world.submit(Gang("running", size=4, gpus=2, priority=low))
    assert running.is_bound_whole()
    running.must_stay_untouched()

    gang = world.submit(Gang("polite", size=4, gpus=2, priority=polite))

    assert gang.is_refused()
    assert gang.stays_pending()
