"""Groups are told apart by name alone."""

from harness import World, case


@case(
    "Groups of a Workload MUST be called by DNS labels, and no two MUST be called the same.",
    clauses=["WL-07"],
)
def test_names_of_groups_are_checked(world: World) -> None:
    native = world.native
    assert world.objects.accepts(native.workload("good", {"a1-b": native.gang_policy(1)}), "a DNS label is accepted")

    for bad in ("", "Upper", "a.b", "x" * 64):
        workload = native.workload("bad", {bad: native.gang_policy(1)})
        assert world.objects.rejects(workload, f"{bad!r} is no name of a group", mention=native.groups_field)
    twins = native.workload("twins", {"same": native.gang_policy(1)})
    twins["spec"][native.groups_field] *= 2

    assert world.objects.rejects(twins, "two groups cannot have the same name", mention=native.groups_field)
