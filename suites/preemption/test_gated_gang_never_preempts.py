"""A gang that is not ready to be placed must not make room for itself."""

from harness import Gang, World, case


@case(
    "A gang that waits for a scheduling gate MUST NOT evict anything before the gate is removed.",
    clauses=["GANG-09", "GANG-20"],
)
def test_gated_gang_never_preempts(world: World) -> None:
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(2, gpus=4)
    running = world.submit(Gang("running", size=4, gpus=2, priority=low))
    assert running.is_bound_whole()
    running.must_stay_untouched()
    gated = world.submit(Gang("gated", size=4, gpus=2, priority=high, gated=1))
    assert gated.stays_pending()

    running.lift()
    gated.open_gates()

    assert gated.is_bound_whole()
