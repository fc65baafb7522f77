"""Groups are told apart by name alone."""

from harness.case import case
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "Groups of a Workload MUST be called by DNS labels, and no two MUST be called the same.",
    clauses=["WL-07"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
)
def test_names_of_groups_are_checked(world: World) -> None:
    native = Native(world)
    assert world.accepts(native.workload("good", {"a1-b": gang_policy(1)}), "a DNS label is accepted")

    for bad in ("", "Upper", "a.b", "x" * 64):
        made = native.workload("bad", {bad: gang_policy(1)})
        assert world.rejects(made, f"{bad!r} is no name of a group", mention=native.groups_field)
    twins = native.workload("twins", {"same": gang_policy(1)})
    twins["spec"][native.groups_field] *= 2

    assert world.rejects(twins, "two groups cannot have the same name", mention=native.groups_field)
