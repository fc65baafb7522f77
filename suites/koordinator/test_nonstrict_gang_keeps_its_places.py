"""A large gang that keeps what it has got gets there in the end, at the cost of everybody else."""

from harness import Gang, World, case


@case(
    "A gang that is not strict MUST keep its places while a member has none, and MUST be bound when that one fits.",
    clauses=["KOORD-10", "KOORD-25", "KOORD-26"],
    needs=["nonstrict"],
)
def test_nonstrict_gang_keeps_its_places(world: World) -> None:
    world.nodes(1, gpus=6)
    gang = world.submit(Gang("keeping", size=4, gpus=2, style="nonstrict"))
    assert gang.is_refused()

    single = world.pod(gpus=4)
    assert world.stays_pending(single)
    world.nodes(1, gpus=2)

    assert gang.is_bound_whole()
