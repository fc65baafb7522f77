"""Workers that are made when their leader is ready cannot be waited for: nobody would start."""

from harness.cases.language import LEADER_READY, LWS, World, case


@case(
    "With the startup policy LeaderReady the minimum of a group MUST be one.",
    clauses=["LWS-20"],
    needs=["lws-group-object"],
)
def test_leader_that_goes_first_makes_a_minimum_of_one(world: World) -> None:
    world.nodes(1, gpus=4)

    lws = world.submit(LWS(size=4, startup=LEADER_READY))

    assert lws.has_groups()
    minimum = lws.group()["spec"]["minMember"]
    assert world.finds("the minimum is the leader alone", minimum, equals=1)
    assert lws.is_bound_whole()
