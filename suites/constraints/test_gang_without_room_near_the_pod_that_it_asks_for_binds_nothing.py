"""The zone of the cache has room for two of four members; the other zone is empty."""

from harness.cases.language import ZONE, Gang, World, all_of, case, labelled, near, only_nodes


@case(
    "A gang whose members require another pod in their zone MUST NOT be bound in part if they do not all fit there.",
    clauses=["GANG-02", "GANG-11", "WL-47", "WL-81"],
    needs=["pod-affinity"],
    level="extended",
)
def test_gang_without_room_near_the_pod_that_it_asks_for_binds_nothing(world: World) -> None:
    world.nodes(1, gpus=4, name="near", labels={ZONE: "near"})
    world.nodes(2, gpus=8, name="far", labels={ZONE: "far"})
    cache = world.pod(gpus=0, alter=all_of(labelled(app="cache"), only_nodes(ZONE, "In", "near")))
    assert world.is_bound(cache)

    gang = world.submit(Gang("close", size=4, gpus=2), alter=near({"app": "cache"}, within=ZONE))

    assert gang.is_refused()
    assert gang.stays_pending()
