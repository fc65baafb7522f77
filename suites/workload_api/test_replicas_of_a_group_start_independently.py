"""Two replicas of one description are two gangs: with room for one, one runs and the other waits whole."""

from harness import Gang, World, case


@case(
    "Of two replicas of a group, with room for one, one MUST be bound whole and the other not at all.",
    clauses=["WL-41", "WL-49"],
    needs=["gang"],
)
def test_replicas_of_a_group_start_independently(world: World) -> None:
    native, policy = world.native, world.native.gang_policy(4)
    world.nodes(2, gpus=4)
    world.objects.create(native.workload("app", {"members": policy}))

    replicas = []
    for key in ("key-1", "key-2"):
        gang = Gang(f"app-{key}", size=4, gpus=2)
        replicas.append(world.submit(gang, objects=native.members(gang, policy, "app", "members", key)))

    verdict, winner = world.gangs.one_of(*replicas)
    assert verdict
    for replica in replicas:
        assert replica is winner or replica.is_refused()
