"""An empty Workload means nothing, and a large one does not fit what schedulers are built for."""

from harness.case import case
from harness.native import Native, gang_policy
from harness.world import Object, World


def with_groups(native: Native, count: int) -> Object:
    return native.workload(f"with-{count}", {f"group-{n}": gang_policy(1) for n in range(count)})


@case(
    "A Workload MUST have at least one group and MUST NOT have more than eight.",
    clauses=["WL-04", "WL-05"],
    needs=["workload-object"],
    profile="WORKLOAD-API",
)
def test_workload_has_one_to_eight_groups(world: World) -> None:
    native = Native(world)

    assert world.accepts(with_groups(native, 1), "one group is accepted")
    assert world.accepts(with_groups(native, 8), "eight groups are accepted")
    assert world.rejects(with_groups(native, 0), "no group is refused", mention=native.groups_field)
    assert world.rejects(with_groups(native, 9), "nine groups are refused", mention=native.groups_field)
