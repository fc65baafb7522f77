"""One application, two groups: the one that fits must not wait for the one that does not."""

from harness import Gang, World, case


@case(
    "Of two groups of one Workload the one that fits MUST be bound whole while the other waits.",
    clauses=["WL-40", "WL-49", "KOORD-32"],
    needs=["gang"],
)
def test_groups_of_one_workload_start_independently(world: World) -> None:
    native = world.native
    world.nodes(1, gpus=4)
    policies = {"small": native.gang_policy(2), "large": native.gang_policy(4)}
    world.objects.create(native.workload("app", policies))
    large, small = Gang("app-large", size=4, gpus=2), Gang("app-small", size=2, gpus=2)

    waiting = world.submit(large, objects=native.members(large, policies["large"], "app", "large"))
    running = world.submit(small, objects=native.members(small, policies["small"], "app", "small"))

    assert running.is_bound_whole()
    assert waiting.is_refused()
