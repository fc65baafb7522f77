"""Who says nothing about the start gets a gang."""

from harness.cases.language import LEADER_CREATED, LWS, World, case


@case(
    "A set that names no startup policy MUST get LeaderCreated, and its groups a minimum of all.",
    clauses=["LWS-19", "LWS-18"],
    needs=["lws-group-object"],
)
def test_starting_together_is_the_default(world: World) -> None:
    world.nodes(1, gpus=3)

    live = world.submit(LWS(size=3, startup=""))

    policy = live.stored()["spec"].get("startupPolicy")
    assert world.claim("the startup policy is LeaderCreated", policy == LEADER_CREATED, f"it is {policy}")
    assert live.has_groups()
    minimum = live.group()["spec"]["minMember"]
    assert world.claim("the minimum is leader and two workers", minimum == 3, f"it is {minimum}")
    assert live.is_bound_whole()
