"""Even a basic group is unknown until its object is there."""

from harness import Gang, World, case


@case(
    "Members of a basic group MUST wait for their object, and MUST be bound once it exists.",
    clauses=["WL-26", "WL-33"],
    needs=["basic-policy", "group-first"],
)
def test_basic_group_waits_for_its_object(world: World) -> None:
    native = world.native
    world.nodes(1, gpus=4)
    gang = Gang("loose", size=2, quorum=1, gpus=2)
    members = native.members(gang, native.BASIC, "app", "members")
    submitted = world.submit(gang, objects=[obj for obj in members if obj["kind"] == "Pod"])
    assert submitted.stays_pending()

    world.objects.create(native.workload("app", {"members": native.BASIC}))
    for obj in members:
        if obj["kind"] != "Pod":
            world.objects.create(obj)

    assert submitted.is_bound_whole()
