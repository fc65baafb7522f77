"""A member that asks for nothing fits anywhere at any time, which is why schedulers tend to let it run ahead."""

from harness import Gang, Role, World, case


@case(
    "Members that ask for no GPU MUST wait for the members of their gang that do.",
    clauses=["GANG-02", "GANG-01"],
    needs=["roles"],
)
def test_members_without_requests_start_with_the_others(world: World) -> None:
    world.nodes(1, gpus=4)
    blocker = world.pod(gpus=2)
    assert world.is_bound(blocker)
    roles = (Role("light", 2, gpus=0, cpu="1m", memory="1Mi"), Role("heavy", 1, gpus=4))
    gang = world.submit(Gang("uneven", roles=roles))
    assert gang.is_refused()
    assert gang.stays_pending()

    world.delete(blocker)

    assert gang.is_bound_whole()
