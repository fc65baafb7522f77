"""However a replica starts, it is of no use before all of it runs; so its group asks for room for all of it."""

from harness.case import case
from harness.leaderworker import LEADER_CREATED, LEADER_READY, submit
from harness.leaderworker_seen import amounts, sum_of
from harness.world import World


@case(
    "A group MUST ask for what leader and workers ask for together, under either startup policy.",
    clauses=["LWS-21"],
    needs=["leader-worker-set", "lws-group-object"],
    profile="LWS",
)
def test_group_asks_for_what_its_pods_ask_for(world: World) -> None:
    world.nodes(1, gpus=8)

    together = submit(world, "together", size=3, gpus=2, startup=LEADER_CREATED)
    first = submit(world, "first", size=3, gpus=2, startup=LEADER_READY)

    for live in (together, first):
        assert live.has_groups()
        asked, wanted = amounts(live.group()), sum_of(live.replica)
        assert world.claim(f"{live.name} asks for its leader and two workers", asked == wanted, f"it asks for {asked}")
