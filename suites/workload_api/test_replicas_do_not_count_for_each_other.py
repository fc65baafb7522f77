"""Half of one replica and half of another are no gang."""

from harness import Gang, World, case


@case(
    "Members of another replica MUST NOT count towards the minimum.",
    clauses=["WL-31", "GANG-08"],
    needs=["gang"],
)
def test_replicas_do_not_count_for_each_other(world: World) -> None:
    native, policy = world.native, world.native.gang_policy(4)
    world.nodes(2, gpus=4)
    world.objects.create(native.workload("app", {"members": policy}))

    halves = []
    for key in ("key-1", "key-2"):
        gang = Gang(f"app-{key}", size=4, gpus=1, missing=2)
        halves.append(world.submit(gang, objects=native.members(gang, policy, "app", "members", key)))

    for half in halves:
        assert half.stays_pending()
