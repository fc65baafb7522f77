"""A set of three replicas is three gangs: as many groups as leaders, no more and no fewer, where the set lives."""

from harness.cases.language import LWS, World, case


@case(
    "A set MUST have exactly one group for each of its replicas, in its own namespace.",
    clauses=["LWS-01", "LWS-06", "LWS-10"],
    needs=["lws-group-object"],
)
def test_every_replica_has_a_group_of_its_own(world: World) -> None:
    world.nodes(3, gpus=2)

    live = world.submit(LWS(replicas=3, size=2))

    assert live.has_groups()
    assert live.is_bound_whole()
    groups, leaders = live.groups(), live.leaders()
    assert world.claim("there are as many groups as leaders", len(groups) == len(leaders) == 3, f"{len(groups)} groups")
    elsewhere = {group["metadata"]["namespace"] for group in groups} - {world.namespace}
    assert world.claim("the groups are in the namespace of the set", not elsewhere, f"found in {elsewhere}")
