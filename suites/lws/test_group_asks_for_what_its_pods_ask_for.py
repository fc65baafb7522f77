"""However a replica starts, it is of no use before all of it runs; so its group asks for room for all of it."""

from harness.cases.language import LEADER_CREATED, LEADER_READY, LWS, World, case


@case(
    "A group MUST ask for what leader and workers ask for together, under either startup policy.",
    clauses=["LWS-21"],
    needs=["lws-group-object"],
)
def test_group_asks_for_what_its_pods_ask_for(world: World) -> None:
    world.nodes(1, gpus=8)

    together = world.submit(LWS("together", size=3, gpus=2, startup=LEADER_CREATED))
    first = world.submit(LWS("first", size=3, gpus=2, startup=LEADER_READY))

    for lws in (together, first):
        assert lws.has_groups()
        asked, needed = lws.requests()
        assert world.finds(f"{lws.name} asks for its leader and two workers", asked, equals=needed)
