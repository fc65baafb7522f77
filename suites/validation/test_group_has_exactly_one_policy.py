"""A group is a gang or it is not."""

from harness.case import case
from harness.native import BASIC, Native, gang_policy
from harness.world import World


@case(
    "A group MUST have one policy: none and two are refused, and basic is an empty object.",
    clauses=["WL-08", "WL-13"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
)
def test_group_has_exactly_one_policy(world: World) -> None:
    native = Native(world)

    assert world.accepts(native.workload("basic", {"members": BASIC}), "a basic group is an empty object")
    assert world.accepts(native.workload("gang", {"members": gang_policy(1)}), "a gang is accepted")
    none = native.workload("none", {"members": {}})
    assert world.rejects(none, "a group without policy is refused", mention=native.policy_field)
    both = native.workload("both", {"members": {**BASIC, **gang_policy(1)}})

    assert world.rejects(both, "a group with both policies is refused", mention=native.policy_field)
