"""A gang may want to be in the zone of a pod that is not a member, such as a cache."""

from harness.cases.language import ZONE, Gang, World, all_of, case, labelled, near, only_nodes


@case(
    "A gang whose members require another pod in their zone MUST be bound whole in the zone of that pod.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["pod-affinity"],
    level="extended",
)
def test_gang_is_bound_near_the_pod_that_it_asks_for(world: World) -> None:
    world.nodes(6, gpus=4, zones=3)
    cache = world.pod(gpus=0, alter=all_of(labelled(app="cache"), only_nodes(ZONE, "In", "zone-2")))
    assert world.is_bound(cache)

    gang = world.submit(Gang("close", size=4, gpus=2), alter=near({"app": "cache"}, within=ZONE))

    assert gang.is_bound_whole()
    assert world.are_on("all members are in the zone of the pod", gang, by=ZONE, equals=["zone-2"])
