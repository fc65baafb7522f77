"""A set of three replicas is three gangs: as many groups as leaders, no more and no fewer, in its namespace."""

from harness.cases.language import LWS, World, case


@case(
    "A set MUST have exactly one group for each of its replicas, in its own namespace.",
    clauses=["LWS-01", "LWS-06", "LWS-10"],
    needs=["lws-group-object"],
)
def test_every_replica_has_a_group_of_its_own(world: World) -> None:
    world.nodes(3, gpus=2)

    lws = world.submit(LWS(replicas=3, size=2))

    assert lws.has_groups()
    assert lws.is_bound_whole()
    groups = lws.groups()
    counts = {"groups": len(groups), "leaders": len(lws.leaders())}
    assert world.finds("there are as many groups as leaders", counts, equals={"groups": 3, "leaders": 3})
    namespaces = {group["metadata"]["namespace"] for group in groups}
    assert world.finds("the groups are in the namespace of the set", namespaces, within=[world.namespace])
