"""Strict is what a gang is that does not say otherwise: when one member finds no place, the others give theirs back."""

from harness import Gang, World, case


@case(
    "A gang that states no mode MUST give back what its members had been given when one of them finds no place.",
    clauses=["KOORD-07", "KOORD-20"],
    needs=["nonstrict"],
)
def test_gang_without_a_mode_keeps_no_places(world: World) -> None:
    world.nodes(2, gpus=4)
    gang = world.submit(Gang("strict", size=5, gpus=2))
    assert gang.is_refused()

    pods = [world.pod(gpus=4) for _ in range(2)]

    assert world.is_bound(*pods)
    assert gang.stays_pending()
