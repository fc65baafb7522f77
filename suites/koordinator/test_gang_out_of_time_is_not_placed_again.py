"""A gang that was not complete in time is over until somebody deletes its pods; room that comes later is not for it."""

from harness import Gang, World, case


@case(
    "A gang whose wait time was over MUST NOT be bound afterwards, room or not.",
    clauses=["KOORD-39"],
    needs=["timeout", "timeout-marks-gang", "nonstrict"],
    level="extended",
)
def test_gang_out_of_time_is_not_placed_again(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("late", size=4, gpus=2, timeout=1, style="nonstrict"))
    assert gang.is_refused()
    single = world.pod(gpus=6)
    assert world.is_bound(single, deadline="released")
    world.until(lambda: False, "retried")

    assert gang.must_stay_unbound()
    world.nodes(1, gpus=8)
    world.until(lambda: gang.bound > 0, "refused")

    assert world.stand("no member of the gang was bound", gang, most=0)
