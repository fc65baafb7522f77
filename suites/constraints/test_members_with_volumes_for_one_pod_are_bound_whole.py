"""A volume with ReadWriteOncePod is for one pod; each member has its own."""

from harness.cases.language import ONE_POD, Gang, World, case


@case(
    "A gang whose members have volumes that a single pod may use MUST be bound whole.",
    clauses=["GANG-11", "WL-47", "WL-81"],
    needs=["volumes"],
    level="extended",
)
def test_members_with_volumes_for_one_pod_are_bound_whole(world: World) -> None:
    world.nodes(2, gpus=8)
    alone = Gang("alone", size=4, gpus=1)
    for name, _ in alone.members():
        assert world.storage.network_claim(name, mode=ONE_POD)

    gang = world.submit(alone, alter=world.storage.using_own)

    assert gang.is_bound_whole()
