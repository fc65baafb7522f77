"""Two gangs of one namespace that name no others are strangers to each other, in whatever order they come."""

from harness import Gang, World, case


@case(
    "A gang that names no others MUST be bound although another gang of its namespace cannot start.",
    clauses=["KOORD-08", "KOORD-32"],
    needs=["gang-group"],
)
def test_gangs_that_name_no_others_start_alone(world: World) -> None:
    world.nodes(2, gpus=4)
    giant = world.submit(Gang("giant", size=9, gpus=1))
    assert giant.is_refused()

    small = world.submit(Gang("small", size=4, gpus=2))

    assert small.is_bound_whole()
    assert giant.stays_pending()
