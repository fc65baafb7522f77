"""The number is a hint: a group with fewer pods than it hoped for starts with those that there are."""

from harness import Gang, World, case

DESIRED = {"basic": {"desiredCount": 3}}


@case(
    "A basic group MAY state more pods than there are, and those that there are are bound nevertheless.",
    clauses=["WL-68"],
    needs=["basic-policy"],
    level="extended",
)
def test_expected_number_of_a_basic_group_holds_nobody_back(world: World) -> None:
    native = world.native
    world.nodes(1, gpus=4)
    stored = world.objects.create(native.workload("app", {"members": DESIRED}))
    policy = stored["spec"][native.groups_field][0][native.policy_field]
    assert world.finds("the API server keeps desiredCount", policy, equals=DESIRED)
    gang = Gang("loose", size=2, quorum=1, gpus=2)

    submitted = world.submit(gang, objects=native.members(gang, DESIRED, "app", "members"))

    assert submitted.is_bound_whole()
