"""A gang of none starts at once and never; a scheduler should not have to find out which."""

from harness import World, case


@case(
    "A gang's minCount MUST be given and MUST be one or more.",
    clauses=["WL-09", "GANG-37"],
)
def test_minimum_of_a_gang_is_positive(world: World) -> None:
    native = world.native

    assert world.objects.accepts(native.workload("one", {"members": native.gang_policy(1)}), "one is accepted")
    for bad in (0, -1):
        workload = native.workload("bad", {"members": native.gang_policy(bad)})
        assert world.objects.rejects(workload, f"minCount {bad} is refused", mention="minCount")
    empty = native.workload("empty", {"members": {"gang": {}}})

    assert world.objects.rejects(empty, "a gang without minCount is refused", mention="minCount")
