"""A gang of none starts at once and never; a scheduler should not have to find out which."""

from harness.case import case
from harness.native import Native, gang_policy
from harness.world import World


@case(
    "A gang's minCount MUST be given and MUST be one or more.",
    clauses=["WL-09", "GANG-37"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
)
def test_minimum_of_a_gang_is_positive(world: World) -> None:
    native = Native(world)

    assert world.accepts(native.workload("one", {"members": gang_policy(1)}), "one is accepted")
    for bad in (0, -1):
        made = native.workload("bad", {"members": gang_policy(bad)})
        assert world.rejects(made, f"minCount {bad} is refused", mention="minCount")
    empty = native.workload("empty", {"members": {"gang": {}}})

    assert world.rejects(empty, "a gang without minCount is refused", mention="minCount")
