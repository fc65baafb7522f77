"""A basic group has no minimum. How many pods it hopes for is a hint to the scheduler, in a field of its own."""

from harness import World, case

DESIRED = {"basic": {"desiredCount": 3}}


@case(
    "A basic policy MAY state how many pods its group expects, and the API server then keeps that.",
    clauses=["WL-14"],
    needs=["basic-policy"],
    level="extended",
)
def test_basic_group_may_state_how_many_pods_it_expects(world: World) -> None:
    native = world.native
    stored = world.objects.dry_run(native.workload("app", {"members": DESIRED}))

    policy = stored if isinstance(stored, str) else stored["spec"][native.groups_field][0][native.policy_field]
    assert world.finds("the API server keeps desiredCount", policy, equals=DESIRED)
