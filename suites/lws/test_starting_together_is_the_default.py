"""A set that says nothing about the start gets a gang."""

from harness.cases.language import LEADER_CREATED, LWS, World, case


@case(
    "A set that names no startup policy MUST get LeaderCreated, and its groups a minimum of all.",
    clauses=["LWS-19", "LWS-18"],
    needs=["lws-group-object"],
)
def test_starting_together_is_the_default(world: World) -> None:
    world.nodes(1, gpus=3)

    lws = world.submit(LWS(size=3, startup=""))

    policy = lws.stored()["spec"].get("startupPolicy")
    assert world.finds("the startup policy is LeaderCreated", policy, equals=LEADER_CREATED)
    assert lws.has_groups()
    minimum = lws.group()["spec"]["minMember"]
    assert world.finds("the minimum is leader and two workers", minimum, equals=3)
    assert lws.is_bound_whole()
