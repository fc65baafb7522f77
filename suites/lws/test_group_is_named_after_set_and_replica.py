"""The design gives the name of a group away before it exists, so that anybody can find the group of a replica."""

from harness.cases.language import LWS, World, case


@case(
    "The group of a replica MUST be called by the name of the set and the index of the replica.",
    clauses=["LWS-09"],
    needs=["lws-group-object"],
)
def test_group_is_named_after_set_and_replica(world: World) -> None:
    world.nodes(1, gpus=4)

    lws = world.submit(LWS(replicas=2, size=2))
    assert lws.has_groups()

    names = [lws.group(index)["metadata"]["name"] for index in range(2)]
    assert world.finds("the groups are called serve-0 and serve-1", names, equals=["serve-0", "serve-1"])
