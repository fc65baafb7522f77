"""Refusing is half of the promise; the other half is to come back."""

from harness import Gang, World, case


@case(
    "When the gang that holds the room is deleted, the gang that waits for it MUST be bound whole.",
    profile="GANG-CORE",
    clauses=["WL-44", "WL-56", "KOORD-22", "GANG-05", "WL-50", "WL-65"],
)
def test_waiting_gang_is_bound_when_room_appears(world: World) -> None:
    world.nodes(2, gpus=4)
    first = world.submit(Gang("first", size=4, gpus=2))
    assert first.is_bound_whole()
    second = world.submit(Gang("second", size=4, gpus=2))
    assert second.is_refused()

    first.delete()

    assert first.is_gone()
    assert second.is_bound_whole()
