"""Leader and workers start together, so all of them count."""

from harness.cases.language import LEADER_CREATED, LWS, World, case


@case(
    "With the startup policy LeaderCreated the minimum of a group MUST be the size of the replica.",
    clauses=["LWS-18"],
    needs=["lws-group-object"],
)
def test_workers_that_start_with_their_leader_are_in_the_minimum(world: World) -> None:
    world.nodes(1, gpus=4)

    lws = world.submit(LWS(size=4, startup=LEADER_CREATED))

    assert lws.has_groups()
    minimum = lws.group()["spec"]["minMember"]
    assert world.finds("the minimum is leader and three workers", minimum, equals=4)
    assert lws.is_bound_whole()
