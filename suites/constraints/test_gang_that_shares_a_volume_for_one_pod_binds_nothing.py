"""All members claim the volume that only one of them may use: no scheduler can ever place this gang."""

from harness.cases.language import ONE_POD, Gang, World, case


@case(
    "A gang whose members share a volume that a single pod may use MUST NOT be bound in part.",
    clauses=["GANG-02", "GANG-11", "GANG-37", "WL-47", "WL-81"],
    needs=["volumes"],
    level="extended",
)
def test_gang_that_shares_a_volume_for_one_pod_binds_nothing(world: World) -> None:
    world.nodes(2, gpus=8)
    assert world.storage.network_claim("shared", mode=ONE_POD)

    gang = world.submit(Gang("sharing", size=2, gpus=1), alter=world.storage.using("shared"))

    assert gang.is_refused()
    assert gang.stays_pending()
