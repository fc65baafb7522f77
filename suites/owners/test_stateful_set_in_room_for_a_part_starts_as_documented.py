"""A StatefulSet for servers that are of no use one by one, with what the documentation asks for."""

from harness.cases.language import StatefulSet, World, case


@case(
    "A StatefulSet in room for a part of it MUST start as the documentation says: whole or not at all, or pod by pod.",
    clauses=["GANG-61"],
    either=["set-gang", "set-apart"],
    level="extended",
)
def test_stateful_set_in_room_for_a_part_starts_as_documented(world: World) -> None:
    world.nodes(2, gpus=4)
    apart = world.has_feature("set-apart")

    servers = world.submit(StatefulSet("servers", size=5, gpus=2, apart=apart))

    if apart:
        assert world.stand("all pods but one are bound", servers.gang, least=4, most=4, deadline="bound")
    else:
        assert servers.is_refused()
        assert servers.stays_pending()
    world.nodes(1, gpus=4)
    assert servers.is_bound_whole()
