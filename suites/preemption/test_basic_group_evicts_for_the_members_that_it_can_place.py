"""Members of a basic group start one by one, so each of them preempts as a single pod does."""

from harness import Gang, World, case


@case(
    "Members of a basic group MUST evict pods of lower priority for themselves, and MUST NOT evict more than they use.",
    clauses=["GANG-21", "WL-67", "WL-72"],
    needs=["basic-policy"],
    level="extended",
)
def test_basic_group_evicts_for_the_members_that_it_can_place(world: World) -> None:
    native = world.native
    low, high = world.priority("low", 10), world.priority("high", 100)
    world.nodes(4, gpus=2)
    equal = world.pod(gpus=2, priority=high)
    fillers = [world.pod(gpus=2, priority=low) for _ in range(3)]
    assert world.is_bound(equal, *fillers)
    world.objects.create(native.workload("app", {"members": native.BASIC}))
    gang = Gang("loose", size=4, quorum=1, gpus=2, priority=high)

    submitted = world.submit(gang, objects=native.members(gang, native.BASIC, "app", "members"))

    assert world.stand("three of four members are bound", submitted, least=3, most=3, deadline="bound")
    assert world.stand("the pod of its own priority is left alone", equal, least=1)
